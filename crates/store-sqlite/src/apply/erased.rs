//! That an owner was erased while this process had the file open: the file says so in its one row
//! of counters.

use rusqlite::Connection;
use store::StoreError;

const CAUSE: &str = "the owner was erased";

/// What every later call is told.
pub(crate) fn error() -> StoreError {
    StoreError::Failed { cause: CAUSE.to_owned() }
}

/// Whether an error tells of an erased owner.
pub(crate) fn is(error: &StoreError) -> bool {
    error.cause() == Some(CAUSE)
}

/// Marks the file as erased, before it is deleted, so that other processes stop writing to it.
pub(crate) fn mark(conn: &Connection) -> rusqlite::Result<()> {
    conn.execute("UPDATE meta SET erased = 1", []).map(|_| ())
}
