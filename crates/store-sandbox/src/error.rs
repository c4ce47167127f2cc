//! Errors of statements, each with a sentence on what to do. Messages of SQLite are passed on:
//! nothing is in the sandbox that the caller may not see, so they cannot leak anything.

use model::{ErrorCode, Failure, limits};
use thiserror::Error;

/// Reason why a statement failed.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum SqlError {
    /// Not a single SELECT, or uses something that is not allowed.
    #[error("{0}")]
    Refused(String),
    /// Invalid SQL, or SQL that does not fit the tables.
    #[error("the SQL is invalid: {0}")]
    Invalid(String),
    /// Exceeded a limit.
    #[error("{0}")]
    LimitExceeded(String),
    /// The copies exceeded their limit.
    #[error(
        "the tables of this query are too large for SQL (over {} MB); \
         query one table with filters instead",
        limits::SQL_COPY_BYTES / (1024 * 1024)
    )]
    CopyTooLarge,
    /// Internal error.
    #[error("the sandbox failed: {0}")]
    Internal(String),
}

impl SqlError {
    /// Returns the error code of the API.
    #[must_use]
    pub fn code(&self) -> ErrorCode {
        match self {
            Self::Refused(_) | Self::Invalid(_) => ErrorCode::InvalidArgument,
            Self::LimitExceeded(_) | Self::CopyTooLarge => ErrorCode::LimitExceeded,
            Self::Internal(_) => ErrorCode::Internal,
        }
    }
}

impl From<SqlError> for Failure {
    fn from(error: SqlError) -> Self {
        Self::new(error.code(), error.to_string())
    }
}

/// Converts an error of copying a table, where only a full database is expected.
pub(crate) fn copy_error(error: rusqlite::Error) -> SqlError {
    match error.sqlite_error_code() {
        Some(rusqlite::ErrorCode::DiskFull) => SqlError::CopyTooLarge,
        _ => SqlError::Internal(error.to_string()),
    }
}
