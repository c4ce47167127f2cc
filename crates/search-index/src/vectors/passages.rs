//! The vectors of passages, packed: four bits a number, two numbers a byte. Measured, that loses
//! nothing, and a memory of three sentences takes 400 bytes more. They are never searched, only
//! held against a question for memories that are candidates already.

use super::{QueryVector, SCALE_BYTES, Vectors, inverse_norm, kernel};
use crate::ahead::{ahead, fetch};
use crate::lists::Lists;
use crate::{Doc, View};

/// The largest level of four bits, so that the levels are symmetric around zero.
const TOP: f32 = 7.0;
/// Few numbers lie beyond this many times the usual size; levels are better spent below it.
const SPREAD: f32 = 2.9;
/// The bytes before each packed vector: one over its length.
const NORM_BYTES: usize = 4;
/// How many passages of a memory are kept.
const PASSAGES_MAX: usize = 16;

/// The passages of every place.
#[derive(Debug, Clone)]
pub(crate) struct Passages {
    dimensions: usize,
    packed: Lists<u8>,
}

impl Passages {
    pub(super) fn new(dimensions: usize) -> Self {
        Self { dimensions, packed: Lists::default() }
    }

    /// Replaces the passages of a place by stored vectors, each a scale and its bytes.
    pub(super) fn set(&mut self, doc: Doc, stored: &[u8]) {
        let vectors = stored.chunks_exact(SCALE_BYTES + self.dimensions).take(PASSAGES_MAX);
        let packed: Vec<u8> =
            vectors.flat_map(|vector| pack(bytemuck::cast_slice(&vector[SCALE_BYTES..]))).collect();
        self.packed.set(doc, &packed);
    }

    pub(super) fn gathered(&self, order: &[Doc]) -> Self {
        Self { dimensions: self.dimensions, packed: self.packed.gathered(order) }
    }

    /// The lists of packed bytes, as a snapshot keeps them.
    pub(crate) fn packed(&self) -> &Lists<u8> {
        &self.packed
    }

    pub(crate) fn from_packed(dimensions: usize, packed: Lists<u8>) -> Self {
        Self { dimensions, packed }
    }

    pub(super) fn bytes(&self) -> usize {
        self.packed.bytes()
    }

    /// The best cosine of a place's passages to a query of as many dimensions.
    fn best(&self, doc: Doc, query: &QueryVector, room: &mut [i8]) -> Option<f32> {
        let packed = self.packed.get(doc).chunks_exact(NORM_BYTES + self.dimensions.div_ceil(2));
        let cosines = packed.filter_map(|packed| {
            let (norm, levels) = packed.split_first_chunk::<NORM_BYTES>()?;
            unpack(levels, room);
            let mut product = [0];
            kernel::products(&query.codes, &room[..self.dimensions], &mut product);
            Some(product[0] as f32 * f32::from_le_bytes(*norm))
        });
        cosines.max_by(f32::total_cmp).map(|best| best * query.inverse_norm)
    }
}

impl View {
    /// The cosine of the best passage of each memory, in their order; `None` for one that is all of
    /// a piece.
    #[must_use]
    pub fn passage_cosines(&self, docs: &[Doc], query: &QueryVector) -> Vec<Option<f32>> {
        self.vectors.passage_cosines(docs, query)
    }
}

impl Vectors {
    fn passage_cosines(&self, docs: &[Doc], query: &QueryVector) -> Vec<Option<f32>> {
        if query.codes.len() != self.dimensions {
            return vec![None; docs.len()];
        }
        let mut room = vec![0; 2 * self.dimensions.div_ceil(2)];
        let docs = ahead(docs, |doc| fetch(self.passages.packed.get(doc)));
        docs.map(|doc| self.passages.best(doc, query, &mut room)).collect()
    }
}

/// A vector as four bits a number, after one over its length. The first half of the numbers is in
/// the low bits.
fn pack(codes: &[i8]) -> Vec<u8> {
    let size =
        codes.iter().map(|&code| f32::from(code).powi(2)).sum::<f32>() / codes.len().max(1) as f32;
    let most = codes
        .iter()
        .map(|&code| f32::from(code).abs())
        .fold(0.0, f32::max)
        .min(SPREAD * size.sqrt());
    let level = |code: i8| {
        if most > 0.0 { (f32::from(code) / most * TOP).round().clamp(-TOP, TOP) as i8 } else { 0 }
    };
    let levels: Vec<i8> = codes.iter().map(|&code| level(code)).collect();
    let (low, high) = levels.split_at(levels.len().div_ceil(2));
    let high = high.iter().copied().chain(std::iter::repeat(0));
    let bytes = low
        .iter()
        .zip(high)
        .map(|(low, high)| low.cast_unsigned() & 15 | high.cast_unsigned() << 4);
    inverse_norm(&levels).to_le_bytes().into_iter().chain(bytes).collect()
}

/// The levels of a packed vector; of an odd number of them, a 0 follows the last.
fn unpack(packed: &[u8], levels: &mut [i8]) {
    let (low, high) = levels.split_at_mut(packed.len());
    for ((low, high), &byte) in low.iter_mut().zip(high).zip(packed) {
        *low = (byte << 4).cast_signed() >> 4;
        *high = byte.cast_signed() >> 4;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_packed_vector_still_points_where_it_did(codes in prop::collection::vec(-127_i8..=127, 64..300)) {
            let packed = pack(&codes);
            let mut levels = vec![0; 2 * codes.len().div_ceil(2)];
            unpack(&packed[NORM_BYTES..], &mut levels);
            let dot = |one: &[i8], other: &[i8]| {
                one.iter().zip(other).map(|(&a, &b)| f32::from(a) * f32::from(b)).sum::<f32>()
            };
            let cosine = dot(&codes, &levels) * inverse_norm(&codes) * inverse_norm(&levels);
            prop_assert!(cosine > 0.97 || codes.iter().all(|&code| code == 0), "{cosine}");
            prop_assert_eq!(f32::from_le_bytes(packed[..4].try_into().unwrap()), inverse_norm(&levels[..codes.len()]));
        }
    }
}
