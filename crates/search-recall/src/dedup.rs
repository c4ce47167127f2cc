//! Near-duplicate removal by the Jaccard similarity of word sets. The best-ranked text stays; what
//! happens to the others is up to the caller.

use std::hash::{DefaultHasher, Hash, Hasher};

/// Jaccard similarity from which two texts count as duplicates.
const JACCARD_MIN: f64 = 0.85;
/// Texts with fewer distinct words than this must share all of them: in "port is 22" a single word
/// is the whole message.
const SHORT_TEXT_WORDS: usize = 6;

/// Set of accepted texts that rejects near duplicates.
#[derive(Debug, Default)]
pub struct Deduplicator {
    seen: Vec<WordDigests>,
}

/// Digests of the distinct words of a text, sorted.
type WordDigests = Vec<u64>;

impl Deduplicator {
    /// Accepts a text and returns its index, or returns the index of the earlier text that it
    /// duplicates as an error.
    pub fn admit(&mut self, text: &str) -> Result<usize, usize> {
        let words = word_digests(text);
        if let Some(duplicate) = self.seen.iter().position(|other| is_duplicate(other, &words)) {
            return Err(duplicate);
        }
        self.seen.push(words);
        Ok(self.seen.len() - 1)
    }
}

fn word_digests(text: &str) -> WordDigests {
    let text = text.to_lowercase();
    let split = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    let mut words: WordDigests = split.map(digest).collect();
    words.sort_unstable();
    words.dedup();
    words
}

fn digest(word: &str) -> u64 {
    // `DefaultHasher::new` has fixed keys, unlike the `RandomState` of a hash map, so that the same
    // texts collide in the same way in every process.
    let mut hasher = DefaultHasher::new();
    word.hash(&mut hasher);
    hasher.finish()
}

fn is_duplicate(one: &WordDigests, other: &WordDigests) -> bool {
    if one.len().min(other.len()) < SHORT_TEXT_WORDS {
        return one == other;
    }
    let both = one.len() + other.len();
    // Duplicates differ in at most this many words, so most pairs are told apart after a few steps
    // of the merge.
    let difference_max = ((1.0 - JACCARD_MIN) * both as f64) as usize;
    common_words(one, other, difference_max)
        .is_some_and(|common| common as f64 >= JACCARD_MIN * (both - common) as f64)
}

/// Counts the common words of two texts by merging; `None` once more than `difference_max` words
/// occur in only one of them.
fn common_words(one: &WordDigests, other: &WordDigests, difference_max: usize) -> Option<usize> {
    let (mut at, mut other_at, mut common) = (0, 0, 0);
    while let (Some(word), Some(another)) = (one.get(at), other.get(other_at)) {
        at += usize::from(word <= another);
        other_at += usize::from(another <= word);
        common += usize::from(word == another);
        if at + other_at - 2 * common > difference_max {
            return None;
        }
    }
    Some(common)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn case_and_punctuation_make_no_difference() {
        let mut dedup = Deduplicator::default();
        assert_eq!(dedup.admit("We deploy every Friday at noon from the main branch."), Ok(0));
        assert_eq!(dedup.admit("we deploy every friday, at noon, from the MAIN branch"), Err(0));
    }

    #[test]
    fn words_in_only_one_of_two_texts_lower_the_similarity() {
        let mut dedup = Deduplicator::default();
        let words: Vec<String> = (0..40).map(|nth| format!("word{nth}")).collect();
        assert_eq!(dedup.admit(&words.join(" ")), Ok(0));
        assert_eq!(dedup.admit(&words[..34].join(" ")), Err(0), "34 of 40");
        assert_eq!(dedup.admit(&words[..33].join(" ")), Ok(1), "33 of 40");
        let others = ["three", "other", "words"].map(str::to_owned);
        assert_eq!(dedup.admit(&[&words[3..], &others].concat().join(" ")), Err(0), "37 of 43");
        let others = ["these", "are", "four", "others"].map(str::to_owned);
        assert_eq!(dedup.admit(&[&words[4..], &others].concat().join(" ")), Ok(2), "36 of 44");
    }

    #[test]
    fn one_different_word_makes_a_short_text_distinct() {
        let mut dedup = Deduplicator::default();
        assert_eq!(dedup.admit("port is 22"), Ok(0));
        assert_eq!(dedup.admit("port is 2222"), Ok(1));
    }

    #[test]
    fn a_correction_is_not_a_repetition() {
        let mut dedup = Deduplicator::default();
        assert_eq!(dedup.admit("The staging database runs on port 5432 in Frankfurt"), Ok(0));
        assert_eq!(dedup.admit("The staging database runs on port 5433 in Dublin"), Ok(1));
    }
}
