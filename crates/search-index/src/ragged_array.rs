//! A ragged array: one short list per document (tags, entities, links), all stored in one flat
//! vector with a span per document, similar to the CSR format of sparse matrices. Unlike CSR the
//! spans need not be in order: a list that grows is moved to the end, and the gap it leaves is
//! reclaimed when the view is compacted.

use crate::DocId;
use crate::mapped_array::MappedArray;
use crate::prefetch::prefetch;
use bytemuck::Pod;

/// One list of `T` per document.
#[derive(Debug, Clone)]
pub(crate) struct RaggedArray<T: Pod> {
    /// Start and length of each list in `items`.
    spans: MappedArray<[u32; 2]>,
    items: MappedArray<T>,
}

impl<T: Pod> Default for RaggedArray<T> {
    fn default() -> Self {
        Self { spans: MappedArray::default(), items: MappedArray::default() }
    }
}

impl<T: Pod + PartialEq> RaggedArray<T> {
    /// Returns the list of a document; empty when it has none.
    pub(crate) fn get(&self, doc: DocId) -> &[T] {
        let Some(&[start, len]) = self.spans.get(doc.index()) else { return &[] };
        self.items.slice(start as usize, len as usize)
    }

    /// Hints to the processor that the list of a document will be read soon.
    pub(crate) fn prefetch(&self, doc: DocId) {
        let Some(&[start, len]) = self.spans.get(doc.index()) else { return };
        prefetch(self.items.unchecked_slice(start as usize, len as usize));
    }

    /// Returns the length of all lists together.
    pub(crate) fn total_len(&self) -> usize {
        self.spans.iter().map(|&[_, len]| len as usize).sum()
    }

    /// Replaces the list of a document. Returns true if items of the previous list became garbage.
    pub(crate) fn set(&mut self, doc: DocId, list: &[T]) -> bool {
        if self.get(doc) == list {
            return false;
        }
        self.spans.extend_to(doc.index() + 1, [0, 0]);
        let [start, len] = self.spans[doc.index()];
        // A list that fits is overwritten in place, which keeps repeated small changes from growing
        // the array.
        if list.len() <= len as usize {
            self.items.slice_mut(start as usize, list.len()).copy_from_slice(list);
            self.spans[doc.index()][1] = list.len() as u32;
        } else {
            self.spans[doc.index()] = [self.items.len() as u32, list.len() as u32];
            self.items.extend_from_slice(list);
        }
        len > 0
    }

    /// Copies the lists of these documents, in this order, and drops all garbage.
    pub(crate) fn gather(&self, order: &[DocId]) -> Self {
        let mut spans = Vec::with_capacity(order.len());
        let count = order.iter().map(|&doc| self.get(doc).len()).sum();
        let mut items = Vec::with_capacity(count);
        for list in order.iter().map(|&doc| self.get(doc)) {
            spans.push([items.len() as u32, list.len() as u32]);
            items.extend_from_slice(list);
        }
        Self { spans: spans.into(), items: items.into() }
    }

    /// Iterates over every item of every list, garbage included, for changing them.
    pub(crate) fn items_mut(&mut self) -> impl Iterator<Item = &mut T> {
        self.items.iter_mut()
    }

    pub(crate) fn parts(&self) -> (&MappedArray<[u32; 2]>, &MappedArray<T>) {
        (&self.spans, &self.items)
    }

    /// Builds an array from its parts; `None` if a span reaches beyond the items.
    pub(crate) fn from_parts(spans: MappedArray<[u32; 2]>, items: MappedArray<T>) -> Option<Self> {
        // The spans come from a snapshot file: their end is computed in 64 bits so that no damaged
        // value can wrap around.
        let end = |&[start, len]: &[u32; 2]| u64::from(start) + u64::from(len);
        let fits = items.len() <= u32::MAX as usize
            && spans.iter().all(|span| end(span) <= items.len() as u64);
        fits.then_some(Self { spans, items })
    }

    pub(crate) fn size_bytes(&self) -> usize {
        self.spans.size_bytes() + self.items.size_bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_change_length_without_touching_each_other() {
        let mut lists = RaggedArray::default();
        lists.set(DocId(0), &[1_u32, 2]);
        lists.set(DocId(2), &[3]);
        lists.set(DocId(0), &[4, 5, 6]);
        lists.set(DocId(2), &[]);
        assert_eq!(
            (lists.get(DocId(0)), lists.get(DocId(1)), lists.get(DocId(2))),
            (&[4, 5, 6][..], &[][..], &[][..])
        );
        let gathered = lists.gather(&[DocId(2), DocId(0)]);
        assert_eq!(gathered.get(DocId(1)), [4, 5, 6]);
        assert_eq!(gathered.parts().1.len(), 3, "garbage is dropped");
    }

    #[test]
    fn spans_beyond_the_items_are_refused() {
        assert!(RaggedArray::from_parts(vec![[0, 2]].into(), vec![1_u32, 2].into()).is_some());
        assert!(RaggedArray::from_parts(vec![[1, 2]].into(), vec![1_u32, 2].into()).is_none());
        let beyond = vec![[u32::MAX, u32::MAX]].into();
        assert!(RaggedArray::from_parts(beyond, vec![1_u32].into()).is_none());
    }
}
