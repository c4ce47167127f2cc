//! The arithmetic of BM25: the score of one term in one document.

use super::Bm25;
use crate::columns::Columns;
use crate::postings::{FieldCounts, PostingList, Postings};
use crate::{DocId, IndexField, QueryTerm, QueryTerms};
use words::TokenForm;

/// A query term with its posting list and weight.
pub(super) struct TermScorer<'a> {
    list: PostingList<'a>,
    weight: f32,
    /// Highest score that the term can contribute to a document (its max score).
    pub(super) upper_bound: f32,
}

impl TermScorer<'_> {
    /// Returns an upper bound of the posting list's length.
    pub(super) fn postings_max(&self) -> usize {
        self.list.len_max()
    }

    /// Calls `visit` with the index and the score of each of these documents that contains the
    /// term. Fastest in ascending order.
    #[inline]
    pub(super) fn for_each_score_of(
        &self,
        scorer: &Bm25Scorer<'_>,
        docs: &[DocId],
        mut visit: impl FnMut(usize, f32),
    ) {
        let score = |nth: usize, counts| self.weight * scorer.saturation(docs[nth], counts);
        self.list.look_up(docs, |nth, counts| visit(nth, score(nth, counts)));
    }

    /// Calls `visit` with the score of every document that contains the term.
    #[inline]
    pub(super) fn for_each_score(
        &self,
        scorer: &Bm25Scorer<'_>,
        mut visit: impl FnMut(DocId, f32),
    ) {
        self.list.for_each(|doc, counts| visit(doc, self.weight * scorer.saturation(doc, counts)));
    }
}

/// Looks up all terms and orders them by descending weight. The order depends on the contents of
/// the view alone and not on its history, so that floating-point sums are reproducible.
pub(super) fn prepare_terms<'a>(
    postings: &'a Postings,
    memories: usize,
    query: &QueryTerms,
    bm25: &Bm25,
) -> (Vec<TermScorer<'a>>, f32) {
    let looked_up = |term: &QueryTerm| {
        let list = postings.posting_list(&term.text);
        let frequency = postings.document_frequency(&list);
        let stop_weight = if term.is_stop { bm25.stop_weight } else { 1.0 };
        let weight = (term.weight * stop_weight * idf(memories, frequency)).max(0.0);
        (frequency, TermScorer { list, weight, upper_bound: weight * (bm25.k1 + 1.0) })
    };
    let all: Vec<(usize, TermScorer<'a>)> = query.terms.iter().map(looked_up).collect();
    let score_max = score_max(&query.terms, &all);
    let mut found: Vec<(&str, TermScorer<'a>)> = (query.terms.iter().zip(all))
        .filter(|(_, (frequency, prepared))| *frequency > 0 && prepared.weight > 0.0)
        .map(|(term, (_, prepared))| (term.text.as_str(), prepared))
        .collect();
    found.sort_unstable_by(|one, other| {
        other.1.weight.total_cmp(&one.1.weight).then(one.0.cmp(other.0))
    });
    (found.into_iter().map(|(_, prepared)| prepared).collect(), score_max)
}

/// Returns the highest score that a document can reach. Compounds and spelling variants only count
/// if some document contains them: otherwise their absence would lower every relative score.
fn score_max(terms: &[QueryTerm], all: &[(usize, TermScorer<'_>)]) -> f32 {
    let counts =
        |term: &QueryTerm, frequency: usize| term.form == TokenForm::Plain || frequency > 0;
    (terms.iter().zip(all))
        .filter(|(term, (frequency, _))| counts(term, *frequency))
        .map(|(_, (_, prepared))| prepared.upper_bound)
        .sum()
}

/// Returns the inverse document frequency; with the added 1 it is never negative (as in Lucene).
pub(super) fn idf(memories: usize, frequency: usize) -> f32 {
    let (memories, frequency) = (memories as f32, frequency as f32);
    (1.0 + (memories - frequency + 0.5) / (frequency + 0.5)).ln()
}

/// Document lengths with the fields weighted as in one setting of BM25. All queries use the same
/// setting, so the lengths are computed once and updated with the view.
#[derive(Debug, Clone)]
pub(crate) struct WeightedLengths {
    weights: [f32; IndexField::COUNT],
    lengths: Vec<f32>,
}

impl WeightedLengths {
    pub(super) fn new(columns: &Columns, bm25: &Bm25) -> Self {
        let weights = bm25.field_weights;
        Self {
            weights,
            lengths: columns
                .table
                .lengths
                .iter()
                .map(|each| weighted_length(each, &weights))
                .collect(),
        }
    }

    pub(super) fn has_weights_of(&self, bm25: &Bm25) -> bool {
        self.weights == bm25.field_weights
    }

    /// Updates the length of a new or changed document.
    pub(crate) fn set(&mut self, doc: DocId, lengths: &[u16; IndexField::COUNT]) {
        if self.lengths.len() <= doc.index() {
            self.lengths.resize(doc.index() + 1, 0.0);
        }
        self.lengths[doc.index()] = weighted_length(lengths, &self.weights);
    }
}

fn weighted_length(lengths: &[u16; IndexField::COUNT], weights: &[f32; IndexField::COUNT]) -> f32 {
    lengths.iter().zip(weights).map(|(&length, weight)| f32::from(length) * weight).sum()
}

/// Constants of BM25 that are the same for all terms of a query.
pub(super) struct Bm25Scorer<'a> {
    lengths: &'a [f32],
    weights: [f32; IndexField::COUNT],
    k1_plus_1: f32,
    /// Length normalisation of an empty document; `norm_slope` is the increase per token.
    norm_base: f32,
    norm_slope: f32,
}

impl<'a> Bm25Scorer<'a> {
    pub(super) fn new(lengths: &'a WeightedLengths, columns: &Columns, bm25: &Bm25) -> Self {
        let weights = bm25.field_weights;
        let totals = columns.total_lengths();
        let total: f32 =
            totals.iter().zip(weights).map(|(&total, weight)| total as f32 * weight).sum();
        let average = total / columns.live_count().max(1) as f32;
        Self {
            lengths: &lengths.lengths,
            weights,
            k1_plus_1: bm25.k1 + 1.0,
            norm_base: bm25.k1 * (1.0 - bm25.b),
            norm_slope: if average > 0.0 { bm25.k1 * bm25.b / average } else { 0.0 },
        }
    }

    pub(super) fn doc_count(&self) -> usize {
        self.lengths.len()
    }

    /// Returns the saturated term frequency, from 0 to `k1 + 1`.
    #[inline]
    fn saturation(&self, doc: DocId, counts: FieldCounts) -> f32 {
        let count = counts.weighted(&self.weights);
        let norm = self.norm_base + self.norm_slope * self.lengths[doc.index()];
        if count <= 0.0 { 0.0 } else { self.k1_plus_1 * count / (count + norm) }
    }
}
