//! Finds texts that say the same among many, without comparing each with every other: texts that
//! say the same have the same words, whatever their order, so only those are compared, and only
//! texts that share many words are read at all.

use super::{ParsedText, TextSketch, tokens::Token};
use std::cell::OnceCell;

/// An occasion with the sorted words of a text.
type WordsOfOccasion = (String, Vec<String>);

/// Day and details of what a text tells. They tell two events apart; a statement is the same on any
/// day.
#[derive(Debug, Clone, Default)]
pub struct TextOccasion {
    pub details: String,
    /// True if it is an event whatever the text says.
    pub is_event: bool,
}

/// Texts seen so far.
#[derive(Debug, Default)]
pub struct DuplicateFinder {
    texts: Vec<SeenText>,
}

#[derive(Debug)]
struct SeenText {
    text: String,
    sketch: TextSketch,
    occasion: TextOccasion,
    /// Read when another text comes near.
    words: OnceCell<WordsOfOccasion>,
}

impl DuplicateFinder {
    /// Accepts a text and returns its index, or returns the index of the earlier text that says the
    /// same of the same occasion as an error.
    pub fn admit(&mut self, text: &str, occasion: TextOccasion) -> Result<usize, usize> {
        let seen = SeenText {
            text: text.to_owned(),
            sketch: TextSketch::new(text),
            occasion,
            words: OnceCell::new(),
        };
        let says_same = |earlier: &SeenText| {
            earlier.sketch.may_repeat(&seen.sketch) && earlier.says_same(&seen)
        };
        if let Some(index) = self.texts.iter().position(says_same) {
            return Err(index);
        }
        self.texts.push(seen);
        Ok(self.texts.len() - 1)
    }
}

impl SeenText {
    fn says_same(&self, later: &Self) -> bool {
        self.words() == later.words() && super::compare(&self.text, &later.text).is_same()
    }

    fn words(&self) -> &WordsOfOccasion {
        self.words.get_or_init(|| {
            let parsed = ParsedText::new(&self.text);
            let is_event = self.occasion.is_event || parsed.may_happen_again();
            let occasion = if is_event { self.occasion.details.clone() } else { String::new() };
            (occasion, parsed.word_bag())
        })
    }
}

impl ParsedText<'_> {
    /// Returns the keys of all words that cannot be left out, sorted.
    fn word_bag(&self) -> Vec<String> {
        if self.long || self.statements.is_empty() {
            return vec![super::folded_letters(self.text).collect()];
        }
        let tokens = self.statements.iter().flat_map(|statement| &statement.tokens);
        let essential = |token: &&Token| token.counts() && !super::decide::is_light(token);
        let mut keys: Vec<String> = tokens.filter(essential).map(|one| one.key.clone()).collect();
        keys.sort_unstable();
        keys
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    impl DuplicateFinder {
        fn admit_text(&mut self, text: &str, occasion: &str) -> Result<usize, usize> {
            let details = occasion.to_owned();
            self.admit(text, TextOccasion { details, is_event: !occasion.is_empty() })
        }
    }

    #[test]
    fn texts_that_say_the_same_are_found_and_others_are_not() {
        let mut finder = DuplicateFinder::default();
        assert_eq!(
            finder.admit_text("We deploy every Friday at noon from the main branch.", ""),
            Ok(0)
        );
        assert_eq!(
            finder.admit_text("we deploy every friday, at noon, from the MAIN branch", ""),
            Err(0)
        );
        assert_eq!(finder.admit_text("A pull request needs two approvals", ""), Ok(1));
        assert_eq!(finder.admit_text("A pull request needs three approvals", ""), Ok(2));
        assert_eq!(finder.admit_text("A pull request needs 2 approvals.", ""), Err(1));
        assert_eq!(finder.admit_text("Morning run", "Monday"), Ok(3));
        assert_eq!(finder.admit_text("Morning run", "Tuesday"), Ok(4));
    }

    #[test]
    fn long_texts_that_differ_in_one_fact_are_two() {
        let text = |port: u32| {
            let notes = "The gateway forwards requests. It keeps no state. ".repeat(10);
            format!("{notes}It listens on port {port}.")
        };
        let mut finder = DuplicateFinder::default();
        assert_eq!(finder.admit_text(&text(8080), ""), Ok(0));
        assert_eq!(finder.admit_text(&text(9090), ""), Ok(1));
        assert_eq!(finder.admit_text(&text(8080).to_uppercase(), ""), Err(0));
    }
}
