//! Terms of words that were analysed before. A bulk load meets the same words again and again, and
//! looking one up is quicker than folding it, stemming it and comparing it with the stop words.

use crate::{IndexToken, TERM_BYTES_MAX, TextLanguage, TokenForm};
use foldhash::HashMap;

/// Number of words up to which a cache grows: more than a language has in common use.
const WORDS_MAX: usize = 1 << 16;

/// Terms of words, each with a number by which its owner can keep what belongs to it.
#[derive(Debug, Clone, Default)]
pub struct WordCache {
    /// Numbers of words in each language, first those of texts in none of them.
    numbers: [HashMap<Box<str>, u32>; TextLanguage::ALL.len() + 1],
    words: Vec<CachedWord>,
}

/// Terms of one word.
#[derive(Debug, Clone)]
pub(crate) struct CachedWord {
    pub(crate) plain: CachedTerm,
    pub(crate) variant: Option<CachedTerm>,
}

/// One term, and whether it is a stop word.
#[derive(Debug, Clone)]
pub(crate) struct CachedTerm {
    pub(crate) text: Box<str>,
    pub(crate) is_stop: bool,
}

impl WordCache {
    /// Returns the number of a word and its terms, if it was analysed before.
    pub(crate) fn get(
        &self,
        language: Option<TextLanguage>,
        word: &str,
    ) -> Option<(u32, &CachedWord)> {
        let &number = self.numbers[place(language)].get(word)?;
        Some((number, &self.words[number as usize]))
    }

    /// Adds a word that is not there yet and returns its number, unless it is too long or the cache
    /// is full.
    pub(crate) fn add(
        &mut self,
        language: Option<TextLanguage>,
        word: &str,
        terms: impl FnOnce() -> CachedWord,
    ) -> Option<u32> {
        if self.words.len() >= WORDS_MAX || word.len() > TERM_BYTES_MAX {
            return None;
        }
        let number = self.words.len() as u32;
        self.numbers[place(language)].insert(word.into(), number);
        self.words.push(terms());
        Some(number)
    }

    /// Returns about how many bytes it takes.
    #[must_use]
    pub fn size_bytes(&self) -> usize {
        // A word and its term with their allocations, and the entries of the map and the list.
        self.words.iter().map(|word| 2 * word.plain.text.len() + 120).sum()
    }
}

impl CachedTerm {
    pub(crate) fn new((text, is_stop): (&str, bool)) -> Self {
        Self { text: text.into(), is_stop }
    }

    /// Returns the term as a token of a text.
    pub(crate) fn token(
        &self,
        position: u32,
        form: TokenForm,
        cached: Option<u32>,
    ) -> IndexToken<'_> {
        IndexToken { text: &self.text, position, form, is_stop: self.is_stop, cached }
    }
}

fn place(language: Option<TextLanguage>) -> usize {
    language.map_or(0, |language| language as usize + 1)
}
