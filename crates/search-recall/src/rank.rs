//! The ranking: a weighted sum of BM25, vector similarity, context scores and query-independent
//! priors over the retrieved candidates. The order is total: ties go to the younger memory.

use crate::candidates::Candidates;
use crate::context::add_context_scores;
use crate::diversify::diversify;
use crate::events::event_times;
use crate::near_words::near_word_scores;
use crate::query_wording::PREFERENCE_TERMS;
use crate::{RankingWeights, RecallQuery};
use index::{DocId, DocSet, QueryVector, RankFeatures, View};
use model::{MemoryId, Moment};
use std::collections::HashMap;

/// A memory with its score and the parts of it.
#[derive(Debug, Clone, PartialEq)]
pub struct RankedMemory {
    pub id: MemoryId,
    pub doc: DocId,
    /// Sum of the parts.
    pub score: f32,
    pub parts: ScoreParts,
}

/// Weighted parts of a score.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct ScoreParts {
    /// BM25 as a share of its maximum.
    pub words: f32,
    /// Bigrams in common.
    pub bigrams: f32,
    /// Near words in place of missing query words.
    pub near_words: f32,
    /// Vector similarity.
    pub meaning: f32,
    /// Session neighbours, session, links and entities.
    pub context: f32,
    /// Bonus for following a line that asks.
    pub answers: f32,
    /// Bonus for opening a session.
    pub opening: f32,
    /// Bonus for a time that the query names.
    pub time: f32,
    /// Bonus for a permanent preference, when the query asks for something new.
    pub wish: f32,
    /// Query-independent prior: own words, project, recency, priority and trust together.
    pub prior: f32,
    /// Penalty for questions, subtracted.
    pub question_penalty: f32,
    /// Penalty for flags, subtracted.
    pub flag_penalty: f32,
}

impl ScoreParts {
    /// Value of the weakest answer on the scale from 0 to 1.
    pub const ANSWER_MIN: f32 = 0.7;

    /// Returns the score of the memory itself, without context and priors.
    #[must_use]
    pub fn own_score(&self) -> f32 {
        self.words + self.bigrams + self.near_words + self.meaning
    }

    /// Returns the total score.
    #[must_use]
    pub fn total(&self) -> f32 {
        let around = self.context + self.answers + self.opening;
        self.own_score() + around + self.time + self.wish + self.prior
            - self.question_penalty
            - self.flag_penalty
    }

    /// Returns the similarity of memory and query from 0 to 1, on a scale that is the same for
    /// every query and model: 0.7 is the weakest answer, 1 an exact match.
    #[must_use]
    pub fn similarity(&self, weights: &RankingWeights) -> f32 {
        to_unit_scale(self.own_score(), weights.floor)
    }

    /// Returns the total score on the scale of [`similarity`](Self::similarity).
    #[must_use]
    pub fn strength(&self, weights: &RankingWeights) -> f32 {
        to_unit_scale(self.total(), weights.floor)
    }

    /// Returns the parts that are not 0 under the names used in explanations.
    #[must_use]
    pub fn by_name(&self) -> Vec<(&'static str, f32)> {
        let all = [
            ("words", self.words),
            ("pairs", self.bigrams),
            ("near words", self.near_words),
            ("meaning", self.meaning),
            ("context", self.context),
            ("answers", self.answers),
            ("opening", self.opening),
            ("time", self.time),
            ("wish", self.wish),
            ("standing", self.prior),
            ("asking", -self.question_penalty),
            ("flagged", -self.flag_penalty),
        ];
        all.into_iter().filter(|(_, value)| *value != 0.0).collect()
    }
}

/// Score above the floor that covers about two thirds (1 - 1/e) of the way from the weakest to the
/// best answer.
const DECAY: f32 = 0.25;

/// Maps a score to 0..1: linearly up to the floor, exponentially saturating above it.
fn to_unit_scale(score: f32, floor: f32) -> f32 {
    if score < floor {
        return ScoreParts::ANSWER_MIN * (score / floor).max(0.0);
    }
    let range = 1.0 - ScoreParts::ANSWER_MIN;
    ScoreParts::ANSWER_MIN + range * (1.0 - ((floor - score) / DECAY).exp())
}

/// Ranks the memories of a document set that answer the query, best first. Empty if none does.
#[must_use]
pub fn rank(
    view: &View,
    question: &RecallQuery,
    within: &DocSet,
    weights: &RankingWeights,
) -> Vec<RankedMemory> {
    if question.is_empty() {
        return rank_newest_first(view, question, within, weights);
    }
    let mut candidates = Candidates::retrieve(view, question, within, weights);
    let ceiling = candidates.lexical_max;
    let mut ranked = own_scores(view, question, &candidates.docs, ceiling, weights);
    let best: DocSet =
        best_by_own_score(&ranked, weights.neighbour_seeds).map(|one| one.doc).collect();
    // Expansion and neighbours only for the best candidates, which bounds their cost.
    let near = near_word_scores(view, question, &best, weights);
    let looked_at = ranked.iter_mut().filter(|one| best.contains(one.doc));
    looked_at
        .zip(near)
        .for_each(|(one, near)| one.parts.near_words = weights.near_words * near / ceiling);
    let beside = candidates.add_neighbours(&best);
    ranked.extend(own_scores(view, question, &beside, ceiling, weights));
    // Back in the order of the candidates, which the context scores rely on.
    ranked.sort_unstable_by_key(|one| one.doc);
    add_context_scores(view, &candidates, within, &mut ranked, weights);
    ranked.retain(|one| {
        one.parts.own_score() + one.parts.context + one.parts.answers >= weights.floor
    });
    let mut ranked = add_priors_and_sort(view, question, within, ranked, weights);
    if weights.diversity > 0.0 {
        diversify(view, question, &mut ranked, weights);
    }
    ranked
}

/// Iterates over the `count` best by their own score, in no particular order.
pub(crate) fn best_by_own_score(
    ranked: &[RankedMemory],
    count: usize,
) -> impl Iterator<Item = &RankedMemory> {
    let mut first: Vec<&RankedMemory> = ranked.iter().collect();
    if first.len() > count {
        first.select_nth_unstable_by(count, |one, other| {
            other.parts.own_score().total_cmp(&one.parts.own_score()).then(other.id.cmp(&one.id))
        });
        first.truncate(count);
    }
    first.into_iter()
}

/// Computes the own score of each document, given in ascending order.
fn own_scores(
    view: &View,
    question: &RecallQuery,
    docs: &[DocId],
    ceiling: f32,
    weights: &RankingWeights,
) -> Vec<RankedMemory> {
    let words = view.lexical_scores(&question.terms, &weights.bm25, docs);
    let pairs = view.bigram_scores(&question.terms, docs);
    let meanings = vector_scores(view, question, docs, weights);
    let scored = docs.iter().zip(words).zip(pairs).zip(meanings);
    scored
        .map(|(((&doc, words), pairs), meaning)| {
            let parts = ScoreParts {
                words: weights.words * words / ceiling,
                bigrams: weights.bigrams * pairs,
                meaning: weights.meaning * meaning,
                ..ScoreParts::default()
            };
            RankedMemory { id: view.id(doc), doc, score: 0.0, parts }
        })
        .collect()
}

/// Returns the vector similarity of each document, a mix of whole text and best passage where there
/// are several passages.
fn vector_scores(
    view: &View,
    question: &RecallQuery,
    docs: &[DocId],
    weights: &RankingWeights,
) -> Vec<f32> {
    let Some(vector) = question.vector.as_deref().map(QueryVector::new) else {
        return vec![0.0; docs.len()];
    };
    let meaning = |(whole, best): (Option<f32>, Option<f32>)| {
        let whole = whole?;
        let cosine = best.map_or(whole, |best| whole + weights.passage * (best - whole));
        Some(question.cosine_scale.apply(cosine))
    };
    let (wholes, closer) = (view.cosines(docs, &vector), view.passage_cosines(docs, &vector));
    wholes.into_iter().zip(closer).map(|both| meaning(both).unwrap_or(0.0)).collect()
}

/// Returns the similarity of each passage of these memories to the question. Empty without a
/// vector of the question, and for a memory without passages.
#[must_use]
pub fn passage_similarities(
    view: &View,
    question: &RecallQuery,
    ranked: &[RankedMemory],
) -> HashMap<MemoryId, Vec<f32>> {
    let Some(vector) = question.vector.as_deref().map(QueryVector::new) else {
        return HashMap::new();
    };
    let docs: Vec<DocId> = ranked.iter().map(|one| one.doc).collect();
    let similar = |cosines: Vec<f32>| -> Vec<f32> {
        cosines.into_iter().map(|cosine| question.cosine_scale.apply(cosine)).collect()
    };
    let similar = view.each_passage_cosine(&docs, &vector).into_iter().map(similar);
    ranked.iter().map(|one| one.id).zip(similar).collect()
}

/// Ranks for an empty query: newest first, flagged memories last.
fn rank_newest_first(
    view: &View,
    question: &RecallQuery,
    within: &DocSet,
    weights: &RankingWeights,
) -> Vec<RankedMemory> {
    let all = within
        .iter()
        .map(|doc| RankedMemory { id: view.id(doc), doc, score: 0.0, parts: ScoreParts::default() })
        .collect();
    let mut ranked = add_priors_and_sort(view, question, within, all, weights);
    ranked.sort_by_key(|one| {
        let facts = view.facts(one.doc);
        (facts.flags > 0, std::cmp::Reverse((facts.valid_from, one.id)))
    });
    ranked
}

fn add_priors_and_sort(
    view: &View,
    question: &RecallQuery,
    within: &DocSet,
    mut ranked: Vec<RankedMemory>,
    weights: &RankingWeights,
) -> Vec<RankedMemory> {
    let by_events = event_times(view, question, within, weights);
    let wishes =
        question.asks_for_something_new.then(|| view.docs_with_any_term(&PREFERENCE_TERMS));
    let docs: Vec<DocId> = ranked.iter().map(|one| one.doc).collect();
    for (one, features) in ranked.iter_mut().zip(view.rank_features(&docs)) {
        let states_wish = wishes.as_ref().is_some_and(|wishes| wishes.contains(one.doc));
        let preference = if states_wish { brevity(view, one.doc) } else { 0.0 };
        let fit = QueryFit {
            preference,
            in_time: is_in_any(&question.times, features.valid_from),
            at_event: is_in_any(&by_events, features.valid_from),
        };
        add_priors(&features, question, fit, &mut one.parts, weights);
        one.score = one.parts.total();
    }
    ranked.sort_unstable_by(|one, other| {
        other.score.total_cmp(&one.score).then(other.id.cmp(&one.id))
    });
    ranked
}

/// Match between a memory and the circumstances of a query.
struct QueryFit {
    /// Degree to which it states a permanent preference, 0 to 1.
    preference: f32,
    /// True if its time is one that the query names.
    in_time: bool,
    /// True if its time is on the named side of an event.
    at_event: bool,
}

fn is_in_any(times: &[(Moment, Moment)], at: Moment) -> bool {
    times.iter().any(|(from, until)| (*from..*until).contains(&at))
}

/// Returns the brevity of a memory, 1 up to [`RankingWeights::WISH_WORDS`]: a preference takes a
/// sentence or two, and in a long text its typical words occur by chance.
fn brevity(view: &View, doc: DocId) -> f32 {
    (RankingWeights::WISH_WORDS / view.token_count(doc).max(1) as f32).min(1.0)
}

/// Fills in the parts for time, preferences, questions, project, recency, priority, trust and
/// flags.
fn add_priors(
    features: &RankFeatures<'_>,
    question: &RecallQuery,
    fit: QueryFit,
    parts: &mut ScoreParts,
    weights: &RankingWeights,
) {
    let by_owner = features.speaker.is_some_and(is_owner_speaker);
    // In a conversation only the owner states the owner's preferences.
    let states_preference = by_owner || features.speaker.is_none();
    let own = by_owner && !question.asks_for_replies;
    let here = question.project.as_deref().is_some_and(|project| features.project == Some(project));
    let age_days = question.now.days_since(features.valid_from).max(0.0);
    let newness = 0.5_f64.powf(age_days / RankingWeights::RECENCY_DAYS) as f32;
    let weight_if = |condition: bool, weight: f32| if condition { weight } else { 0.0 };
    parts.time = weight_if(fit.in_time, weights.time).max(weight_if(fit.at_event, weights.event));
    parts.wish = weight_if(states_preference, weights.wishes * fit.preference);
    parts.prior = weight_if(here, weights.project)
        + weight_if(own, weights.own_words)
        + weights.recency * newness
        + weights.priority * (3.0 - f32::from(features.priority))
        + weights.trust * f32::from(features.trust.0) / 100.0;
    parts.question_penalty = weights.asking * features.question_share;
    parts.flag_penalty = weight_if(features.flags > 0, weights.flagged);
}

/// Returns true if a speaker is the owner of the memory, by the names that chat logs use.
pub(crate) fn is_owner_speaker(speaker: &str) -> bool {
    ["user", "human", "owner", "me"].iter().any(|name| speaker.eq_ignore_ascii_case(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_weakest_answer_is_at_seven_tenths_and_nothing_exceeds_one() {
        let weights = RankingWeights::default();
        let scale = |words: f32| ScoreParts { words, ..ScoreParts::default() }.similarity(&weights);
        assert!((scale(weights.floor) - ScoreParts::ANSWER_MIN).abs() < 1e-6);
        assert!(scale(0.0).abs() < 1e-6 && scale(weights.floor / 2.0) < ScoreParts::ANSWER_MIN);
        let rising: Vec<f32> = (0..=20).map(|step| scale(step as f32 / 20.0)).collect();
        assert!(
            rising.is_sorted() && rising.iter().all(|one| (0.0..=1.0).contains(one)),
            "{rising:?}"
        );
    }

    #[test]
    fn a_flag_reduces_the_strength_to_zero() {
        let weights = RankingWeights::default();
        let flagged =
            ScoreParts { words: 0.6, flag_penalty: weights.flagged, ..ScoreParts::default() };
        assert!(flagged.strength(&weights).abs() < 1e-6);
    }
}
