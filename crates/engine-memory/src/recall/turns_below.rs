//! Weighs turns of transcripts below statements: what somebody said in passing must not hide what
//! was remembered on purpose.

use crate::transcripts::is_turn;
use ::recall::RankedMemory;
use model::{Memory, MemoryId};
use std::collections::HashMap;

/// Number of results among which statements are looked for once a turn is among the first.
pub(super) const WINDOW: usize = 100;

/// Share of its score that a turn counts with. A turn that repeats the words of a statement gets
/// the bonus of the owner's own words besides, which is less than the other half.
const TURN_SHARE: f32 = 0.5;
/// Share of its score that a turn counts with that only asks: the same question from another day
/// resembles this one most, and answers nothing.
const QUESTION_SHARE: f32 = 0.1;

/// Sorts memories by their score, with turns set back.
pub(super) fn turns_below(memories: &mut [Memory], ranked: &HashMap<MemoryId, &RankedMemory>) {
    let score = |memory: &Memory| {
        let share = match memory.text.trim_end().ends_with(['?', '？', '؟']) {
            _ if !is_turn(memory) => 1.0,
            true => QUESTION_SHARE,
            false => TURN_SHARE,
        };
        share * ranked.get(&memory.id).map_or(0.0, |one| one.score)
    };
    memories.sort_by(|one, other| score(other).total_cmp(&score(one)));
}
