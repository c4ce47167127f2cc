//! Word bigrams of a memory, so that a "red card" is distinguished from a card in a red box without
//! storing term positions.
//!
//! Stop words are skipped. Each bigram is stored as a 16-bit fingerprint. Two bigrams share one
//! once in 65,536 comparisons, so a match counts only in a document that has both words.

use crate::prefetch::with_prefetch;
use crate::ragged_array::RaggedArray;
use crate::{DocId, QueryTerm, QueryTerms, View};
use words::{IndexToken, TokenForm};
use xxhash_rust::xxh3::xxh3_64;

/// Sorted bigram fingerprints of every document.
pub(crate) type BigramFingerprints = RaggedArray<u16>;

/// Collects the bigram fingerprints of a text from its token stream.
#[derive(Debug, Default)]
pub(crate) struct BigramCollector {
    fingerprints: Vec<u16>,
    last: Option<u64>,
}

impl BigramCollector {
    /// Creates a collector with room for the bigrams of a text of this length.
    pub(crate) fn for_text_bytes(bytes: usize) -> Self {
        // Words that are no stop words, with the space behind them, are rarely shorter.
        const BYTES_OF_WORD: usize = 8;
        Self { fingerprints: Vec::with_capacity(bytes / BYTES_OF_WORD), last: None }
    }

    /// Processes the next token of a text, with the hash of its term.
    pub(crate) fn push(&mut self, token: &IndexToken<'_>, word: u64) {
        if token.form == TokenForm::Plain && !token.is_stop {
            self.fingerprints.extend(self.last.map(|last| fingerprint(last, word)));
            self.last = Some(word);
        }
    }

    /// Ends the current text: its last word and the first of the next do not form a bigram.
    pub(crate) fn end_text(&mut self) {
        self.last = None;
    }

    /// Returns the distinct fingerprints in ascending order.
    pub(crate) fn finish(mut self) -> Vec<u16> {
        self.fingerprints.sort_unstable();
        self.fingerprints.dedup();
        self.fingerprints
    }
}

/// Hash of a term, of which bigrams are made.
pub(crate) fn hash_term(term: &str) -> u64 {
    xxh3_64(term.as_bytes())
}

impl View {
    /// Returns for each document the share of the query's bigrams that it contains, from 0 to 1. A
    /// bigram is weighted by the lower IDF of its two words.
    #[must_use]
    pub fn bigram_scores(&self, query: &QueryTerms, docs: &[DocId]) -> Vec<f32> {
        let pairs = self.query_bigrams(query);
        let total: f32 = pairs.iter().map(|pair| pair.weight).sum();
        let share = |doc: DocId| {
            let in_doc = self.pairs.get(doc);
            let found = pairs.iter().filter(|pair| {
                in_doc.binary_search(&pair.fingerprint).is_ok()
                    && pair.words.iter().all(|word| self.has_term(doc, word))
            });
            if total > 0.0 { found.map(|pair| pair.weight).sum::<f32>() / total } else { 0.0 }
        };
        with_prefetch(docs, |doc| self.pairs.prefetch(doc)).map(share).collect()
    }

    fn query_bigrams<'q>(&self, query: &'q QueryTerms) -> Vec<QueryBigram<'q>> {
        let is_content_word = |term: &&QueryTerm| term.form == TokenForm::Plain && !term.is_stop;
        let words: Vec<(&str, u64, f32)> = (query.terms.iter().filter(is_content_word))
            .map(|term| (&*term.text, hash_term(&term.text), self.term_idf(&term.text)))
            .collect();
        words
            .windows(2)
            .map(|pair| QueryBigram {
                words: [pair[0].0, pair[1].0],
                fingerprint: fingerprint(pair[0].1, pair[1].1),
                weight: pair[0].2.min(pair[1].2),
            })
            .collect()
    }
}

/// A bigram of a query.
struct QueryBigram<'q> {
    words: [&'q str; 2],
    fingerprint: u16,
    weight: f32,
}

/// Fingerprint of two words in this order.
fn fingerprint(first: u64, second: u64) -> u16 {
    // Rotating one side makes the fingerprint depend on the order of the two words. The high bits
    // of the product are the best mixed ones. Snapshots contain it: a change needs a new format.
    let both = (first.rotate_left(23) ^ second).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (both >> 48) as u16
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{DocFacts, Filter, IndexEntry, IndexField};
    use model::{MemoryId, Moment, Seq};
    use words::each_token;

    fn fingerprints(text: &str) -> Vec<u16> {
        let mut marks = BigramCollector::default();
        each_token(text, |token| marks.push(&token, hash_term(token.text)));
        marks.finish()
    }

    #[test]
    fn stop_words_do_not_split_a_bigram() {
        assert_eq!(fingerprints("the queen of hearts"), fingerprints("Queen, hearts!"));
        assert_eq!(fingerprints("queen hearts").len(), 1);
    }

    #[test]
    fn the_reverse_order_is_another_bigram() {
        assert_ne!(fingerprints("queen hearts"), fingerprints("hearts queen"));
    }

    /// Returns two words whose bigram has the fingerprint of "queen hearts".
    fn colliding_words() -> String {
        let wanted = fingerprints("queen hearts");
        let mut numbered = (0..1_000_000).map(|n| format!("zq{n}x zr{n}y"));
        numbered.find(|text| fingerprints(text) == wanted).unwrap()
    }

    #[test]
    fn a_shared_fingerprint_alone_scores_nothing() {
        let (collision, mut view) = (colliding_words(), View::new(None));
        let mut entry = IndexEntry::new(DocFacts::note(MemoryId(1), Moment(0)));
        entry.texts = vec![(IndexField::Text, "queen hearts")];
        view.apply([entry], [], Seq(1));
        let docs: Vec<DocId> = view.filter(&Filter::default(), Moment(0)).iter().collect();
        let scores = |text: &str| view.bigram_scores(&QueryTerms::parse(text), &docs);
        assert_eq!(scores("queen hearts"), [1.0]);
        assert_eq!(scores(&collision), [0.0]);
    }

    #[test]
    fn one_word_is_not_a_bigram() {
        assert!(fingerprints("queen").is_empty());
        assert!(fingerprints("of the").is_empty());
    }
}
