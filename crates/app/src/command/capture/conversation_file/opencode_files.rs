//! Sessions of opencode before version 1.2, which kept a JSON file for each session, each message
//! and each part of a message.

use super::BYTES_MAX;
use crate::files::read_bounded;
use client_hooks::StoredRows;
use serde_json::{Map, Value};
use std::path::Path;

/// Name of a value, and its place in the JSON of a file.
type FileField = (&'static str, &'static str);

const SESSION: [FileField; 3] =
    [("id", "/id"), ("parent", "/parentID"), ("directory", "/directory")];
const MESSAGE: [FileField; 5] = [
    ("id", "/id"),
    ("session", "/sessionID"),
    ("at", "/time/created"),
    ("role", "/role"),
    ("summary", "/summary"),
];
const PART: [FileField; 5] = [
    ("id", "/id"),
    ("message", "/messageID"),
    ("type", "/type"),
    ("text", "/text"),
    ("synthetic", "/synthetic"),
];

/// Returns a session with its messages and their parts; `None` if the text is no session.
pub(super) fn read_session(file: &Path, text: &str) -> Option<StoredRows> {
    let storage = file.parent()?.parent()?.parent()?;
    let session: Value = serde_json::from_str(text).ok()?;
    let messages = read_json_files(storage, "message", &session);
    let parts = messages.iter().flat_map(|message| read_json_files(storage, "part", message));
    Some(StoredRows::from([
        ("part".to_owned(), parts.map(|part| row(&PART, &part)).collect()),
        ("message".to_owned(), messages.iter().map(|it| row(&MESSAGE, it)).collect()),
        ("session".to_owned(), vec![row(&SESSION, &session)]),
    ]))
}

fn row(fields: &[FileField], value: &Value) -> Map<String, Value> {
    let found =
        |(name, pointer): &FileField| Some(((*name).to_owned(), value.pointer(pointer)?.clone()));
    fields.iter().filter_map(found).collect()
}

/// Returns the JSON files that belong to a session or a message; one that cannot be read is left
/// out.
fn read_json_files(storage: &Path, folder: &str, of: &Value) -> Vec<Value> {
    let id = of.get("id").and_then(Value::as_str).unwrap_or_default();
    // An id is a name of a directory here, never a path out of it.
    let is_name = !id.is_empty() && !id.contains(['/', '\\', '.']);
    let directory = is_name.then(|| storage.join(folder).join(id));
    let entries = directory.and_then(|directory| std::fs::read_dir(directory).ok());
    let files = entries.into_iter().flatten().flatten().map(|entry| entry.path());
    let parsed = |file: std::path::PathBuf| {
        serde_json::from_slice(&read_bounded(&file, BYTES_MAX).ok()?).ok()
    };
    files.filter_map(parsed).collect()
}
