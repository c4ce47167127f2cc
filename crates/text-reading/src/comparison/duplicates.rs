//! Finds texts that say the same among many, without comparing each with every other: texts that
//! say the same have the same words, whatever their order, so only those are compared, and only
//! texts that share many words are read at all.

use super::{LazyText, ParsedText, tokens::Token};
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
pub struct DuplicateFinder<'t> {
    texts: Vec<SeenText<'t>>,
}

#[derive(Debug)]
struct SeenText<'t> {
    text: &'t LazyText<'t>,
    occasion: TextOccasion,
    /// Read when another text comes near.
    words: OnceCell<WordsOfOccasion>,
}

impl<'t> DuplicateFinder<'t> {
    /// Accepts a text and returns its index, or returns the index of the earlier text that says the
    /// same of the same occasion as an error.
    pub fn admit(
        &mut self,
        text: &'t LazyText<'t>,
        occasion: TextOccasion,
    ) -> Result<usize, usize> {
        let seen = SeenText { text, occasion, words: OnceCell::new() };
        if let Some(index) = self.texts.iter().position(|earlier| earlier.says_same(&seen)) {
            return Err(index);
        }
        self.texts.push(seen);
        Ok(self.texts.len() - 1)
    }
}

impl SeenText<'_> {
    fn says_same(&self, later: &Self) -> bool {
        self.text.may_repeat(later.text)
            && self.words() == later.words()
            && later.text.parsed().compare_with(self.text.parsed()).is_same()
    }

    fn words(&self) -> &WordsOfOccasion {
        self.words.get_or_init(|| {
            let parsed = self.text.parsed();
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

    /// Returns for each text, with its occasion, the result of admitting it.
    fn admit_all(texts: &[(&str, &str)]) -> Vec<Result<usize, usize>> {
        let read: Vec<LazyText<'_>> = texts.iter().map(|(text, _)| LazyText::new(text)).collect();
        let mut finder = DuplicateFinder::default();
        let admit = |(text, (_, occasion)): (_, &(&str, &str))| {
            let details = (*occasion).to_owned();
            finder.admit(text, TextOccasion { details, is_event: !occasion.is_empty() })
        };
        read.iter().zip(texts).map(admit).collect()
    }

    #[test]
    fn texts_that_say_the_same_are_found_and_others_are_not() {
        let admitted = admit_all(&[
            ("We deploy every Friday at noon from the main branch.", ""),
            ("we deploy every friday, at noon, from the MAIN branch", ""),
            ("A pull request needs two approvals", ""),
            ("A pull request needs three approvals", ""),
            ("A pull request needs 2 approvals.", ""),
            ("Morning run", "Monday"),
            ("Morning run", "Tuesday"),
        ]);
        assert_eq!(admitted, [Ok(0), Err(0), Ok(1), Ok(2), Err(1), Ok(3), Ok(4)]);
    }

    #[test]
    fn long_texts_that_differ_in_one_fact_are_two() {
        let text = |port: u32| {
            let notes = "The gateway forwards requests. It keeps no state. ".repeat(10);
            format!("{notes}It listens on port {port}.")
        };
        let (one, other, shouted) = (text(8080), text(9090), text(8080).to_uppercase());
        let admitted = admit_all(&[(&one, ""), (&other, ""), (&shouted, "")]);
        assert_eq!(admitted, [Ok(0), Ok(1), Err(0)]);
    }
}
