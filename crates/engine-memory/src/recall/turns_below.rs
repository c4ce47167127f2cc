//! Weighs turns of transcripts below statements: what somebody said in passing must not hide what
//! was remembered on purpose.

use crate::transcripts::is_turn;
use ::recall::RankedMemory;
use model::{Memory, MemoryId};
use std::collections::HashMap;

/// Number of results among which statements are looked for once a turn is among the first.
pub(super) const WINDOW: usize = 100;

/// Share of its own score that a turn counts with. What its session adds is left out: of a hundred
/// turns about something, none says more than a statement about it.
const TURN_SHARE: f32 = 0.5;
/// Share of its own score that a turn counts with that only asks: the same question from another
/// day resembles this one most, and answers nothing.
const QUESTION_SHARE: f32 = 0.1;

/// Sorts memories by their score, with turns set back.
pub(super) fn turns_below(memories: &mut [Memory], ranked: &HashMap<MemoryId, &RankedMemory>) {
    let score = |memory: &Memory| {
        let Some(one) = ranked.get(&memory.id) else { return 0.0 };
        match memory.text.trim_end().ends_with(['?', '？', '؟']) {
            _ if !is_turn(memory) => one.score,
            true => QUESTION_SHARE * one.parts.own_score(),
            false => TURN_SHARE * one.parts.own_score(),
        }
    };
    memories.sort_by(|one, other| score(other).total_cmp(&score(one)));
}
