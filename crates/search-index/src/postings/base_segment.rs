//! Immutable base segment of the inverted index: a sorted term dictionary and all posting lists,
//! each as a few flat arrays that a snapshot stores as they are.

use super::delta_segment::{DeltaSegment, Posting};
use crate::mapped_array::MappedArray;
use crate::{DocId, DocSet};
use std::cmp::Ordering;

/// Sorted terms and their posting lists in flat arrays.
#[derive(Debug, Clone, Default)]
pub(crate) struct BaseSegment {
    /// Concatenated terms in ascending order.
    pub(crate) text: MappedArray<u8>,
    /// End offset of each term in `text`.
    pub(crate) text_ends: MappedArray<u32>,
    /// End offset of each list in `docs` and `counts`.
    pub(crate) list_ends: MappedArray<u32>,
    /// Document ids, ascending within a list.
    pub(crate) docs: MappedArray<u32>,
    /// Counts of each posting, as [`super::FieldCounts`].
    pub(crate) counts: MappedArray<u16>,
}

impl BaseSegment {
    /// Finds the posting list of a term by binary search.
    pub(super) fn list(&self, term: &str) -> (&[u32], &[u16]) {
        let (mut low, mut high) = (0, self.text_ends.len());
        while low < high {
            let middle = low.midpoint(high);
            match self.term(middle).cmp(term.as_bytes()) {
                Ordering::Less => low = middle + 1,
                Ordering::Greater => high = middle,
                Ordering::Equal => return self.nth_list(middle),
            }
        }
        (&[], &[])
    }

    /// Returns true if all offsets and lengths are in range; no lookup can then go out of bounds.
    pub(crate) fn is_consistent(&self) -> bool {
        let ends_at = |ends: &MappedArray<u32>, last: usize| {
            let end = ends.len().checked_sub(1).map_or(0, |at| ends[at] as usize);
            ends.parts().iter().all(|part| part.is_sorted()) && end == last
        };
        ends_at(&self.text_ends, self.text.len())
            && ends_at(&self.list_ends, self.docs.len())
            && self.text_ends.len() == self.list_ends.len()
            && self.docs.len() == self.counts.len()
    }

    /// Iterates over all terms.
    pub(crate) fn terms(&self) -> impl Iterator<Item = &str> {
        let terms = (0..self.text_ends.len()).map(|nth| self.term(nth));
        terms.filter_map(|term| std::str::from_utf8(term).ok())
    }

    pub(super) fn size_bytes(&self) -> usize {
        let ends = self.text_ends.size_bytes() + self.list_ends.size_bytes();
        self.text.size_bytes() + ends + self.docs.size_bytes() + self.counts.size_bytes()
    }

    fn term(&self, nth: usize) -> &[u8] {
        let start = if nth == 0 { 0 } else { self.text_ends[nth - 1] };
        self.text.slice(start as usize, (self.text_ends[nth] - start) as usize)
    }

    fn nth_list(&self, nth: usize) -> (&[u32], &[u16]) {
        let start = if nth == 0 { 0 } else { self.list_ends[nth - 1] };
        let (start, len) = (start as usize, (self.list_ends[nth] - start) as usize);
        // Document ids are used as indexes, so that none of a damaged list may be used.
        let docs = self.docs.intact_slice(start, len);
        docs.map_or((&[], &[]), |docs| (docs, self.counts.slice(start, len)))
    }
}

/// A base segment under construction, list by list.
#[derive(Default)]
struct BaseSegmentBuilder {
    text: Vec<u8>,
    text_ends: Vec<u32>,
    list_ends: Vec<u32>,
    docs: Vec<u32>,
    counts: Vec<u16>,
}

impl BaseSegmentBuilder {
    fn with_capacity(postings: usize) -> Self {
        let (docs, counts) = (Vec::with_capacity(postings), Vec::with_capacity(postings));
        Self { docs, counts, ..Self::default() }
    }

    fn build(mut self) -> BaseSegment {
        // Stale and removed postings leave spare capacity that would stay until the next merge.
        self.docs.shrink_to_fit();
        self.counts.shrink_to_fit();
        let Self { text, text_ends, list_ends, docs, counts } = self;
        BaseSegment {
            text: text.into(),
            text_ends: text_ends.into(),
            list_ends: list_ends.into(),
            docs: docs.into(),
            counts: counts.into(),
        }
    }

    /// Appends a list of another base segment to the list under construction.
    fn append_base_list(&mut self, (docs, counts): (&[u32], &[u16]), renumbering: Renumbering<'_>) {
        if renumbering.is_identity() {
            self.docs.extend_from_slice(docs);
            self.counts.extend_from_slice(counts);
            return;
        }
        for (&doc, &counts) in docs.iter().zip(counts) {
            if let Some(new_id) = renumbering.new_id_in_base(DocId(doc)) {
                self.docs.push(new_id.0);
                self.counts.push(counts);
            }
        }
    }

    /// Merges a list of the delta segment into the list under construction. Nearly every document
    /// lands at the end; only a changed document of the base is inserted before it.
    fn append_delta_list(&mut self, list: &[Posting], renumbering: Renumbering<'_>) {
        let start = self.list_ends.last().map_or(0, |&end| end as usize);
        for posting in list {
            let Some(new_id) = renumbering.new_id(posting.doc) else { continue };
            match self.docs[start..].last() {
                Some(&last) if last > new_id.0 => {
                    let at = start + self.docs[start..].partition_point(|&doc| doc < new_id.0);
                    self.docs.insert(at, new_id.0);
                    self.counts.insert(at, posting.counts.0);
                }
                _ => {
                    self.docs.push(new_id.0);
                    self.counts.push(posting.counts.0);
                }
            }
        }
    }

    /// Ends the list under construction. A term without documents is dropped, so that no word of a
    /// forgotten memory survives a merge.
    fn finish_list(&mut self, term: &[u8]) {
        let start = self.list_ends.last().map_or(0, |&end| end as usize);
        if self.docs.len() > start {
            self.text.extend_from_slice(term);
            self.text_ends.push(self.text.len() as u32);
            self.list_ends.push(self.docs.len() as u32);
        }
    }
}

/// New document ids for a merge.
#[derive(Clone, Copy)]
pub(super) struct Renumbering<'a> {
    /// New id of each document, `None` for a removed one; without this all ids stay the same.
    pub(super) new_ids: Option<&'a [Option<DocId>]>,
    /// Documents whose postings in the base are outdated.
    pub(super) stale: Option<&'a DocSet>,
}

impl Renumbering<'_> {
    fn new_id(&self, doc: DocId) -> Option<DocId> {
        self.new_ids.map_or(Some(doc), |new_ids| new_ids[doc.index()])
    }

    fn new_id_in_base(&self, doc: DocId) -> Option<DocId> {
        if self.stale.is_some_and(|stale| stale.contains(doc)) { None } else { self.new_id(doc) }
    }

    fn is_identity(&self) -> bool {
        self.new_ids.is_none() && self.stale.is_none()
    }
}

/// Merges a base and a delta segment into a new base with the new document ids, which must preserve
/// the order.
pub(super) fn merge(
    base: &BaseSegment,
    delta: &DeltaSegment,
    renumbering: Renumbering<'_>,
) -> BaseSegment {
    // A merge join over two sorted term dictionaries.
    let mut delta_lists = delta.sorted_lists().into_iter().peekable();
    let more: usize = delta_lists.clone().map(|(_, list)| list.len()).sum();
    let mut merged = BaseSegmentBuilder::with_capacity(base.docs.len() + more);
    for nth in 0..base.text_ends.len() {
        let term = base.term(nth);
        while let Some((before, list)) = delta_lists.next_if(|(text, _)| text.as_bytes() < term) {
            merged.append_delta_list(list, renumbering);
            merged.finish_list(before.as_bytes());
        }
        merged.append_base_list(base.nth_list(nth), renumbering);
        if let Some((_, list)) = delta_lists.next_if(|(text, _)| text.as_bytes() == term) {
            merged.append_delta_list(list, renumbering);
        }
        merged.finish_list(term);
    }
    for (term, list) in delta_lists {
        merged.append_delta_list(list, renumbering);
        merged.finish_list(term.as_bytes());
    }
    merged.build()
}
