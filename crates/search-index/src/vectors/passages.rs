//! Passage vectors in 4-bit quantisation, two dimensions per byte. Measured, that loses no recall,
//! and a memory of three sentences takes 400 bytes more. They are never searched, only used to
//! rescore documents that are candidates already.

use super::{QueryVector, SCALE_BYTES, Vectors, inverse_root, kernel};
use crate::prefetch::with_prefetch;
use crate::ragged_array::RaggedArray;
use crate::{DocId, View};

/// Largest 4-bit level; -8 stays unused, so that the levels are symmetric around zero.
const LEVEL_MAX: f32 = 7.0;
/// Clipping point in multiples of the root mean square. Few values exceed it, and the levels are
/// better spent below it.
const CLIP_RMS: f32 = 2.9;
/// A number so large that a small one added to it is rounded to a whole one, which then is the last
/// bits of the sum. Unlike a conversion, that needs no test for numbers out of range.
const ROUNDING: f32 = 12_582_912.0;
/// Bytes of the inverse norm in front of each packed vector.
const NORM_BYTES: usize = 4;
/// Maximum number of passages per memory; further ones are ignored.
const PASSAGES_MAX: usize = 16;

/// Packed passage vectors of every document.
#[derive(Debug, Clone)]
pub(crate) struct PassageVectors {
    dimensions: usize,
    packed: RaggedArray<u8>,
}

impl PassageVectors {
    pub(super) fn new(dimensions: usize) -> Self {
        Self { dimensions, packed: RaggedArray::default() }
    }

    /// Replaces the passages of a document by stored vectors, each a scale and int8 codes.
    pub(super) fn set(&mut self, doc: DocId, stored: &[u8]) {
        let vectors = stored.chunks_exact(SCALE_BYTES + self.dimensions).take(PASSAGES_MAX);
        let bytes = vectors.len() * (NORM_BYTES + self.dimensions.div_ceil(2));
        let mut packed = Vec::with_capacity(bytes);
        for vector in vectors {
            pack_into(&mut packed, bytemuck::cast_slice(&vector[SCALE_BYTES..]));
        }
        self.packed.set(doc, &packed);
    }

    pub(super) fn gather(&self, order: &[DocId]) -> Self {
        Self { dimensions: self.dimensions, packed: self.packed.gather(order) }
    }

    /// Returns the packed bytes, in the form that a snapshot stores.
    pub(crate) fn packed(&self) -> &RaggedArray<u8> {
        &self.packed
    }

    pub(crate) fn from_packed(dimensions: usize, packed: RaggedArray<u8>) -> Self {
        Self { dimensions, packed }
    }

    pub(super) fn size_bytes(&self) -> usize {
        self.packed.size_bytes()
    }

    /// Returns the cosine between the query and each passage of the document. The query must have
    /// the same number of dimensions.
    fn cosines<'v>(
        &'v self,
        doc: DocId,
        query: &'v QueryVector,
        unpacked: &'v mut [i8],
    ) -> impl Iterator<Item = f32> + 'v {
        let packed = self.packed.get(doc).chunks_exact(NORM_BYTES + self.dimensions.div_ceil(2));
        packed.filter_map(|packed| {
            let (norm, levels) = packed.split_first_chunk::<NORM_BYTES>()?;
            unpack(levels, unpacked);
            let mut product = [0];
            kernel::dot_products(&query.codes, &unpacked[..self.dimensions], &mut product);
            Some(product[0] as f32 * f32::from_le_bytes(*norm) * query.inverse_norm)
        })
    }
}

impl View {
    /// Returns for each document the cosine of its best passage; `None` for one without passages.
    #[must_use]
    pub fn passage_cosines(&self, docs: &[DocId], query: &QueryVector) -> Vec<Option<f32>> {
        self.vectors.of_passages(docs, query, |passages, doc, unpacked| {
            passages.cosines(doc, query, unpacked).max_by(f32::total_cmp)
        })
    }

    /// Returns for each document the cosine of each of its passages, in their order.
    #[must_use]
    pub fn each_passage_cosine(&self, docs: &[DocId], query: &QueryVector) -> Vec<Vec<f32>> {
        self.vectors.of_passages(docs, query, |passages, doc, unpacked| {
            passages.cosines(doc, query, unpacked).collect()
        })
    }
}

impl Vectors {
    /// Computes something of the passages of each document, with space to unpack one vector.
    fn of_passages<R: Default>(
        &self,
        docs: &[DocId],
        query: &QueryVector,
        compute: impl Fn(&PassageVectors, DocId, &mut [i8]) -> R,
    ) -> Vec<R> {
        if query.codes.len() != self.dimensions {
            return docs.iter().map(|_| R::default()).collect();
        }
        let mut unpacked = vec![0; 2 * self.dimensions.div_ceil(2)];
        let docs = with_prefetch(docs, |doc| self.passages.packed.prefetch(doc));
        docs.map(|doc| compute(&self.passages, doc, &mut unpacked)).collect()
    }
}

/// Appends a vector in 4 bits per dimension, after its inverse norm. The first half of the
/// dimensions goes into the low nibbles, so that unpacking is two shifts without interleaving.
fn pack_into(packed: &mut Vec<u8>, codes: &[i8]) {
    let squares: i32 = codes.iter().map(|&code| i32::from(code) * i32::from(code)).sum();
    let largest = codes.iter().map(|code| code.unsigned_abs()).max().unwrap_or(0);
    let rms = (squares as f32 / codes.len().max(1) as f32).sqrt();
    let clip = f32::from(largest).min(CLIP_RMS * rms);
    let scale = if clip > 0.0 { LEVEL_MAX / clip } else { 0.0 };
    let level = |code: i8| {
        let scaled = (f32::from(code) * scale).clamp(-LEVEL_MAX, LEVEL_MAX);
        (scaled + ROUNDING).to_bits().cast_signed() - ROUNDING.to_bits().cast_signed()
    };
    let start = packed.len() + NORM_BYTES;
    let (low, high) = codes.split_at(codes.len().div_ceil(2));
    packed.resize(start + low.len(), 0);
    let mut square = 0;
    // Without a branch or an allocation inside, the compiler does many of them at once.
    for ((byte, &low), &high) in packed[start..].iter_mut().zip(low).zip(high) {
        let (low, high) = (level(low), level(high));
        square += low * low + high * high;
        *byte = (low & 15 | high << 4) as u8;
    }
    if let Some(&odd) = low.get(high.len()) {
        let odd = level(odd);
        square += odd * odd;
        packed[start + high.len()] = (odd & 15) as u8;
    }
    packed[start - NORM_BYTES..start].copy_from_slice(&inverse_root(square.into()).to_le_bytes());
}

/// Unpacks the levels of a vector; an odd number of them is followed by a 0.
fn unpack(packed: &[u8], levels: &mut [i8]) {
    let (low, high) = levels.split_at_mut(packed.len());
    for ((low, high), &byte) in low.iter_mut().zip(high).zip(packed) {
        *low = (byte << 4).cast_signed() >> 4;
        *high = byte.cast_signed() >> 4;
    }
}

#[cfg(test)]
mod tests {
    use super::super::inverse_norm;
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_packed_vector_keeps_its_direction(
            codes in prop::collection::vec(-127_i8..=127, 64..300),
        ) {
            let mut packed = vec![7; 3];
            pack_into(&mut packed, &codes);
            let packed = packed.split_off(3);
            let mut levels = vec![0; 2 * codes.len().div_ceil(2)];
            unpack(&packed[NORM_BYTES..], &mut levels);
            let dot = |one: &[i8], other: &[i8]| {
                one.iter().zip(other).map(|(&a, &b)| f32::from(a) * f32::from(b)).sum::<f32>()
            };
            let cosine = dot(&codes, &levels) * inverse_norm(&codes) * inverse_norm(&levels);
            prop_assert!(cosine > 0.97 || codes.iter().all(|&code| code == 0), "{cosine}");
            prop_assert_eq!(
                f32::from_le_bytes(packed[..4].try_into().unwrap()),
                inverse_norm(&levels[..codes.len()])
            );
        }
    }
}
