//! Times that a question tells by what happened then. The memory that tells most of what happened
//! gives the time; where none tells enough of it, the question names no time.

use crate::{Question, Weights};
use index::{Doc, DocSet, QueryTerms, View};
use model::Moment;

/// How many memories are looked at for what happened.
const LOOKED_AT: usize = 10;
/// How many of the words that name an event a memory must hold to tell of it.
const TOLD: f32 = 0.6;
/// How far from its memory an event reaches.
const REACH: i64 = 24 * 60 * 60 * 1_000_000;

/// Something that happened, by which a question tells a time.
#[derive(Debug, Clone, PartialEq)]
pub struct Event {
    /// On which side of it the time lies.
    pub side: Side,
    /// The words that name it.
    pub terms: QueryTerms,
}

/// Where a time lies, seen from an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// Up to it.
    Before,
    /// From it on.
    After,
    /// Within a day of it.
    During,
}

/// The times that a question names by what happened then.
pub(crate) fn times(
    view: &View,
    question: &Question,
    within: &DocSet,
    weights: &Weights,
) -> Vec<(Moment, Moment)> {
    let told = |event: &Event| {
        let doc = telling(view, &event.terms, within, weights)?;
        Some(event.side.of(view.facts(doc).valid_from))
    };
    question.events.iter().filter_map(told).collect()
}

/// The memory that tells of an event, best by words.
fn telling(view: &View, terms: &QueryTerms, within: &DocSet, weights: &Weights) -> Option<Doc> {
    let hits = view.lexical(terms, &weights.bm25, within, LOOKED_AT).hits;
    let docs: Vec<Doc> = hits.iter().map(|hit| hit.doc).collect();
    let held = view.lexical_shares(terms, &weights.bm25, &docs).shares;
    let enough = |shares: &Vec<f32>| {
        let held = shares.iter().filter(|share| **share > 0.0).count();
        held as f32 >= TOLD * terms.terms.len() as f32
    };
    docs.into_iter().zip(held).find(|(_, shares)| enough(shares)).map(|(doc, _)| doc)
}

impl Side {
    /// The time on this side of a moment. The event itself belongs to it: who asks what was before
    /// it, and how long, wants both.
    fn of(self, at: Moment) -> (Moment, Moment) {
        match self {
            Self::Before => (Moment(i64::MIN), Moment(at.0.saturating_add(1))),
            Self::After => (at, Moment(i64::MAX)),
            Self::During => {
                (Moment(at.0.saturating_sub(REACH)), Moment(at.0.saturating_add(REACH)))
            }
        }
    }
}
