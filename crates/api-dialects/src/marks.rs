//! Marks of memories in answers: repetitions that were folded, the newer memory that changed one,
//! and open reviews, in optional fields beside those of a contract.

use crate::optional_fields::{insert_non_empty, insert_some};
use engine::marks::MemoryMarks;
use engine::{Caller, Engine};
use model::{ErrorCode, Failure, JsonMap, Memory, MemoryId, ReviewKind};
use serde_json::Value;
use std::collections::HashMap;

/// Names and form of the marks in a contract.
#[derive(Debug, Clone, Copy)]
pub(crate) struct MarkFields {
    pub under_review: &'static str,
    /// Renders the id of a memory.
    pub id: fn(MemoryId) -> Value,
    /// Marks flagged memories as under review; a contract that shows flags by themselves does not.
    pub with_flags: bool,
}

/// Marks with numeric ids, in a contract that shows flags by themselves.
pub(crate) const PLAIN: MarkFields =
    MarkFields { under_review: "under_review", id: |id| id.0.into(), with_flags: false };

/// Inserts the marks that a memory has.
pub(crate) fn insert_marks(shown: &mut JsonMap, marks: &MemoryMarks, fields: MarkFields) {
    let alike = marks.repetitions.iter().map(|id| (fields.id)(*id)).collect();
    insert_non_empty(shown, "alike", alike);
    insert_some(shown, "newer", marks.newer.map(fields.id));
    let mark = marks.under_review.as_ref();
    let mark = mark.filter(|mark| fields.with_flags || mark.kind != ReviewKind::Flag);
    let mark = mark.map(|mark| format!("{} (review {})", mark.description(), mark.review).into());
    insert_some(shown, fields.under_review, mark);
}

/// Inserts the marks of a listing into its rendered items, which have the order of the memories.
pub(crate) async fn mark_listing(
    engine: &Engine,
    caller: &Caller,
    memories: &[Memory],
    items: &mut [Value],
    fields: MarkFields,
) -> Result<(), Failure> {
    let marks: HashMap<MemoryId, MemoryMarks> =
        match engine.memories().marks(caller, memories).await {
            // Rows and values of the profile can be readable without any collection.
            Err(refusal) if refusal.code == ErrorCode::ConsentRequired => HashMap::new(),
            found => found?,
        };
    for (memory, item) in memories.iter().zip(items) {
        if let (Some(marks), Value::Object(shown)) = (marks.get(&memory.id), item) {
            insert_marks(shown, marks, fields);
        }
    }
    Ok(())
}
