//! The mark of an erased owner, in the file's one row of counters. Processes that still have the
//! file open recognize the erasure by it.

use rusqlite::Connection;
use store::StoreError;

// The contract has no error of its own for this, so `is_erased` recognizes it by the cause.
const ERASED_CAUSE: &str = "the owner was erased";

/// Creates the error that every later call gets.
pub(crate) fn error() -> StoreError {
    StoreError::Failed { cause: ERASED_CAUSE.to_owned() }
}

/// Returns true for the error of an erased owner.
pub(crate) fn is_erased(error: &StoreError) -> bool {
    error.cause() == Some(ERASED_CAUSE)
}

/// Marks the file as erased before it is deleted, so that other processes stop writing to it.
pub(crate) fn mark(conn: &Connection) -> rusqlite::Result<()> {
    conn.execute("UPDATE meta SET erased = 1", []).map(|_| ())
}
