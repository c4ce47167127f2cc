//! Document ids, and sets of them as plain bitmaps of one bit per document.

mod rank_bitmap;

pub use rank_bitmap::RankBitmap;

use std::ops::Range;

/// Dense number of a memory within the view. Valid until the view changes; use the memory id beyond
/// that.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DocId(pub(crate) u32);

impl DocId {
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

/// A set of documents as an uncompressed bitmap, usually the result of a filter.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct DocSet {
    words: Vec<u64>,
}

impl DocSet {
    /// Returns true if the document is in the set.
    #[must_use]
    #[inline]
    pub fn contains(&self, doc: DocId) -> bool {
        self.words.get(doc.index() / 64).is_some_and(|word| word >> (doc.0 % 64) & 1 == 1)
    }

    /// Returns the number of documents in the set.
    #[must_use]
    pub fn count(&self) -> usize {
        self.words.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// Returns true if the set is empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.words.iter().all(|&word| word == 0)
    }

    /// Iterates over the documents in ascending order.
    pub fn iter(&self) -> impl Iterator<Item = DocId> + '_ {
        self.iter_words(0..self.words.len())
    }

    /// Iterates over the documents of some words of the bitmap, 64 documents each.
    pub(crate) fn iter_words(&self, words: Range<usize>) -> impl Iterator<Item = DocId> + '_ {
        let end = words.end.min(self.words.len());
        let start = words.start.min(end);
        (start..end).zip(&self.words[start..end]).flat_map(|(nth, &word)| {
            // `rest & (rest - 1)` clears the lowest set bit.
            let bits = std::iter::successors((word != 0).then_some(word), |rest| {
                let rest = rest & (rest - 1);
                (rest != 0).then_some(rest)
            });
            bits.map(move |rest| DocId(nth as u32 * 64 + rest.trailing_zeros()))
        })
    }

    /// Creates an empty set with room for this many documents.
    pub(crate) fn with_capacity(docs: usize) -> Self {
        Self { words: vec![0; docs.div_ceil(64)] }
    }

    /// Adds a document and grows the bitmap as needed.
    #[inline]
    pub fn insert(&mut self, doc: DocId) {
        let nth = doc.index() / 64;
        if nth >= self.words.len() {
            self.words.resize(nth + 1, 0);
        }
        self.words[nth] |= 1 << (doc.0 % 64);
    }

    /// Removes a document.
    pub fn remove(&mut self, doc: DocId) {
        if let Some(word) = self.words.get_mut(doc.index() / 64) {
            *word &= !(1 << (doc.0 % 64));
        }
    }

    /// Removes the documents of another set.
    pub fn subtract(&mut self, other: &Self) {
        self.words.iter_mut().zip(&other.words).for_each(|(word, removed)| *word &= !removed);
    }

    /// Keeps only the documents that pass.
    pub fn retain(&mut self, mut passes: impl FnMut(DocId) -> bool) {
        for (nth, word) in self.words.iter_mut().enumerate() {
            let mut rest = *word;
            while rest != 0 {
                let bit = rest.trailing_zeros();
                if !passes(DocId(nth as u32 * 64 + bit)) {
                    *word &= !(1 << bit);
                }
                rest &= rest - 1;
            }
        }
    }

    /// Keeps only the documents of some words of the bitmap.
    pub(crate) fn retain_words(&mut self, words: Range<usize>) {
        self.words.truncate(words.end);
        self.words.iter_mut().take(words.start).for_each(|word| *word = 0);
    }

    /// Calls `visit` with every document below `end` that is not in the set.
    pub(crate) fn for_each_absent(&self, end: usize, mut visit: impl FnMut(DocId)) {
        for nth in 0..end.div_ceil(64) {
            let mut gaps = !self.words.get(nth).copied().unwrap_or(0);
            while gaps != 0 {
                let index = nth * 64 + gaps.trailing_zeros() as usize;
                if index < end {
                    visit(DocId(index as u32));
                }
                gaps &= gaps - 1;
            }
        }
    }

    /// Returns the documents whose value in a column passes.
    pub(crate) fn from_column<T: Copy>(
        column: ColumnParts<'_, T>,
        passes: impl Fn(T) -> bool,
    ) -> Self {
        let mut set = Self { words: vec![u64::MAX; word_count(column)] };
        set.retain_values(column, passes);
        set
    }

    /// Keeps only the documents whose value in a column passes. Documents beyond the end of the
    /// column are removed. The predicate is also evaluated for documents outside the set: 64 values
    /// at a time without branches vectorise, and testing each bit first would not.
    pub(crate) fn retain_values<T: Copy>(
        &mut self,
        column: ColumnParts<'_, T>,
        passes: impl Fn(T) -> bool,
    ) {
        self.retain_packed(column, |values| pack_predicate(values, &passes));
    }

    /// Keeps only the documents whose value in a column is one of these. One comparison per wanted
    /// value vectorises, and a search in the list of them would not.
    pub(crate) fn retain_any<T: Copy + PartialEq>(
        &mut self,
        column: ColumnParts<'_, T>,
        wanted: &[T],
    ) {
        self.retain_packed(column, |values| {
            let passed = wanted.iter().map(|&one| pack_predicate(values, |value| value == one));
            passed.fold(0, |all, some| all | some)
        });
    }

    /// Keeps the bits of each word that `pack` returns for its up to 64 values.
    fn retain_packed<T: Copy>(&mut self, column: ColumnParts<'_, T>, pack: impl Fn(&[T]) -> u64) {
        self.words.truncate(word_count(column));
        let [first, second] = column;
        // The word between the parts, of which both have some, is the only one that is copied.
        let (whole, rest) = first.split_at(first.len() - first.len() % 64);
        let lacking = if rest.is_empty() { 0 } else { second.len().min(64 - rest.len()) };
        let (begin, second) = second.split_at(lacking);
        let across = [rest, begin].concat();
        let parts = [whole, &across, second];
        let runs = parts.into_iter().flat_map(|part| part.chunks(64));
        let words = self.words.iter_mut().zip(runs).filter(|(word, _)| **word != 0);
        words.for_each(|(word, values)| *word &= pack(values));
    }
}

/// A column of values in two parts, one behind the other.
pub(crate) type ColumnParts<'a, T> = [&'a [T]; 2];

/// Returns the number of words of a bitmap over a column.
fn word_count<T>([first, second]: ColumnParts<'_, T>) -> usize {
    (first.len() + second.len()).div_ceil(64)
}

/// Evaluates a predicate for up to 64 values into one bit each, without a branch per value: a
/// branch that is mispredicted now and then would cost more than evaluating all of them.
fn pack_predicate<T: Copy>(values: &[T], passes: impl Fn(T) -> bool) -> u64 {
    let mut passed = [0_u8; 64];
    passed.iter_mut().zip(values).for_each(|(passed, &value)| *passed = u8::from(passes(value)));
    pack_bits(&passed)
}

/// Packs 64 bytes, each 0 or 1, into one word.
fn pack_bits(bytes: &[u8; 64]) -> u64 {
    // The multiplication gathers the low bits of eight bytes in the highest byte of the product.
    let eight =
        |bytes: &[u8; 8]| u64::from_le_bytes(*bytes).wrapping_mul(0x0102_0408_1020_4080) >> 56;
    bytes.as_chunks::<8>().0.iter().rev().fold(0, |word, bytes| word << 8 | eight(bytes))
}

impl FromIterator<DocId> for DocSet {
    fn from_iter<I: IntoIterator<Item = DocId>>(docs: I) -> Self {
        let mut set = Self::default();
        docs.into_iter().for_each(|doc| set.insert(doc));
        set
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_are_iterated_in_order_until_removed() {
        let mut set: DocSet = [200, 3, 64, 63].into_iter().map(DocId).collect();
        assert_eq!(set.iter().map(|doc| doc.0).collect::<Vec<_>>(), [3, 63, 64, 200]);
        set.remove(DocId(64));
        set.remove(DocId(5_000));
        assert!(set.contains(DocId(63)) && !set.contains(DocId(64)) && !set.contains(DocId(9_999)));
        let mut rest = set.clone();
        rest.subtract(&[3, 9].into_iter().map(DocId).collect());
        assert_eq!(rest.iter().map(|doc| doc.0).collect::<Vec<_>>(), [63, 200]);
        rest.retain_words(1..3);
        assert!(rest.is_empty());
        assert_eq!(set.iter_words(1..9).map(|doc| doc.0).collect::<Vec<_>>(), [200]);
        set.retain(|doc| doc.0 > 100);
        assert_eq!(set.count(), 1);
        set.remove(DocId(200));
        assert!(set.is_empty());
    }

    #[test]
    fn a_column_retains_exactly_the_documents_whose_values_pass() {
        let column: Vec<u32> = (0..200).map(|doc| doc * 7 % 13).collect();
        let mut set: DocSet = (0..200).filter(|doc| doc % 3 != 0).map(DocId).collect();
        set.retain_values([&column, &[]], |value| value < 5);
        let expected = (0..200).filter(|doc| doc % 3 != 0 && column[*doc as usize] < 5);
        assert_eq!(set.iter().map(|doc| doc.0).collect::<Vec<_>>(), expected.collect::<Vec<u32>>());
        let mut same: DocSet = (0..200).filter(|doc| doc % 3 != 0).map(DocId).collect();
        same.retain_any([&column, &[]], &[0, 1, 2, 3, 4]);
        assert_eq!(same, set);
        let all = (0..200).filter(|doc| column[*doc as usize] < 5);
        assert_eq!(
            DocSet::from_column([&column, &[]], |value| value < 5),
            all.map(DocId).collect()
        );
    }

    #[test]
    fn a_document_beyond_the_end_of_a_column_does_not_pass() {
        for reach in [0, 1, 63, 64, 65, 128] {
            let mut set: DocSet = (0..200).map(DocId).collect();
            set.retain_values([&vec![0; reach], &[]], |_| true);
            assert_eq!(set.count(), reach);
        }
    }

    #[test]
    fn a_column_in_two_parts_is_read_like_one() {
        let column: Vec<u32> = (0..200).map(|nth| nth * 7 % 11).collect();
        for cut in 0..=column.len() {
            let (first, second) = column.split_at(cut);
            let parts = DocSet::from_column([first, second], |value| value < 5);
            assert_eq!(parts, DocSet::from_column([&column, &[]], |value| value < 5), "{cut}");
        }
    }

    #[test]
    fn absent_documents_are_those_not_in_the_set() {
        let set: DocSet = (0..130).filter(|doc| doc % 50 != 7).map(DocId).collect();
        let mut gaps = Vec::new();
        set.for_each_absent(133, |doc| gaps.push(doc.0));
        assert_eq!(gaps, [7, 57, 107, 130, 131, 132]);
    }
}
