//! Near duplicates: texts that say the same in almost the same words. The best one stays, the
//! others are counted.

use std::hash::{DefaultHasher, Hash, Hasher};

/// From this share of common words on, two texts count as one.
const ALIKE: f64 = 0.85;
/// Texts shorter than this many different words must share all of them.
const SHORT: usize = 6;

/// Remembers the texts that were let through.
#[derive(Debug, Default)]
pub struct Alike {
    seen: Vec<Words>,
}

/// The different words of a text as their digests, in order.
type Words = Vec<u64>;

impl Alike {
    /// Lets a text through, or answers with the position of the earlier one that it repeats.
    pub fn admit(&mut self, text: &str) -> Result<usize, usize> {
        let words = words_of(text);
        if let Some(earlier) = self.seen.iter().position(|other| alike(other, &words)) {
            return Err(earlier);
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
    // The default hasher has fixed keys here, so that the same texts collapse the same way in every
    // process.
    let mut hasher = DefaultHasher::new();
    word.hash(&mut hasher);
    hasher.finish()
}

fn alike(one: &Words, other: &Words) -> bool {
    if one.len().min(other.len()) < SHORT {
        return one == other;
    }
    let both = one.len() + other.len();
    // Two texts that are alike differ in so many words at most; most pairs are told apart after a
    // few.
    let apart_max = ((1.0 - ALIKE) * both as f64) as usize;
    common(one, other, apart_max)
        .is_some_and(|common| common as f64 >= ALIKE * (both - common) as f64)
}

/// How many words two texts share, unless more than so many stand in one of them only.
fn common(one: &Words, other: &Words, apart_max: usize) -> Option<usize> {
    let (mut at, mut beside, mut common) = (0, 0, 0);
    while let (Some(word), Some(another)) = (one.get(at), other.get(beside)) {
        at += usize::from(word <= another);
        beside += usize::from(another <= word);
        common += usize::from(word == another);
        if at + beside - 2 * common > apart_max {
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
        let mut alike = Alike::default();
        assert_eq!(alike.admit("We deploy every Friday at noon from the main branch."), Ok(0));
        assert_eq!(alike.admit("we deploy every friday, at noon, from the MAIN branch"), Err(0));
    }

    #[test]
    fn what_only_one_of_two_texts_says_counts_against_them() {
        let mut alike = Alike::default();
        let words: Vec<String> = (0..40).map(|nth| format!("word{nth}")).collect();
        assert_eq!(alike.admit(&words.join(" ")), Ok(0));
        assert_eq!(alike.admit(&words[..34].join(" ")), Err(0), "34 of 40");
        assert_eq!(alike.admit(&words[..33].join(" ")), Ok(1), "33 of 40");
        let others = ["three", "other", "words"].map(str::to_owned);
        assert_eq!(alike.admit(&[&words[3..], &others].concat().join(" ")), Err(0), "37 of 43");
        let others = ["these", "are", "four", "others"].map(str::to_owned);
        assert_eq!(alike.admit(&[&words[4..], &others].concat().join(" ")), Ok(2), "36 of 44");
    }

    #[test]
    fn one_other_word_in_a_short_text_is_another_text() {
        let mut alike = Alike::default();
        assert_eq!(alike.admit("port is 22"), Ok(0));
        assert_eq!(alike.admit("port is 2222"), Ok(1));
    }

    #[test]
    fn a_correction_is_not_a_repetition() {
        let mut alike = Alike::default();
        assert_eq!(alike.admit("The staging database runs on port 5432 in Frankfurt"), Ok(0));
        assert_eq!(alike.admit("The staging database runs on port 5433 in Dublin"), Ok(1));
    }
}
