//! Near duplicates: texts that say the same in almost the same words. The best one stays, the others are counted.

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};

/// From this share of common words on, two texts count as one.
const ALIKE: f64 = 0.85;
/// Texts shorter than this many different words must share all of them.
const SHORT: usize = 6;

/// Remembers the texts that were let through.
#[derive(Debug, Default)]
pub struct Alike {
    seen: Vec<HashSet<u64>>,
}

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

fn words_of(text: &str) -> HashSet<u64> {
    text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).map(hash_of).collect()
}

fn hash_of(word: &str) -> u64 {
    // The default hasher has fixed keys here, so that the same texts collapse the same way in every process.
    let mut hasher = DefaultHasher::new();
    word.chars().flat_map(char::to_lowercase).for_each(|c| c.hash(&mut hasher));
    hasher.finish()
}

fn alike(one: &HashSet<u64>, other: &HashSet<u64>) -> bool {
    if one.len().min(other.len()) < SHORT {
        return one == other;
    }
    let common = one.intersection(other).count();
    let all = one.len() + other.len() - common;
    common as f64 >= ALIKE * all as f64
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
