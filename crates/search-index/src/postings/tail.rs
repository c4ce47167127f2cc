//! The part of the postings that changes: one growing list a term, and for every place the terms it
//! holds.

use super::Counts;
use crate::pairs::PairMarks;
use crate::{Doc, Field, tokens};
use std::collections::HashMap;

/// One place in the list of one term.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Posting {
    pub(crate) doc: Doc,
    pub(crate) counts: Counts,
}

/// What was seen of a memory's texts while they were indexed.
pub(crate) struct Indexed {
    /// How many plain tokens each field has.
    pub(crate) lengths: [u16; Field::COUNT],
    /// The marks of neighbouring words in title and text.
    pub(crate) pairs: Vec<u16>,
}

/// Lists that take changes one memory at a time.
#[derive(Debug, Clone, Default)]
pub(crate) struct Tail {
    numbers: HashMap<Box<str>, u32>,
    /// By the number of the term, in order of place.
    lists: Vec<Vec<Posting>>,
    /// The numbers of the terms each place holds.
    terms_of: HashMap<Doc, Box<[u32]>>,
}

impl Tail {
    /// Indexes the texts of a place that the tail does not hold.
    pub(super) fn insert(&mut self, doc: Doc, texts: &[(Field, &str)], keys: &[String]) -> Indexed {
        let mut pairs = PairMarks::default();
        let mut lengths = [0_u16; Field::COUNT];
        let mut found: Vec<(u32, Field)> = Vec::new();
        for &(field, text) in texts {
            tokens::each_token(text, |token| {
                found.push((self.number(token.text), field));
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
        found.extend(keys.iter().map(|key| (self.number(key), Field::Text)));
        found.sort_unstable_by_key(|&(number, _)| number);
        let terms = found
            .chunk_by(|one, other| one.0 == other.0)
            .map(|same| self.post(doc, same))
            .collect();
        self.terms_of.insert(doc, terms);
        Indexed { lengths, pairs: pairs.finish() }
    }

    /// Takes a place out; tells whether it was there.
    pub(super) fn remove(&mut self, doc: Doc) -> bool {
        let Some(terms) = self.terms_of.remove(&doc) else { return false };
        for &number in &terms {
            let list = &mut self.lists[number as usize];
            if let Ok(at) = list.binary_search_by_key(&doc, |posting| posting.doc) {
                list.remove(at);
            }
        }
        true
    }

    pub(super) fn list(&self, term: &str) -> &[Posting] {
        self.numbers.get(term).map_or(&[], |&number| &self.lists[number as usize])
    }

    /// How many places it holds.
    pub(super) fn places(&self) -> usize {
        self.terms_of.len()
    }

    /// Whether it holds no place and knows no term.
    pub(super) fn is_empty(&self) -> bool {
        self.numbers.is_empty()
    }

    /// Every term with its list, in order of the terms.
    pub(super) fn sorted(&self) -> Vec<(&str, &[Posting])> {
        let mut all: Vec<(&str, &[Posting])> = self
            .numbers
            .iter()
            .map(|(term, &number)| (&**term, &*self.lists[number as usize]))
            .collect();
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
        if let Some(&number) = self.numbers.get(term) {
            return number;
        }
        let number = self.lists.len() as u32;
        self.lists.push(Vec::new());
        self.numbers.insert(term.into(), number);
        number
    }

    /// Puts the place into the list of a term, given each time the place holds it.
    fn post(&mut self, doc: Doc, same: &[(u32, Field)]) -> u32 {
        let number = same[0].0;
        let mut counts = Counts::default();
        same.iter().for_each(|&(_, field)| counts.add(field));
        let list = &mut self.lists[number as usize];
        // Places mostly come in order, so the search mostly ends where it starts.
        let at = match list.last() {
            Some(last) if last.doc >= doc => list.partition_point(|posting| posting.doc < doc),
            _ => list.len(),
        };
        list.insert(at, Posting { doc, counts });
        number
    }
}
