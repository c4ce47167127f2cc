//! What goes wrong inside: SQLite's errors beside the contract's, and how the first become the
//! second.

use rusqlite::ErrorCode;
use store::{StoreError, WriteError};

/// Why a change could not be applied.
#[derive(Debug)]
pub(crate) enum Fault {
    /// SQLite could not.
    Sql(rusqlite::Error),
    /// The contract says no.
    Refused(WriteError),
}

impl Fault {
    /// A change names something that is not there.
    pub(crate) fn not_found(what: &'static str, id: impl ToString) -> Self {
        Self::Refused(WriteError::NotFound { what, id: id.to_string() })
    }

    /// A change is malformed.
    pub(crate) fn invalid(message: impl Into<String>) -> Self {
        model::Failure::invalid(message).into()
    }
}

impl From<rusqlite::Error> for Fault {
    fn from(error: rusqlite::Error) -> Self {
        Self::Sql(error)
    }
}

impl From<model::Failure> for Fault {
    fn from(failure: model::Failure) -> Self {
        Self::Refused(WriteError::Refused(failure))
    }
}

impl From<WriteError> for Fault {
    fn from(error: WriteError) -> Self {
        Self::Refused(error)
    }
}

/// What an error of SQLite is to a caller of the store.
pub(crate) fn store_error(error: &rusqlite::Error) -> StoreError {
    use rusqlite::Error as Sql;
    let cause = error.to_string();
    match error {
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

/// A fault of the operating system on a file.
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

/// A row that cannot be read as what it should be.
pub(crate) fn unreadable(column: usize, what: impl Into<String>) -> rusqlite::Error {
    rusqlite::Error::FromSqlConversionFailure(
        column,
        rusqlite::types::Type::Text,
        what.into().into(),
    )
}
