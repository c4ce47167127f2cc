//! Which words of a memory stand side by side, so that a "red card" is told from a card in a red
//! box.
//!
//! Words that say little are passed over. A pair is kept as a mark of sixteen bits: another pair
//! has the same mark once in 65,536 times, which a ranking can bear and a filter could not.

use crate::ahead::{ahead, fetch};
use crate::lists::Lists;
use crate::tokens::{Form, Token, is_stop_word};
use crate::{Doc, QueryTerm, QueryTerms, View};

/// The marks of every place, in order.
pub(crate) type Pairs = Lists<u16>;

/// Collects the marks of a text as its tokens come by.
#[derive(Debug, Default)]
pub(crate) struct PairMarks {
    marks: Vec<u16>,
    last: Option<u64>,
}

impl PairMarks {
    /// The next token of a text.
    pub(crate) fn token(&mut self, token: &Token<'_>) {
        if token.form == Form::Plain && !is_stop_word(token.text) {
            let word = digest(token.text);
            self.marks.extend(self.last.map(|last| mark(last, word)));
            self.last = Some(word);
        }
    }

    /// What follows stands in another text.
    pub(crate) fn end_text(&mut self) {
        self.last = None;
    }

    /// The marks, each once, in order.
    pub(crate) fn finish(mut self) -> Vec<u16> {
        self.marks.sort_unstable();
        self.marks.dedup();
        self.marks
    }
}

impl View {
    /// How much of the pairs of neighbouring words in a question each memory holds, from 0 to 1, in
    /// the order of the memories. A pair counts as much as the more common of its words is rare.
    #[must_use]
    pub fn pair_scores(&self, query: &QueryTerms, docs: &[Doc]) -> Vec<f32> {
        let pairs = self.pairs_of(query);
        let all: f32 = pairs.iter().map(|(_, worth)| worth).sum();
        let held = |doc: Doc| {
            let marks = self.pairs.get(doc);
            let held = pairs.iter().filter(|(mark, _)| marks.binary_search(mark).is_ok());
            if all > 0.0 { held.map(|(_, worth)| worth).sum::<f32>() / all } else { 0.0 }
        };
        ahead(docs, |doc| fetch(self.pairs.get(doc))).map(held).collect()
    }

    fn pairs_of(&self, query: &QueryTerms) -> Vec<(u16, f32)> {
        let says_something =
            |term: &&QueryTerm| term.form == Form::Plain && !is_stop_word(&term.text);
        let words: Vec<(u64, f32)> = (query.terms.iter().filter(says_something))
            .map(|term| (digest(&term.text), self.rarity(&term.text)))
            .collect();
        words
            .windows(2)
            .map(|pair| (mark(pair[0].0, pair[1].0), pair[0].1.min(pair[1].1)))
            .collect()
    }
}

fn digest(word: &str) -> u64 {
    word.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

/// The mark of two words in this order.
fn mark(first: u64, second: u64) -> u16 {
    let both = (first.rotate_left(23) ^ second).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (both >> 48) as u16
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tokens::each_token;

    fn marks(text: &str) -> Vec<u16> {
        let mut marks = PairMarks::default();
        each_token(text, |token| marks.token(&token));
        marks.finish()
    }

    #[test]
    fn words_that_say_little_do_not_part_a_pair() {
        assert_eq!(marks("the queen of hearts"), marks("Queen, hearts!"));
        assert_eq!(marks("queen hearts").len(), 1);
    }

    #[test]
    fn the_other_way_round_is_another_pair() {
        assert_ne!(marks("queen hearts"), marks("hearts queen"));
    }

    #[test]
    fn one_word_is_no_pair() {
        assert!(marks("queen").is_empty());
        assert!(marks("of the").is_empty());
    }
}
