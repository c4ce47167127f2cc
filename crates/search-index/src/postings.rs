//! Inverted index: for each term the documents that contain it, with counts per field.
//!
//! Two segments, as in a log-structured merge tree: an immutable base of flat arrays that is only
//! replaced as a whole, and a small mutable delta that receives every change. A changed document of
//! the base is marked stale there and lives on in the delta under the same document id. Term
//! weights are not known here.

mod base_segment;
mod delta_segment;
mod field_counts;
mod search_cursor;

use crate::{DocId, DocSet, IndexField};
pub(crate) use base_segment::BaseSegment;
use base_segment::Renumbering;
pub(crate) use delta_segment::TextStats;
use delta_segment::{DeltaSegment, Posting};
pub(crate) use field_counts::FieldCounts;

/// Maximum number of stale documents before a merge. Each one is searched in every posting list of
/// a query to correct its document frequency.
const STALE_MAX: usize = 256;
/// Size of the delta below which a merge is never worth its cost.
const DELTA_MIN: usize = 4_096;

/// Reason to look whether a merge is due.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MergeTrigger {
    /// Some memories changed.
    Changes,
    /// A page of many memories was added. A larger delta costs nothing while nothing is searched,
    /// and each memory is merged a third as often.
    BulkLoad,
}

impl MergeTrigger {
    /// Returns the share of the base that the delta may grow to, as a divisor.
    fn base_share(self) -> usize {
        match self {
            Self::Changes => 6,
            Self::BulkLoad => 2,
        }
    }
}

/// Posting lists of all terms.
#[derive(Debug, Clone, Default)]
pub(crate) struct Postings {
    base: BaseSegment,
    /// Documents below this id may be in the base.
    base_slots: u32,
    delta: DeltaSegment,
    stale: DocSet,
    stale_docs: Vec<DocId>,
}

impl Postings {
    /// Creates an index from a base that contains every document below `doc_count`.
    pub(crate) fn from_base(base: BaseSegment, doc_count: usize) -> Self {
        Self { base, base_slots: doc_count as u32, ..Self::default() }
    }

    /// Indexes the texts of a document, and further keys that are not words.
    pub(crate) fn insert(
        &mut self,
        doc: DocId,
        texts: &[(IndexField, &str)],
        keys: &[String],
    ) -> TextStats {
        self.remove(doc);
        self.delta.insert(doc, texts, keys)
    }

    /// Removes a document from every list.
    pub(crate) fn remove(&mut self, doc: DocId) {
        let was_in_delta = self.delta.remove(doc);
        if !was_in_delta && doc.0 < self.base_slots && !self.stale.contains(doc) {
            self.stale.insert(doc);
            self.stale_docs.push(doc);
        }
    }

    /// Returns the posting list of a term; empty when no document contains it.
    pub(crate) fn posting_list(&self, term: &str) -> PostingList<'_> {
        let (docs, counts) = self.base.list(term);
        let stale = (!self.stale_docs.is_empty()).then_some(&self.stale);
        PostingList {
            docs,
            counts,
            delta: self.delta.posting_list(term),
            base_slots: self.base_slots,
            stale,
        }
    }

    /// Returns the number of documents that contain the term.
    pub(crate) fn document_frequency(&self, list: &PostingList<'_>) -> usize {
        let stale =
            self.stale_docs.iter().filter(|doc| list.docs.binary_search(&doc.0).is_ok()).count();
        list.docs.len() - stale + list.delta.len()
    }

    /// Iterates over all terms; some may be left without documents.
    pub(crate) fn terms(&self) -> impl Iterator<Item = &str> {
        self.base.terms().chain(self.delta.terms())
    }

    /// Returns true if the delta or the number of stale documents has grown enough for a merge.
    pub(crate) fn needs_merge(&self, trigger: MergeTrigger) -> bool {
        // A share of the base keeps the total cost of merging linear: each document is merged a
        // bounded number of times while the index grows.
        let delta_max = DELTA_MIN.max(self.base_slots as usize / trigger.base_share());
        self.stale_docs.len() > STALE_MAX || self.delta.doc_count() > delta_max
    }

    /// Returns true if everything is in the base.
    pub(crate) fn is_merged(&self) -> bool {
        self.stale_docs.is_empty() && self.delta.is_empty()
    }

    /// Merges both segments into one base. `renumbered` assigns new document ids, `None` for a
    /// removed document; the new ids must preserve the order.
    pub(crate) fn merged(&self, doc_count: usize, renumbered: Option<&[Option<DocId>]>) -> Self {
        let stale = (!self.stale_docs.is_empty()).then_some(&self.stale);
        let renumbering = Renumbering { new_ids: renumbered, stale };
        Self::from_base(base_segment::merge(&self.base, &self.delta, renumbering), doc_count)
    }

    pub(crate) fn base(&self) -> &BaseSegment {
        &self.base
    }

    pub(crate) fn size_bytes(&self) -> usize {
        self.base.size_bytes() + self.delta.size_bytes()
    }
}

/// Documents that contain one term, from both segments.
#[derive(Clone, Copy)]
pub(crate) struct PostingList<'a> {
    docs: &'a [u32],
    counts: &'a [u16],
    delta: &'a [Posting],
    base_slots: u32,
    stale: Option<&'a DocSet>,
}

impl PostingList<'_> {
    /// Returns an upper bound of the list's length; stale documents are counted.
    pub(crate) fn len_max(&self) -> usize {
        self.docs.len() + self.delta.len()
    }

    /// Calls `visit` with every document and its counts.
    #[inline]
    pub(crate) fn for_each(&self, mut visit: impl FnMut(DocId, FieldCounts)) {
        let base = self
            .docs
            .iter()
            .zip(self.counts)
            .map(|(&doc, &counts)| (DocId(doc), FieldCounts(counts)));
        // Usually nothing is stale, and that loop should not test a bitmap per posting.
        match self.stale {
            None => base.for_each(|(doc, counts)| visit(doc, counts)),
            Some(stale) => {
                base.filter(|(doc, _)| !stale.contains(*doc))
                    .for_each(|(doc, counts)| visit(doc, counts));
            }
        }
        self.delta.iter().for_each(|posting| visit(posting.doc, posting.counts));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn docs(postings: &Postings, term: &str) -> Vec<u32> {
        let mut docs = Vec::new();
        let list = postings.posting_list(term);
        list.for_each(|doc, counts| {
            let mut found = None;
            list.look_up(&[doc], |_, counts| found = Some(counts));
            assert_eq!(found, Some(counts));
            docs.push(doc.0);
        });
        assert_eq!(postings.document_frequency(&list), docs.len());
        docs.sort_unstable();
        docs
    }

    fn merged(postings: &Postings, doc_count: u32) -> Postings {
        postings.merged(doc_count as usize, None)
    }

    #[test]
    fn a_term_is_found_before_and_after_the_merge() {
        let mut postings = Postings::default();
        postings.insert(DocId(0), &[(IndexField::Text, "red apple")], &[]);
        postings.insert(
            DocId(1),
            &[(IndexField::Text, "green apple"), (IndexField::Title, "apple")],
            &[],
        );
        for postings in [&postings, &merged(&postings, 2)] {
            assert_eq!(docs(postings, "appl"), [0, 1]);
            assert_eq!(docs(postings, "green"), [1]);
            assert!(docs(postings, "blue").is_empty());
        }
    }

    #[test]
    fn a_changed_text_removes_its_old_terms() {
        let mut postings = Postings::default();
        for (doc, text) in ["one", "two", "three"].into_iter().enumerate() {
            postings.insert(DocId(doc as u32), &[(IndexField::Text, text)], &[]);
        }
        let mut postings = merged(&postings, 3);
        postings.insert(DocId(1), &[(IndexField::Text, "three")], &[]);
        assert_eq!((docs(&postings, "two"), docs(&postings, "three")), (vec![], vec![1, 2]));
        postings.insert(DocId(1), &[(IndexField::Text, "two")], &[]);
        assert_eq!((docs(&postings, "two"), docs(&postings, "three")), (vec![1], vec![2]));
        postings.remove(DocId(1));
        postings.remove(DocId(2));
        assert_eq!((docs(&postings, "two"), docs(&postings, "three")), (vec![], vec![]));
        let merged = postings.merged(1, Some(&[Some(DocId(0)), None, None]));
        assert_eq!(docs(&merged, "one"), [0]);
        assert_eq!(
            merged.base().terms().collect::<Vec<_>>(),
            ["one"],
            "terms without documents are dropped"
        );
    }
}
