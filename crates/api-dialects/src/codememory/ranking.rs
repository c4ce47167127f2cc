//! Score of the contract: lower is better. It is the distance from the query, less a bonus for
//! shared words, plus small penalties for low priority and for age. Every part is bounded and
//! independent of the other hits, so that scores of different searches can be compared.

use super::CodeMemorySettings;
use engine::recall::MemoryHit;
use model::Moment;

/// Age at which half of the recency penalty applies.
const HALF_LIFE_DAYS: f64 = 30.0;
/// Penalty for a flagged memory: more than all other parts together with their default weights, so
/// that flagged memories come last.
const FLAGGED_PENALTY: f64 = 2.0;

/// Search hit with its score.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct ScoredHit<'h> {
    pub hit: &'h MemoryHit,
    /// Lower is better.
    pub score: f64,
    /// True if the memory shares words with the query.
    pub fts_hit: bool,
}

/// Sorts hits by score, best first, and applies the recency filter.
pub(super) fn rank<'h>(
    hits: &'h [MemoryHit],
    settings: &CodeMemorySettings,
    top_p: f64,
    now: Moment,
) -> Vec<ScoredHit<'h>> {
    let mut all: Vec<ScoredHit<'h>> = hits.iter().map(|hit| score(hit, settings, now)).collect();
    all.sort_by(|one, other| {
        one.score.total_cmp(&other.score).then(other.hit.memory.id.cmp(&one.hit.memory.id))
    });
    keep_newest(&mut all, top_p);
    all
}

/// Keeps the newest share `top_p` of the hits, and the best one whatever its age.
fn keep_newest(all: &mut Vec<ScoredHit<'_>>, top_p: f64) {
    let count = ((all.len() as f64 * top_p).ceil() as usize).max(1);
    let mut ages: Vec<_> =
        all.iter().map(|one| (one.hit.memory.valid_from, one.hit.memory.id)).collect();
    ages.sort_by(|one, other| other.cmp(one));
    let Some(oldest) = ages.get(count.min(ages.len()).saturating_sub(1)).copied() else { return };
    let mut best = true;
    all.retain(|one| {
        std::mem::take(&mut best) || (one.hit.memory.valid_from, one.hit.memory.id) >= oldest
    });
}

fn score<'h>(hit: &'h MemoryHit, settings: &CodeMemorySettings, now: Moment) -> ScoredHit<'h> {
    let part = |name: &str| {
        let found = hit.parts.iter().find(|(known, _)| *known == name);
        found.map_or(0.0, |(_, value)| f64::from(*value))
    };
    // The parts of the engine's score that measure relevance. Its other parts, such as recency,
    // are weighed below as the contract defines them.
    let near = ["words", "pairs", "meaning", "context", "answers", "opening"];
    let nearness = near.map(part).iter().sum::<f64>().clamp(0.0, 1.0);
    let fts_hit = part("words") > 0.0;
    let age_days = now.days_since(hit.memory.valid_from).max(0.0);
    let score = 1.0 - nearness - if fts_hit { settings.fts_bonus } else { 0.0 }
        + settings.priority_weight * f64::from(hit.memory.priority.clamp(1, 5) - 1) / 4.0
        + settings.recency_weight * (1.0 - 0.5_f64.powf(age_days / HALF_LIFE_DAYS))
        + if hit.memory.flags > 0 { FLAGGED_PENALTY } else { 0.0 };
    ScoredHit { hit, score, fts_hit }
}
