//! Import of an Epitome export: one JSON document with the profile, tables, vectors and graph of a
//! person. It is converted to stored items and imported like a Quipu export, with the origin
//! `imported`.
//!
//! ```text
//! {"exportedAt", "profile", "tables": {"meals": [{…}]},
//!  "vectors": {"entries": {"journal": [{…}]}},
//!  "graph": {"entities": [{…}], "edges": [{…}]}}
//! ```
//!
//! Deleted and rejected items are skipped. A row becomes a memory with the text of its vector, or
//! with a sentence built from its fields.

mod graph;
mod tables;

use crate::foreign::{ForeignItems, ForeignMemory};
use crate::transfer::TransferItem;
use model::{JsonMap, Moment, Provenance, limits};
use serde_json::Value;

/// Error of reading an Epitome export.
#[derive(Debug, thiserror::Error)]
pub enum EpitomeError {
    #[error("the file has {0} bytes; the limit is {limit}", limit = limits::IMPORT_BYTES)]
    TooLarge(usize),
    #[error("not JSON: {0}")]
    NotJson(#[from] serde_json::Error),
    /// The document has none of the expected fields.
    #[error("not an Epitome export: it has none of profile, tables, vectors and graph")]
    NotAnExport,
}

/// A parsed Epitome export.
#[derive(Debug, Clone, PartialEq)]
pub struct EpitomeExport(JsonMap);

impl EpitomeExport {
    /// Parses a document, bare or in the `data` envelope of Epitome's API.
    ///
    /// # Errors
    /// Fails when the document is too large, not JSON, or not an export of Epitome.
    pub fn read(bytes: &[u8]) -> Result<Self, EpitomeError> {
        if bytes.len() > limits::IMPORT_BYTES {
            return Err(EpitomeError::TooLarge(bytes.len()));
        }
        let document: Value = serde_json::from_slice(bytes)?;
        let inner = document.get("data").filter(|data| data.is_object()).unwrap_or(&document);
        let known = ["profile", "tables", "vectors", "graph"];
        match inner {
            Value::Object(fields) if known.iter().any(|name| fields.contains_key(*name)) => {
                Ok(Self(fields.clone()))
            }
            _ => Err(EpitomeError::NotAnExport),
        }
    }

    /// Returns all items in the order of the import.
    // Entities come before the memories that mention them, and relations after both.
    pub(crate) fn items(&self, from: &Provenance) -> Vec<TransferItem> {
        let empty = Value::Null;
        let part = |name: &str| self.0.get(name).unwrap_or(&empty);
        let graph = graph::items(part("graph"), from);
        let tables = tables::items(part("tables"), part("vectors"), from);
        let profile = tables::profile(part("profile"), from);
        graph.entities.into_iter().chain(tables).chain(graph.relations).chain(profile).collect()
    }
}

impl ForeignMemory for EpitomeExport {
    fn program(&self) -> &'static str {
        "Epitome"
    }

    fn convert(&self, from: &Provenance) -> ForeignItems {
        ForeignItems { items: self.items(from), ..ForeignItems::default() }
    }
}

/// Returns a non-empty text field of an object.
fn text<'v>(object: &'v Value, field: &str) -> Option<&'v str> {
    object.get(field).and_then(Value::as_str).map(str::trim).filter(|text| !text.is_empty())
}

/// Returns an object field, or an empty object.
fn object(value: &Value, field: &str) -> JsonMap {
    value.get(field).and_then(Value::as_object).cloned().unwrap_or_default()
}

/// Returns a time field, under either spelling of its name.
fn moment(value: &Value, snake: &str, camel: &str) -> Option<Moment> {
    let written = text(value, snake).or_else(|| text(value, camel))?;
    // Postgres writes a space where RFC 3339 has a T.
    Moment::parse(&written.replacen(' ', "T", 1)).or_else(|_| Moment::parse(written)).ok()
}

/// Returns a number between 0 and 1, written as a number or as text.
fn unit_interval(value: &Value, field: &str, otherwise: f32) -> f32 {
    let field = value.get(field);
    let number =
        field.and_then(Value::as_f64).or_else(|| field.and_then(Value::as_str)?.parse().ok());
    number.map_or(otherwise, |number| number.clamp(0.0, 1.0) as f32)
}

/// Returns whether the item was deleted or rejected in Epitome.
fn is_deleted(value: &Value) -> bool {
    let deleted = value.get("_deleted_at").is_some_and(|at| !at.is_null());
    deleted || text(value, "status") == Some("rejected")
}
