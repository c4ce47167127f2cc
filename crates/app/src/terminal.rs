//! Properties of standard output: format, width and colours. Writes complete output at once, and
//! treats a closed pipe as a normal end.

use crate::exit::Problem;
use crate::setup::env_var;
use std::io::{ErrorKind, IsTerminal, Write};

/// Widest wrapping, because longer lines are hard to read on any terminal.
const WIDTH_MAX: usize = 110;
/// Narrowest wrapping; below it, wrapped columns are unreadable.
const WIDTH_MIN: usize = 40;

/// Format of the output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OutputFormat {
    Text,
    Json,
}

/// Properties of standard output.
#[derive(Debug, Clone, Copy)]
pub struct Terminal {
    pub format: OutputFormat,
    /// Column to wrap at; `None` for a pipe, whose reader expects unbroken lines.
    pub width: Option<usize>,
    pub colours: bool,
    /// Somebody reads along; a pipe or a file keeps what is written to it.
    pub interactive: bool,
}

impl Terminal {
    /// Detects the properties of standard output, honouring `COLUMNS`, `NO_COLOR` and `TERM`.
    pub fn new(format: OutputFormat, variable: impl Fn(&str) -> Option<String>) -> Self {
        let terminal = std::io::stdout().is_terminal();
        let columns = variable("COLUMNS").and_then(|columns| columns.trim().parse().ok());
        let measured = || terminal_size::terminal_size().map(|(width, _)| usize::from(width.0));
        let width = columns.or_else(|| if terminal { measured() } else { None });
        Self {
            format,
            width: width.map(|width| width.clamp(WIDTH_MIN, WIDTH_MAX)),
            colours: terminal && !is_plain(variable),
            interactive: terminal,
        }
    }

    /// Writes text to standard output and flushes it.
    ///
    /// # Errors
    /// Fails when standard output cannot be written. A closed pipe is reported as a problem without
    /// message.
    pub fn print(text: &str) -> Result<(), Problem> {
        let mut out = std::io::stdout().lock();
        match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
            Ok(()) => Ok(()),
            Err(error) if error.kind() == ErrorKind::BrokenPipe => Err(Problem::broken_pipe()),
            Err(error) => Err(Problem::failed(
                format!("cannot write to standard output: {error}"),
                "Check where the output goes.",
            )),
        }
    }

    /// Writes a problem to standard error.
    pub fn print_problem(format: OutputFormat, problem: &Problem) {
        let text = match format {
            OutputFormat::Text => {
                let colours = std::io::stderr().is_terminal() && !is_plain(env_var);
                problem.render(colours)
            }
            OutputFormat::Json => problem.to_json().map(|value| format!("{value}\n")),
        };
        if let Some(text) = text {
            // If standard error is closed as well, the exit code is all that is left.
            let _ = std::io::stderr().lock().write_all(text.as_bytes());
        }
    }
}

/// Returns true if colours are not wanted.
fn is_plain(variable: impl Fn(&str) -> Option<String>) -> bool {
    variable("NO_COLOR").is_some_and(|value| !value.is_empty())
        || variable("TERM").is_some_and(|kind| kind == "dumb")
}
