//! The ranking: candidates by words and by meaning, scored by both, lifted by what stands around them,
//! nudged by time, trust and importance. The order is total: equal scores fall to the younger memory.

use crate::context::lift;
use crate::{Question, Weights};
use index::{Doc, DocSet, QueryVector, View};
use model::MemoryId;
use std::collections::BTreeSet;

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
    /// Likeness in meaning.
    pub meaning: f32,
    /// What stands around it.
    pub context: f32,
    /// Lying in a time the question names.
    pub time: f32,
    /// Project, newness, importance and trust together.
    pub standing: f32,
    /// What flags take away.
    pub flagged: f32,
}

impl Parts {
    /// What the memory itself gives, apart from what stands around it.
    #[must_use]
    pub fn own(&self) -> f32 {
        self.words + self.meaning
    }

    /// The score.
    #[must_use]
    pub fn sum(&self) -> f32 {
        self.own() + self.context + self.time + self.standing - self.flagged
    }

    /// The parts by name, those that are 0 left out.
    #[must_use]
    pub fn named(&self) -> Vec<(&'static str, f32)> {
        let all = [
            ("words", self.words),
            ("meaning", self.meaning),
            ("context", self.context),
            ("time", self.time),
            ("standing", self.standing),
            ("flagged", -self.flagged),
        ];
        all.into_iter().filter(|(_, value)| *value != 0.0).collect()
    }
}

/// What of the memories within a set answers the question, best first; nothing when nothing does.
#[must_use]
pub fn rank(view: &View, question: &Question, within: &DocSet, weights: &Weights) -> Vec<Ranked> {
    if question.is_empty() {
        return newest(view, question, within, weights);
    }
    let (docs, ceiling) = candidates(view, question, within, weights);
    let mut ranked = own_scores(view, question, &docs, ceiling, weights);
    lift(view, &mut ranked, weights);
    ranked.retain(|one| one.parts.own() + one.parts.context >= weights.floor);
    finish(view, question, ranked, weights)
}

/// The best by words and the best by meaning, each once, with their neighbours in the session;
/// and the word score that nothing can exceed.
fn candidates(view: &View, question: &Question, within: &DocSet, weights: &Weights) -> (Vec<Doc>, f32) {
    let mut docs: BTreeSet<Doc> = BTreeSet::new();
    let lexical = view.lexical(&question.terms, &weights.bm25, within, weights.pool);
    docs.extend(lexical.hits.iter().map(|hit| hit.doc));
    if let Some(vector) = &question.vector {
        docs.extend(view.nearest(&QueryVector::new(vector), within, weights.pool).iter().map(|hit| hit.doc));
    }
    let around: Vec<Doc> = docs
        .iter()
        .flat_map(|&doc| view.session_before(doc).take(1).chain(view.session_after(doc).take(1)))
        .filter(|doc| within.contains(*doc))
        .collect();
    docs.extend(around);
    (docs.into_iter().collect(), lexical.ceiling.max(f32::MIN_POSITIVE))
}

fn own_scores(
    view: &View,
    question: &Question,
    docs: &[Doc],
    ceiling: f32,
    weights: &Weights,
) -> Vec<Ranked> {
    let words = view.lexical_scores(&question.terms, &weights.bm25, docs);
    let vector = question.vector.as_deref().map(QueryVector::new);
    let scored = docs.iter().zip(words);
    scored
        .map(|(&doc, words)| {
            let cosine = vector.as_ref().and_then(|vector| view.cosine(doc, vector));
            let meaning = cosine.map_or(0.0, |cosine| question.likeness.of(cosine));
            let parts = Parts {
                words: weights.words * words / ceiling,
                meaning: weights.meaning * meaning,
                ..Parts::default()
            };
            Ranked { id: view.id(doc), doc, score: 0.0, parts }
        })
        .collect()
}

/// Without a question the newest come first.
fn newest(view: &View, question: &Question, within: &DocSet, weights: &Weights) -> Vec<Ranked> {
    let all = within
        .iter()
        .map(|doc| Ranked { id: view.id(doc), doc, score: 0.0, parts: Parts::default() })
        .collect();
    let mut ranked = finish(view, question, all, weights);
    ranked.sort_by_key(|one| {
        let facts = view.facts(one.doc);
        (facts.flags > 0, std::cmp::Reverse((facts.valid_from, one.id)))
    });
    ranked
}

fn finish(view: &View, question: &Question, mut ranked: Vec<Ranked>, weights: &Weights) -> Vec<Ranked> {
    for one in &mut ranked {
        stand(view, question, one, weights);
        one.score = one.parts.sum();
    }
    ranked.sort_by(|one, other| other.score.total_cmp(&one.score).then(other.id.cmp(&one.id)));
    ranked
}

/// What time, project, newness, importance, trust and flags add or take.
fn stand(view: &View, question: &Question, one: &mut Ranked, weights: &Weights) {
    let facts = view.facts(one.doc);
    let named = question.times.iter().any(|(from, until)| (*from..*until).contains(&facts.valid_from));
    let own = !question.asks_for_replies && facts.speaker.is_some_and(is_the_owner);
    let here = question.project.as_deref().is_some_and(|project| facts.project == Some(project));
    let age_days = question.now.days_since(facts.valid_from).max(0.0);
    let newness = 0.5_f64.powf(age_days / Weights::RECENCY_DAYS) as f32;
    one.parts.time = weights.time * f32::from(u8::from(named));
    one.parts.standing = weights.project * f32::from(u8::from(here))
        + weights.own_words * f32::from(u8::from(own))
        + weights.recency * newness
        + weights.priority * (3.0 - f32::from(facts.priority))
        + weights.trust * f32::from(facts.trust.0) / 100.0;
    one.parts.flagged = weights.flagged * f32::from(u8::from(facts.flags > 0));
}

/// Whether a speaker of a conversation is the person the memory belongs to, by the names that chats give them.
fn is_the_owner(speaker: &str) -> bool {
    ["user", "human", "owner", "me"].iter().any(|name| speaker.eq_ignore_ascii_case(name))
}
