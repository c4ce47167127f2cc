//! Order of two results that state the same thing at different times in different words: the newer
//! one goes first, although the question resembles the older one more.

use crate::QuestionWord;
use index::QueryTerms;
use model::{MemoryId, Moment};
use std::collections::HashSet;
use words::TokenForm;

// Chosen on the odd rows of the update set, with the answerable questions of the tuning half of the
// abstention set as the bound: none of them may lose its first result.
/// Number of memories up to which a word names a subject of its own.
const RARE_FREQUENCY_MAX: usize = 3;
/// Score of the newer result as a share of the score of the first: for any statement, and for one
/// that tells of a change.
const SCORE_SHARE_MIN: [f32; 2] = [0.5, 0.4];
/// Time between two statements from which the later one may tell of a change. What is said in one
/// sitting belongs together.
const APART_MICROS_MIN: i64 = 3_600_000_000;
/// Share of the content words of the shorter text that the other one repeats, likewise.
const WORD_SHARE_MIN: [f32; 2] = [0.4, 0.25];

/// A result with what its place in time depends on.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DatedResult<'t> {
    pub id: MemoryId,
    pub text: &'t str,
    /// Moment from which it holds.
    pub at: Moment,
    pub score: f32,
    /// True if the text itself says that something has changed: "now", "no longer", "moved to".
    pub tells_change: bool,
}

impl DatedResult<'_> {
    /// Number of first results of which a later one may go first.
    pub const COMPARED: usize = 3;
}

/// Returns the index of the result that restates the first one at a later time, if there is one:
/// both contain a rare word of the question, they share much of their wording, and the question
/// fits the newer one nearly as well. One that tells of a change needs less of both.
#[must_use]
pub fn newer_restatement(words: &[QuestionWord], results: &[DatedResult<'_>]) -> Option<usize> {
    let (first, others) = results.split_first()?;
    let is_rare = |word: &&QuestionWord| (1..=RARE_FREQUENCY_MAX).contains(&word.frequency);
    let rare: Vec<&str> = words.iter().filter(is_rare).map(|word| word.term.as_str()).collect();
    let subject = content_words(first.text);
    let restates = |other: &DatedResult<'_>| {
        let terms = content_words(other.text);
        let is_in = |term: &&String| terms.iter().any(|other| is_same_word(term, other));
        let shared: Vec<&String> = subject.iter().filter(is_in).collect();
        let told = usize::from(other.tells_change);
        let shorter = subject.len().min(terms.len()) as f32;
        other.score >= SCORE_SHARE_MIN[told] * first.score
            && shared.len() as f32 >= WORD_SHARE_MIN[told] * shorter
            && shared.iter().any(|term| rare.iter().any(|rare| is_same_word(term, rare)))
    };
    let compared = others.iter().enumerate().take(DatedResult::COMPARED - 1);
    compared
        .filter(|(_, other)| other.at.0 - first.at.0 >= APART_MICROS_MIN && restates(other))
        .max_by_key(|(_, other)| (other.at, other.id))
        .map(|(nth, _)| nth + 1)
}

/// Returns the content words of a text without its numbers, which are what changes.
fn content_words(text: &str) -> HashSet<String> {
    let terms = QueryTerms::parse(text).terms.into_iter();
    let content = terms.filter(|term| term.form == TokenForm::Plain && !term.is_stop);
    let content = content.filter(|term| !term.text.contains(|c: char| c.is_numeric()));
    content.map(|term| term.text).collect()
}

/// Returns true for two forms of one word. Short texts are read in different languages at times,
/// and each cuts another ending: "Nicanor" is "nican" in Spanish.
fn is_same_word(one: &str, other: &str) -> bool {
    const LETTERS_MIN: usize = 4;
    const ENDING_MAX: usize = 2;
    let (short, long) = if one.len() <= other.len() { (one, other) } else { (other, one) };
    let is_form =
        |ending: &str| short.chars().count() >= LETTERS_MIN && ending.chars().count() <= ENDING_MAX;
    one == other || long.strip_prefix(short).is_some_and(is_form)
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
            tells_change: false,
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
    fn a_change_that_is_told_needs_less_in_common() {
        let moved = "Glyphline moved to Meret's team in the annexe, with all its tools.";
        let mut found = results(&[(OLD, 10, 0.5), (moved, 20, 0.22)]);
        assert_eq!(newer_restatement(&words(2), &found), None);
        found[1].tells_change = true;
        assert_eq!(newer_restatement(&words(2), &found), Some(1));
    }

    #[test]
    fn numbers_that_differ_do_not_count_as_other_words() {
        let found = results(&[
            ("Glyphline closes on 31.01. at 17:00", 10, 0.5),
            ("Glyphline has until 28.02. at 18:30", 20, 0.4),
        ]);
        assert_eq!(newer_restatement(&words(2), &found), Some(1));
    }

    #[test]
    fn a_name_is_the_same_with_another_ending() {
        assert!(is_same_word("nicanor", "nican"));
        assert!(!is_same_word("port", "portugal"));
        assert!(!is_same_word("ana", "anas"));
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
