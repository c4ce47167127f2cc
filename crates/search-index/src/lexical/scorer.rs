//! The arithmetic of BM25: what one term in one memory is worth.

use super::Bm25;
use crate::columns::Columns;
use crate::postings::{Counts, List, Postings};
use crate::tokens::{Form, is_stop_word};
use crate::{Doc, Field, QueryTerm, QueryTerms};

/// A term with its list and its worth.
pub(super) struct Prepared<'a> {
    list: List<'a>,
    worth: f32,
    /// What the term can bring at most.
    pub(super) bound: f32,
}

impl Prepared<'_> {
    /// An upper bound of the list's length.
    pub(super) fn reach(&self) -> usize {
        self.list.reach()
    }

    /// Calls back with what the term brings to those of these places that hold it, by their
    /// position; soonest done in ascending order.
    #[inline]
    pub(super) fn scores_of(
        &self,
        scorer: &Scorer<'_>,
        docs: &[Doc],
        mut visit: impl FnMut(usize, f32),
    ) {
        let score = |nth: usize, counts| self.worth * scorer.saturation(docs[nth], counts);
        self.list.look_up(docs, |nth, counts| visit(nth, score(nth, counts)));
    }

    /// Calls back with what the term brings to each place.
    #[inline]
    pub(super) fn each_score(&self, scorer: &Scorer<'_>, mut visit: impl FnMut(Doc, f32)) {
        self.list.for_each(|doc, counts| visit(doc, self.worth * scorer.saturation(doc, counts)));
    }
}

/// Looks every term up. Worth most first; the order depends on the contents of the view alone, not
/// on how it came about, so that sums are rounded alike everywhere.
pub(super) fn prepare<'a>(
    postings: &'a Postings,
    memories: usize,
    query: &QueryTerms,
    bm25: &Bm25,
) -> (Vec<Prepared<'a>>, f32) {
    let looked_up = |term: &QueryTerm| {
        let list = postings.list(&term.text);
        let frequency = postings.frequency(&list);
        let stop = if is_stop_word(&term.text) { bm25.stop_weight } else { 1.0 };
        let worth = (term.weight * stop * inverse_frequency(memories, frequency)).max(0.0);
        (frequency, Prepared { list, worth, bound: worth * (bm25.k1 + 1.0) })
    };
    let all: Vec<(usize, Prepared<'a>)> = query.terms.iter().map(looked_up).collect();
    let ceiling = ceiling(&query.terms, &all);
    let mut found: Vec<(&str, Prepared<'a>)> = (query.terms.iter().zip(all))
        .filter(|(_, (frequency, prepared))| *frequency > 0 && prepared.worth > 0.0)
        .map(|(term, (_, prepared))| (term.text.as_str(), prepared))
        .collect();
    found.sort_unstable_by(|one, other| {
        other.1.worth.total_cmp(&one.1.worth).then(one.0.cmp(other.0))
    });
    (found.into_iter().map(|(_, prepared)| prepared).collect(), ceiling)
}

/// The most a memory can score. Another spelling of a word is not held against a memory when nobody
/// uses it.
fn ceiling(terms: &[QueryTerm], all: &[(usize, Prepared<'_>)]) -> f32 {
    let counts = |term: &QueryTerm, frequency: usize| term.form == Form::Plain || frequency > 0;
    (terms.iter().zip(all))
        .filter(|(term, (frequency, _))| counts(term, *frequency))
        .map(|(_, (_, prepared))| prepared.bound)
        .sum()
}

/// How much rarer than common a term is.
pub(super) fn inverse_frequency(memories: usize, frequency: usize) -> f32 {
    let (memories, frequency) = (memories as f32, frequency as f32);
    (1.0 + (memories - frequency + 0.5) / (frequency + 0.5)).ln()
}

/// How long each place is, with its fields weighed as one setting of BM25 weighs them. Every
/// question asks with the same setting, so it is worked out once and kept in step with the view.
#[derive(Debug, Clone)]
pub(crate) struct Weighed {
    weights: [f32; Field::COUNT],
    lengths: Vec<f32>,
}

impl Weighed {
    pub(super) fn new(columns: &Columns, bm25: &Bm25) -> Self {
        let weights = bm25.field_weights;
        Self {
            weights,
            lengths: columns.table.lengths.iter().map(|each| weigh(each, &weights)).collect(),
        }
    }

    pub(super) fn is_for(&self, bm25: &Bm25) -> bool {
        self.weights == bm25.field_weights
    }

    /// Takes in a place that is new or has changed.
    pub(crate) fn set(&mut self, doc: Doc, lengths: &[u16; Field::COUNT]) {
        if self.lengths.len() <= doc.index() {
            self.lengths.resize(doc.index() + 1, 0.0);
        }
        self.lengths[doc.index()] = weigh(lengths, &self.weights);
    }
}

fn weigh(lengths: &[u16; Field::COUNT], weights: &[f32; Field::COUNT]) -> f32 {
    lengths.iter().zip(weights).map(|(&length, weight)| f32::from(length) * weight).sum()
}

/// What holds for every term of one question.
pub(super) struct Scorer<'a> {
    lengths: &'a [f32],
    weights: [f32; Field::COUNT],
    gain: f32,
    /// What is held against an empty memory, and for each word more.
    empty: f32,
    slope: f32,
}

impl<'a> Scorer<'a> {
    pub(super) fn new(weighed: &'a Weighed, columns: &Columns, bm25: &Bm25) -> Self {
        let weights = bm25.field_weights;
        let totals = columns.total_lengths();
        let total: f32 =
            totals.iter().zip(weights).map(|(&total, weight)| total as f32 * weight).sum();
        let average = total / columns.live_count().max(1) as f32;
        Self {
            lengths: &weighed.lengths,
            weights,
            gain: bm25.k1 + 1.0,
            empty: bm25.k1 * (1.0 - bm25.b),
            slope: if average > 0.0 { bm25.k1 * bm25.b / average } else { 0.0 },
        }
    }

    pub(super) fn places(&self) -> usize {
        self.lengths.len()
    }

    /// From 0 to `k1 + 1`: rising with the counts, falling with the length of the memory.
    #[inline]
    fn saturation(&self, doc: Doc, counts: Counts) -> f32 {
        let count = counts.weighted(&self.weights);
        let norm = self.empty + self.slope * self.lengths[doc.index()];
        if count <= 0.0 { 0.0 } else { self.gain * count / (count + norm) }
    }
}
