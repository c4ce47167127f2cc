//! The memories whose vectors point most nearly where a query points.
//!
//! Few windows are compared exactly. Of many, the sign bits choose those worth comparing, and these are compared
//! exactly; the tests measure how rarely that misses one.

use super::rotation::Rotation;
use super::{NOBODY, Vectors, kernel};
use crate::{Doc, DocSet, Hit, View, top::Top};

/// Up to here every window is compared exactly.
const EXACT_MAX: usize = 20_000;
/// How many windows the sign bits choose at least, and how many for each hit asked for.
const CHOSEN_MIN: usize = 1_000;
const CHOSEN_PER_HIT: usize = 10;

/// A question's vector, ready to be compared.
#[derive(Debug, Clone)]
pub struct QueryVector {
    codes: Vec<i8>,
    inverse_norm: f32,
    bits: Vec<u64>,
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
        let mut bits = Vec::new();
        Rotation::new(values.len()).push_signs(values.iter().map(finite), &mut bits);
        Self { codes, inverse_norm, bits }
    }
}

impl View {
    /// The memories within `within` whose best window is nearest to the query, by cosine.
    /// Nothing when the view's model makes vectors of another length.
    #[must_use]
    pub fn nearest(&self, query: &QueryVector, within: &DocSet, limit: usize) -> Vec<Hit> {
        let mut top = Top::new(limit);
        let mut compare = |doc: Doc| {
            if let Some(score) = self.vectors.cosine(doc, query).filter(|&score| top.wants(score)) {
                top.offer(Hit { id: self.id(doc), doc, score });
            }
        };
        if self.vectors.window_count() <= EXACT_MAX || within.count() <= EXACT_MAX {
            within.iter().for_each(&mut compare);
        } else {
            let chosen = CHOSEN_MIN.max(limit.saturating_mul(CHOSEN_PER_HIT));
            self.vectors.choose(query, within, chosen).iter().for_each(&mut compare);
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
    fn cosine(&self, doc: Doc, query: &QueryVector) -> Option<f32> {
        let &[start, len] = self.windows.spans.get(doc.index())?;
        if len == 0 || query.codes.len() != self.dimensions {
            return None;
        }
        let (start, end) = (start as usize, (start + len) as usize);
        let rows = &self.windows.codes[start * self.dimensions..end * self.dimensions];
        let mut products = [0_i32; super::WINDOWS_MAX];
        let products = &mut products[..end - start];
        kernel::products(&query.codes, rows, products);
        let cosines = products.iter().zip(&self.windows.inverse_norms[start..end]);
        let best = cosines.map(|(&product, &norm)| product as f32 * norm).fold(f32::NEG_INFINITY, f32::max);
        Some(best * query.inverse_norm)
    }

    /// The places of about `count` windows, or some more, that differ least from the query in their sign bits.
    fn choose(&self, query: &QueryVector, within: &DocSet, count: usize) -> DocSet {
        if query.codes.len() != self.dimensions {
            return DocSet::default();
        }
        let mut differences = vec![0_u16; self.window_count()];
        kernel::differences(&query.bits, &self.windows.bits, &mut differences);
        let bits = query.bits.len() * 64;
        let mut reach = likely_reach(&differences, count, within.count());
        let mut near = self.within_reach(&differences, reach, within);
        while near.len() < count && usize::from(reach) < bits {
            reach += bits as u16 / 16;
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
        const BLOCK: usize = 32;
        let mut near = Vec::new();
        for (block, owners) in differences.chunks(BLOCK).zip(self.owners.chunks(BLOCK)) {
            // Most blocks hold none, and that is told for all of a block at once.
            if block.iter().fold(false, |any, &difference| any | (difference <= reach)) {
                let close = block.iter().zip(owners).filter(|&(&difference, _)| difference <= reach);
                let known = close.filter(|&(_, &owner)| owner != NOBODY && within.contains(Doc(owner)));
                near.extend(known.map(|(&difference, &owner)| (difference, Doc(owner))));
            }
        }
        near
    }
}

/// How far to reach so that about twice `count` of the windows are near enough, going by a sample of them.
/// `allowed` of all places count.
fn likely_reach(differences: &[u16], count: usize, allowed: usize) -> u16 {
    let mut sample: Vec<u16> = differences.iter().step_by(64).copied().collect();
    let nth = sample.len() * count * 2 / allowed.max(1);
    match sample.len().checked_sub(1) {
        Some(last) => *sample.select_nth_unstable(nth.min(last)).1,
        None => 0,
    }
}
