//! Exit codes, and the error type of the command line: a message, and a hint how to recover.

use crate::text_page::Style;
use model::{ErrorCode, Failure};
use serde_json::{Value, json};
use std::process::ExitCode;

/// List of the exit codes for `quipu --help`.
pub const EXIT_CODES: &str = "\
Exit codes:
  0  success
  1  failure of the store, the disk, a `doctor` check, or `eval --golden`
  2  invalid command or argument
  3  no such id or name
  4  refused: a conflict, a secret, or no confirmation";

/// Exit status of a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    Done = 0,
    /// The store, the disk or a check failed.
    Failed = 1,
    /// The command or an argument is invalid.
    Usage = 2,
    NotFound = 3,
    /// Refused because of a conflict, a secret, or a missing confirmation.
    Refused = 4,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}

/// Error of a command, with a hint how to recover.
#[derive(Debug)]
pub struct Problem {
    pub exit: Exit,
    code: ErrorCode,
    message: String,
    hint: String,
}

impl Problem {
    /// Creates a problem.
    pub fn new(code: ErrorCode, message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { exit: exit_for(code), code, message: message.into(), hint: hint.into() }
    }

    /// Creates a problem with an argument.
    pub fn usage(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::new(ErrorCode::InvalidArgument, message, hint)
    }

    /// Creates a refusal: something was not confirmed, or would lose data.
    pub fn refused(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::new(ErrorCode::Conflict, message, hint)
    }

    /// Creates a failure of something outside of the program, such as the disk.
    pub fn failed(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::new(ErrorCode::StorageFailed, message, hint)
    }

    /// Creates a problem with a file; `doing` is the operation that failed, as in "reading".
    pub fn file(doing: &str, path: &std::path::Path, error: &std::io::Error) -> Self {
        use std::io::ErrorKind::{
            InvalidFilename, NotFound, QuotaExceeded, ReadOnlyFilesystem, StorageFull,
        };
        let (code, hint) = match error.kind() {
            NotFound => (ErrorCode::NotFound, "Check the path and its permissions."),
            StorageFull | QuotaExceeded => {
                (ErrorCode::StorageFull, "Free some disk space, then try again.")
            }
            ReadOnlyFilesystem => (
                ErrorCode::StorageFailed,
                "The disk is read-only; choose another directory with --home.",
            ),
            InvalidFilename => {
                (ErrorCode::StorageFailed, "The path is too long; choose a shorter one.")
            }
            _ if is_out_of_handles(error) => (
                ErrorCode::StorageFailed,
                "End some programs, or raise the limit, such as with `ulimit -n 4096`.",
            ),
            _ => (ErrorCode::StorageFailed, "Check the path and its permissions."),
        };
        Self::new(code, format!("{doing} {} failed: {error}", path.display()), hint)
    }

    /// Creates the silent end after the reader of standard output closed it, as in
    /// `quipu recall | head -1`; not an error.
    pub fn broken_pipe() -> Self {
        Self {
            exit: Exit::Done,
            code: ErrorCode::Cancelled,
            message: String::new(),
            hint: String::new(),
        }
    }

    /// Replaces the hint.
    pub fn with_hint(self, hint: impl Into<String>) -> Self {
        Self { hint: hint.into(), ..self }
    }

    /// Adds the number of the input line to the message.
    pub fn at_line(self, number: usize) -> Self {
        Self { message: format!("line {number}: {}", self.message), ..self }
    }

    /// Returns the message.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// Returns the hint.
    pub fn hint(&self) -> &str {
        &self.hint
    }

    /// Renders the message and the hint, in colours where wanted; `None` after a closed pipe.
    pub fn render(&self, colours: bool) -> Option<String> {
        (self.exit != Exit::Done).then(|| {
            // Further lines of the message are aligned with the first.
            let message = self.message.replace('\n', "\n       ");
            let (name, message, hint) = if colours {
                (Style::Bad.paint("quipu:"), Style::Strong.paint(&message), self.painted_hint())
            } else {
                ("quipu:".to_owned(), message, self.hint.clone())
            };
            format!("{name} {message}\n       {hint}\n")
        })
    }

    fn painted_hint(&self) -> String {
        Style::Faint.paint(&self.hint)
    }

    /// Renders the problem as JSON, in the format that all interfaces share.
    pub fn to_json(&self) -> Option<Value> {
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
            // The hints of `ErrorCode` are written for agents; these differ on a command line.
            ErrorCode::Forgotten => "To store it anyway, pass --allow-forgotten.",
            ErrorCode::NotFound => "Check the id or name; list or search to find the right one.",
            ErrorCode::InvalidArgument => "Run the command with --help to see its arguments.",
            code => code.hint(),
        };
        Self::new(failure.code, failure.message, hint)
    }
}

impl From<store::StoreError> for Problem {
    fn from(error: store::StoreError) -> Self {
        if let Some(cause) = error.cause() {
            tracing::error!(cause, "store error");
        }
        let lost = matches!(error, store::StoreError::Lost { .. });
        let problem = Self::from(Failure::from(error));
        if lost {
            problem.with_hint("`quipu doctor` shows the state of all files.")
        } else {
            problem
        }
    }
}

/// Returns true for ENFILE and EMFILE, which have no name in the standard library.
fn is_out_of_handles(error: &std::io::Error) -> bool {
    cfg!(unix) && matches!(error.raw_os_error(), Some(23 | 24))
}

fn exit_for(code: ErrorCode) -> Exit {
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
    fn every_failure_has_a_nonzero_exit_code_and_a_hint() {
        for code in ErrorCode::ALL {
            let problem = Problem::from(Failure::new(*code, "it went wrong"));
            assert_ne!(problem.exit, Exit::Done, "{code}");
            let text = problem.render(false).unwrap();
            assert!(text.starts_with("quipu: it went wrong\n") && text.ends_with(".\n"), "{text}");
        }
    }

    #[test]
    fn an_error_in_colours_says_the_same() {
        let problem = Problem::failed("it went wrong", "Try again.");
        let (plain, coloured) = (problem.render(false).unwrap(), problem.render(true).unwrap());
        assert!(coloured.starts_with("\u{1b}[31mquipu:\u{1b}[0m "), "{coloured}");
        let stripped = ["\u{1b}[31m", "\u{1b}[1m", "\u{1b}[2m", "\u{1b}[0m"]
            .iter()
            .fold(coloured, |text, code| text.replace(code, ""));
        assert_eq!(stripped, plain);
    }

    #[test]
    fn a_full_or_read_only_disk_and_too_few_handles_have_a_hint_of_their_own() {
        use std::io::{Error, ErrorKind};
        let hint = |error: Error| {
            Problem::file("writing", std::path::Path::new("token"), &error).hint().to_owned()
        };
        assert!(hint(ErrorKind::StorageFull.into()).contains("Free some disk space"));
        assert!(hint(ErrorKind::ReadOnlyFilesystem.into()).contains("read-only"));
        assert!(hint(ErrorKind::InvalidFilename.into()).contains("too long"));
        #[cfg(unix)]
        assert!(hint(Error::from_raw_os_error(24)).contains("ulimit -n"));
    }

    #[test]
    fn a_closed_pipe_is_silent_and_not_a_failure() {
        let closed = Problem::broken_pipe();
        assert_eq!((closed.render(false), closed.exit), (None, Exit::Done));
    }

    #[test]
    fn the_help_lists_every_exit_code() {
        for exit in [Exit::Done, Exit::Failed, Exit::Usage, Exit::NotFound, Exit::Refused] {
            assert!(EXIT_CODES.contains(&format!("\n  {}  ", exit as u8)));
        }
        for check in ["`doctor`", "`eval --golden`"] {
            let failed = EXIT_CODES.lines().find(|line| line.contains("  1  ")).unwrap();
            assert!(failed.contains(check), "{check} exits with 1 too");
        }
    }
}
