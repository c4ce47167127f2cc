//! Whom we write to: a terminal of some width, with or without colours, or a pipe; text for people
//! or JSON for scripts. Writes whole pages, and takes a closed pipe quietly.

use crate::exit::Problem;
use std::io::{ErrorKind, IsTerminal, Write};

/// Wider lines are hard to read, however wide the terminal is.
const WIDTH_MAX: usize = 110;
/// Narrower than this, wrapping does more harm than good.
const WIDTH_MIN: usize = 40;

/// In which form answers are wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// For people.
    Text,
    /// For scripts.
    Json,
}

/// Whom we write to.
#[derive(Debug, Clone, Copy)]
pub struct Screen {
    /// In which form.
    pub form: Form,
    /// After how many columns lines are wrapped; `None` for a pipe, whose reader wants whole lines.
    pub width: Option<usize>,
    /// Whether colours are wanted.
    pub colours: bool,
}

impl Screen {
    /// What standard output is, and what the environment says of it.
    pub fn new(form: Form, variable: impl Fn(&str) -> Option<String>) -> Self {
        let terminal = std::io::stdout().is_terminal();
        let told = variable("COLUMNS").and_then(|columns| columns.trim().parse().ok());
        let measured = || terminal_size::terminal_size().map(|(width, _)| usize::from(width.0));
        let width = told.or_else(|| if terminal { measured() } else { None });
        let plain = variable("NO_COLOR").is_some_and(|value| !value.is_empty())
            || variable("TERM").is_some_and(|kind| kind == "dumb");
        Self {
            form,
            width: width.map(|width| width.clamp(WIDTH_MIN, WIDTH_MAX)),
            colours: terminal && !plain,
        }
    }

    /// Writes and flushes.
    ///
    /// # Errors
    /// When standard output is gone; quietly so when its reader closed it.
    pub fn print(text: &str) -> Result<(), Problem> {
        let mut out = std::io::stdout().lock();
        match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
            Ok(()) => Ok(()),
            Err(error) if error.kind() == ErrorKind::BrokenPipe => Err(Problem::nobody_listens()),
            Err(error) => Err(Problem::failed(
                format!("writing the answer failed: {error}"),
                "Check where it goes to.",
            )),
        }
    }

    /// Tells what went wrong, on standard error.
    pub fn tell(form: Form, problem: &Problem) {
        let told = match form {
            Form::Text => problem.told(),
            Form::Json => problem.told_as_json().map(|value| format!("{value}\n")),
        };
        if let Some(told) = told {
            // Without standard error there is nobody left to tell; the exit code says it still.
            let _ = std::io::stderr().lock().write_all(told.as_bytes());
        }
    }
}
