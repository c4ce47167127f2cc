//! Excerpts: the passage of a long text that has most of the question's words, instead of its
//! beginning. Words are compared as the beginnings of words, which costs less than stemming a long
//! text and finds the same.

use ::recall::{QuestionWord, estimate_tokens, truncate_to_tokens};
use std::ops::Range;

/// Words of a question, with the weight of each.
#[derive(Debug, Default)]
pub(super) struct ExcerptWords {
    words: Vec<(String, f32)>,
}

impl ExcerptWords {
    /// Weighs the words of a question; a rare one counts more.
    pub fn new(words: &[QuestionWord]) -> Self {
        let weight = |word: &QuestionWord| 1.0 / (2.0 + word.frequency as f32).log2();
        // Stemming writes "story" as "stori", of which the last letter is in no word.
        let start = |word: &QuestionWord| word.term.trim_end_matches('i').to_owned();
        Self { words: words.iter().map(|word| (start(word), weight(word))).collect() }
    }

    /// Cuts a text to at most this many tokens around its best sentence.
    pub fn cut(&self, text: &str, tokens: usize) -> String {
        let sentences: Vec<Range<usize>> = reading::sentences(text).collect();
        let scores: Vec<f32> = sentences.iter().map(|one| self.score(&text[one.clone()])).collect();
        let best =
            (0..scores.len()).reduce(|best, at| if scores[at] > scores[best] { at } else { best });
        let Some(best) = best.filter(|&best| scores[best] > 0.0) else {
            return truncate_to_tokens(text, tokens);
        };
        let (first, last) = widen(text, &sentences, &scores, best, tokens);
        let (start, end) = (sentences[first].start, sentences[last].end);
        // Two marks for what is left out cost two tokens.
        let passage = truncate_to_tokens(&text[start..end], tokens.saturating_sub(2));
        let before = if first > 0 { "… " } else { "" };
        let after =
            if last + 1 < sentences.len() && !passage.ends_with('…') { " …" } else { "" };
        format!("{before}{passage}{after}")
    }

    fn score(&self, sentence: &str) -> f32 {
        let lower = sentence.to_lowercase();
        let begins_word = |at: usize| !lower[..at].ends_with(char::is_alphanumeric);
        let contains = |word: &str| lower.match_indices(word).any(|(at, _)| begins_word(at));
        self.words.iter().filter(|(word, _)| contains(word)).map(|(_, weight)| weight).sum()
    }
}

/// Adds neighbouring sentences to the best one, those with more of the question first, as far as
/// the tokens suffice. Returns the first and the last.
fn widen(
    text: &str,
    sentences: &[Range<usize>],
    scores: &[f32],
    best: usize,
    tokens: usize,
) -> (usize, usize) {
    let cost = |at: usize| estimate_tokens(&text[sentences[at].clone()]) + 1;
    let (mut first, mut last, mut spent) = (best, best, cost(best) + 2);
    loop {
        let before = first.checked_sub(1).filter(|&at| spent + cost(at) <= tokens);
        let after = Some(last + 1).filter(|&at| at < sentences.len() && spent + cost(at) <= tokens);
        let next = match (before, after) {
            // What follows explains more often than what precedes.
            (Some(before), Some(after)) if scores[before] > scores[after] => before,
            (_, Some(after)) => after,
            (Some(before), None) => before,
            (None, None) => return (first, last),
        };
        spent += cost(next);
        (first, last) = (first.min(next), last.max(next));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(terms: &[&str]) -> ExcerptWords {
        let word =
            |term: &&str| QuestionWord { term: (*term).to_owned(), frequency: 1, is_name: false };
        ExcerptWords::new(&terms.iter().map(word).collect::<Vec<_>>())
    }

    fn long_text() -> String {
        let filler = "Nothing of interest is said in this sentence. ".repeat(20);
        format!("{filler}The backup runs at four. Its stories are long. {filler}")
    }

    #[test]
    fn the_passage_with_the_words_of_the_question_is_shown() {
        let wanted = [
            (["backup", "four"], "The backup runs at four."),
            (["stori", "unknown"], "Its stories are long."),
        ];
        for (terms, sentence) in wanted {
            let passage = words(&terms).cut(&long_text(), 40);
            assert!(passage.contains(sentence), "{passage}");
            assert!(passage.starts_with('…') && passage.ends_with('…'), "{passage}");
            assert!(estimate_tokens(&passage) <= 42, "{passage}");
        }
    }

    #[test]
    fn a_text_without_the_words_is_cut_at_its_end() {
        let passage = words(&["zebra"]).cut(&long_text(), 40);
        assert!(passage.starts_with("Nothing") && passage.ends_with('…'), "{passage}");
        assert_eq!(ExcerptWords::default().cut("short", 40), "short");
    }

    #[test]
    fn a_sentence_that_is_too_long_is_cut() {
        let text = format!("Short one. The backup {}", "word ".repeat(400));
        let passage = words(&["backup"]).cut(&text, 40);
        assert!(passage.starts_with("… The backup") && passage.ends_with('…'), "{passage}");
        assert!(estimate_tokens(&passage) <= 42);
    }
}
