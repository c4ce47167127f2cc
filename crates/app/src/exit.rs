//! How a command ends: the exit code, and what is said when it did not work: what was wrong, and
//! how to recover.

use model::{ErrorCode, Failure};
use serde_json::{Value, json};
use std::process::ExitCode;

/// The exit codes, for the reader of `quipu --help`.
pub const EXIT_CODES: &str = "\
Exit codes:
  0  done
  1  failed: the store, the disk, a check of `doctor`, or `eval --golden`
  2  the command or an argument is not right
  3  there is nothing under that id or name
  4  refused: somebody else was first, a secret, or nobody confirmed";

/// How a command ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// It did what was asked.
    Done = 0,
    /// It could not.
    Failed = 1,
    /// What was asked is not right.
    Usage = 2,
    /// There is no such thing.
    NotFound = 3,
    /// It was refused, or somebody else was first.
    Refused = 4,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}

/// What keeps a command from its end.
#[derive(Debug)]
pub struct Problem {
    /// How the process ends because of it.
    pub exit: Exit,
    code: ErrorCode,
    message: String,
    hint: String,
}

impl Problem {
    /// A problem with its own advice.
    pub fn new(code: ErrorCode, message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { exit: exit_of(code), code, message: message.into(), hint: hint.into() }
    }

    /// An argument that is not right.
    pub fn usage(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::new(ErrorCode::InvalidArgument, message, hint)
    }

    /// Something that was not done because nobody confirmed it, or it would lose something.
    pub fn refused(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::new(ErrorCode::Conflict, message, hint)
    }

    /// Something outside that does not work, such as the disk.
    pub fn failed(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::new(ErrorCode::StorageFailed, message, hint)
    }

    /// A file that cannot be used.
    pub fn file(doing: &str, path: &std::path::Path, error: &std::io::Error) -> Self {
        let hint = "Check that the path is right and that you may use it.";
        let code = match error.kind() {
            std::io::ErrorKind::NotFound => ErrorCode::NotFound,
            std::io::ErrorKind::StorageFull => ErrorCode::StorageFull,
            _ => ErrorCode::StorageFailed,
        };
        Self::new(code, format!("{doing} {} failed: {error}", path.display()), hint)
    }

    /// Nobody reads what we say any more, as in `quipu recall | head -1`. That is no fault.
    pub fn nobody_listens() -> Self {
        Self {
            exit: Exit::Done,
            code: ErrorCode::Cancelled,
            message: String::new(),
            hint: String::new(),
        }
    }

    /// The same problem, of one line among many.
    pub fn in_line(self, number: usize) -> Self {
        Self { message: format!("line {number}: {}", self.message), ..self }
    }

    /// What sort of thing was wrong.
    pub fn code(&self) -> ErrorCode {
        self.code
    }

    /// What was wrong.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// What to say; `None` when there is nobody to say it to.
    pub fn told(&self) -> Option<String> {
        (self.exit != Exit::Done).then(|| {
            // What belongs to the message stays under it, also when it has several lines.
            let message = self.message.replace('\n', "\n       ");
            format!("quipu: {message}\n       {}\n", self.hint)
        })
    }

    /// The same for scripts, in the form every surface tells a failure in.
    pub fn told_as_json(&self) -> Option<Value> {
        (self.exit != Exit::Done).then(|| {
            json!({ "error": {
                "code": self.code.name(),
                "message": self.message,
                "hint": self.hint,
                "retryable": self.code.retryable(),
            }})
        })
    }
}

impl From<Failure> for Problem {
    fn from(failure: Failure) -> Self {
        let hint = match failure.code {
            // The hints of the table are written for agents; these two have another way here.
            ErrorCode::Forgotten => {
                "You had this text forgotten. To keep it after all, add --allow-forgotten."
            }
            ErrorCode::InvalidArgument => "`--help` after the command shows what it takes.",
            code => code.hint(),
        };
        Self::new(failure.code, failure.message, hint)
    }
}

impl From<store::StoreError> for Problem {
    fn from(error: store::StoreError) -> Self {
        if let Some(cause) = error.cause() {
            tracing::error!(cause, "the store failed");
        }
        Failure::from(error).into()
    }
}

fn exit_of(code: ErrorCode) -> Exit {
    match code {
        ErrorCode::InvalidArgument | ErrorCode::LimitExceeded => Exit::Usage,
        ErrorCode::NotFound => Exit::NotFound,
        ErrorCode::Conflict
        | ErrorCode::IdempotencyMismatch
        | ErrorCode::Forgotten
        | ErrorCode::SecretRefused
        | ErrorCode::Unauthenticated
        | ErrorCode::Forbidden
        | ErrorCode::ConsentRequired
        | ErrorCode::RateLimited => Exit::Refused,
        ErrorCode::Cancelled
        | ErrorCode::StoreBusy
        | ErrorCode::StorageFull
        | ErrorCode::StorageFailed
        | ErrorCode::VersionTooNew
        | ErrorCode::EmbedderFailed
        | ErrorCode::Internal => Exit::Failed,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_failure_has_an_exit_code_that_is_not_success_and_says_how_to_recover() {
        for code in ErrorCode::ALL {
            let problem = Problem::from(Failure::new(*code, "it went wrong"));
            assert_ne!(problem.exit, Exit::Done, "{code}");
            let told = problem.told().unwrap();
            assert!(told.starts_with("quipu: it went wrong\n") && told.ends_with(".\n"), "{told}");
        }
    }

    #[test]
    fn a_closed_pipe_is_quiet_and_no_failure() {
        let closed = Problem::nobody_listens();
        assert_eq!((closed.told(), closed.exit), (None, Exit::Done));
    }

    #[test]
    fn the_list_of_exit_codes_names_each() {
        for exit in [Exit::Done, Exit::Failed, Exit::Usage, Exit::NotFound, Exit::Refused] {
            assert!(EXIT_CODES.contains(&format!("\n  {}  ", exit as u8)));
        }
        for check in ["`doctor`", "`eval --golden`"] {
            let failed = EXIT_CODES.lines().find(|line| line.contains("  1  ")).unwrap();
            assert!(failed.contains(check), "{check} ends so too");
        }
    }
}
