//! Lists of memories as JSON: texts, or objects with a text under one of its usual names. Exports
//! of mem0, Graphiti and Zep, mcp-memory-service and of others are such lists.

use super::field_values::{moment, object, rows, text, texts};
use crate::foreign::{ForeignItems, ForeignMemory, ForeignNote, ItemList};
use model::{JsonMap, Provenance};
use serde_json::Value;
use std::collections::BTreeMap;

/// Names of the field with the text, the most specific first.
const TEXT: [&str; 8] =
    ["memory", "fact", "text", "content", "statement", "observation", "note", "body"];
/// Names of the fields that hold lists of memories.
const LISTS: [&str; 10] = [
    "memories", "results", "facts", "edges", "drawers", "notes", "items", "entries", "episodes",
    "records",
];
/// Fields that are kept as metadata.
const KEPT: [&str; 8] =
    ["id", "uuid", "user_id", "run_id", "source", "source_file", "room", "source_description"];

/// Memories as JSON.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct JsonRecords {
    program: &'static str,
    records: Vec<Value>,
}

impl JsonRecords {
    pub fn new(program: &'static str, records: Vec<Value>) -> Self {
        Self { program, records }
    }

    /// Returns the records of a document; `None` when it has no list of memories.
    pub fn from_document(document: Value) -> Option<Self> {
        let program = program_of(&document);
        let records = match document {
            Value::Array(records) => records,
            Value::Object(fields) => {
                let is_list = |name: &&&str| fields.get(**name).is_some_and(Value::is_array);
                let lists: Vec<&&str> = LISTS.iter().filter(is_list).collect();
                if lists.is_empty() {
                    return None;
                }
                let listed = lists.iter().flat_map(|name| fields[**name].as_array().cloned());
                listed.flatten().collect()
            }
            _ => return None,
        };
        let has_text = |record: &Value| match record {
            Value::String(_) => true,
            Value::Object(fields) => record_text(fields).is_some(),
            _ => false,
        };
        (records.is_empty() || records.iter().any(has_text)).then_some(Self { program, records })
    }

    /// Returns the rows of mcp-memory-service, which knows its memories by their hash.
    pub fn from_tables(tables: &BTreeMap<String, Vec<JsonMap>>) -> Option<Self> {
        let rows = tables.get("memories")?;
        let is_its_own = rows.first().is_some_and(|row| row.contains_key("content_hash"));
        let records = rows.iter().cloned().map(Value::Object).collect();
        is_its_own.then(|| Self::new("mcp-memory-service", records))
    }
}

/// Returns the name of the program that wrote a document.
fn program_of(document: &Value) -> &'static str {
    let has = |name: &str| document.get(name).is_some();
    let first = match document {
        Value::Array(records) => records.first(),
        Value::Object(_) => {
            document.get("results").or(document.get("memories")).and_then(|r| r.get(0))
        }
        _ => None,
    };
    let first_has = |name: &str| first.is_some_and(|first| first.get(name).is_some());
    match () {
        () if has("export_metadata") || first_has("content_hash") => "mcp-memory-service",
        () if has("drawers") => "MemPalace",
        () if has("facts") || has("edges") || first_has("fact") => "Graphiti",
        () if first_has("memory") => "mem0",
        () => "a list",
    }
}

impl ForeignMemory for JsonRecords {
    fn program(&self) -> &'static str {
        self.program
    }

    fn convert(&self, from: &Provenance) -> ForeignItems {
        let mut items = ItemList::new(from);
        for (position, record) in self.records.iter().enumerate() {
            let name = format!("entry {}", position + 1);
            match record {
                Value::String(text) => {
                    items.add(ForeignNote { name, text: text.clone(), ..ForeignNote::default() });
                }
                Value::Object(fields) => match note(name.clone(), fields) {
                    Some(note) => _ = items.add(note),
                    None => items.skip(name, "it has no text"),
                },
                _ => items.skip(name, "it is neither a text nor an object"),
            }
        }
        items.finish()
    }
}

/// Returns the text of a record. A node of a graph has a name and a summary.
fn record_text(fields: &JsonMap) -> Option<String> {
    text(fields, &TEXT).or_else(|| {
        let summary = text(fields, &["summary", "description"])?;
        Some(match text(fields, &["name"]) {
            Some(name) => format!("{name}: {summary}"),
            None => summary,
        })
    })
}

fn note(name: String, fields: &JsonMap) -> Option<ForeignNote> {
    let mut metadata = object(fields, "metadata");
    for kept in KEPT {
        if let Some(value) = fields.get(kept).filter(|value| value.is_string() || value.is_number())
        {
            metadata.entry(kept).or_insert_with(|| value.clone());
        }
    }
    let kind = text(fields, &["kind", "memory_type", "type"]);
    // Deleted rows stay in some files, with the time at which they were deleted.
    let deleted = moment(fields, &["deleted_at"]).is_some();
    let text_of = record_text(fields).filter(|_| !deleted)?;
    Some(ForeignNote {
        name,
        text: text_of,
        title: text(fields, &["title"]),
        kind: kind.filter(|kind| kind.len() <= 40),
        tags: texts(fields, &["tags", "categories", "labels", "concepts", "room"]),
        project: text(fields, &["project", "wing", "app_id", "group_id"]),
        agent: text(fields, &["agent", "agent_id", "added_by", "author", "by"]),
        at: moment(
            fields,
            &[
                "valid_at",
                "valid_from",
                "created_at",
                "createdAt",
                "filed_at",
                "timestamp",
                "date",
                "created",
                "created_at_iso",
            ],
        ),
        updated: moment(fields, &["updated_at", "updatedAt", "updated"]),
        until: moment(
            fields,
            &["invalid_at", "expired_at", "expiration_date", "expires", "valid_to", "valid_until"],
        ),
        confidence: fields.get("confidence").and_then(Value::as_f64).map(|number| number as f32),
        priority: fields.get("priority").and_then(Value::as_u64).and_then(|n| u8::try_from(n).ok()),
        metadata,
        ..ForeignNote::default()
    })
}

/// Returns the objects of a list under the first of these names that exists.
pub(super) fn rows_under(document: &JsonMap, names: &[&str]) -> Vec<JsonMap> {
    names.iter().map(|name| rows(document, name)).find(|rows| !rows.is_empty()).unwrap_or_default()
}
