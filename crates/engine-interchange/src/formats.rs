//! Readers of the formats of other programs. Each one recognizes its own by the fields that only it
//! has, and leaves out what it does not know.

mod claude_mem;
mod conversations;
mod csv;
mod engram;
mod field_values;
mod json_records;
mod markdown_list;
mod note_vault;
mod palace;
mod server_memory;

pub(crate) use conversations::ConversationExport;
pub(crate) use csv::csv_records;
pub(crate) use markdown_list::MarkdownList;
pub(crate) use note_vault::NoteVault;

use crate::foreign::{ForeignMemory, UnknownFormat};
use claude_mem::ClaudeMemRows;
use engram::EngramRows;
use json_records::JsonRecords;
use model::JsonMap;
use palace::PalaceDrawers;
use serde_json::Value;
use server_memory::ServerMemoryGraph;
use std::collections::BTreeMap;

/// Recognizes a JSON document, or JSON Lines.
///
/// # Errors
/// Fails when it is neither, or has no list of memories.
pub(crate) fn recognize_json(text: &str) -> Result<Box<dyn ForeignMemory>, UnknownFormat> {
    let document = match serde_json::from_str::<Value>(text) {
        Ok(document) => document,
        Err(error) => {
            json_lines(text).ok_or_else(|| UnknownFormat(format!("not JSON: {error}")))?
        }
    };
    if let Some(rows) = ClaudeMemRows::from_document(&document) {
        return Ok(Box::new(rows));
    }
    if let Some(rows) = EngramRows::from_document(&document) {
        return Ok(Box::new(rows));
    }
    if let Some(graph) = ServerMemoryGraph::from_document(&document) {
        return Ok(Box::new(graph));
    }
    if let Some(export) = ConversationExport::from_document(&document) {
        return Ok(Box::new(export));
    }
    match JsonRecords::from_document(document) {
        Some(records) => Ok(Box::new(records)),
        None => Err(UnknownFormat("it has no list of memories".to_owned())),
    }
}

/// Recognizes the tables of a SQLite file.
pub(crate) fn recognize_tables(
    tables: &BTreeMap<String, Vec<JsonMap>>,
) -> Option<Box<dyn ForeignMemory>> {
    if let Some(rows) = ClaudeMemRows::from_tables(tables) {
        return Some(Box::new(rows));
    }
    if let Some(rows) = EngramRows::from_tables(tables) {
        return Some(Box::new(rows));
    }
    if let Some(drawers) = PalaceDrawers::from_tables(tables) {
        return Some(Box::new(drawers));
    }
    JsonRecords::from_tables(tables).map(|records| Box::new(records) as Box<dyn ForeignMemory>)
}

/// Returns the lines of JSON Lines as a list; `None` when one of them is not JSON.
fn json_lines(text: &str) -> Option<Value> {
    let lines = text.lines().filter(|line| !line.trim().is_empty());
    lines
        .map(|line| serde_json::from_str(line).ok())
        .collect::<Option<Vec<Value>>>()
        .map(Value::Array)
}
