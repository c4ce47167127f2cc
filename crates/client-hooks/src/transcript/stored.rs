//! Conversations that a client keeps in tables: those of opencode and of Cursor. Whoever reads the
//! file chooses the rows; their names are those of the constants here, whatever the columns are.

mod cursor;
mod opencode;

use super::{TranscriptMessage, captured_turns};
use crate::turn::CapturedTurn;
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// Rows of each table, by its name.
pub type StoredRows = BTreeMap<String, Vec<Map<String, Value>>>;

/// Client that keeps its conversations in tables.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StoredFormat {
    OpenCode,
    Cursor,
}

/// Reads the turns of stored conversations. `project` returns the name of the project of a
/// directory. A row that cannot be read is left out.
pub fn read_stored(
    format: StoredFormat,
    rows: &StoredRows,
    project: &mut dyn FnMut(&str) -> Option<String>,
) -> Vec<CapturedTurn> {
    let (client, messages): (_, Vec<TranscriptMessage>) = match format {
        StoredFormat::OpenCode => ("opencode", opencode::messages(rows)),
        StoredFormat::Cursor => ("cursor", cursor::messages(rows)),
    };
    captured_turns(client, messages, project)
}

fn rows_of<'a>(rows: &'a StoredRows, table: &str) -> impl Iterator<Item = &'a Map<String, Value>> {
    rows.get(table).into_iter().flatten()
}

fn text_of(row: &Map<String, Value>, name: &str) -> Option<String> {
    row.get(name).and_then(Value::as_str).map(str::to_owned).filter(|text| !text.is_empty())
}

/// Returns true for `true` and for 1, as which SQLite reads it.
fn is_set(row: &Map<String, Value>, name: &str) -> bool {
    row.get(name).is_some_and(|value| *value == Value::Bool(true) || value.as_i64() == Some(1))
}

/// Returns a time in milliseconds as microseconds.
fn microseconds(value: Option<&Value>) -> Option<i64> {
    value.and_then(Value::as_i64).map(|milliseconds| milliseconds.saturating_mul(1000))
}

#[cfg(test)]
#[path = "stored_tests.rs"]
mod tests;
