//! Terms of words that were analysed before. A bulk load meets the same words again and again, and
//! looking one up is quicker than folding it, stemming it and comparing it with the stop words.

use crate::TextLanguage;
use crate::language::WordVotes;
use foldhash::HashMap;

/// Number of words up to which a cache grows: more than a language has in common use.
const WORDS_MAX: usize = 1 << 16;
/// Bytes up to which a word is kept; few are longer.
const WORD_BYTES_MAX: usize = 15;

/// Terms of words, each with a number by which its owner can keep what belongs to it.
#[derive(Debug, Clone, Default)]
pub struct WordCache {
    numbers: HashMap<WordKey, CachedNumber>,
    words: Vec<CachedWord>,
}

/// A short word and the language of its text in sixteen bytes, so that a look-up compares two
/// numbers and does not have to wait for a string that is somewhere else in memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct WordKey(u64, u64);

/// Number of a word. What every token of it needs is in the same four bytes, so that its terms,
/// which are somewhere else in memory, are read only if their text is wanted.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CachedNumber(u32);

/// Bit of a number whose plain term is a stop word.
const STOP_BIT: u32 = 1 << 31;
/// Bit of a number with a variant.
const VARIANT_BIT: u32 = 1 << 30;
/// Position of the votes of the word; the number itself is below.
const VOTES_SHIFT: u32 = WORDS_MAX.trailing_zeros();
const _: () = assert!(VOTES_SHIFT + WordVotes::BITS <= 30, "the parts of a number do not overlap");

impl CachedNumber {
    fn new(number: u32, votes: WordVotes, word: &CachedWord) -> Self {
        let stop = if word.plain.is_stop { STOP_BIT } else { 0 };
        let variant = if word.variant.is_some() { VARIANT_BIT } else { 0 };
        Self(number | u32::from(votes.0) << VOTES_SHIFT | stop | variant)
    }

    pub(crate) fn number(self) -> u32 {
        self.0 & (WORDS_MAX as u32 - 1)
    }

    /// Returns the languages that the word speaks for.
    pub(crate) fn votes(self) -> WordVotes {
        WordVotes((self.0 >> VOTES_SHIFT & ((1 << WordVotes::BITS) - 1)) as u16)
    }

    pub(crate) fn is_stop(self) -> bool {
        self.0 & STOP_BIT != 0
    }

    pub(crate) fn has_variant(self) -> bool {
        self.0 & VARIANT_BIT != 0
    }
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
    /// Returns the number of a word, if it was analysed before.
    pub(crate) fn get(&self, language: Option<TextLanguage>, word: &str) -> Option<CachedNumber> {
        self.numbers.get(&word_key(language, word)?).copied()
    }

    /// Returns the terms of a word.
    pub(crate) fn word(&self, number: CachedNumber) -> &CachedWord {
        &self.words[number.number() as usize]
    }

    /// Adds a word that is not there yet and returns its number, unless it is too long or the cache
    /// is full.
    pub(crate) fn add(
        &mut self,
        language: Option<TextLanguage>,
        text: &str,
        terms: impl FnOnce() -> CachedWord,
    ) -> Option<u32> {
        let key = word_key(language, text).filter(|_| self.words.len() < WORDS_MAX)?;
        let (number, word) = (self.words.len() as u32, terms());
        self.numbers.insert(key, CachedNumber::new(number, WordVotes::of(text), &word));
        self.words.push(word);
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
}

/// Returns the key of a word; `None` if it is too long.
fn word_key(language: Option<TextLanguage>, word: &str) -> Option<WordKey> {
    let bytes = word.as_bytes();
    let language = language.map_or(0, |language| language as u64 + 1);
    // The length tells a word from the same with zeros behind it.
    let tag = (language << 4 | bytes.len() as u64) << 56;
    let (low, high) = match (bytes.first_chunk(), bytes.last_chunk()) {
        // The last eight bytes overlap the first; shifted, those that both have are gone.
        (Some(first), Some(last)) if bytes.len() <= WORD_BYTES_MAX => {
            let overlap = 8 * (16 - bytes.len() as u32);
            let high = u64::from_le_bytes(*last).checked_shr(overlap).unwrap_or(0);
            (u64::from_le_bytes(*first), high)
        }
        (None, _) => (short_key(bytes), 0),
        _ => return None,
    };
    Some(WordKey(low, high | tag))
}

/// Returns fewer than eight bytes as a number. Two loads that overlap do without a loop, of which
/// the processor could not predict the end.
fn short_key(bytes: &[u8]) -> u64 {
    let shift = |from: usize| 8 * (bytes.len() - from) as u32;
    match (bytes.first_chunk(), bytes.last_chunk(), bytes) {
        (Some(first), Some(last), _) => {
            let last = u64::from(u32::from_le_bytes(*last)) << shift(4);
            u64::from(u32::from_le_bytes(*first)) | last
        }
        (_, _, [first, .., last]) => {
            let middle = u64::from(bytes[1]) << 8;
            u64::from(*first) | middle | u64::from(*last) << shift(1)
        }
        (_, _, [byte]) => u64::from(*byte),
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn two_words_share_a_key_only_if_they_are_equal(
            one in "\\PC{0,6}|[ab\u{0}]{0,16}",
            other in "\\PC{0,6}|[ab\u{0}]{0,16}",
        ) {
            let keys = [&one, &other].map(|word| word_key(None, word));
            for (word, key) in [&one, &other].into_iter().zip(keys) {
                prop_assert_eq!(key.is_some(), word.len() <= WORD_BYTES_MAX);
                prop_assert!(key.is_none() || key != word_key(Some(TextLanguage::German), word));
            }
            prop_assert!(one == other || keys[0].is_none() || keys[0] != keys[1]);
        }
    }
}
