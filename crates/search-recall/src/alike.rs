//! Near-duplicate removal by the Jaccard similarity of word sets. The best-ranked text stays; what
//! happens to the others is up to the caller.

use std::hash::{DefaultHasher, Hash, Hasher};

/// Jaccard similarity from which two texts count as duplicates.
const ALIKE: f64 = 0.85;
/// Texts with fewer distinct words than this must share all of them: in "port is 22" a single word
/// is the whole message.
const SHORT: usize = 6;

/// Set of accepted texts that rejects near duplicates.
#[derive(Debug, Default)]
pub struct Alike {
    seen: Vec<Words>,
}

/// Digests of the distinct words of a text, sorted.
type Words = Vec<u64>;

impl Alike {
    /// Accepts a text and returns its index, or returns the index of the earlier text that it
    /// duplicates as an error.
    pub fn admit(&mut self, text: &str) -> Result<usize, usize> {
        let words = words_of(text);
        if let Some(duplicate) = self.seen.iter().position(|other| alike(other, &words)) {
            return Err(duplicate);
        }
        self.seen.push(words);
        Ok(self.seen.len() - 1)
    }
}

fn words_of(text: &str) -> Words {
    let text = text.to_lowercase();
    let split = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    let mut words: Words = split.map(digest).collect();
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

fn alike(one: &Words, other: &Words) -> bool {
    if one.len().min(other.len()) < SHORT {
        return one == other;
    }
    let both = one.len() + other.len();
    // Duplicates differ in at most this many words, so most pairs are told apart after a few steps
    // of the merge.
    let difference_max = ((1.0 - ALIKE) * both as f64) as usize;
    common(one, other, difference_max)
        .is_some_and(|common| common as f64 >= ALIKE * (both - common) as f64)
}

/// Counts the common words of two texts by merging; `None` once more than `difference_max` words
/// occur in only one of them.
fn common(one: &Words, other: &Words, difference_max: usize) -> Option<usize> {
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
    fn the_same_words_in_another_dress_are_one() {
        let mut dedup = Alike::default();
        assert_eq!(dedup.admit("We deploy every Friday at noon from the main branch."), Ok(0));
        assert_eq!(dedup.admit("we deploy every friday, at noon, from the MAIN branch"), Err(0));
    }

    #[test]
    fn what_only_one_of_two_texts_says_counts_against_them() {
        let mut dedup = Alike::default();
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
    fn one_other_word_in_a_short_text_is_another_text() {
        let mut dedup = Alike::default();
        assert_eq!(dedup.admit("port is 22"), Ok(0));
        assert_eq!(dedup.admit("port is 2222"), Ok(1));
    }

    #[test]
    fn a_correction_is_not_a_repetition() {
        let mut dedup = Alike::default();
        assert_eq!(dedup.admit("The staging database runs on port 5432 in Frankfurt"), Ok(0));
        assert_eq!(dedup.admit("The staging database runs on port 5433 in Dublin"), Ok(1));
    }
}
