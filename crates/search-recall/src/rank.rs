//! The ranking: candidates by words and by meaning, scored by both, lifted by what stands around
//! them, nudged by time, trust and importance. The order is total: equal scores fall to the younger
//! memory.

use crate::candidates::Candidates;
use crate::context::lift;
use crate::events::times;
use crate::near_words::near_scores;
use crate::variety::vary;
use crate::wording::WISHES;
use crate::{Question, Weights};
use index::{Bearing, Doc, DocSet, QueryTerms, QueryVector, View};
use model::{MemoryId, Moment};

/// A memory and how its score came about.
#[derive(Debug, Clone, PartialEq)]
pub struct Ranked {
    /// The memory.
    pub id: MemoryId,
    /// Its place in the view.
    pub doc: Doc,
    /// The sum of its parts.
    pub score: f32,
    /// Each part as it was weighed.
    pub parts: Parts,
}

/// The parts of a score, as weighed.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Parts {
    /// Words in common.
    pub words: f32,
    /// Words side by side in both.
    pub pairs: f32,
    /// Words that say nearly the same.
    pub near_words: f32,
    /// Likeness in meaning.
    pub meaning: f32,
    /// What stands around it.
    pub context: f32,
    /// Following a line that asks.
    pub answers: f32,
    /// Opening its session.
    pub opening: f32,
    /// Lying in a time the question names.
    pub time: f32,
    /// Saying what is wanted every time, when something new is asked for.
    pub wish: f32,
    /// Whose words they are, project, newness, importance and trust together.
    pub standing: f32,
    /// What is taken away for asking instead of telling.
    pub asking: f32,
    /// What flags take away.
    pub flagged: f32,
}

impl Parts {
    /// What the memory itself gives, apart from what stands around it.
    #[must_use]
    pub fn own(&self) -> f32 {
        self.words + self.pairs + self.near_words + self.meaning
    }

    /// The score.
    #[must_use]
    pub fn sum(&self) -> f32 {
        let around = self.context + self.answers + self.opening;
        self.own() + around + self.time + self.wish + self.standing - self.asking - self.flagged
    }

    /// How near the memory is to the question, 0 to 1, on a scale that means the same for every
    /// question and model: 0.7 is the weakest that still answers, 1 says just what was asked.
    #[must_use]
    pub fn similarity(&self, weights: &Weights) -> f32 {
        on_the_scale(self.own(), weights.floor)
    }

    /// How well the memory answers with all that counts, on the same scale.
    #[must_use]
    pub fn strength(&self, weights: &Weights) -> f32 {
        on_the_scale(self.sum(), weights.floor)
    }

    /// The parts by name, those that are 0 left out.
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

/// The weakest answer on the scale from 0 to 1.
const ANSWERS: f32 = 0.7;
/// How much above the floor brings a score two thirds of the way from the weakest answer to the
/// best.
const REACH: f32 = 0.25;

/// A score as a figure between 0 and 1: straight up to the floor, and ever slower from there.
fn on_the_scale(score: f32, floor: f32) -> f32 {
    if score < floor {
        return ANSWERS * (score / floor).max(0.0);
    }
    ANSWERS + (1.0 - ANSWERS) * (1.0 - ((floor - score) / REACH).exp())
}

/// What of the memories within a set answers the question, best first; nothing when nothing does.
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
    let near = near_scores(view, question, &best, weights);
    let looked_at = ranked.iter_mut().filter(|one| best.contains(one.doc));
    looked_at
        .zip(near)
        .for_each(|(one, near)| one.parts.near_words = weights.near_words * near / ceiling);
    let beside = candidates.look_around(&best);
    ranked.extend(own_scores(view, question, &beside, ceiling, weights));
    ranked.sort_unstable_by_key(|one| one.doc);
    lift(view, &candidates, within, &mut ranked, weights);
    ranked.retain(|one| one.parts.own() + one.parts.context + one.parts.answers >= weights.floor);
    let mut ranked = finish(view, question, within, ranked, weights);
    if weights.variety > 0.0 {
        vary(view, question, &mut ranked, weights);
    }
    ranked
}

/// So many of the best, going by what each gives by itself; in no order.
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

/// What each of the places, given in order, brings by itself.
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

/// How like each memory is to the question: as a whole, and by its best passage where it has
/// several.
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

/// Without a question the newest come first.
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
    for (one, bearing) in ranked.iter_mut().zip(view.bearings(&docs)) {
        let holds = wishes.as_ref().is_some_and(|wishes| wishes.contains(one.doc));
        let wishes = if holds { brevity(view, one.doc) } else { 0.0 };
        let suits = Suits {
            wishes,
            in_time: lies_in(&question.times, bearing.valid_from),
            by_event: lies_in(&by_events, bearing.valid_from),
        };
        stand(&bearing, question, suits, &mut one.parts, weights);
        one.score = one.parts.sum();
    }
    ranked.sort_unstable_by(|one, other| {
        other.score.total_cmp(&one.score).then(other.id.cmp(&one.id))
    });
    ranked
}

/// What about a memory suits the question, apart from what it says.
struct Suits {
    /// How far it says what is wanted every time, 0 to 1.
    wishes: f32,
    /// Whether it lies in a time that the question names.
    in_time: bool,
    /// Whether it lies on the side of an event that the question names.
    by_event: bool,
}

fn lies_in(times: &[(Moment, Moment)], at: Moment) -> bool {
    times.iter().any(|(from, until)| (*from..*until).contains(&at))
}

/// How brief a memory is, 1 up to [`Weights::WISH_WORDS`]: a wish is said in a sentence or two, and
/// in a long text its words stand by chance.
fn brevity(view: &View, doc: Doc) -> f32 {
    (Weights::WISH_WORDS / view.token_count(doc).max(1) as f32).min(1.0)
}

/// What time, wishes, asking, project, newness, importance, trust and flags add or take.
fn stand(
    bearing: &Bearing<'_>,
    question: &Question,
    suits: Suits,
    parts: &mut Parts,
    weights: &Weights,
) {
    let by_owner = bearing.speaker.is_some_and(is_the_owner);
    // In a conversation only what the owner says is the owner's wish.
    let wished = by_owner || bearing.speaker.is_none();
    let own = by_owner && !question.asks_for_replies;
    let here = question.project.as_deref().is_some_and(|project| bearing.project == Some(project));
    let age_days = question.now.days_since(bearing.valid_from).max(0.0);
    let newness = 0.5_f64.powf(age_days / Weights::RECENCY_DAYS) as f32;
    let if_so = |so: bool, weight: f32| if so { weight } else { 0.0 };
    parts.time = if_so(suits.in_time, weights.time).max(if_so(suits.by_event, weights.event));
    parts.wish = if_so(wished, weights.wishes * suits.wishes);
    parts.standing = if_so(here, weights.project)
        + if_so(own, weights.own_words)
        + weights.recency * newness
        + weights.priority * (3.0 - f32::from(bearing.priority))
        + weights.trust * f32::from(bearing.trust.0) / 100.0;
    parts.asking = weights.asking * bearing.asking;
    parts.flagged = if_so(bearing.flags > 0, weights.flagged);
}

/// Whether a speaker of a conversation is the person the memory belongs to, by the names that chats
/// give them.
pub(crate) fn is_the_owner(speaker: &str) -> bool {
    ["user", "human", "owner", "me"].iter().any(|name| speaker.eq_ignore_ascii_case(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_just_answers_is_at_seven_tenths_and_nothing_exceeds_one() {
        let weights = Weights::default();
        let of = |words: f32| Parts { words, ..Parts::default() }.similarity(&weights);
        assert!((of(weights.floor) - ANSWERS).abs() < 1e-6);
        assert!(of(0.0).abs() < 1e-6 && of(weights.floor / 2.0) < ANSWERS);
        let rising: Vec<f32> = (0..=20).map(|step| of(step as f32 / 20.0)).collect();
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
