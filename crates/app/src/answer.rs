//! Output of a command: text for people, the same data as JSON for scripts, and the exit status.

use crate::exit::{Exit, Problem};
use crate::page::Page;
use crate::screen::{Form, Screen};
use serde_json::Value;

/// Output of a command.
#[derive(Debug)]
pub struct Answer {
    value: Value,
    page: Page,
    exit: Exit,
}

impl Answer {
    /// Creates the output of a command that succeeded.
    pub fn new(value: Value, page: Page) -> Self {
        Self { value, page, exit: Exit::Done }
    }

    /// Creates empty output, for a command that printed while it ran.
    pub fn nothing(screen: Screen) -> Self {
        Self::new(Value::Null, Page::new(screen))
    }

    /// Sets the exit status.
    pub fn ending(self, exit: Exit) -> Self {
        Self { exit, ..self }
    }

    /// Prints the output in the given format.
    ///
    /// # Errors
    /// When standard output cannot be written.
    pub fn print(self, form: Form) -> Result<Exit, Problem> {
        match form {
            Form::Text => Screen::print(&self.page.into_text())?,
            Form::Json if self.value.is_null() => {}
            Form::Json => Screen::print(&format!("{:#}\n", self.value))?,
        }
        Ok(self.exit)
    }
}
