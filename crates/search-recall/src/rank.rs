//! The ranking: a weighted sum of BM25, vector similarity, context scores and query-independent
//! priors over the retrieved candidates. The order is total: ties go to the younger memory.

use crate::candidates::Candidates;
use crate::context::lift;
use crate::events::times;
use crate::near_words::near_scores;
use crate::variety::vary;
use crate::wording::WISHES;
use crate::{Question, Weights};
use index::{Bearing, Doc, DocSet, QueryTerms, QueryVector, View};
use model::{MemoryId, Moment};

/// A memory with its score and the parts of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Ranked {
    pub id: MemoryId,
    pub doc: Doc,
    /// Sum of the parts.
    pub score: f32,
    pub parts: Parts,
}

/// Weighted parts of a score.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Parts {
    /// BM25 as a share of its maximum.
    pub words: f32,
    /// Bigrams in common.
    pub pairs: f32,
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
    pub standing: f32,
    /// Penalty for questions, subtracted.
    pub asking: f32,
    /// Penalty for flags, subtracted.
    pub flagged: f32,
}

impl Parts {
    /// Returns the score of the memory itself, without context and priors.
    #[must_use]
    pub fn own(&self) -> f32 {
        self.words + self.pairs + self.near_words + self.meaning
    }

    /// Returns the total score.
    #[must_use]
    pub fn sum(&self) -> f32 {
        let around = self.context + self.answers + self.opening;
        self.own() + around + self.time + self.wish + self.standing - self.asking - self.flagged
    }

    /// Returns the similarity of memory and query from 0 to 1, on a scale that is the same for
    /// every query and model: 0.7 is the weakest answer, 1 an exact match.
    #[must_use]
    pub fn similarity(&self, weights: &Weights) -> f32 {
        on_the_scale(self.own(), weights.floor)
    }

    /// Returns the total score on the scale of [`similarity`](Self::similarity).
    #[must_use]
    pub fn strength(&self, weights: &Weights) -> f32 {
        on_the_scale(self.sum(), weights.floor)
    }

    /// Returns the parts that are not 0 under the names used in explanations.
    #[must_use]
    pub fn named(&self) -> Vec<(&'static str, f32)> {
        let all = [
            ("words", self.words),
            ("pairs", self.pairs),
            ("near words", self.near_words),
            ("meaning", self.meaning),
            ("context", self.context),
            ("answers", self.answers),
            ("opening", self.opening),
            ("time", self.time),
            ("wish", self.wish),
            ("standing", self.standing),
            ("asking", -self.asking),
            ("flagged", -self.flagged),
        ];
        all.into_iter().filter(|(_, value)| *value != 0.0).collect()
    }
}

/// Value of the weakest answer on the scale from 0 to 1.
const ANSWERS: f32 = 0.7;
/// Score above the floor that covers about two thirds (1 - 1/e) of the way from the weakest to the
/// best answer.
const REACH: f32 = 0.25;

/// Maps a score to 0..1: linearly up to the floor, exponentially saturating above it.
fn on_the_scale(score: f32, floor: f32) -> f32 {
    if score < floor {
        return ANSWERS * (score / floor).max(0.0);
    }
    ANSWERS + (1.0 - ANSWERS) * (1.0 - ((floor - score) / REACH).exp())
}

/// Ranks the memories of a document set that answer the query, best first. Empty if none does.
#[must_use]
pub fn rank(view: &View, question: &Question, within: &DocSet, weights: &Weights) -> Vec<Ranked> {
    if question.is_empty() {
        return newest(view, question, within, weights);
    }
    let mut candidates = Candidates::found(view, question, within, weights);
    let ceiling = candidates.ceiling;
    let mut ranked = own_scores(view, question, &candidates.docs, ceiling, weights);
    let best: DocSet =
        best_by_themselves(&ranked, weights.looked_around).map(|one| one.doc).collect();
    // Expansion and neighbours only for the best candidates, which bounds their cost.
    let near = near_scores(view, question, &best, weights);
    let looked_at = ranked.iter_mut().filter(|one| best.contains(one.doc));
    looked_at
        .zip(near)
        .for_each(|(one, near)| one.parts.near_words = weights.near_words * near / ceiling);
    let beside = candidates.look_around(&best);
    ranked.extend(own_scores(view, question, &beside, ceiling, weights));
    // Back in the order of the candidates, which the context scores rely on.
    ranked.sort_unstable_by_key(|one| one.doc);
    lift(view, &candidates, within, &mut ranked, weights);
    ranked.retain(|one| one.parts.own() + one.parts.context + one.parts.answers >= weights.floor);
    let mut ranked = finish(view, question, within, ranked, weights);
    if weights.variety > 0.0 {
        vary(view, question, &mut ranked, weights);
    }
    ranked
}

/// Iterates over the `count` best by their own score, in no particular order.
pub(crate) fn best_by_themselves(ranked: &[Ranked], count: usize) -> impl Iterator<Item = &Ranked> {
    let mut first: Vec<&Ranked> = ranked.iter().collect();
    if first.len() > count {
        first.select_nth_unstable_by(count, |one, other| {
            other.parts.own().total_cmp(&one.parts.own()).then(other.id.cmp(&one.id))
        });
        first.truncate(count);
    }
    first.into_iter()
}

/// Computes the own score of each document, given in ascending order.
fn own_scores(
    view: &View,
    question: &Question,
    docs: &[Doc],
    ceiling: f32,
    weights: &Weights,
) -> Vec<Ranked> {
    let words = view.lexical_scores(&question.terms, &weights.bm25, docs);
    let pairs = view.pair_scores(&question.terms, docs);
    let meanings = meanings(view, question, docs, weights);
    let scored = docs.iter().zip(words).zip(pairs).zip(meanings);
    scored
        .map(|(((&doc, words), pairs), meaning)| {
            let parts = Parts {
                words: weights.words * words / ceiling,
                pairs: weights.pairs * pairs,
                meaning: weights.meaning * meaning,
                ..Parts::default()
            };
            Ranked { id: view.id(doc), doc, score: 0.0, parts }
        })
        .collect()
}

/// Returns the vector similarity of each document, a mix of whole text and best passage where there
/// are several passages.
fn meanings(view: &View, question: &Question, docs: &[Doc], weights: &Weights) -> Vec<f32> {
    let Some(vector) = question.vector.as_deref().map(QueryVector::new) else {
        return vec![0.0; docs.len()];
    };
    let meaning = |(whole, best): (Option<f32>, Option<f32>)| {
        let whole = whole?;
        let cosine = best.map_or(whole, |best| whole + weights.passage * (best - whole));
        Some(question.likeness.of(cosine))
    };
    let (wholes, closer) = (view.cosines(docs, &vector), view.passage_cosines(docs, &vector));
    wholes.into_iter().zip(closer).map(|both| meaning(both).unwrap_or(0.0)).collect()
}

/// Ranks for an empty query: newest first, flagged memories last.
fn newest(view: &View, question: &Question, within: &DocSet, weights: &Weights) -> Vec<Ranked> {
    let all = within
        .iter()
        .map(|doc| Ranked { id: view.id(doc), doc, score: 0.0, parts: Parts::default() })
        .collect();
    let mut ranked = finish(view, question, within, all, weights);
    ranked.sort_by_key(|one| {
        let facts = view.facts(one.doc);
        (facts.flags > 0, std::cmp::Reverse((facts.valid_from, one.id)))
    });
    ranked
}

fn finish(
    view: &View,
    question: &Question,
    within: &DocSet,
    mut ranked: Vec<Ranked>,
    weights: &Weights,
) -> Vec<Ranked> {
    let by_events = times(view, question, within, weights);
    let wishes = question.asks_for_something_new.then(|| view.holding(&QueryTerms::of(WISHES)));
    let docs: Vec<Doc> = ranked.iter().map(|one| one.doc).collect();
    for (one, features) in ranked.iter_mut().zip(view.bearings(&docs)) {
        let holds = wishes.as_ref().is_some_and(|wishes| wishes.contains(one.doc));
        let wishes = if holds { brevity(view, one.doc) } else { 0.0 };
        let suits = Suits {
            wishes,
            in_time: lies_in(&question.times, features.valid_from),
            by_event: lies_in(&by_events, features.valid_from),
        };
        stand(&features, question, suits, &mut one.parts, weights);
        one.score = one.parts.sum();
    }
    ranked.sort_unstable_by(|one, other| {
        other.score.total_cmp(&one.score).then(other.id.cmp(&one.id))
    });
    ranked
}

/// Match between a memory and the circumstances of a query.
struct Suits {
    /// Degree to which it states a permanent preference, 0 to 1.
    wishes: f32,
    /// True if its time is one that the query names.
    in_time: bool,
    /// True if its time is on the named side of an event.
    by_event: bool,
}

fn lies_in(times: &[(Moment, Moment)], at: Moment) -> bool {
    times.iter().any(|(from, until)| (*from..*until).contains(&at))
}

/// Returns the brevity of a memory, 1 up to [`RankingWeights::WISH_WORDS`]: a preference takes a
/// sentence or two, and in a long text its typical words occur by chance.
fn brevity(view: &View, doc: Doc) -> f32 {
    (Weights::WISH_WORDS / view.token_count(doc).max(1) as f32).min(1.0)
}

/// Fills in the parts for time, preferences, questions, project, recency, priority, trust and
/// flags.
fn stand(
    features: &Bearing<'_>,
    question: &Question,
    suits: Suits,
    parts: &mut Parts,
    weights: &Weights,
) {
    let by_owner = features.speaker.is_some_and(is_the_owner);
    // In a conversation only the owner states the owner's preferences.
    let states_preference = by_owner || features.speaker.is_none();
    let own = by_owner && !question.asks_for_replies;
    let here = question.project.as_deref().is_some_and(|project| features.project == Some(project));
    let age_days = question.now.days_since(features.valid_from).max(0.0);
    let newness = 0.5_f64.powf(age_days / Weights::RECENCY_DAYS) as f32;
    let weight_if = |condition: bool, weight: f32| if condition { weight } else { 0.0 };
    parts.time =
        weight_if(suits.in_time, weights.time).max(weight_if(suits.by_event, weights.event));
    parts.wish = weight_if(states_preference, weights.wishes * suits.wishes);
    parts.standing = weight_if(here, weights.project)
        + weight_if(own, weights.own_words)
        + weights.recency * newness
        + weights.priority * (3.0 - f32::from(features.priority))
        + weights.trust * f32::from(features.trust.0) / 100.0;
    parts.asking = weights.asking * features.asking;
    parts.flagged = weight_if(features.flags > 0, weights.flagged);
}

/// Returns true if a speaker is the owner of the memory, by the names that chat logs use.
pub(crate) fn is_the_owner(speaker: &str) -> bool {
    ["user", "human", "owner", "me"].iter().any(|name| speaker.eq_ignore_ascii_case(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_just_answers_is_at_seven_tenths_and_nothing_exceeds_one() {
        let weights = Weights::default();
        let scale = |words: f32| Parts { words, ..Parts::default() }.similarity(&weights);
        assert!((scale(weights.floor) - ANSWERS).abs() < 1e-6);
        assert!(scale(0.0).abs() < 1e-6 && scale(weights.floor / 2.0) < ANSWERS);
        let rising: Vec<f32> = (0..=20).map(|step| scale(step as f32 / 20.0)).collect();
        assert!(
            rising.is_sorted() && rising.iter().all(|one| (0.0..=1.0).contains(one)),
            "{rising:?}"
        );
    }

    #[test]
    fn a_flag_leaves_nothing_of_the_strength() {
        let weights = Weights::default();
        let flagged = Parts { words: 0.6, flagged: weights.flagged, ..Parts::default() };
        assert!(flagged.strength(&weights).abs() < 1e-6);
    }
}
