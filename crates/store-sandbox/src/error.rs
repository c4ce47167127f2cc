//! What can go wrong with a statement, each with a sentence that tells how to go on. SQLite's own
//! words are passed on where they tell of the statement: nothing is in the sandbox that the caller
//! may not see, so they cannot name it.

use model::{ErrorCode, Failure, limits};
use thiserror::Error;

/// Why a statement gave no rows.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum SqlError {
    /// It is no single SELECT, or uses something that is not let in.
    #[error("{0}")]
    Refused(String),
    /// It cannot be understood or does not fit the tables.
    #[error("the SQL does not run: {0}")]
    Faulty(String),
    /// It went past a limit.
    #[error("{0}")]
    TooMuch(String),
    /// The copies grew past their limit.
    #[error(
        "the tables of this query are too large for SQL (over {} MB); query one table with filters instead",
        limits::SQL_COPY_BYTES / (1024 * 1024)
    )]
    CopyTooLarge,
    /// A fault of our own.
    #[error("the sandbox failed: {0}")]
    Broken(String),
}

impl SqlError {
    /// The code at the edge.
    #[must_use]
    pub fn code(&self) -> ErrorCode {
        match self {
            Self::Refused(_) | Self::Faulty(_) => ErrorCode::InvalidArgument,
            Self::TooMuch(_) | Self::CopyTooLarge => ErrorCode::LimitExceeded,
            Self::Broken(_) => ErrorCode::Internal,
        }
    }
}

impl From<SqlError> for Failure {
    fn from(error: SqlError) -> Self {
        Self::new(error.code(), error.to_string())
    }
}

/// A fault while tables are copied: only fullness is expected.
pub(crate) fn while_copying(error: rusqlite::Error) -> SqlError {
    match error.sqlite_error_code() {
        Some(rusqlite::ErrorCode::DiskFull) => SqlError::CopyTooLarge,
        _ => SqlError::Broken(error.to_string()),
    }
}
