//! Word bigrams of a memory, so that a "red card" is distinguished from a card in a red box without
//! storing term positions.
//!
//! Stop words are skipped. Each bigram is stored as a 16-bit fingerprint: a false match happens
//! once in 65,536 comparisons, which is acceptable for ranking but would not be for filtering.

use crate::ahead::{ahead, fetch};
use crate::lists::Lists;
use crate::tokens::{Form, Token, is_stop_word};
use crate::{Doc, QueryTerm, QueryTerms, View};

/// Sorted bigram fingerprints of every document.
pub(crate) type Pairs = Lists<u16>;

/// Collects the bigram fingerprints of a text from its token stream.
#[derive(Debug, Default)]
pub(crate) struct PairMarks {
    marks: Vec<u16>,
    last: Option<u64>,
}

impl PairMarks {
    /// Processes the next token of a text.
    pub(crate) fn token(&mut self, token: &Token<'_>) {
        if token.form == Form::Plain && !is_stop_word(token.text) {
            let word = digest(token.text);
            self.marks.extend(self.last.map(|last| mark(last, word)));
            self.last = Some(word);
        }
    }

    /// Ends the current text: its last word and the first of the next do not form a bigram.
    pub(crate) fn end_text(&mut self) {
        self.last = None;
    }

    /// Returns the distinct fingerprints in ascending order.
    pub(crate) fn finish(mut self) -> Vec<u16> {
        self.marks.sort_unstable();
        self.marks.dedup();
        self.marks
    }
}

impl View {
    /// Returns for each document the share of the query's bigrams that it contains, from 0 to 1. A
    /// bigram is weighted by the lower IDF of its two words.
    #[must_use]
    pub fn pair_scores(&self, query: &QueryTerms, docs: &[Doc]) -> Vec<f32> {
        let pairs = self.pairs_of(query);
        let total: f32 = pairs.iter().map(|(_, weight)| weight).sum();
        let share = |doc: Doc| {
            let in_doc = self.pairs.get(doc);
            let found = pairs.iter().filter(|(bigram, _)| in_doc.binary_search(bigram).is_ok());
            if total > 0.0 { found.map(|(_, weight)| weight).sum::<f32>() / total } else { 0.0 }
        };
        ahead(docs, |doc| fetch(self.pairs.get(doc))).map(share).collect()
    }

    fn pairs_of(&self, query: &QueryTerms) -> Vec<(u16, f32)> {
        let is_content_word =
            |term: &&QueryTerm| term.form == Form::Plain && !is_stop_word(&term.text);
        let words: Vec<(u64, f32)> = (query.terms.iter().filter(is_content_word))
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

/// Fingerprint of two words in this order.
fn mark(first: u64, second: u64) -> u16 {
    // Rotating one side makes the fingerprint depend on the order of the two words. The high bits
    // of the product are the best mixed ones. Snapshots contain the result: it must not change.
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
