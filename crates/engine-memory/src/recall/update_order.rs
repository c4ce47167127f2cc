//! Puts a newer memory first that states the same as the first result in other words, where the
//! comparison of statements does not recognise a changed value.

use super::newer_first::LazyTexts;
use crate::profile;
use ::recall::{DatedResult, QuestionWord, RankedMemory, newer_restatement};
use engine_core::embedding::speaker;
use model::{Memory, MemoryId};
use reading::{StatementKind, contains_all_sentences, has_spaceless_script, statement_kind};
use std::collections::HashMap;

/// Moves the newer statement of what the first memory says to the front. Lines of a conversation
/// and rows of a table are never moved.
pub(super) fn newer_restatement_first(
    memories: &mut Vec<Memory>,
    ranked: &HashMap<MemoryId, &RankedMemory>,
    words: &[QuestionWord],
    texts: &LazyTexts<'_>,
) {
    let tells_change =
        |memory: &Memory| texts.get(&memory.id).is_some_and(|text| text.parsed().tells_change());
    let score = |memory: &Memory| ranked.get(&memory.id).map_or(0.0, |one| one.score);
    let results: Vec<DatedResult<'_>> = memories
        .iter()
        .take(DatedResult::COMPARED)
        .map(|memory| DatedResult {
            id: memory.id,
            text: &memory.text,
            at: memory.valid_from,
            score: score(memory),
            tells_change: tells_change(memory),
        })
        .collect();
    let newer = newer_restatement(words, &results);
    if let Some(newer) = newer.filter(|at| is_restatement(&memories[0], &memories[*at])) {
        let moved = memories.remove(newer);
        memories.insert(0, moved);
    }
}

/// Returns true if one memory can stand in for the other. Two occasions of the same cannot, and a
/// summary that repeats the older one gives it no other value.
fn is_restatement(older: &Memory, newer: &Memory) -> bool {
    // The profile says one thing of each field, so its memories never change one another.
    let is_stated = |memory: &Memory| {
        speaker(&memory.metadata).is_none()
            && memory.table().is_none()
            && memory.collection != profile::COLLECTION
    };
    let is_event = |memory: &Memory| statement_kind(&memory.text) == StatementKind::Event;
    older.project == newer.project
        && is_stated(older)
        && is_stated(newer)
        && !(is_event(older) && is_event(newer))
        // Pairs of characters are shared by words that mean different things.
        && !has_spaceless_script(&older.text)
        && !newer.text.contains(older.text.trim())
        && !contains_all_sentences(&newer.text, &older.text)
}
