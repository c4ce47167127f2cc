//! Conversion between stored items and lines of text.

use super::shapes::{HeaderLine, Line};
use super::{VERSION, heard, told};
use crate::transfer::Item;

/// Encodes an item as a line, without the line feed.
#[must_use]
pub fn to_line(item: &Item) -> String {
    // The line types are plain structs with text keys: serialising them to a string cannot fail.
    serde_json::to_string(&told::line(item)).unwrap_or_default()
}

/// Decodes the item of a line; `None` for the header.
///
/// # Errors
/// Describes what is invalid about the line.
pub fn from_line(line: &str) -> Result<Option<Item>, String> {
    match serde_json::from_str(line).map_err(|error| error.to_string())? {
        Line::Quipu(HeaderLine { version: VERSION }) => Ok(None),
        Line::Quipu(HeaderLine { version }) => {
            Err(format!("version {version} of the export format is not supported"))
        }
        line => heard::item(line).map(Some),
    }
}
