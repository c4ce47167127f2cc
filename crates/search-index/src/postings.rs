//! Inverted index: for each term the documents that contain it, with counts per field.
//!
//! Two segments, as in a log-structured merge tree: an immutable base of flat arrays that is only
//! replaced as a whole, and a small mutable delta that receives every change. A changed document of
//! the base is marked stale there and lives on in the delta under the same document id. Term
//! weights are not known here.

mod base;
mod counts;
mod finger;
mod tail;

use crate::{Doc, DocSet, Field};
pub(crate) use base::Base;
use base::Renumbering;
pub(crate) use counts::Counts;
pub(crate) use tail::Indexed;
use tail::{Posting, Tail};

/// Maximum number of stale documents before a merge. Each one is searched in every posting list of
/// a query to correct its document frequency.
const STALE_MAX: usize = 256;
/// Size of the delta below which a merge is never worth its cost.
const TAIL_MIN: usize = 4_096;

/// Posting lists of all terms.
#[derive(Debug, Clone, Default)]
pub(crate) struct Postings {
    base: Base,
    /// Documents below this id may be in the base.
    base_places: u32,
    tail: Tail,
    stale: DocSet,
    stale_places: Vec<Doc>,
}

impl Postings {
    /// Creates an index from a base that contains every document below `doc_count`.
    pub(crate) fn from_base(base: Base, doc_count: usize) -> Self {
        Self { base, base_places: doc_count as u32, ..Self::default() }
    }

    /// Indexes the texts of a document.
    pub(crate) fn insert(&mut self, doc: Doc, texts: &[(Field, &str)], keys: &[String]) -> Indexed {
        self.remove(doc);
        self.tail.insert(doc, texts, keys)
    }

    /// Removes a document from every list.
    pub(crate) fn remove(&mut self, doc: Doc) {
        let was_in_tail = self.tail.remove(doc);
        if !was_in_tail && doc.0 < self.base_places && !self.stale.contains(doc) {
            self.stale.insert(doc);
            self.stale_places.push(doc);
        }
    }

    /// Returns the posting list of a term; empty when no document contains it.
    pub(crate) fn list(&self, term: &str) -> List<'_> {
        let (docs, counts) = self.base.list(term);
        let stale = (!self.stale_places.is_empty()).then_some(&self.stale);
        List { docs, counts, tail: self.tail.list(term), base_places: self.base_places, stale }
    }

    /// Returns the number of documents that contain the term.
    pub(crate) fn frequency(&self, list: &List<'_>) -> usize {
        let stale =
            self.stale_places.iter().filter(|doc| list.docs.binary_search(&doc.0).is_ok()).count();
        list.docs.len() - stale + list.tail.len()
    }

    /// Returns true if the delta or the number of stale documents has grown enough for a merge.
    pub(crate) fn wants_merge(&self) -> bool {
        // A share of the base keeps the total cost of merging linear: each document is merged a
        // bounded number of times while the index grows.
        let tail_max = TAIL_MIN.max(self.base_places as usize / 6);
        self.stale_places.len() > STALE_MAX || self.tail.places() > tail_max
    }

    /// Returns true if everything is in the base.
    pub(crate) fn is_merged(&self) -> bool {
        self.stale_places.is_empty() && self.tail.is_empty()
    }

    /// Merges both segments into one base. `renumbered` assigns new document ids, `None` for a
    /// removed document; the new ids must preserve the order.
    pub(crate) fn merged(&self, doc_count: usize, renumbered: Option<&[Option<Doc>]>) -> Self {
        let stale = (!self.stale_places.is_empty()).then_some(&self.stale);
        let renumbering = Renumbering { places: renumbered, stale };
        Self::from_base(base::merge(&self.base, &self.tail, renumbering), doc_count)
    }

    pub(crate) fn base(&self) -> &Base {
        &self.base
    }

    pub(crate) fn bytes(&self) -> usize {
        self.base.bytes() + self.tail.bytes()
    }
}

/// Documents that contain one term, from both segments.
#[derive(Clone, Copy)]
pub(crate) struct List<'a> {
    docs: &'a [u32],
    counts: &'a [u16],
    tail: &'a [Posting],
    base_places: u32,
    stale: Option<&'a DocSet>,
}

impl List<'_> {
    /// Returns an upper bound of the list's length; stale documents are counted.
    pub(crate) fn reach(&self) -> usize {
        self.docs.len() + self.tail.len()
    }

    /// Calls `visit` with every document and its counts.
    #[inline]
    pub(crate) fn for_each(&self, mut visit: impl FnMut(Doc, Counts)) {
        let base =
            self.docs.iter().zip(self.counts).map(|(&doc, &counts)| (Doc(doc), Counts(counts)));
        // Usually nothing is stale, and that loop should not test a bitmap per posting.
        match self.stale {
            None => base.for_each(|(doc, counts)| visit(doc, counts)),
            Some(stale) => {
                base.filter(|(doc, _)| !stale.contains(*doc))
                    .for_each(|(doc, counts)| visit(doc, counts));
            }
        }
        self.tail.iter().for_each(|posting| visit(posting.doc, posting.counts));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn docs(postings: &Postings, term: &str) -> Vec<u32> {
        let mut docs = Vec::new();
        let list = postings.list(term);
        list.for_each(|doc, counts| {
            let mut found = None;
            list.look_up(&[doc], |_, counts| found = Some(counts));
            assert_eq!(found, Some(counts));
            docs.push(doc.0);
        });
        assert_eq!(postings.frequency(&list), docs.len());
        docs.sort_unstable();
        docs
    }

    fn merged(postings: &Postings, doc_count: u32) -> Postings {
        postings.merged(doc_count as usize, None)
    }

    #[test]
    fn a_term_is_found_before_and_after_the_merge() {
        let mut postings = Postings::default();
        postings.insert(Doc(0), &[(Field::Text, "red apple")], &[]);
        postings.insert(Doc(1), &[(Field::Text, "green apple"), (Field::Title, "apple")], &[]);
        for postings in [&postings, &merged(&postings, 2)] {
            assert_eq!(docs(postings, "appl"), [0, 1]);
            assert_eq!(docs(postings, "green"), [1]);
            assert!(docs(postings, "blue").is_empty());
        }
    }

    #[test]
    fn a_changed_text_leaves_no_old_term_behind() {
        let mut postings = Postings::default();
        for (doc, text) in ["one", "two", "three"].into_iter().enumerate() {
            postings.insert(Doc(doc as u32), &[(Field::Text, text)], &[]);
        }
        let mut postings = merged(&postings, 3);
        postings.insert(Doc(1), &[(Field::Text, "three")], &[]);
        assert_eq!((docs(&postings, "two"), docs(&postings, "three")), (vec![], vec![1, 2]));
        postings.insert(Doc(1), &[(Field::Text, "two")], &[]);
        assert_eq!((docs(&postings, "two"), docs(&postings, "three")), (vec![1], vec![2]));
        postings.remove(Doc(1));
        postings.remove(Doc(2));
        assert_eq!((docs(&postings, "two"), docs(&postings, "three")), (vec![], vec![]));
        let merged = postings.merged(1, Some(&[Some(Doc(0)), None, None]));
        assert_eq!(docs(&merged, "one"), [0]);
        assert_eq!(
            merged.base().terms().collect::<Vec<_>>(),
            ["one"],
            "terms without documents are dropped"
        );
    }
}
