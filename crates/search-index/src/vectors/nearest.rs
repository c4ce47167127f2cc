//! Nearest-neighbour search by cosine.
//!
//! A brute-force int8 scan up to some size. Beyond it, sign bits of the randomly rotated vectors
//! select candidates (a sign-bit prefilter, as in RaBitQ and other binary quantisation), which are
//! then scored exactly. The tests measure how rarely the prefilter misses a neighbour.

use super::signs::SignQuery;
use super::{Vectors, inverse_norm, kernel};
use crate::ahead::{ahead, fetch};
use crate::{Doc, DocSet, Hit, View, top::Top};

/// Number of vectors up to which all are scored exactly.
const EXACT_MAX: usize = 20_000;
// Number of candidates that the prefilter selects: at least `PREFILTER_MIN`, `PREFILTER_PER_HIT`
// for each requested hit, and one in `PREFILTER_ONE_OF` of all vectors, since among more vectors
// more are about as near as the nearest. On real texts, 99 of the best 100 are among the
// candidates.
const CHOSEN_MIN: usize = 1_000;
const CHOSEN_PER_HIT: usize = 10;
const CHOSEN_ONE_OF: usize = 24;

/// A query vector in the forms that the search needs.
#[derive(Debug, Clone)]
pub struct QueryVector {
    pub(super) codes: Vec<i8>,
    pub(super) inverse_norm: f32,
    signs: SignQuery,
}

impl QueryVector {
    /// Quantises a vector of any length; values that are not finite count as 0.
    #[must_use]
    pub fn new(values: &[f32]) -> Self {
        let finite = |value: &f32| if value.is_finite() { *value } else { 0.0 };
        let most = values.iter().map(|value| finite(value).abs()).fold(0.0, f32::max);
        let scale = if most > 0.0 { 127.0 / most } else { 0.0 };
        let codes: Vec<i8> =
            values.iter().map(|value| (finite(value) * scale).round() as i8).collect();
        let inverse_norm = inverse_norm(&codes);
        Self { codes, inverse_norm, signs: SignQuery::new(values.iter().map(finite)) }
    }
}

impl View {
    /// Returns the `limit` documents of `within` with the highest cosine to the query. Empty if the
    /// view's model has another number of dimensions.
    #[must_use]
    pub fn nearest(&self, query: &QueryVector, within: &DocSet, limit: usize) -> Vec<Hit> {
        if self.vectors.row_count() <= EXACT_MAX || within.count() <= EXACT_MAX {
            return self.nearest_of(query, &within.iter().collect::<Vec<_>>(), limit);
        }
        let share = self.vectors.row_count() / CHOSEN_ONE_OF;
        let candidates = CHOSEN_MIN.max(limit.saturating_mul(CHOSEN_PER_HIT)).max(share);
        self.nearest_of(query, &self.vectors.choose(query, within, candidates), limit)
    }

    fn nearest_of(&self, query: &QueryVector, docs: &[Doc], limit: usize) -> Vec<Hit> {
        let mut top = Top::new(limit);
        for (&doc, score) in docs.iter().zip(self.cosines(docs, query)) {
            if let Some(score) = score.filter(|&score| top.wants(score)) {
                top.offer(Hit { id: self.id(doc), doc, score });
            }
        }
        top.finish()
    }

    /// Returns the cosine between the query and a document's whole text; `None` without a
    /// comparable vector.
    #[must_use]
    pub fn cosine(&self, doc: Doc, query: &QueryVector) -> Option<f32> {
        self.vectors.cosine(doc, query)
    }

    /// Returns the cosine between the query and the whole text of each document, in their order;
    /// `None` for one without a comparable vector.
    #[must_use]
    pub fn cosines(&self, docs: &[Doc], query: &QueryVector) -> Vec<Option<f32>> {
        let prefetch_row =
            |doc| self.vectors.row(doc).into_iter().for_each(|(codes, _)| fetch(codes));
        // Collected before any result is used: a mispredicted branch on the first results would
        // flush the pipeline and stall the prefetching.
        ahead(docs, prefetch_row).map(|doc| self.vectors.cosine(doc, query)).collect()
    }

    /// Returns true if the document has a vector of the view's model.
    #[must_use]
    pub fn has_vector(&self, doc: Doc) -> bool {
        self.vectors.has(doc)
    }
}

impl Vectors {
    fn cosine(&self, doc: Doc, query: &QueryVector) -> Option<f32> {
        let (codes, inverse_norm) =
            self.row(doc).filter(|_| query.codes.len() == self.dimensions)?;
        let mut product = [0];
        kernel::products(&query.codes, codes, &mut product);
        Some(product[0] as f32 * inverse_norm * query.inverse_norm)
    }

    /// Returns the codes and the inverse norm of a document's vector.
    fn row(&self, doc: Doc) -> Option<(&[i8], f32)> {
        let inverse_norm =
            *self.rows.inverse_norms.get(doc.index()).filter(|&&norm| norm >= 0.0)?;
        Some((&self.rows.codes[doc.index() * self.dimensions..][..self.dimensions], inverse_norm))
    }

    /// Returns about `count` documents, or a few more, with the smallest weighted Hamming distance
    /// to the query, in ascending order of document id.
    fn choose(&self, query: &QueryVector, within: &DocSet, count: usize) -> Vec<Doc> {
        if query.codes.len() != self.dimensions {
            return Vec::new();
        }
        let mut distances = vec![0_u16; self.row_count()];
        kernel::differences(&query.signs, &self.rows.bits, &mut distances);
        let furthest = query.signs.difference_max();
        let mut cutoff = likely_reach(&distances, count, within.count());
        let mut near = self.within_reach(&distances, cutoff, within);
        // The sampled cutoff may be too low for a filter that excludes most of the near vectors.
        while near.len() < count && usize::from(cutoff) < furthest {
            cutoff = cutoff.saturating_add(furthest as u16 / 16);
            near = self.within_reach(&distances, cutoff, within);
        }
        if near.len() > count {
            let mut sorted: Vec<u16> = near.iter().map(|doc| distances[doc.index()]).collect();
            let last = *sorted.select_nth_unstable(count - 1).1;
            near.retain(|doc| distances[doc.index()] <= last);
        }
        near
    }

    /// Returns the documents of a set within this distance.
    fn within_reach(&self, distances: &[u16], cutoff: u16, within: &DocSet) -> Vec<Doc> {
        let mut near = within.clone();
        near.retain_values(distances, |difference| difference <= cutoff);
        near.iter().filter(|&doc| self.has(doc)).collect()
    }
}

/// Estimates from a sample the distance within which slightly more than `count` documents lie, when
/// `allowed` documents pass the filter.
fn likely_reach(distances: &[u16], count: usize, allowed: usize) -> u16 {
    let mut sample: Vec<u16> = distances.iter().step_by(64).copied().collect();
    let nth = sample.len() * (count + count / 4) / allowed.max(1);
    match sample.len().checked_sub(1) {
        Some(last) => *sample.select_nth_unstable(nth.min(last)).1,
        None => 0,
    }
}
