//! What a command answers: the same thing as a page for people and as JSON for scripts, and how it
//! ends.

use crate::exit::{Exit, Problem};
use crate::page::Page;
use crate::screen::{Form, Screen};
use serde_json::Value;

/// What a command answers.
#[derive(Debug)]
pub struct Answer {
    value: Value,
    page: Page,
    exit: Exit,
}

impl Answer {
    /// An answer to something that worked.
    pub fn new(value: Value, page: Page) -> Self {
        Self { value, page, exit: Exit::Done }
    }

    /// Nothing more: whatever there was to say was said while it went on.
    pub fn nothing(screen: Screen) -> Self {
        Self::new(Value::Null, Page::new(screen))
    }

    /// The same answer, ending so.
    pub fn ending(self, exit: Exit) -> Self {
        Self { exit, ..self }
    }

    /// Writes it down in the form that is wanted.
    ///
    /// # Errors
    /// When standard output is gone.
    pub fn print(self, form: Form) -> Result<Exit, Problem> {
        match form {
            Form::Text => Screen::print(&self.page.into_text())?,
            Form::Json if self.value.is_null() => {}
            Form::Json => Screen::print(&format!("{:#}\n", self.value))?,
        }
        Ok(self.exit)
    }
}
