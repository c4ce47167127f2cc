//! Things to lines and back.

use super::shapes::{HeaderLine, Line};
use super::{VERSION, heard, told};
use crate::transfer::Item;

/// A thing as a line, without the line feed.
#[must_use]
pub fn to_line(item: &Item) -> String {
    // Shapes are plain maps with text keys: writing them to a string has no way to fail.
    serde_json::to_string(&told::line(item)).unwrap_or_default()
}

/// The thing that a line tells of; nothing for the header.
///
/// # Errors
/// What cannot be understood about it.
pub fn from_line(line: &str) -> Result<Option<Item>, String> {
    match serde_json::from_str(line).map_err(|error| error.to_string())? {
        Line::Quipu(HeaderLine { version: VERSION }) => Ok(None),
        Line::Quipu(HeaderLine { version }) => {
            Err(format!("version {version} of the export is not known here"))
        }
        line => heard::item(line).map(Some),
    }
}
