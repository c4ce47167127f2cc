//! Output of a command: text for people, the same data as JSON for scripts, and the exit status.

use crate::exit::{Exit, Problem};
use crate::terminal::{OutputFormat, Terminal};
use crate::text_page::TextPage;
use serde_json::Value;

/// Output of a command.
#[derive(Debug)]
pub struct CommandOutput {
    value: Value,
    page: TextPage,
    exit: Exit,
}

impl CommandOutput {
    /// Creates the output of a command that succeeded.
    pub fn new(value: Value, page: TextPage) -> Self {
        Self { value, page, exit: Exit::Done }
    }

    /// Creates empty output, for a command that printed while it ran.
    pub fn empty(terminal: Terminal) -> Self {
        Self::new(Value::Null, TextPage::new(terminal))
    }

    /// Sets the exit status.
    pub fn with_exit(self, exit: Exit) -> Self {
        Self { exit, ..self }
    }

    /// Prints the output in the given format.
    ///
    /// # Errors
    /// Fails when standard output cannot be written.
    pub fn print(self, format: OutputFormat) -> Result<Exit, Problem> {
        match format {
            OutputFormat::Text => Terminal::print(&self.page.into_text())?,
            OutputFormat::Json if self.value.is_null() => {}
            OutputFormat::Json => Terminal::print(&format!("{:#}\n", self.value))?,
        }
        Ok(self.exit)
    }
}
