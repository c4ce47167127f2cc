//! The memories whose vectors point most nearly where a query points.
//!
//! Few windows are compared exactly. Of many, the sign bits choose those worth comparing, and these are
//! compared exactly; the tests measure how rarely that misses one.

use super::signs::SignQuery;
use super::{NOBODY, Vectors, kernel};
use crate::{Doc, DocSet, Hit, View, top::Top};

/// Up to here every window is compared exactly.
const EXACT_MAX: usize = 20_000;
/// How many windows the sign bits choose: at least this many, this many for each hit asked for, and one of so
/// many, since among more windows more lie about as near as the nearest. On real texts, 99 of the best 100
/// are among them.
const CHOSEN_MIN: usize = 1_000;
const CHOSEN_PER_HIT: usize = 10;
const CHOSEN_ONE_OF: usize = 24;

/// A question's vector, ready to be compared.
#[derive(Debug, Clone)]
pub struct QueryVector {
    codes: Vec<i8>,
    inverse_norm: f32,
    signs: SignQuery,
}

impl QueryVector {
    /// Takes a vector of any length; what is not a number in it counts as 0.
    #[must_use]
    pub fn new(values: &[f32]) -> Self {
        let finite = |value: &f32| if value.is_finite() { *value } else { 0.0 };
        let most = values.iter().map(|value| finite(value).abs()).fold(0.0, f32::max);
        let scale = if most > 0.0 { 127.0 / most } else { 0.0 };
        let codes: Vec<i8> = values.iter().map(|value| (finite(value) * scale).round() as i8).collect();
        let square: i64 = codes.iter().map(|&code| i64::from(code) * i64::from(code)).sum();
        let inverse_norm = if square == 0 { 0.0 } else { 1.0 / (square as f32).sqrt() };
        Self { codes, inverse_norm, signs: SignQuery::new(values.iter().map(finite)) }
    }
}

impl View {
    /// The memories within `within` whose best window is nearest to the query, by cosine.
    /// Nothing when the view's model makes vectors of another length.
    #[must_use]
    pub fn nearest(&self, query: &QueryVector, within: &DocSet, limit: usize) -> Vec<Hit> {
        if self.vectors.window_count() <= EXACT_MAX || within.count() <= EXACT_MAX {
            return self.nearest_of(query, within.iter(), limit);
        }
        let share = self.vectors.window_count() / CHOSEN_ONE_OF;
        let chosen = CHOSEN_MIN.max(limit.saturating_mul(CHOSEN_PER_HIT)).max(share);
        self.nearest_of(query, self.vectors.choose(query, within, chosen).iter(), limit)
    }

    fn nearest_of(&self, query: &QueryVector, docs: impl Iterator<Item = Doc>, limit: usize) -> Vec<Hit> {
        let docs: Vec<Doc> = docs.collect();
        // All cosines before the first comparison: a guess at its outcome that fails would stop the reading
        // ahead.
        let cosines: Vec<Option<f32>> = self.vectors.cosines(&docs, query).collect();
        let mut top = Top::new(limit);
        for (&doc, score) in docs.iter().zip(cosines) {
            if let Some(score) = score.filter(|&score| top.wants(score)) {
                top.offer(Hit { id: self.id(doc), doc, score });
            }
        }
        top.finish()
    }

    /// The cosine of the best window of the memory at a place; `None` when it has no vector to compare.
    #[must_use]
    pub fn cosine(&self, doc: Doc, query: &QueryVector) -> Option<f32> {
        self.vectors.cosine(doc, query)
    }

    /// Whether the memory at a place has a vector of the view's model.
    #[must_use]
    pub fn has_vector(&self, doc: Doc) -> bool {
        self.vectors.has(doc)
    }
}

impl Vectors {
    /// The cosines of many places, each fetched from memory a little before it is needed.
    fn cosines<'a>(
        &'a self,
        docs: &'a [Doc],
        query: &'a QueryVector,
    ) -> impl Iterator<Item = Option<f32>> + 'a {
        const AHEAD: usize = 8;
        docs.iter().enumerate().map(move |(nth, &doc)| {
            if let Some((codes, _)) = docs.get(nth + AHEAD).and_then(|&ahead| self.rows(ahead)) {
                kernel::prefetch(codes);
            }
            self.cosine(doc, query)
        })
    }

    fn cosine(&self, doc: Doc, query: &QueryVector) -> Option<f32> {
        let (codes, inverse_norms) = self.rows(doc).filter(|_| query.codes.len() == self.dimensions)?;
        let cosines = codes.chunks_exact(self.dimensions).zip(inverse_norms).map(|(row, &inverse_norm)| {
            let mut product = [0];
            kernel::products(&query.codes, row, &mut product);
            product[0] as f32 * inverse_norm
        });
        Some(cosines.fold(f32::NEG_INFINITY, f32::max) * query.inverse_norm)
    }

    /// The windows of a place, if it has any, and one over the length of each.
    fn rows(&self, doc: Doc) -> Option<(&[i8], &[f32])> {
        let &[start, len] = self.windows.spans.get(doc.index()).filter(|span| span[1] > 0)?;
        let (start, end) = (start as usize, (start + len) as usize);
        let codes = &self.windows.codes[start * self.dimensions..end * self.dimensions];
        Some((codes, &self.windows.inverse_norms[start..end]))
    }

    /// The places of about `count` windows, or some more, that differ least from the query in their sign
    /// bits.
    fn choose(&self, query: &QueryVector, within: &DocSet, count: usize) -> DocSet {
        if query.codes.len() != self.dimensions {
            return DocSet::default();
        }
        let mut differences = vec![0_u16; self.window_count()];
        kernel::differences(&query.signs, &self.windows.bits, &mut differences);
        let furthest = query.signs.difference_max();
        let mut reach = likely_reach(&differences, count, within.count());
        let mut near = self.within_reach(&differences, reach, within);
        while near.len() < count && usize::from(reach) < furthest {
            reach = reach.saturating_add(furthest as u16 / 16);
            near = self.within_reach(&differences, reach, within);
        }
        if near.len() > count {
            let (_, last, _) = near.select_nth_unstable(count - 1);
            let last = last.0;
            near.retain(|&(difference, _)| difference <= last);
        }
        near.into_iter().map(|(_, doc)| doc).collect()
    }

    fn within_reach(&self, differences: &[u16], reach: u16, within: &DocSet) -> Vec<(u16, Doc)> {
        // Every window is written down and the next one over it unless it was near enough:
        // that is no decision to guess at, and guesses that fail would cost more than the writing.
        let (mut near, mut count) = (vec![0_u32; differences.len()], 0);
        for (window, &difference) in differences.iter().enumerate() {
            near[count] = window as u32;
            count += usize::from(difference <= reach);
        }
        let owned =
            near[..count].iter().map(|&window| (differences[window as usize], self.owners[window as usize]));
        let known = owned.filter(|&(_, owner)| owner != NOBODY && within.contains(Doc(owner)));
        known.map(|(difference, owner)| (difference, Doc(owner))).collect()
    }
}

/// How far to reach so that a little more than `count` of the windows are near enough, going by a sample of
/// them. `allowed` of all places count.
fn likely_reach(differences: &[u16], count: usize, allowed: usize) -> u16 {
    let mut sample: Vec<u16> = differences.iter().step_by(64).copied().collect();
    let nth = sample.len() * (count + count / 4) / allowed.max(1);
    match sample.len().checked_sub(1) {
        Some(last) => *sample.select_nth_unstable(nth.min(last)).1,
        None => 0,
    }
}
