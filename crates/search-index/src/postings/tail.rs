//! Mutable delta segment of the inverted index: one growing posting list per term, and for every
//! document the terms it contains, so that it can be removed again.

use super::Counts;
use crate::pairs::PairMarks;
use crate::{Doc, Field, tokens};
use std::collections::HashMap;

/// One document in the posting list of a term.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Posting {
    pub(crate) doc: Doc,
    pub(crate) counts: Counts,
}

/// By-products of indexing the texts of a document.
pub(crate) struct Indexed {
    /// Number of plain tokens per field.
    pub(crate) lengths: [u16; Field::COUNT],
    /// Bigram fingerprints of title and text.
    pub(crate) pairs: Vec<u16>,
}

/// Posting lists that accept changes document by document.
#[derive(Debug, Clone, Default)]
pub(crate) struct Tail {
    numbers: HashMap<Box<str>, u32>,
    /// Indexed by term id, ascending by document.
    lists: Vec<Vec<Posting>>,
    /// Ids of the terms in each document.
    terms_of: HashMap<Doc, Box<[u32]>>,
}

impl Tail {
    /// Indexes the texts of a document that is not in this segment yet.
    pub(super) fn insert(&mut self, doc: Doc, texts: &[(Field, &str)], keys: &[String]) -> Indexed {
        let mut pairs = PairMarks::default();
        let mut lengths = [0_u16; Field::COUNT];
        // One entry per occurrence; sorting by term id groups them without a hash map per document.
        let mut occurrences: Vec<(u32, Field)> = Vec::new();
        for &(field, text) in texts {
            tokens::each_token(text, |token| {
                occurrences.push((self.number(token.text), field));
                if matches!(field, Field::Title | Field::Text) {
                    pairs.token(&token);
                }
                if token.form == tokens::Form::Plain {
                    let length = &mut lengths[field as usize];
                    *length = length.saturating_add(1);
                }
            });
            pairs.end_text();
        }
        occurrences.extend(keys.iter().map(|key| (self.number(key), Field::Text)));
        occurrences.sort_unstable_by_key(|&(term, _)| term);
        let terms = occurrences
            .chunk_by(|one, other| one.0 == other.0)
            .map(|same| self.post(doc, same))
            .collect();
        self.terms_of.insert(doc, terms);
        Indexed { lengths, pairs: pairs.finish() }
    }

    /// Removes a document. Returns true if it was present.
    pub(super) fn remove(&mut self, doc: Doc) -> bool {
        let Some(terms) = self.terms_of.remove(&doc) else { return false };
        for &term in &terms {
            let list = &mut self.lists[term as usize];
            if let Ok(at) = list.binary_search_by_key(&doc, |posting| posting.doc) {
                list.remove(at);
            }
        }
        true
    }

    pub(super) fn list(&self, term: &str) -> &[Posting] {
        self.numbers.get(term).map_or(&[], |&id| &self.lists[id as usize])
    }

    /// Returns the number of documents in this segment.
    pub(super) fn places(&self) -> usize {
        self.terms_of.len()
    }

    /// Returns true if the segment has no terms. Terms of removed documents still count: they must
    /// go with the next merge.
    pub(super) fn is_empty(&self) -> bool {
        self.numbers.is_empty()
    }

    /// Returns all posting lists, sorted by term.
    pub(super) fn sorted(&self) -> Vec<(&str, &[Posting])> {
        let mut all: Vec<(&str, &[Posting])> =
            self.numbers.iter().map(|(term, &id)| (&**term, &*self.lists[id as usize])).collect();
        all.sort_unstable_by_key(|(term, _)| *term);
        all
    }

    pub(super) fn bytes(&self) -> usize {
        let lists: usize =
            self.lists.iter().map(|list| list.capacity() * size_of::<Posting>() + 24).sum();
        let terms: usize = self.terms_of.values().map(|terms| terms.len() * 4 + 32).sum();
        lists + terms + self.numbers.keys().map(|term| term.len() + 32).sum::<usize>()
    }

    fn number(&mut self, term: &str) -> u32 {
        if let Some(&id) = self.numbers.get(term) {
            return id;
        }
        let id = self.lists.len() as u32;
        self.lists.push(Vec::new());
        self.numbers.insert(term.into(), id);
        id
    }

    /// Inserts a document into the posting list of a term, given one entry per occurrence.
    fn post(&mut self, doc: Doc, same: &[(u32, Field)]) -> u32 {
        let term = same[0].0;
        let mut counts = Counts::default();
        same.iter().for_each(|&(_, field)| counts.add(field));
        let list = &mut self.lists[term as usize];
        // Documents mostly arrive in ascending order, so the search is rarely needed.
        let at = match list.last() {
            Some(last) if last.doc >= doc => list.partition_point(|posting| posting.doc < doc),
            _ => list.len(),
        };
        list.insert(at, Posting { doc, counts });
        term
    }
}
