//! Vectors of all memories: the vector of the whole text as int8 codes for exact scoring and as
//! sign bits for a prefilter, and the vectors of its passages as 4-bit codes for rescoring
//! candidates. Vectors are compared by cosine, so the scale they were quantised with does not
//! matter.

mod binary_query;
mod kernel;
mod nearest;
mod passages;
mod rotation;

use crate::DocId;
use crate::mapped_array::MappedArray;
pub use nearest::QueryVector;
pub(crate) use passages::PassageVectors;
use rotation::RandomRotation;

/// Bytes of the scale in front of each stored vector.
const SCALE_BYTES: usize = 4;
/// Inverse norm of a document without a vector.
const NO_VECTOR: f32 = -1.0;

/// One row per document, in the form that a snapshot stores. The last documents may have none yet.
#[derive(Debug, Clone, Default)]
pub(crate) struct VectorRows {
    pub(crate) codes: MappedArray<i8>,
    /// Inverse norm of each vector; 0 for a zero vector, negative for a missing one.
    pub(crate) inverse_norms: MappedArray<f32>,
    /// Sign bits of the randomly rotated vectors.
    pub(crate) sign_bits: MappedArray<u64>,
}

/// Vectors of all documents.
#[derive(Debug, Clone)]
pub(crate) struct Vectors {
    dimensions: usize,
    rotation: RandomRotation,
    rows: VectorRows,
    passages: PassageVectors,
}

impl Vectors {
    pub(crate) fn new(dimensions: usize) -> Self {
        Self {
            dimensions,
            rotation: RandomRotation::new(dimensions),
            rows: VectorRows::default(),
            passages: PassageVectors::new(dimensions),
        }
    }

    /// Replaces the vectors of a document by stored ones: that of the whole text, then those of its
    /// passages. Bytes of the wrong length leave the document without vectors.
    pub(crate) fn set(&mut self, doc: DocId, stored: &[u8]) {
        self.remove(doc);
        let bytes = SCALE_BYTES + self.dimensions;
        if self.dimensions == 0 || stored.is_empty() || !stored.len().is_multiple_of(bytes) {
            return;
        }
        let (whole, passages) = stored.split_at(bytes);
        self.set_row(doc, bytemuck::cast_slice(&whole[SCALE_BYTES..]));
        self.passages.set(doc, passages);
    }

    /// Removes the vectors of a document.
    pub(crate) fn remove(&mut self, doc: DocId) {
        if doc.index() < self.row_count() {
            // Overwritten with zeros, not only marked: nothing of a forgotten memory may reach a
            // snapshot.
            self.rows.inverse_norms[doc.index()] = NO_VECTOR;
            let (dimensions, words) = (self.dimensions, self.rotation.words());
            self.rows.codes.slice_mut(doc.index() * dimensions, dimensions).fill(0);
            self.rows.sign_bits.slice_mut(doc.index() * words, words).fill(0);
        }
        self.passages.set(doc, &[]);
    }

    /// Returns the number of rows, missing vectors included.
    pub(crate) fn row_count(&self) -> usize {
        self.rows.inverse_norms.len()
    }

    /// Returns true if the document has a vector.
    pub(crate) fn has_vector(&self, doc: DocId) -> bool {
        self.rows.inverse_norms.get(doc.index()).is_some_and(|&inverse_norm| inverse_norm >= 0.0)
    }

    /// Keeps the vectors of these documents, in this order.
    pub(crate) fn reorder(&mut self, order: &[DocId]) {
        let (dimensions, words) = (self.dimensions, self.rotation.words());
        let old = std::mem::replace(self, Self::new(dimensions));
        self.passages = old.passages.gather(order);
        let row_count =
            order.iter().rposition(|&doc| old.has_vector(doc)).map_or(0, |last| last + 1);
        self.grow(row_count);
        for (to, doc) in
            order[..row_count].iter().enumerate().filter(|(_, doc)| old.has_vector(**doc))
        {
            let from = doc.index();
            self.rows
                .codes
                .slice_mut(to * dimensions, dimensions)
                .copy_from_slice(old.rows.codes.slice(from * dimensions, dimensions));
            self.rows
                .sign_bits
                .slice_mut(to * words, words)
                .copy_from_slice(old.rows.sign_bits.slice(from * words, words));
            self.rows.inverse_norms[to] = old.rows.inverse_norms[from];
        }
    }

    /// Returns the parts that a snapshot stores.
    pub(crate) fn parts(&self) -> (&VectorRows, &PassageVectors) {
        (&self.rows, &self.passages)
    }

    /// Builds the vectors from their parts; `None` if their lengths do not match.
    pub(crate) fn from_parts(
        dimensions: usize,
        rows: VectorRows,
        passages: PassageVectors,
    ) -> Option<Self> {
        let rotation = RandomRotation::new(dimensions);
        let count = rows.inverse_norms.len();
        let fits = Some(rows.codes.len()) == count.checked_mul(dimensions)
            && Some(rows.sign_bits.len()) == count.checked_mul(rotation.words());
        fits.then_some(Self { dimensions, rotation, rows, passages })
    }

    pub(crate) fn size_bytes(&self) -> usize {
        let whole = self.rows.codes.size_bytes()
            + self.rows.sign_bits.size_bytes()
            + self.rows.inverse_norms.size_bytes();
        whole + self.passages.size_bytes()
    }

    fn set_row(&mut self, doc: DocId, codes: &[i8]) {
        self.grow(doc.index() + 1);
        let (dimensions, words) = (self.dimensions, self.rotation.words());
        let rotated = self.rotation.rotate(codes.iter().map(|&code| f32::from(code)));
        let bits = rotation::pack_bits(&rotated, |value| value < 0.0);
        self.rows.codes.slice_mut(doc.index() * dimensions, dimensions).copy_from_slice(codes);
        self.rows
            .sign_bits
            .slice_mut(doc.index() * words, words)
            .iter_mut()
            .zip(bits)
            .for_each(|(word, bits)| *word = bits);
        self.rows.inverse_norms[doc.index()] = inverse_norm(codes);
    }

    /// Grows to at least this many rows, without vectors at first.
    fn grow(&mut self, rows: usize) {
        let more = rows.saturating_sub(self.row_count());
        let VectorRows { codes, inverse_norms, sign_bits } = &mut self.rows;
        codes.extend_zeroed(more * self.dimensions);
        sign_bits.extend_zeroed(more * self.rotation.words());
        inverse_norms.extend_to(rows, NO_VECTOR);
    }
}

/// Returns one over the norm of a vector; 0 for a zero vector.
fn inverse_norm(codes: &[i8]) -> f32 {
    inverse_root(codes.iter().map(|&code| i64::from(code) * i64::from(code)).sum())
}

/// Returns one over the root of a sum of squares; 0 for none.
fn inverse_root(square: i64) -> f32 {
    if square == 0 { 0.0 } else { 1.0 / (square as f32).sqrt() }
}
