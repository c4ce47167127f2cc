//! Which memory holds which term, how often and in which field.
//!
//! Two layers: a base of flat arrays that is only ever replaced as a whole, and a small tail that
//! takes every change. A changed memory of the base becomes stale there and lives on in the tail
//! under the same place. What a term is worth is not known here.

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

/// Stale places are looked up in every list a question asks for, so they may not become many.
const STALE_MAX: usize = 256;
/// The tail may always grow this far before it is worth a merge.
const TAIL_MIN: usize = 4_096;

/// The inverted lists of every term.
#[derive(Debug, Clone, Default)]
pub(crate) struct Postings {
    base: Base,
    /// Places below this number may be in the base.
    base_places: u32,
    tail: Tail,
    stale: DocSet,
    stale_places: Vec<Doc>,
}

impl Postings {
    /// Takes over a base that holds every place below `places`.
    pub(crate) fn from_base(base: Base, places: usize) -> Self {
        Self { base, base_places: places as u32, ..Self::default() }
    }

    /// Indexes the texts of a place.
    pub(crate) fn insert(&mut self, doc: Doc, texts: &[(Field, &str)], keys: &[String]) -> Indexed {
        self.remove(doc);
        self.tail.insert(doc, texts, keys)
    }

    /// Takes a place out of every list.
    pub(crate) fn remove(&mut self, doc: Doc) {
        let was_in_tail = self.tail.remove(doc);
        if !was_in_tail && doc.0 < self.base_places && !self.stale.contains(doc) {
            self.stale.insert(doc);
            self.stale_places.push(doc);
        }
    }

    /// The list of a term; empty when nothing holds it.
    pub(crate) fn list(&self, term: &str) -> List<'_> {
        let (docs, counts) = self.base.list(term);
        let stale = (!self.stale_places.is_empty()).then_some(&self.stale);
        List { docs, counts, tail: self.tail.list(term), base_places: self.base_places, stale }
    }

    /// How many places hold the term.
    pub(crate) fn frequency(&self, list: &List<'_>) -> usize {
        let stale =
            self.stale_places.iter().filter(|doc| list.docs.binary_search(&doc.0).is_ok()).count();
        list.docs.len() - stale + list.tail.len()
    }

    /// Whether the tail has grown enough to be worth a merge.
    pub(crate) fn wants_merge(&self) -> bool {
        let tail_max = TAIL_MIN.max(self.base_places as usize / 6);
        self.stale_places.len() > STALE_MAX || self.tail.places() > tail_max
    }

    /// Whether everything lies in the base.
    pub(crate) fn is_merged(&self) -> bool {
        self.stale_places.is_empty() && self.tail.is_empty()
    }

    /// One base of everything. Given a new number for each place, none for one that is gone, places
    /// move there; the numbers must keep their order.
    pub(crate) fn merged(&self, places: usize, renumbered: Option<&[Option<Doc>]>) -> Self {
        let stale = (!self.stale_places.is_empty()).then_some(&self.stale);
        let renumbering = Renumbering { places: renumbered, stale };
        Self::from_base(base::merge(&self.base, &self.tail, renumbering), places)
    }

    pub(crate) fn base(&self) -> &Base {
        &self.base
    }

    pub(crate) fn bytes(&self) -> usize {
        self.base.bytes() + self.tail.bytes()
    }
}

/// The places that hold one term.
#[derive(Clone, Copy)]
pub(crate) struct List<'a> {
    docs: &'a [u32],
    counts: &'a [u16],
    tail: &'a [Posting],
    base_places: u32,
    stale: Option<&'a DocSet>,
}

impl List<'_> {
    /// An upper bound of the list's length.
    pub(crate) fn reach(&self) -> usize {
        self.docs.len() + self.tail.len()
    }

    /// Calls back with every place and what it holds.
    #[inline]
    pub(crate) fn for_each(&self, mut visit: impl FnMut(Doc, Counts)) {
        let base =
            self.docs.iter().zip(self.counts).map(|(&doc, &counts)| (Doc(doc), Counts(counts)));
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

    fn merged(postings: &Postings, places: u32) -> Postings {
        postings.merged(places as usize, None)
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
        for (place, text) in ["one", "two", "three"].into_iter().enumerate() {
            postings.insert(Doc(place as u32), &[(Field::Text, text)], &[]);
        }
        let mut postings = merged(&postings, 3);
        postings.insert(Doc(1), &[(Field::Text, "three")], &[]);
        assert_eq!((docs(&postings, "two"), docs(&postings, "three")), (vec![], vec![1, 2]));
        postings.insert(Doc(1), &[(Field::Text, "two")], &[]);
        assert_eq!((docs(&postings, "two"), docs(&postings, "three")), (vec![1], vec![2]));
        postings.remove(Doc(1));
        postings.remove(Doc(2));
        assert_eq!((docs(&postings, "two"), docs(&postings, "three")), (vec![], vec![]));
        let kept = postings.merged(1, Some(&[Some(Doc(0)), None, None]));
        assert_eq!(docs(&kept, "one"), [0]);
        assert_eq!(kept.base().terms().collect::<Vec<_>>(), ["one"], "terms nobody holds are gone");
    }
}
