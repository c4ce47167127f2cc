//! The memories whose vectors point most nearly where a query points.
//!
//! Few vectors are compared exactly. Of many, the sign bits choose those worth comparing, and these
//! are compared exactly; the tests measure how rarely that misses one.

use super::signs::SignQuery;
use super::{Vectors, inverse_norm, kernel};
use crate::ahead::{ahead, fetch};
use crate::{Doc, DocSet, Hit, View, top::Top};

/// Up to here every vector is compared exactly.
const EXACT_MAX: usize = 20_000;
/// How many vectors the sign bits choose: at least this many, this many for each hit asked for, and
/// one of so many, since among more vectors more lie about as near as the nearest. On real texts,
/// 99 of the best 100 are among them.
const CHOSEN_MIN: usize = 1_000;
const CHOSEN_PER_HIT: usize = 10;
const CHOSEN_ONE_OF: usize = 24;

/// A question's vector, ready to be compared.
#[derive(Debug, Clone)]
pub struct QueryVector {
    pub(super) codes: Vec<i8>,
    pub(super) inverse_norm: f32,
    signs: SignQuery,
}

impl QueryVector {
    /// Takes a vector of any length; what is not a number in it counts as 0.
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
    /// The memories within `within` whose vector is nearest to the query, by cosine.
    /// Nothing when the view's model makes vectors of another length.
    #[must_use]
    pub fn nearest(&self, query: &QueryVector, within: &DocSet, limit: usize) -> Vec<Hit> {
        if self.vectors.row_count() <= EXACT_MAX || within.count() <= EXACT_MAX {
            return self.nearest_of(query, &within.iter().collect::<Vec<_>>(), limit);
        }
        let share = self.vectors.row_count() / CHOSEN_ONE_OF;
        let chosen = CHOSEN_MIN.max(limit.saturating_mul(CHOSEN_PER_HIT)).max(share);
        self.nearest_of(query, &self.vectors.choose(query, within, chosen), limit)
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

    /// The cosine of the memory at a place as a whole; `None` when it has no vector to compare.
    #[must_use]
    pub fn cosine(&self, doc: Doc, query: &QueryVector) -> Option<f32> {
        self.vectors.cosine(doc, query)
    }

    /// The cosine of each memory as a whole, in their order; `None` for one that has no vector to
    /// compare.
    #[must_use]
    pub fn cosines(&self, docs: &[Doc], query: &QueryVector) -> Vec<Option<f32>> {
        let fetch_row = |doc| self.vectors.row(doc).into_iter().for_each(|(codes, _)| fetch(codes));
        // All of them before anything is done with the first: a guess at how that ends, when it
        // fails, would stop the reading ahead.
        ahead(docs, fetch_row).map(|doc| self.vectors.cosine(doc, query)).collect()
    }

    /// Whether the memory at a place has a vector of the view's model.
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

    /// The vector of a place, if it has one, and one over its length.
    fn row(&self, doc: Doc) -> Option<(&[i8], f32)> {
        let inverse_norm =
            *self.rows.inverse_norms.get(doc.index()).filter(|&&norm| norm >= 0.0)?;
        Some((&self.rows.codes[doc.index() * self.dimensions..][..self.dimensions], inverse_norm))
    }

    /// About `count` places, or some more, whose vectors differ least from the query in their
    /// sign bits; in order.
    fn choose(&self, query: &QueryVector, within: &DocSet, count: usize) -> Vec<Doc> {
        if query.codes.len() != self.dimensions {
            return Vec::new();
        }
        let mut differences = vec![0_u16; self.row_count()];
        kernel::differences(&query.signs, &self.rows.bits, &mut differences);
        let furthest = query.signs.difference_max();
        let mut reach = likely_reach(&differences, count, within.count());
        let mut near = self.within_reach(&differences, reach, within);
        while near.len() < count && usize::from(reach) < furthest {
            reach = reach.saturating_add(furthest as u16 / 16);
            near = self.within_reach(&differences, reach, within);
        }
        if near.len() > count {
            let mut sorted: Vec<u16> = near.iter().map(|doc| differences[doc.index()]).collect();
            let last = *sorted.select_nth_unstable(count - 1).1;
            near.retain(|doc| differences[doc.index()] <= last);
        }
        near
    }

    /// The places of a set whose vectors differ no more than this.
    fn within_reach(&self, differences: &[u16], reach: u16, within: &DocSet) -> Vec<Doc> {
        let mut near = within.clone();
        near.retain_values(differences, |difference| difference <= reach);
        near.iter().filter(|&doc| self.has(doc)).collect()
    }
}

/// How far to reach so that a little more than `count` places are near enough, going by a sample of
/// them. `allowed` of all places count.
fn likely_reach(differences: &[u16], count: usize, allowed: usize) -> u16 {
    let mut sample: Vec<u16> = differences.iter().step_by(64).copied().collect();
    let nth = sample.len() * (count + count / 4) / allowed.max(1);
    match sample.len().checked_sub(1) {
        Some(last) => *sample.select_nth_unstable(nth.min(last)).1,
        None => 0,
    }
}
