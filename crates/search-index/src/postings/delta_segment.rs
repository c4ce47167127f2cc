//! Mutable delta segment of the inverted index: one growing posting list per term, and for every
//! document the terms it contains, so that it can be removed again.

use super::FieldCounts;
use crate::bigrams::{BigramCollector, hash_term};
use crate::prefetch::prefetch_line;
use crate::{DocId, IndexField};
use foldhash::HashMap;
use words::{IndexToken, WordCache};

/// One document in the posting list of a term.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Posting {
    pub(crate) doc: DocId,
    pub(crate) counts: FieldCounts,
}

/// By-products of indexing the texts of a document.
pub(crate) struct TextStats {
    /// Number of plain tokens per field.
    pub(crate) lengths: [u16; IndexField::COUNT],
    /// Bigram fingerprints of title and text.
    pub(crate) bigrams: Vec<u16>,
}

/// Posting lists that accept changes document by document.
#[derive(Debug, Clone, Default)]
pub(crate) struct DeltaSegment {
    term_ids: HashMap<Box<str>, u32>,
    /// Indexed by term id, ascending by document.
    lists: Vec<Vec<Posting>>,
    /// Ids of the terms in each document.
    terms_of: HashMap<DocId, Box<[u32]>>,
    /// Words of the documents so far: a bulk load analyses each once.
    cache: WordCache,
    /// Terms of the words in the cache, by their numbers.
    cached_terms: Vec<TermKey>,
    /// Occurrences of the document that is being indexed; kept for its allocation.
    occurrences: Vec<(u32, IndexField)>,
}

/// A term, and the hash of it that bigrams are made of.
#[derive(Debug, Clone, Copy)]
struct TermKey {
    id: u32,
    hash: u64,
}

impl DeltaSegment {
    /// Indexes the texts of a document that is not in this segment yet.
    pub(super) fn insert(
        &mut self,
        doc: DocId,
        texts: &[(IndexField, &str)],
        keys: &[String],
    ) -> TextStats {
        let mut pairs =
            BigramCollector::for_text_bytes(texts.iter().map(|(_, text)| text.len()).sum());
        let mut lengths = [0_u16; IndexField::COUNT];
        // One entry per occurrence; sorting by term id groups them without a hash map per document.
        let mut occurrences = std::mem::take(&mut self.occurrences);
        occurrences.clear();
        let language = self.language_of(texts);
        let mut cache = std::mem::take(&mut self.cache);
        for &(field, text) in texts {
            words::each_token_cached(&mut cache, language, text, |token| {
                let term = self.term_of(&token);
                occurrences.push((term.id, field));
                if matches!(field, IndexField::Title | IndexField::Text) {
                    pairs.push(&token, term.hash);
                }
                if token.form == words::TokenForm::Plain {
                    let length = &mut lengths[field as usize];
                    *length = length.saturating_add(1);
                }
            });
            pairs.end_text();
        }
        self.cache = cache;
        occurrences.extend(keys.iter().map(|key| (self.term_id(key), IndexField::Text)));
        occurrences.sort_unstable_by_key(|&(term, _)| term);
        let same_term = |one: &(u32, IndexField), other: &(u32, IndexField)| one.0 == other.0;
        let mut terms = Vec::with_capacity(occurrences.chunk_by(same_term).count());
        terms.extend(occurrences.chunk_by(same_term).map(|same| same[0].0));
        for (nth, same) in occurrences.chunk_by(same_term).enumerate() {
            self.prefetch_lists(&terms[nth + 1..]);
            self.insert_posting(doc, same);
        }
        self.terms_of.insert(doc, terms.into());
        self.occurrences = occurrences;
        TextStats { lengths, bigrams: pairs.finish() }
    }

    /// Removes a document. Returns true if it was present.
    pub(super) fn remove(&mut self, doc: DocId) -> bool {
        let Some(terms) = self.terms_of.remove(&doc) else { return false };
        for &term in &terms {
            let list = &mut self.lists[term as usize];
            if let Ok(at) = list.binary_search_by_key(&doc, |posting| posting.doc) {
                list.remove(at);
            }
        }
        true
    }

    pub(super) fn posting_list(&self, term: &str) -> &[Posting] {
        self.term_ids.get(term).map_or(&[], |&id| &self.lists[id as usize])
    }

    /// Returns the number of documents in this segment.
    pub(super) fn doc_count(&self) -> usize {
        self.terms_of.len()
    }

    /// Returns true if the segment has no terms. Terms of removed documents still count: they must
    /// go with the next merge.
    pub(super) fn is_empty(&self) -> bool {
        self.term_ids.is_empty()
    }

    /// Returns all posting lists, sorted by term.
    pub(super) fn sorted_lists(&self) -> Vec<(&str, &[Posting])> {
        let mut all: Vec<(&str, &[Posting])> =
            self.term_ids.iter().map(|(term, &id)| (&**term, &*self.lists[id as usize])).collect();
        all.sort_unstable_by_key(|(term, _)| *term);
        all
    }

    /// Iterates over all terms, in no particular order.
    pub(super) fn terms(&self) -> impl Iterator<Item = &str> {
        self.term_ids.keys().map(AsRef::as_ref)
    }

    pub(super) fn size_bytes(&self) -> usize {
        let lists: usize =
            self.lists.iter().map(|list| list.capacity() * size_of::<Posting>() + 24).sum();
        let terms: usize = self.terms_of.values().map(|terms| terms.len() * 4 + 32).sum();
        let words = self.cache.size_bytes() + self.cached_terms.capacity() * size_of::<TermKey>();
        lists + terms + words + self.term_ids.keys().map(|term| term.len() + 32).sum::<usize>()
    }

    /// Returns the term of a token.
    fn term_of(&mut self, token: &IndexToken<'_>) -> TermKey {
        let number = token.cached.map(|number| number as usize);
        if let Some(&term) = number.and_then(|number| self.cached_terms.get(number)) {
            return term;
        }
        let term = TermKey { id: self.term_id(token.text), hash: hash_term(token.text) };
        // The cache numbers words in the order in which they come here first.
        if number == Some(self.cached_terms.len()) {
            self.cached_terms.push(term);
        }
        term
    }

    fn term_id(&mut self, term: &str) -> u32 {
        if let Some(&id) = self.term_ids.get(term) {
            return id;
        }
        let id = self.lists.len() as u32;
        self.lists.push(Vec::new());
        self.term_ids.insert(term.into(), id);
        id
    }

    /// Inserts a document into the posting list of a term, given one entry per occurrence.
    fn insert_posting(&mut self, doc: DocId, same: &[(u32, IndexField)]) {
        let term = same[0].0;
        let mut counts = FieldCounts::default();
        same.iter().for_each(|&(_, field)| counts.increment(field));
        let list = &mut self.lists[term as usize];
        // Documents mostly arrive in ascending order, so the search is rarely needed.
        let at = match list.last() {
            Some(last) if last.doc >= doc => list.partition_point(|posting| posting.doc < doc),
            _ => list.len(),
        };
        list.insert(at, Posting { doc, counts });
    }

    /// Fetches the lists of the next terms into the cache of the processor, each in two steps: the
    /// list, and the end of it. Waiting for both, list by list, takes most of the time otherwise.
    fn prefetch_lists(&self, next: &[u32]) {
        const LIST_AHEAD: usize = 8;
        const END_AHEAD: usize = 4;
        if let Some(&term) = next.get(LIST_AHEAD) {
            prefetch_line(&self.lists[term as usize]);
        }
        if let Some(&term) = next.get(END_AHEAD) {
            self.lists[term as usize].last().into_iter().for_each(prefetch_line);
        }
    }

    /// Returns the language of a document by its title and text together: a title alone rarely
    /// shows one. Fetches the terms of its words into the cache of the processor meanwhile.
    fn language_of(&self, texts: &[(IndexField, &str)]) -> Option<words::TextLanguage> {
        let is_prose = |field| matches!(field, IndexField::Title | IndexField::Text);
        let prose = texts.iter().filter(|(field, _)| is_prose(*field)).map(|(_, text)| *text);
        words::TextLanguage::detect_cached(&self.cache, prose, |number| {
            self.cached_terms.get(number as usize).into_iter().for_each(prefetch_line);
        })
    }
}
