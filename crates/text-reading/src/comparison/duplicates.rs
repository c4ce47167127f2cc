//! Finds texts that say the same among many, without comparing each with every other: texts that
//! say the same have the same words, whatever their order, so only those are compared.

use super::{ParsedText, tokens::Token};
use std::collections::HashMap;

/// An occasion with the sorted words of a text.
type WordsOfOccasion = (String, Vec<String>);

/// Texts seen so far.
#[derive(Debug, Default)]
pub struct DuplicateFinder {
    /// Texts with their indexes, by occasion and words.
    by_words: HashMap<WordsOfOccasion, Vec<(usize, String)>>,
    count: usize,
}

impl DuplicateFinder {
    /// Accepts a text and returns its index, or returns the index of the earlier text that says the
    /// same of the same occasion as an error. Statements that hold on any day have an empty
    /// occasion.
    pub fn admit(&mut self, parsed: &ParsedText<'_>, occasion: &str) -> Result<usize, usize> {
        let key = (occasion.to_owned(), parsed.word_bag());
        let alike = self.by_words.entry(key).or_default();
        let same = |(_, earlier): &&(usize, String)| parsed.compare_with_earlier(earlier).is_same();
        if let Some((index, _)) = alike.iter().find(same) {
            return Err(*index);
        }
        alike.push((self.count, parsed.text.to_owned()));
        self.count += 1;
        Ok(self.count - 1)
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
            self.admit(&ParsedText::new(text), occasion)
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
