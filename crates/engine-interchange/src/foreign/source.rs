//! Input of an import from another program, and the recognition of its format by its content.

use super::ForeignMemory;
use crate::formats::{self, ConversationExport, MarkdownList, NoteVault};
use crate::{CodeMemoryTables, EpitomeExport, LibrarianVault};
use model::JsonMap;
use std::collections::BTreeMap;

/// A file of a directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VaultFile {
    /// Path below the directory, with forward slashes.
    pub path: String,
    pub text: String,
}

/// Content that is to be imported, read whole.
#[derive(Debug, Clone, PartialEq)]
pub enum ForeignSource {
    /// A file with its name.
    File { name: String, text: String },
    /// The Markdown and JSON files of a directory.
    Directory(Vec<VaultFile>),
    /// Rows of a SQLite file, by table.
    Tables(BTreeMap<String, Vec<JsonMap>>),
}

/// Error for content that no reader recognizes.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct UnknownFormat(pub String);

impl ForeignSource {
    /// Tables that are read from a SQLite file.
    pub const TABLES: [&'static str; 11] = [
        "memories",
        "graph_entities",
        "graph_observations",
        "graph_relations",
        "entities",
        "observations",
        "relations",
        "session_summaries",
        "sdk_sessions",
        "sessions",
        "embedding_metadata",
    ];
    /// JSON files that are read from a directory.
    pub const JSON_FILES: [&'static str; 3] =
        ["conversations.json", "memories.json", "projects.json"];

    /// Recognizes the program that wrote it.
    ///
    /// # Errors
    /// Fails when no reader knows the format, or it cannot be parsed.
    pub fn recognize(self) -> Result<Box<dyn ForeignMemory>, UnknownFormat> {
        match self {
            Self::File { name, text } => recognize_file(&name, text),
            Self::Directory(files) => recognize_directory(files),
            Self::Tables(tables) => recognize_tables(tables),
        }
    }
}

fn recognize_file(name: &str, text: String) -> Result<Box<dyn ForeignMemory>, UnknownFormat> {
    let text = text.trim_start_matches('\u{feff}').to_owned();
    let ending = name.rsplit_once('.').map(|(_, ending)| ending.to_lowercase()).unwrap_or_default();
    match ending.as_str() {
        "csv" | "tsv" => return Ok(Box::new(formats::csv_records(&text)?)),
        "md" | "markdown" => return Ok(Box::new(MarkdownList::new(name, text))),
        "txt" | "text" => return Ok(Box::new(MarkdownList::lines(name, text))),
        _ => {}
    }
    if !text.trim_start().starts_with(['{', '[']) {
        return Err(UnknownFormat("no format that is known".to_owned()));
    }
    if let Ok(export) = EpitomeExport::read(text.as_bytes()) {
        return Ok(Box::new(export));
    }
    formats::recognize_json(&text)
}

fn recognize_directory(files: Vec<VaultFile>) -> Result<Box<dyn ForeignMemory>, UnknownFormat> {
    if files.iter().any(|file| file.path.ends_with(".json")) {
        return Ok(Box::new(ConversationExport::from_files(&files)?));
    }
    if files.is_empty() {
        return Err(UnknownFormat("no notes and no export in it".to_owned()));
    }
    if LibrarianVault::is_one(&files) {
        return Ok(Box::new(LibrarianVault::new(files)));
    }
    Ok(Box::new(NoteVault::new(files)))
}

fn recognize_tables(
    tables: BTreeMap<String, Vec<JsonMap>>,
) -> Result<Box<dyn ForeignMemory>, UnknownFormat> {
    if let Some(found) = formats::recognize_tables(&tables) {
        return Ok(found);
    }
    match CodeMemoryTables::new(tables) {
        Some(tables) => Ok(Box::new(tables)),
        None => Err(UnknownFormat("it has no table of a program that is known".to_owned())),
    }
}
