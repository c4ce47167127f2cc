//! Conversion between stored items and lines of text.

use super::line_types::{ExportLine, HeaderLine};
use super::{VERSION, decode, encode};
use crate::transfer::TransferItem;

/// Encodes an item as a line, without the line feed.
#[must_use]
pub fn to_line(item: &TransferItem) -> String {
    // The line types are plain structs with text keys: serialising them to a string cannot fail.
    serde_json::to_string(&encode::encode_item(item)).unwrap_or_default()
}

/// Decodes the item of a line; `None` for the header.
///
/// # Errors
/// Describes what is invalid about the line.
pub fn from_line(line: &str) -> Result<Option<TransferItem>, String> {
    match serde_json::from_str(line).map_err(|error| error.to_string())? {
        ExportLine::Quipu(HeaderLine { version: VERSION }) => Ok(None),
        ExportLine::Quipu(HeaderLine { version }) => {
            Err(format!("version {version} of the export format is not supported"))
        }
        line => decode::decode_line(line).map(Some),
    }
}
