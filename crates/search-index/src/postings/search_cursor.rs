//! Search cursor over a posting list: looks up many documents one after another, by interpolation
//! search with galloping (exponential) search as the fallback (Bentley and Yao, 1976).

use super::{FieldCounts, PostingList};
use crate::DocId;
use crate::prefetch::prefetch;

/// Number of postings around the interpolated position that are compared at once: one cache line of
/// 32-bit document ids.
const WINDOW: usize = 16;
/// Number of lookups between the prefetch around an interpolated position and its use.
const PREFETCH_DISTANCE: usize = 4;

impl PostingList<'_> {
    /// Calls `visit` with the index and the counts of each of these documents that contains the
    /// term. Fastest for documents in ascending order.
    #[inline]
    pub(crate) fn look_up(self, docs: &[DocId], mut visit: impl FnMut(usize, FieldCounts)) {
        let mut cursor = SearchCursor::new(self);
        for (nth, &doc) in docs.iter().enumerate() {
            docs.get(nth + PREFETCH_DISTANCE)
                .into_iter()
                .for_each(|&later| cursor.prefetch_around(later));
            cursor.counts_of(doc).into_iter().for_each(|counts| visit(nth, counts));
        }
    }
}

/// A position in a posting list. A document above the previous one is first looked up at the
/// position it would have in an evenly filled list; if the guess is wrong, the search goes on from
/// there by galloping forwards or by bisection backwards.
struct SearchCursor<'a> {
    list: PostingList<'a>,
    /// All postings of the base before this index are below the last document looked up.
    at: usize,
    /// Average number of postings per document id, as a fixed-point number with 32 fractional bits.
    density: u64,
}

impl<'a> SearchCursor<'a> {
    fn new(list: PostingList<'a>) -> Self {
        let span = list.docs.last().zip(list.docs.first()).map_or(0, |(last, first)| last - first);
        Self { list, at: 0, density: ((list.docs.len() as u64) << 32) / (u64::from(span) + 1) }
    }

    /// Returns the counts of one document, if it contains the term.
    #[inline]
    fn counts_of(&mut self, doc: DocId) -> Option<FieldCounts> {
        // A document is valid in exactly one segment: in the base unless it is new or stale there.
        let PostingList { docs, counts, delta, base_slots, stale } = self.list;
        if doc.0 < base_slots && stale.is_none_or(|stale| !stale.contains(doc)) {
            self.seek(doc);
            docs.get(self.at).filter(|&&found| found == doc.0).map(|_| FieldCounts(counts[self.at]))
        } else {
            let at = delta.binary_search_by_key(&doc, |posting| posting.doc).ok()?;
            Some(delta[at].counts)
        }
    }

    /// Returns the start of the window in which a document above the last one is expected.
    #[inline]
    fn interpolate(&self, doc: DocId) -> usize {
        let from = self.list.docs.get(self.at).copied().unwrap_or(u32::MAX);
        let entries = (u64::from(doc.0.saturating_sub(from)) * self.density) >> 32;
        self.at + (entries as usize).saturating_sub(WINDOW / 2)
    }

    #[inline]
    fn prefetch_around(&self, doc: DocId) {
        let start = self.interpolate(doc);
        self.list.docs.get(start..start + WINDOW).into_iter().for_each(prefetch);
        self.list.counts.get(start..start + WINDOW).into_iter().for_each(prefetch);
    }

    #[inline]
    fn seek(&mut self, doc: DocId) {
        let (docs, is_before) = (self.list.docs, |entry: &u32| *entry < doc.0);
        // Documents may come in any order; a lower one starts over.
        if self.at > 0 && !is_before(&docs[self.at - 1]) {
            self.at = 0;
        }
        let start = self.interpolate(doc);
        let window = docs.get(start..).and_then(<[u32]>::first_chunk::<WINDOW>);
        match window {
            Some(all @ [first, .., last]) if is_before(first) && !is_before(last) => {
                // A branchless count over the window vectorises; a binary search would mispredict.
                self.at = start + all.iter().filter(|entry| is_before(entry)).count();
            }
            Some([first, ..]) if !is_before(first) => {
                self.at += docs[self.at..start].partition_point(is_before);
            }
            Some(_) => self.gallop(start + WINDOW, doc),
            None => self.gallop(self.at, doc),
        }
    }

    /// Finds a document at or after index `start`, in steps that double.
    fn gallop(&mut self, start: usize, doc: DocId) {
        let docs = self.list.docs;
        let (mut at, mut step) = (start, 1);
        while docs.get(at + step - 1).is_some_and(|&entry| entry < doc.0) {
            at += step;
            step *= 2;
        }
        let range = &docs[at..docs.len().min(at + step - 1)];
        self.at = at + range.partition_point(|&entry| entry < doc.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::IndexField;
    use crate::postings::Postings;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    proptest! {
        #[test]
        fn a_cursor_finds_every_document_in_whatever_order_it_is_asked(
            even in prop::collection::btree_set(0_u32..400, 0..200),
            crowd in 0_u32..400,
            crowded in 0_u32..200,
            changed in prop::collection::btree_set(0_u32..400, 0..20),
            asked in prop::collection::vec(0_u32..420, 0..100),
            in_order in any::<bool>(),
        ) {
            let holding: BTreeSet<u32> =
                even.into_iter().chain(crowd..400.min(crowd + crowded)).collect();
            let mut asked = asked;
            if in_order {
                asked.sort_unstable();
            }
            let mut postings = Postings::default();
            let text = |doc: u32| if holding.contains(&doc) { "red" } else { "blue" };
            let insert = |postings: &mut Postings, doc: u32, text: &str| {
                drop(postings.insert(DocId(doc), &[(IndexField::Text, text)], &[]));
            };
            (0..400).for_each(|doc| insert(&mut postings, doc, text(doc)));
            let mut postings = postings.merged(400, None);
            changed.iter().for_each(|&doc| insert(&mut postings, doc, "red"));
            let asked: Vec<DocId> = asked.into_iter().map(DocId).collect();
            let mut found = Vec::new();
            postings.posting_list("red").look_up(&asked, |nth, _| found.push(nth));
            let held = |doc: &DocId| holding.contains(&doc.0) || changed.contains(&doc.0);
            let expected =
                asked.iter().enumerate().filter(|(_, doc)| held(doc)).map(|(nth, _)| nth);
            prop_assert_eq!(found, expected.collect::<Vec<_>>());
        }
    }
}
