//! The internal error type, which has SQLite errors next to those of the contract, and their
//! conversion.

use rusqlite::ErrorCode;
use store::{StoreError, WriteError};

/// The reason why a change could not be applied.
#[derive(Debug)]
pub(crate) enum ApplyError {
    /// SQLite failed; usually ends the whole transaction.
    Sql(rusqlite::Error),
    /// The contract refuses the request; concerns only this request.
    Refused(WriteError),
}

impl ApplyError {
    /// Creates the error of a change that names something unknown.
    pub(crate) fn not_found(what: &'static str, id: impl ToString) -> Self {
        Self::Refused(WriteError::NotFound { what, id: id.to_string() })
    }

    /// Creates the error of a malformed change.
    pub(crate) fn invalid(message: impl Into<String>) -> Self {
        model::Failure::invalid(message).into()
    }
}

impl From<rusqlite::Error> for ApplyError {
    fn from(error: rusqlite::Error) -> Self {
        Self::Sql(error)
    }
}

impl From<model::Failure> for ApplyError {
    fn from(failure: model::Failure) -> Self {
        Self::Refused(WriteError::Refused(failure))
    }
}

impl From<WriteError> for ApplyError {
    fn from(error: WriteError) -> Self {
        Self::Refused(error)
    }
}

/// Converts an error of SQLite to one of the contract.
pub(crate) fn store_error(error: &rusqlite::Error) -> StoreError {
    use rusqlite::Error as Sql;
    let cause = error.to_string();
    match error {
        // A value of the wrong type can only come from a damaged or edited file.
        Sql::FromSqlConversionFailure(..)
        | Sql::InvalidColumnType(..)
        | Sql::IntegralValueOutOfRange(..) => StoreError::Damaged { cause },
        _ => match error.sqlite_error_code() {
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => StoreError::Busy,
            Some(ErrorCode::DiskFull) => StoreError::Full,
            Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => {
                StoreError::Damaged { cause }
            }
            _ => StoreError::Failed { cause },
        },
    }
}

/// Converts an I/O error on a file to one of the contract.
pub(crate) fn file_error(
    doing: &str,
    path: &std::path::Path,
    error: &std::io::Error,
) -> StoreError {
    if error.kind() == std::io::ErrorKind::StorageFull {
        return StoreError::Full;
    }
    StoreError::Failed { cause: format!("{doing} {}: {error}", path.display()) }
}

/// Creates the error of a row that cannot be converted.
pub(crate) fn conversion_error(column: usize, what: impl Into<String>) -> rusqlite::Error {
    rusqlite::Error::FromSqlConversionFailure(
        column,
        rusqlite::types::Type::Text,
        what.into().into(),
    )
}
