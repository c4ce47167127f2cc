//! Search cursor over a posting list: looks up many documents one after another, by interpolation
//! search with galloping (exponential) search as the fallback (Bentley and Yao, 1976).

use super::{Counts, List};
use crate::Doc;
use crate::ahead::fetch;

/// Number of postings around the interpolated position that are compared at once: one cache line of
/// 32-bit document ids.
const WINDOW: usize = 16;
/// Number of lookups between the prefetch around an interpolated position and its use.
const AHEAD: usize = 4;

impl List<'_> {
    /// Calls `visit` with the index and the counts of each of these documents that contains the
    /// term. Fastest for documents in ascending order.
    #[inline]
    pub(crate) fn look_up(self, docs: &[Doc], mut visit: impl FnMut(usize, Counts)) {
        let mut cursor = Finger::on(self);
        for (nth, &doc) in docs.iter().enumerate() {
            docs.get(nth + AHEAD).into_iter().for_each(|&later| cursor.fetch_for(later));
            cursor.counts(doc).into_iter().for_each(|counts| visit(nth, counts));
        }
    }
}

/// A position in a posting list. A document above the previous one is first looked up at the
/// position it would have in an evenly filled list; if the guess is wrong, the search goes on from
/// there by galloping forwards or by bisection backwards.
struct Finger<'a> {
    list: List<'a>,
    /// All postings of the base before this index are below the last document looked up.
    at: usize,
    /// Average number of postings per document id, as a fixed-point number with 32 fractional bits.
    density: u64,
}

impl<'a> Finger<'a> {
    fn on(list: List<'a>) -> Self {
        let span = list.docs.last().zip(list.docs.first()).map_or(0, |(last, first)| last - first);
        Self { list, at: 0, density: ((list.docs.len() as u64) << 32) / (u64::from(span) + 1) }
    }

    /// Returns the counts of one document, if it contains the term.
    #[inline]
    fn counts(&mut self, doc: Doc) -> Option<Counts> {
        // A document is valid in exactly one segment: in the base unless it is new or stale there.
        let List { docs, counts, tail, base_places, stale } = self.list;
        if doc.0 < base_places && stale.is_none_or(|stale| !stale.contains(doc)) {
            self.move_to(doc);
            docs.get(self.at).filter(|&&found| found == doc.0).map(|_| Counts(counts[self.at]))
        } else {
            let at = tail.binary_search_by_key(&doc, |posting| posting.doc).ok()?;
            Some(tail[at].counts)
        }
    }

    /// Returns the start of the window in which a document above the last one is expected.
    #[inline]
    fn likely(&self, doc: Doc) -> usize {
        let from = self.list.docs.get(self.at).copied().unwrap_or(u32::MAX);
        let entries = (u64::from(doc.0.saturating_sub(from)) * self.density) >> 32;
        self.at + (entries as usize).saturating_sub(WINDOW / 2)
    }

    #[inline]
    fn fetch_for(&self, doc: Doc) {
        let start = self.likely(doc);
        self.list.docs.get(start..start + WINDOW).into_iter().for_each(fetch);
        self.list.counts.get(start..start + WINDOW).into_iter().for_each(fetch);
    }

    #[inline]
    fn move_to(&mut self, doc: Doc) {
        let (docs, is_before) = (self.list.docs, |entry: &u32| *entry < doc.0);
        // Documents may come in any order; a lower one starts over.
        if self.at > 0 && !is_before(&docs[self.at - 1]) {
            self.at = 0;
        }
        let start = self.likely(doc);
        let window = docs.get(start..).and_then(<[u32]>::first_chunk::<WINDOW>);
        match window {
            Some(all @ [first, .., last]) if is_before(first) && !is_before(last) => {
                // A branchless count over the window vectorises; a binary search would mispredict.
                self.at = start + all.iter().filter(|entry| is_before(entry)).count();
            }
            Some([first, ..]) if !is_before(first) => {
                self.at += docs[self.at..start].partition_point(is_before);
            }
            Some(_) => self.walk_on(start + WINDOW, doc),
            None => self.walk_on(self.at, doc),
        }
    }

    /// Finds a document at or after index `start`, in steps that double.
    fn walk_on(&mut self, start: usize, doc: Doc) {
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
    use crate::Field;
    use crate::postings::Postings;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    proptest! {
        #[test]
        fn a_finger_finds_what_is_there_in_whatever_order_it_is_asked(
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
                drop(postings.insert(Doc(doc), &[(Field::Text, text)], &[]));
            };
            (0..400).for_each(|doc| insert(&mut postings, doc, text(doc)));
            let mut postings = postings.merged(400, None);
            changed.iter().for_each(|&doc| insert(&mut postings, doc, "red"));
            let asked: Vec<Doc> = asked.into_iter().map(Doc).collect();
            let mut found = Vec::new();
            postings.list("red").look_up(&asked, |nth, _| found.push(nth));
            let held = |doc: &Doc| holding.contains(&doc.0) || changed.contains(&doc.0);
            let expected =
                asked.iter().enumerate().filter(|(_, doc)| held(doc)).map(|(nth, _)| nth);
            prop_assert_eq!(found, expected.collect::<Vec<_>>());
        }
    }
}
