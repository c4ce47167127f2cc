//! Order of two results that state the same thing at different times in different words: the newer
//! one goes first, although the question resembles the older one more.

use crate::QuestionWord;
use index::QueryTerms;
use model::{MemoryId, Moment};
use std::collections::HashSet;
use words::TokenForm;

/// Number of first results of which a later one may go first.
const COMPARED_RESULTS: usize = 3;
// Chosen on the odd rows of the update set, with the answerable questions of the tuning half of the
// abstention set as the bound: none of them may lose its first result.
/// Number of memories up to which a word names a subject of its own.
const RARE_FREQUENCY_MAX: usize = 3;
/// Score of the newer result as a share of the score of the first.
const SCORE_SHARE_MIN: f32 = 0.5;
/// Time between two statements from which the later one may tell of a change. What is said in one
/// sitting belongs together.
const APART_MICROS_MIN: i64 = 3_600_000_000;
/// Share of the content words of the shorter text that the other one repeats.
const WORD_SHARE_MIN: f32 = 0.4;

/// A result with what its place in time depends on.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DatedResult<'t> {
    pub id: MemoryId,
    pub text: &'t str,
    /// Moment from which it holds.
    pub at: Moment,
    pub score: f32,
}

/// Returns the index of the result that restates the first one at a later time, if there is one:
/// both contain a rare word of the question, they share much of their wording, and the question
/// fits the newer one nearly as well.
#[must_use]
pub fn newer_restatement(words: &[QuestionWord], results: &[DatedResult<'_>]) -> Option<usize> {
    let (first, others) = results.split_first()?;
    let rare: HashSet<&str> = words
        .iter()
        .filter(|word| (1..=RARE_FREQUENCY_MAX).contains(&word.frequency))
        .map(|word| word.term.as_str())
        .collect();
    let subject = content_words(first.text);
    let restates = |other: &DatedResult<'_>| {
        let terms = content_words(other.text);
        let shared = subject.intersection(&terms).count() as f32;
        other.score >= SCORE_SHARE_MIN * first.score
            && shared >= WORD_SHARE_MIN * subject.len().min(terms.len()) as f32
            && subject.intersection(&terms).any(|term| rare.contains(term.as_str()))
    };
    let compared = others.iter().enumerate().take(COMPARED_RESULTS - 1);
    compared
        .filter(|(_, other)| other.at.0 - first.at.0 >= APART_MICROS_MIN && restates(other))
        .max_by_key(|(_, other)| (other.at, other.id))
        .map(|(nth, _)| nth + 1)
}

fn content_words(text: &str) -> HashSet<String> {
    let terms = QueryTerms::parse(text).terms.into_iter();
    let content = terms.filter(|term| term.form == TokenForm::Plain && !term.is_stop);
    content.map(|term| term.text).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const OLD: &str = "Glyphline's parser is maintained by Ignacio.";
    const NEW: &str = "Ignacio handed Glyphline's parser over to Meret.";

    fn results<'t>(texts: &[(&'t str, i64, f32)]) -> Vec<DatedResult<'t>> {
        let dated = (1..).zip(texts).map(|(id, &(text, at, score))| DatedResult {
            id: MemoryId(id),
            text,
            at: Moment(at * APART_MICROS_MIN),
            score,
        });
        dated.collect()
    }

    fn words(frequency: usize) -> Vec<QuestionWord> {
        let names = content_words("Glyphline parser").into_iter();
        names.map(|term| QuestionWord { term, frequency, is_name: false }).collect()
    }

    #[test]
    fn the_newer_wording_of_the_same_goes_first() {
        let found = results(&[(OLD, 10, 0.5), ("Lunch is at noon.", 30, 0.4), (NEW, 20, 0.4)]);
        assert_eq!(newer_restatement(&words(2), &found), Some(2));
    }

    #[test]
    fn an_older_wording_stays_behind() {
        assert_eq!(newer_restatement(&words(2), &results(&[(NEW, 20, 0.5), (OLD, 10, 0.5)])), None);
    }

    #[test]
    fn a_much_weaker_result_stays_behind() {
        assert_eq!(newer_restatement(&words(2), &results(&[(OLD, 10, 0.5), (NEW, 20, 0.2)])), None);
    }

    #[test]
    fn a_common_word_is_no_subject_of_its_own() {
        assert_eq!(newer_restatement(&words(9), &results(&[(OLD, 10, 0.5), (NEW, 20, 0.4)])), None);
    }

    #[test]
    fn other_statements_about_the_same_thing_stay_behind() {
        let other = "Glyphline gets a dark theme with the release in autumn.";
        assert_eq!(
            newer_restatement(&words(2), &results(&[(OLD, 10, 0.5), (other, 20, 0.4)])),
            None
        );
    }
}
