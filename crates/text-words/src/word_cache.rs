//! Terms of words that were analysed before. A bulk load meets the same words again and again, and
//! looking one up is quicker than folding it, stemming it and comparing it with the stop words.

use crate::{IndexToken, TextLanguage, TokenForm};
use foldhash::HashMap;

/// Number of words up to which a cache grows: more than a language has in common use.
const WORDS_MAX: usize = 1 << 16;
/// Bytes up to which a word is kept; few are longer.
const WORD_BYTES_MAX: usize = 15;

/// Terms of words, each with a number by which its owner can keep what belongs to it.
#[derive(Debug, Clone, Default)]
pub struct WordCache {
    numbers: HashMap<WordKey, u32>,
    words: Vec<CachedWord>,
}

/// A short word and the language of its text in sixteen bytes, so that a look-up compares two
/// numbers and does not have to wait for a string that is somewhere else in memory.
type WordKey = [u64; 2];

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
        let &number = self.numbers.get(&word_key(language, word)?)?;
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
        let key = word_key(language, word).filter(|_| self.words.len() < WORDS_MAX)?;
        let number = self.words.len() as u32;
        self.numbers.insert(key, number);
        self.words.push(terms());
        Some(number)
    }

    /// Returns about how many bytes it takes.
    #[must_use]
    pub fn size_bytes(&self) -> usize {
        // The term with its allocation, and the entries of the map and the list.
        self.words.iter().map(|word| word.plain.text.len() + 112).sum()
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

/// Returns the key of a word; `None` if it is too long.
fn word_key(language: Option<TextLanguage>, word: &str) -> Option<WordKey> {
    let mut bytes = [0; 16];
    bytes[..WORD_BYTES_MAX].get_mut(..word.len())?.copy_from_slice(word.as_bytes());
    // The length tells a word from the same with zeros behind it.
    let language = language.map_or(0, |language| language as u8 + 1);
    bytes[WORD_BYTES_MAX] = language << 4 | word.len() as u8;
    let all = u128::from_le_bytes(bytes);
    Some([all as u64, (all >> 64) as u64])
}
