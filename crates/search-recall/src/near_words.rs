//! Words that say nearly the same: "siblings" and "brother". They are those of the bundled model's
//! vocabulary whose vectors lie close together, written down in `near_words.txt` so that asking
//! costs a look-up and nothing is kept for a memory. English only, as the model is; a word that it
//! does not know as one piece has none.

use crate::{Question, Weights};
use index::tokens::is_stop_word;
use index::{Doc, DocSet, NearTerms, QueryTerms, View};

/// One line for each word, in order: the word as the index stems it, then up to six near ones, each
/// with its cosine in hundredths. Made by `cargo run --release -p quipu-engine --example
/// near_words`.
const TABLE: &str = include_str!("../near_words.txt");

/// Cosines up to this say nothing: in this model any two words of one field have as much.
pub const NEAR_FROM: f32 = 0.55;

/// The words near to one, given as the index stems it, with the cosine of each.
pub fn near_words(stem: &str) -> impl Iterator<Item = (&'static str, f32)> {
    let near = line_of(stem).into_iter().flat_map(|near| near.split(' '));
    near.filter_map(|one| {
        let (word, hundredths) = one.rsplit_once(':')?;
        Some((word, hundredths.parse::<u8>().ok()? as f32 / 100.0))
    })
}

/// The words of a question that have near ones, with these and how near they are. A name has none:
/// whoever asks for John does not mean James.
pub(crate) fn near_terms(question: &str) -> Vec<NearTerms> {
    let mut terms: Vec<NearTerms> = Vec::new();
    for term in QueryTerms::of(&without_capitals(question)).terms {
        let near: Vec<_> =
            near_words(&term.text).map(|(word, cosine)| (word, nearness(cosine))).collect();
        if !near.is_empty() && !is_stop_word(&term.text) {
            terms.push(NearTerms { term: term.text, near });
        }
    }
    terms
}

/// What each of these memories, in order, gets for words near to those of the question that it
/// lacks. Only words that few memories hold count: where many hold a word, what says it is found by
/// it.
pub(crate) fn near_scores(
    view: &View,
    question: &Question,
    docs: &DocSet,
    weights: &Weights,
) -> Vec<f32> {
    let few = (Weights::FEW_HOLD * view.len() as f32) as usize;
    let is_rare = |asked: &&NearTerms| view.document_frequency(&asked.term) <= few;
    let rare: Vec<&NearTerms> = question.near.iter().filter(is_rare).collect();
    let docs: Vec<Doc> = docs.iter().collect();
    view.near_scores(&rare, &weights.bm25, &docs)
}

fn nearness(cosine: f32) -> f32 {
    (cosine - NEAR_FROM) / (1.0 - NEAR_FROM)
}

/// A question without what it writes with a capital, unless a sentence begins there.
fn without_capitals(question: &str) -> String {
    let mut begins = true;
    let mut kept = Vec::new();
    for word in question.split_whitespace() {
        let first = word.chars().find(|c| c.is_alphanumeric());
        if begins || !first.is_some_and(char::is_uppercase) {
            kept.push(word);
        }
        begins = word.ends_with(['.', '?', '!', ':']);
    }
    kept.join(" ")
}

/// What stands behind a word in its line. The lines are in order, so halving finds it.
fn line_of(stem: &str) -> Option<&'static str> {
    let mut rest = TABLE;
    while !rest.is_empty() {
        // The table is ASCII, so that every byte begins a character.
        let middle = rest.len() / 2;
        let from = rest[..middle].rfind('\n').map_or(0, |end| end + 1);
        let until = rest[middle..].find('\n').map_or(rest.len(), |end| middle + end + 1);
        let (word, near) = rest[from..until].trim_end().split_once(' ')?;
        rest = match word.cmp(stem) {
            std::cmp::Ordering::Equal => return Some(near),
            std::cmp::Ordering::Less => &rest[until..],
            std::cmp::Ordering::Greater => &rest[..from],
        };
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_is_found_by_its_word() {
        assert!(TABLE.is_ascii() && TABLE.ends_with('\n'));
        let mut last = "";
        for line in TABLE.lines() {
            let (word, near) = line.split_once(' ').unwrap();
            assert!(word > last, "{word} stands after {last}");
            assert_eq!(line_of(word), Some(near));
            assert!(
                near_words(word).all(|(_, cosine)| cosine > NEAR_FROM && cosine <= 1.0),
                "{line}"
            );
            assert_eq!(near_words(word).count(), near.split(' ').count(), "{line}");
            last = word;
        }
    }

    #[test]
    fn a_word_that_is_not_there_has_none() {
        for word in ["", "a", "zzzz", "~", "sib", "siblings", "é"] {
            assert_eq!(near_words(word).count(), 0, "{word}");
        }
    }

    #[test]
    fn siblings_are_brothers_and_sisters() {
        let near: Vec<&str> = near_words("sibl").map(|(word, _)| word).collect();
        assert!(near.contains(&"brother") && near.contains(&"sister"), "{near:?}");
    }

    #[test]
    fn a_name_has_no_near_words_and_neither_has_a_word_that_says_little() {
        let words = |question: &str| -> Vec<String> {
            near_terms(question).into_iter().map(|asked| asked.term).collect()
        };
        assert_eq!(words("When did Grace see the doctor?"), ["see", "doctor"]);
        assert_eq!(words("Doctors? Doctors and Boats"), ["doctor"]);
    }
}
