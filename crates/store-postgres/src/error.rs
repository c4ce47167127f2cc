//! The internal errors, which have those of the driver next to those of the contract, and their
//! conversion.

use crate::sql_value::NulInText;
use std::error::Error;
use store::{StoreError, WriteError};
use tokio_postgres::error::SqlState;

/// The result of a statement.
pub(crate) type SqlResult<T> = Result<T, StatementError>;

/// The reason why a statement failed.
#[derive(Debug)]
pub(crate) enum StatementError {
    /// The database refused it, or could not be reached.
    Driver(tokio_postgres::Error),
    /// The same of a statement that was sent before, without waiting for its answer.
    Earlier(tokio_postgres::Error),
    /// A value in the database cannot be read.
    Conversion(String),
    /// An error of the contract, such as that of an unknown owner.
    Refused(StoreError),
    /// The connection was lost, with the error of another write that shared the transaction.
    Lost,
    /// A plan asked what only the database knows; the write is made without a plan.
    Unplanned,
}

impl StatementError {
    fn driver_error(&self) -> Option<&tokio_postgres::Error> {
        match self {
            Self::Driver(error) | Self::Earlier(error) => Some(error),
            Self::Conversion(_) | Self::Refused(_) | Self::Lost | Self::Unplanned => None,
        }
    }

    fn state(&self) -> Option<&SqlState> {
        self.driver_error()?.code()
    }

    /// Returns true if it is not known which statement failed.
    pub(crate) fn is_earlier(&self) -> bool {
        matches!(self, Self::Earlier(_))
    }

    /// Returns true when the connection is gone, so that another one may succeed.
    pub(crate) fn is_connection_loss(&self) -> bool {
        let Some(error) = self.driver_error() else { return matches!(self, Self::Lost) };
        match error.code() {
            // Class 08 and the shutdown of the server or of its host.
            Some(state) => state.code().starts_with("08") || state.code().starts_with("57P"),
            None => error.is_closed() || source_of::<std::io::Error>(error).is_some(),
        }
    }

    /// Returns true when the database asks for the transaction to be run again.
    pub(crate) fn is_serialization_failure(&self) -> bool {
        let states = [SqlState::T_R_SERIALIZATION_FAILURE, SqlState::T_R_DEADLOCK_DETECTED];
        self.state().is_some_and(|state| states.contains(state))
    }

    /// Returns true when another transaction held a lock for too long.
    pub(crate) fn is_lock_timeout(&self) -> bool {
        self.state() == Some(&SqlState::LOCK_NOT_AVAILABLE)
    }

    /// Returns the word by which the error is counted.
    pub(crate) fn kind(&self) -> &'static str {
        match self {
            error if error.is_connection_loss() => "connection",
            error if error.is_serialization_failure() => "serialization",
            Self::Refused(StoreError::Busy) => "busy",
            _ => "other",
        }
    }

    /// Returns true for errors that are caused by the data of one request. That of an earlier
    /// statement may be caused by another request.
    pub(crate) fn is_request_error(&self) -> bool {
        if self.is_earlier() {
            return false;
        }
        let too_large = [SqlState::PROGRAM_LIMIT_EXCEEDED, SqlState::STATEMENT_TOO_COMPLEX];
        self.nul_in_text().is_some()
            || self.state().is_some_and(|state| {
                // Class 22 is data that does not fit a type, class 23 a violated constraint.
                let class = state.code().get(..2);
                matches!(class, Some("22" | "23")) || too_large.contains(state)
            })
    }

    fn nul_in_text(&self) -> Option<&NulInText> {
        source_of(self.driver_error()?)
    }
}

/// Finds the cause of a type behind an error.
fn source_of<T: Error + 'static>(error: &tokio_postgres::Error) -> Option<&T> {
    let mut source = error.source();
    while let Some(cause) = source {
        if let Some(found) = cause.downcast_ref() {
            return Some(found);
        }
        source = cause.source();
    }
    None
}

impl From<StoreError> for StatementError {
    fn from(error: StoreError) -> Self {
        Self::Refused(error)
    }
}

impl From<tokio_postgres::Error> for StatementError {
    fn from(error: tokio_postgres::Error) -> Self {
        Self::Driver(error)
    }
}

impl From<StatementError> for StoreError {
    fn from(error: StatementError) -> Self {
        const UNREACHABLE: &str = "the database server cannot be reached; try again";
        let cause = match &error {
            StatementError::Refused(error) => return error.clone(),
            StatementError::Lost => "lost with another write".to_owned(),
            StatementError::Unplanned => {
                return Self::Failed { cause: "a plan was not complete".to_owned() };
            }
            StatementError::Conversion(problem) => return Self::Damaged { cause: problem.clone() },
            StatementError::Driver(error) | StatementError::Earlier(error) => describe(error),
        };
        if error.is_connection_loss() {
            tracing::error!(cause, "the database server cannot be reached");
            return Self::Unusable { why: UNREACHABLE };
        }
        match error.state().map(SqlState::code) {
            // Waited too long for a lock or an answer, or too many connections.
            Some("55P03" | "57014" | "40001" | "40P01" | "53300") => Self::Busy,
            Some("53100") => Self::Full,
            Some("25006") => Self::Unusable { why: "the database is read-only" },
            Some("XX001" | "XX002") => Self::Damaged { cause },
            _ => Self::Failed { cause },
        }
    }
}

/// Returns an error with its causes, which the driver leaves out of its message.
pub(crate) fn describe(error: &tokio_postgres::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        text = format!("{text}: {cause}");
        source = cause.source();
    }
    text
}

/// The reason why a change could not be applied.
#[derive(Debug)]
pub(crate) enum ChangeError {
    /// A statement failed; usually ends the whole transaction.
    Sql(StatementError),
    /// The contract refuses the request; concerns only this request.
    Refused(WriteError),
}

impl ChangeError {
    /// Creates the error of a change that names something unknown.
    pub(crate) fn not_found(what: &'static str, id: impl ToString) -> Self {
        Self::Refused(WriteError::NotFound { what, id: id.to_string() })
    }

    /// Creates the error of a malformed change.
    pub(crate) fn invalid(message: impl Into<String>) -> Self {
        model::Failure::invalid(message).into()
    }
}

impl From<StatementError> for ChangeError {
    fn from(error: StatementError) -> Self {
        match error.nul_in_text() {
            Some(problem) => Self::invalid(problem.to_string()),
            None => Self::Sql(error),
        }
    }
}

impl From<model::Failure> for ChangeError {
    fn from(failure: model::Failure) -> Self {
        Self::Refused(WriteError::Refused(failure))
    }
}

impl From<WriteError> for ChangeError {
    fn from(error: WriteError) -> Self {
        Self::Refused(error)
    }
}
