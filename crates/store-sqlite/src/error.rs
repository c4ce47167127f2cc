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
            Some(ErrorCode::ReadOnly) => StoreError::Unusable { why: READ_ONLY },
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
    use std::io::ErrorKind;
    if matches!(error.kind(), ErrorKind::StorageFull | ErrorKind::QuotaExceeded) {
        return StoreError::Full;
    }
    let cause = format!("{doing} {}: {error}", path.display());
    match obstacle(error) {
        Some(why) => {
            tracing::error!(cause, "the store cannot be used");
            StoreError::Unusable { why }
        }
        None => StoreError::Failed { cause },
    }
}

const READ_ONLY: &str = "the disk or the file is read-only";
const TOO_LONG: &str = "the path is too long; choose a shorter home directory";
const TOO_MANY_FILES: &str =
    "too many files are open; end some programs, or raise the limit, such as with `ulimit -n 4096`";

/// Returns the obstacle behind an I/O error that no retry and no repair removes.
fn obstacle(error: &std::io::Error) -> Option<&'static str> {
    match error.kind() {
        std::io::ErrorKind::ReadOnlyFilesystem => Some(READ_ONLY),
        std::io::ErrorKind::InvalidFilename => Some(TOO_LONG),
        _ => is_out_of_handles(error).then_some(TOO_MANY_FILES),
    }
}

/// Returns true for ENFILE and EMFILE, which have no name in the standard library.
fn is_out_of_handles(error: &std::io::Error) -> bool {
    cfg!(unix) && matches!(error.raw_os_error(), Some(23 | 24))
}

/// Number of files that a connection has open: the database, its log, the shared memory, and the
/// directory while it is synced.
const CONNECTION_HANDLES: usize = 4;

/// Finds the obstacle that keeps SQLite from opening a file, which it does not tell.
pub(crate) fn explain_open_error(path: &std::path::Path, error: StoreError) -> StoreError {
    let StoreError::Failed { .. } = error else { return error };
    let Some(directory) = path.parent() else { return error };
    // The directory and not the file: closing a handle of the file would release SQLite's locks.
    // As many handles as a connection needs, because those of the failed one are free again.
    let handles = (0..CONNECTION_HANDLES).map(|_| std::fs::File::open(directory));
    match handles.collect::<Result<Vec<_>, _>>().as_ref().err().and_then(obstacle) {
        Some(why) => StoreError::Unusable { why },
        None => error,
    }
}

/// Creates the error of a row that cannot be converted.
pub(crate) fn conversion_error(column: usize, what: impl Into<String>) -> rusqlite::Error {
    rusqlite::Error::FromSqlConversionFailure(
        column,
        rusqlite::types::Type::Text,
        what.into().into(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Error, ErrorKind};
    use std::path::Path;

    fn converted(error: &Error) -> StoreError {
        file_error("writing", Path::new("/somewhere"), error)
    }

    #[test]
    fn obstacles_of_the_machine_are_told_in_words() {
        let read_only = Error::from(ErrorKind::ReadOnlyFilesystem);
        assert!(converted(&read_only).to_string().contains("read-only"));
        let too_long = Error::from(ErrorKind::InvalidFilename);
        assert!(converted(&too_long).to_string().contains("too long"));
        assert!(matches!(converted(&ErrorKind::StorageFull.into()), StoreError::Full));
        assert!(matches!(converted(&ErrorKind::NotFound.into()), StoreError::Failed { .. }));
    }

    #[cfg(unix)]
    #[test]
    fn too_few_handles_are_told_with_the_command_that_gives_more() {
        for code in [23, 24] {
            let message = converted(&Error::from_raw_os_error(code)).to_string();
            assert!(message.contains("ulimit -n"), "{message}");
        }
    }
}
