//! Limits and forms of the parts of a change that `model` does not check by itself.

use crate::{MemoryEdit, NewMention, NewRelation};
use model::{Failure, JsonMap, Relation, StoredVectors, limits};

/// Maximum weight of a relation.
pub const RELATION_WEIGHT_MAX: f64 = 10.0;
/// Maximum number of notes of a claim.
const NOTES_MAX: usize = 32;
/// Maximum size of the vectors of one memory in bytes; the longest text needs a fraction of it.
const WINDOWS_BYTES_MAX: usize = 1024 * 1024;

/// Validates an edit of a memory.
///
/// # Errors
/// Fails when a field exceeds its limit.
pub fn check_edit(edit: &MemoryEdit) -> Result<(), Failure> {
    let text = |text: &Option<Option<String>>| text.clone().flatten().unwrap_or_default();
    limits::chars("title", &text(&edit.title), limits::TITLE_CHARS)?;
    limits::chars("summary", &text(&edit.summary), limits::SUMMARY_CHARS)?;
    limits::chars("collection", edit.collection.as_deref().unwrap_or(""), limits::NAME_CHARS)?;
    limits::chars("project", &text(&edit.project), limits::NAME_CHARS)?;
    check_labels("tags", edit.tags.as_deref().unwrap_or_default())?;
    check_labels("applies_to", edit.applies_to.as_deref().unwrap_or_default())?;
    edit.priority.map_or(Ok(()), |value| limits::range("priority", f64::from(value), 1.0, 5.0))?;
    edit.confidence
        .map_or(Ok(()), |value| limits::range("confidence", f64::from(value), 0.0, 1.0))?;
    edit.metadata
        .as_ref()
        .map_or(Ok(()), |map| limits::json("metadata", map, limits::METADATA_BYTES))
}

fn check_labels(field: &str, labels: &[String]) -> Result<(), Failure> {
    limits::count(field, labels.len(), limits::TAGS)?;
    labels.iter().try_for_each(|label| limits::chars(field, label, limits::TAG_CHARS))
}

/// Validates a mention.
///
/// # Errors
/// Fails when a field exceeds its limit.
pub fn check_mention(new: &NewMention) -> Result<(), Failure> {
    limits::chars("mention type", &new.kind, limits::NAME_CHARS)?;
    limits::chars("name", &new.name, limits::ENTITY_NAME_CHARS)?;
    limits::chars("source", &new.source, limits::NAME_CHARS)?;
    limits::chars("path", new.path.as_deref().unwrap_or(""), limits::REASON_CHARS)
}

/// Validates the text of an observation.
///
/// # Errors
/// Fails when it is empty or too long.
pub fn check_observation(text: &str) -> Result<(), Failure> {
    if text.trim().is_empty() {
        return Err(Failure::invalid("the observation is empty"));
    }
    limits::bytes("observation", text, limits::TEXT_BYTES)
}

/// Validates a new relation.
///
/// # Errors
/// Fails when it has no name, or a field exceeds its limit.
pub fn check_relation(new: &NewRelation) -> Result<(), Failure> {
    check_relation_fields(&new.kind, new.weight, new.confidence, &new.properties)
}

/// Validates a relation of an export.
///
/// # Errors
/// Fails when it has no name, or a field exceeds its limit.
pub fn check_imported_relation(relation: &Relation) -> Result<(), Failure> {
    check_relation_fields(
        &relation.kind,
        relation.weight,
        relation.confidence,
        &relation.properties,
    )
}

fn check_relation_fields(
    kind: &str,
    weight: f32,
    confidence: f32,
    properties: &JsonMap,
) -> Result<(), Failure> {
    if kind.trim().is_empty() {
        return Err(Failure::invalid(
            "the relation has no name; use a verb in the active voice, such as works_at",
        ));
    }
    limits::chars("relation", kind, limits::NAME_CHARS)?;
    limits::range("weight", f64::from(weight), 0.0, RELATION_WEIGHT_MAX)?;
    limits::range("confidence", f64::from(confidence), 0.0, 1.0)?;
    limits::json("properties", properties, limits::METADATA_BYTES)
}

/// Validates the notes of a claim.
///
/// # Errors
/// Fails when there are too many, or one is too long.
pub fn check_notes(notes: &[(String, String)]) -> Result<(), Failure> {
    limits::count("notes", notes.len(), NOTES_MAX)?;
    notes.iter().try_for_each(|(name, text)| {
        limits::chars("note", name, limits::NAME_CHARS)?;
        limits::chars("note", text, limits::REASON_CHARS)
    })
}

/// Validates vectors.
///
/// # Errors
/// Fails when they are too large or not a whole number of windows.
pub fn check_vector(vector: &StoredVectors) -> Result<(), Failure> {
    // A window is quantized: a scale as f32, then one byte per dimension.
    let window = size_of::<f32>() + vector.model.dimensions;
    let complete = vector.model.dimensions > 0 && vector.data.len().is_multiple_of(window);
    if complete && vector.data.len() <= WINDOWS_BYTES_MAX {
        return Ok(());
    }
    let (bytes, dimensions) = (vector.data.len(), vector.model.dimensions);
    Err(Failure::invalid(format!("{bytes} bytes are not vectors of {dimensions} dimensions")))
}
