//! Epitome's export: one JSON document with the profile, tables, vectors and graph of a person. It
//! becomes things as they are kept here, and goes in as an export of Quipu does; all of it counts
//! as imported.
//!
//! ```text
//! {"exportedAt", "profile", "tables": {"meals": [{…}]}, "vectors": {"entries": {"journal": [{…}]}},
//!  "graph": {"entities": [{…}], "edges": [{…}]}}
//! ```
//!
//! What it had deleted or rejected stays behind. A row brings the vector that tells of it, or a
//! sentence made of it.

mod graph;
mod places;

use crate::Step;
use crate::Transfer;
use crate::transfer::{ImportOptions, Imported, Item};
use engine::{Caller, Engine};
use model::{Author, Dialect, Failure, JsonMap, Moment, Origin, Provenance, limits};
use serde_json::Value;

/// How many things go in at a time.
const AT_ONCE: usize = 200;

/// Why a document cannot be read in.
#[derive(Debug, thiserror::Error)]
pub enum EpitomeError {
    /// It is too large.
    #[error("it has {0} bytes; the limit is {limit}", limit = limits::IMPORT_BYTES)]
    TooLarge(usize),
    /// It is no JSON.
    #[error("it is no JSON: {0}")]
    NoJson(#[from] serde_json::Error),
    /// It is something else.
    #[error("it is no export of Epitome: it has none of profile, tables, vectors and graph")]
    NoExport,
}

/// A document that was read.
#[derive(Debug, Clone, PartialEq)]
pub struct EpitomeExport(JsonMap);

impl EpitomeExport {
    /// Reads a document, bare or in the envelope that Epitome sends it in.
    ///
    /// # Errors
    /// When it is too large, no JSON, or something else.
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
            _ => Err(EpitomeError::NoExport),
        }
    }

    /// Everything in it, in the order in which it goes in.
    fn items(&self, from: &Provenance) -> Vec<Item> {
        let empty = Value::Null;
        let part = |name: &str| self.0.get(name).unwrap_or(&empty);
        let graph = graph::items(part("graph"), from);
        let places = places::items(part("tables"), part("vectors"), from);
        let profile = places::profile(part("profile"), from);
        graph.entities.into_iter().chain(places).chain(graph.relations).chain(profile).collect()
    }
}

/// Imports a document in the caller's name, and tells after each step how far it is.
///
/// # Errors
/// When the caller is not the owner, or the store cannot write. What went in before stays, and a
/// second import goes on there.
pub async fn import_epitome(
    engine: &Engine,
    caller: &Caller,
    document: &EpitomeExport,
    mut progress: impl FnMut(Step),
) -> Result<Imported, Failure> {
    let caller = &caller.using("import");
    let author = Author { dialect: Dialect::Import, ..caller.author.clone() };
    let origin = Origin::Imported;
    let from = Provenance { author, origin, trust: origin.trust(), at: engine.now() };
    let mut items = document.items(&from);
    let (total, mut done) = (items.len(), 0);
    let mut import =
        Transfer::of(engine).open_import(caller, ImportOptions { from_outside: true }).await?;
    while !items.is_empty() {
        let rest = items.split_off(items.len().min(AT_ONCE));
        done += items.len();
        Transfer::of(engine).import_some(caller, &mut import, items).await?;
        progress(Step { done, total });
        items = rest;
    }
    Transfer::of(engine).end_import(caller, import).await
}

/// A text of an object.
fn text<'v>(object: &'v Value, field: &str) -> Option<&'v str> {
    object.get(field).and_then(Value::as_str).map(str::trim).filter(|text| !text.is_empty())
}

/// An object of an object, or an empty one.
fn object(value: &Value, field: &str) -> JsonMap {
    value.get(field).and_then(Value::as_object).cloned().unwrap_or_default()
}

/// When something was, under either spelling of its name.
fn moment(value: &Value, snake: &str, camel: &str) -> Option<Moment> {
    let told = text(value, snake).or_else(|| text(value, camel))?;
    // Postgres writes a space where RFC 3339 has a T.
    Moment::parse(&told.replacen(' ', "T", 1)).or_else(|_| Moment::parse(told)).ok()
}

/// A share between 0 and 1, however it is written.
fn share(value: &Value, field: &str, otherwise: f32) -> f32 {
    let told = value.get(field);
    let number =
        told.and_then(Value::as_f64).or_else(|| told.and_then(Value::as_str)?.parse().ok());
    number.map_or(otherwise, |number| number.clamp(0.0, 1.0) as f32)
}

/// Whether Epitome had deleted or rejected it.
fn is_gone(value: &Value) -> bool {
    let deleted = value.get("_deleted_at").is_some_and(|at| !at.is_null());
    deleted || text(value, "status") == Some("rejected")
}
