//! Nearest-neighbour search by cosine.
//!
//! A brute-force int8 scan up to some size. Beyond it, sign bits of the randomly rotated vectors
//! select candidates (a sign-bit prefilter, as in RaBitQ and other binary quantisation), which are
//! then scored exactly. The tests measure how rarely the prefilter misses a neighbour.

use super::binary_query::BinaryQuery;
use super::{Vectors, inverse_norm, kernel};
use crate::prefetch::{prefetch, with_prefetch};
use crate::{DocId, DocSet, SearchHit, View, top_k::TopK};

/// Number of vectors up to which all are scored exactly.
const EXACT_MAX: usize = 20_000;
// Number of candidates that the prefilter selects: at least `PREFILTER_MIN`, `PREFILTER_PER_HIT`
// for each requested hit, and one in `PREFILTER_ONE_OF` of all vectors, since among more vectors
// more are about as near as the nearest. On real texts, 99 of the best 100 are among the
// candidates.
const PREFILTER_MIN: usize = 1_000;
const PREFILTER_PER_HIT: usize = 10;
const PREFILTER_ONE_OF: usize = 24;

/// A query vector in the forms that the search needs.
#[derive(Debug, Clone)]
pub struct QueryVector {
    pub(super) codes: Vec<i8>,
    pub(super) inverse_norm: f32,
    binary: BinaryQuery,
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
        Self { codes, inverse_norm, binary: BinaryQuery::new(values.iter().map(finite)) }
    }
}

impl View {
    /// Returns the `limit` documents of `within` with the highest cosine to the query. Empty if the
    /// view's model has another number of dimensions.
    #[must_use]
    pub fn nearest(&self, query: &QueryVector, within: &DocSet, limit: usize) -> Vec<SearchHit> {
        if self.vectors.row_count() <= EXACT_MAX || within.count() <= EXACT_MAX {
            return self.nearest_exact(query, &within.iter().collect::<Vec<_>>(), limit);
        }
        let share = self.vectors.row_count() / PREFILTER_ONE_OF;
        let candidates = PREFILTER_MIN.max(limit.saturating_mul(PREFILTER_PER_HIT)).max(share);
        self.nearest_exact(query, &self.vectors.prefilter(query, within, candidates), limit)
    }

    fn nearest_exact(&self, query: &QueryVector, docs: &[DocId], limit: usize) -> Vec<SearchHit> {
        let mut top = TopK::new(limit);
        for (&doc, score) in docs.iter().zip(self.cosines(docs, query)) {
            if let Some(score) = score.filter(|&score| top.accepts(score)) {
                top.offer(SearchHit { id: self.id(doc), doc, score });
            }
        }
        top.into_sorted()
    }

    /// Returns the cosine between the query and a document's whole text; `None` without a
    /// comparable vector.
    #[must_use]
    pub fn cosine(&self, doc: DocId, query: &QueryVector) -> Option<f32> {
        self.vectors.cosine(doc, query)
    }

    /// Returns the cosine between the query and the whole text of each document, in their order;
    /// `None` for one without a comparable vector.
    #[must_use]
    pub fn cosines(&self, docs: &[DocId], query: &QueryVector) -> Vec<Option<f32>> {
        let prefetch_row = |doc| self.vectors.prefetch(doc);
        // Collected before any result is used: a mispredicted branch on the first results would
        // flush the pipeline and stall the prefetching.
        with_prefetch(docs, prefetch_row).map(|doc| self.vectors.cosine(doc, query)).collect()
    }

    /// Returns true if the document has a vector of the view's model.
    #[must_use]
    pub fn has_vector(&self, doc: DocId) -> bool {
        self.vectors.has_vector(doc)
    }
}

impl Vectors {
    fn cosine(&self, doc: DocId, query: &QueryVector) -> Option<f32> {
        let (codes, inverse_norm) =
            self.row(doc).filter(|_| query.codes.len() == self.dimensions)?;
        let mut product = [0];
        kernel::dot_products(&query.codes, codes, &mut product);
        Some(product[0] as f32 * inverse_norm * query.inverse_norm)
    }

    /// Returns the codes and the inverse norm of a document's vector.
    fn row(&self, doc: DocId) -> Option<(&[i8], f32)> {
        let inverse_norm =
            *self.rows.inverse_norms.get(doc.index()).filter(|&&norm| norm >= 0.0)?;
        Some((self.rows.codes.slice(doc.index() * self.dimensions, self.dimensions), inverse_norm))
    }

    /// Hints to the processor that a document's vector will be read soon.
    fn prefetch(&self, doc: DocId) {
        if self.has_vector(doc) {
            let start = doc.index() * self.dimensions;
            prefetch(self.rows.codes.unchecked_slice(start, self.dimensions));
        }
    }

    /// Returns about `count` documents, or a few more, with the smallest weighted Hamming distance
    /// to the query, in ascending order of document id.
    fn prefilter(&self, query: &QueryVector, within: &DocSet, count: usize) -> Vec<DocId> {
        if query.codes.len() != self.dimensions {
            return Vec::new();
        }
        let mut distances = vec![0_u16; self.row_count()];
        let [mapped, owned] = self.rows.sign_bits.parts();
        // A row of sign bits lies in one part, so that each part has whole rows.
        let (of_mapped, of_owned) = distances.split_at_mut(mapped.len() / self.rotation.words());
        kernel::weighted_hamming(&query.binary, mapped, of_mapped);
        kernel::weighted_hamming(&query.binary, owned, of_owned);
        let furthest = query.binary.distance_max();
        let mut cutoff = sampled_cutoff(&distances, count, within.count());
        let mut near = self.within_distance(&distances, cutoff, within);
        // The sampled cutoff may be too low for a filter that excludes most of the near vectors.
        while near.len() < count && usize::from(cutoff) < furthest {
            cutoff = cutoff.saturating_add(furthest as u16 / 16);
            near = self.within_distance(&distances, cutoff, within);
        }
        if near.len() > count {
            let mut sorted: Vec<u16> = near.iter().map(|doc| distances[doc.index()]).collect();
            let last = *sorted.select_nth_unstable(count - 1).1;
            near.retain(|doc| distances[doc.index()] <= last);
        }
        near
    }

    /// Returns the documents of a set within this distance.
    fn within_distance(&self, distances: &[u16], cutoff: u16, within: &DocSet) -> Vec<DocId> {
        let mut near = within.clone();
        near.retain_values([distances, &[]], |difference| difference <= cutoff);
        near.iter().filter(|&doc| self.has_vector(doc)).collect()
    }
}

/// Estimates from a sample the distance within which slightly more than `count` documents lie, when
/// `allowed` documents pass the filter.
fn sampled_cutoff(distances: &[u16], count: usize, allowed: usize) -> u16 {
    let mut sample: Vec<u16> = distances.iter().step_by(64).copied().collect();
    let nth = sample.len() * (count + count / 4) / allowed.max(1);
    match sample.len().checked_sub(1) {
        Some(last) => *sample.select_nth_unstable(nth.min(last)).1,
        None => 0,
    }
}
