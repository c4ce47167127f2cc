//! Times that a query names by an event ("before the move"). The memory that describes the event
//! best provides the time; if none describes it well enough, the query names no time.

use crate::{Question, Weights};
use index::{Doc, DocSet, QueryTerms, View};
use model::Moment;

/// Number of lexical hits considered as descriptions of an event.
const LOOKED_AT: usize = 10;
/// Share of the event's words that a memory must contain to describe it.
const TOLD: f32 = 0.6;
/// Duration of an event around its memory: one day, in microseconds.
const REACH: i64 = 24 * 60 * 60 * 1_000_000;

/// An event by which a query names a time.
#[derive(Debug, Clone, PartialEq)]
pub struct Event {
    /// Position of the named time relative to the event.
    pub side: Side,
    /// Words that name the event.
    pub terms: QueryTerms,
}

/// Position of a time relative to an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// Up to the event.
    Before,
    /// From the event on.
    After,
    /// Within a day of the event.
    During,
}

/// Returns the time ranges that a query names by events.
pub(crate) fn times(
    view: &View,
    question: &Question,
    within: &DocSet,
    weights: &Weights,
) -> Vec<(Moment, Moment)> {
    let range_of = |event: &Event| {
        let doc = telling(view, &event.terms, within, weights)?;
        Some(event.side.of(view.facts(doc).valid_from))
    };
    question.events.iter().filter_map(range_of).collect()
}

/// Returns the memory that best describes an event, by BM25.
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
    /// Returns the time range on this side of a moment. The event itself is included: a query for
    /// what was before it, and for how long, needs both.
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
