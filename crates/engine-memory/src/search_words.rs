//! Words of a search, compared with memories through the view, so that no text has to be read to
//! know which of them a memory contains.

use index::{DocId, DocSet, QueryTerms, View};

/// Words of a search.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct SearchWords {
    words: Vec<SearchWord>,
}

/// A word as written, with the index terms that a memory with this word contains.
#[derive(Debug, Clone, PartialEq)]
struct SearchWord {
    word: String,
    terms: Vec<String>,
}

impl SearchWords {
    /// Reads the distinct content words of a text.
    pub fn parse(text: &str) -> Self {
        let words = reading::search_terms(text).into_iter().take(QueryTerms::COUNT_MAX);
        Self { words: words.map(SearchWord::new).collect() }
    }

    /// Returns the number of words.
    pub fn len(&self) -> usize {
        self.words.len()
    }

    /// Replaces the terms that none of these memories contains by the one that is spelt most like
    /// it.
    pub fn correct_spelling(&mut self, view: &View, within: &DocSet) {
        for term in self.words.iter_mut().flat_map(|word| &mut word.terms) {
            if view.frequency_within(term, within) == 0
                && let Some(known) = view.nearest_spelling(term, within)
            {
                known.term.clone_into(term);
            }
        }
    }

    /// Returns the words in the spelling by which they are looked for.
    pub fn to_text(&self) -> String {
        let terms: Vec<&str> =
            self.words.iter().flat_map(|word| &word.terms).map(String::as_str).collect();
        terms.join(" ")
    }

    /// Returns for each document, given in ascending order, the words that its title or text
    /// contains.
    pub fn stated_in(&self, view: &View, docs: &[DocId]) -> Vec<Vec<String>> {
        let mut stated = vec![Vec::new(); docs.len()];
        for word in &self.words {
            let mut everywhere = vec![!word.terms.is_empty(); docs.len()];
            for term in &word.terms {
                let found = view.states_term(term, docs);
                everywhere.iter_mut().zip(found).for_each(|(all, found)| *all &= found);
            }
            for (words, _) in stated.iter_mut().zip(everywhere).filter(|(_, all)| *all) {
                words.push(word.word.clone());
            }
        }
        stated
    }
}

impl SearchWord {
    fn new(word: String) -> Self {
        let terms = QueryTerms::parse(&word).whole_words();
        Self { word, terms }
    }
}
