//! Times that a query names by an event ("before the move"). The memory that describes the event
//! best provides the time; if none describes it well enough, the query names no time.

use crate::{RankingWeights, RecallQuery};
use index::{DocId, DocSet, QueryTerms, View};
use model::Moment;

/// Number of lexical hits considered as descriptions of an event.
const EVENT_HITS: usize = 10;
/// Share of the event's words that a memory must contain to describe it.
const TERM_SHARE_MIN: f32 = 0.6;
/// Duration of an event around its memory: one day, in microseconds.
const EVENT_RADIUS_MICROS: i64 = 24 * 60 * 60 * 1_000_000;

/// An event by which a query names a time.
#[derive(Debug, Clone, PartialEq)]
pub struct QueryEvent {
    /// Position of the named time relative to the event.
    pub side: EventSide,
    /// Words that name the event.
    pub terms: QueryTerms,
}

/// Position of a time relative to an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EventSide {
    /// Up to the event.
    Before,
    /// From the event on.
    After,
    /// Within a day of the event.
    During,
}

/// Returns the time ranges that a query names by events.
pub(crate) fn event_times(
    view: &View,
    question: &RecallQuery,
    within: &DocSet,
    weights: &RankingWeights,
) -> Vec<(Moment, Moment)> {
    let range_of = |event: &QueryEvent| {
        let doc = describing_memory(view, &event.terms, within, weights)?;
        Some(event.side.time_range(view.facts(doc).valid_from))
    };
    question.events.iter().filter_map(range_of).collect()
}

/// Returns the memory that best describes an event, by BM25.
fn describing_memory(
    view: &View,
    terms: &QueryTerms,
    within: &DocSet,
    weights: &RankingWeights,
) -> Option<DocId> {
    let hits = view.lexical(terms, &weights.bm25, within, EVENT_HITS).hits;
    let docs: Vec<DocId> = hits.iter().map(|hit| hit.doc).collect();
    let shares = view.lexical_shares(terms, &weights.bm25, &docs).shares;
    let enough = |shares: &Vec<f32>| {
        let contained = shares.iter().filter(|share| **share > 0.0).count();
        contained as f32 >= TERM_SHARE_MIN * terms.terms.len() as f32
    };
    docs.into_iter().zip(shares).find(|(_, shares)| enough(shares)).map(|(doc, _)| doc)
}

impl EventSide {
    /// Returns the time range on this side of a moment. The event itself is included: a query for
    /// what was before it, and for how long, needs both.
    fn time_range(self, at: Moment) -> (Moment, Moment) {
        match self {
            Self::Before => (Moment(i64::MIN), Moment(at.0.saturating_add(1))),
            Self::After => (at, Moment(i64::MAX)),
            Self::During => (
                Moment(at.0.saturating_sub(EVENT_RADIUS_MICROS)),
                Moment(at.0.saturating_add(EVENT_RADIUS_MICROS)),
            ),
        }
    }
}
