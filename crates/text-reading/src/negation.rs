//! What a text denies: negation cues of English and how far each reaches.
//! It reads clauses by their punctuation and joining words; it does not parse.

use std::collections::HashSet;
use std::ops::Range;

use crate::sentences::sentences;
use crate::terms::{Spoken, content_terms, spoken};
use crate::word_list::WordList;

/// One denial: the words that deny, and the words they deny.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Negation {
    /// Where the denying words stand (`not`, `no longer`, `instead of`).
    pub cue: Range<usize>,
    /// What they reach over, up to the end of their clause; empty when nothing follows.
    pub scope: Range<usize>,
}

/// Every denial in `text`, in order.
pub fn negations(text: &str) -> Vec<Negation> {
    sentences(text).flat_map(|range| in_sentence(text, range)).collect()
}

/// Whether `text` denies anything at all.
pub fn negated(text: &str) -> bool {
    sentences(text).any(|range| !in_sentence(text, range).is_empty())
}

/// The content words that `text` denies: `postgresql` in "does not use PostgreSQL", but not
/// `sqlite` in "does not use PostgreSQL but SQLite".
pub fn negated_terms(text: &str) -> Vec<String> {
    let mut seen = HashSet::new();
    let scopes = negations(text).into_iter().map(|negation| &text[negation.scope]);
    scopes.flat_map(content_terms).filter(|term| seen.insert(term.clone())).collect()
}

fn in_sentence(text: &str, sentence: Range<usize>) -> Vec<Negation> {
    let mut all: Vec<Spoken<'_>> = spoken(&text[sentence.clone()]).collect();
    all.iter_mut().for_each(|spoken| spoken.word.start += sentence.start);
    among(text, &all)
}

/// The denials among the words of a sentence of `text`.
pub(crate) fn among(text: &str, all: &[Spoken<'_>]) -> Vec<Negation> {
    let mut found = Vec::new();
    let mut at = 0;
    while at < all.len() {
        let length = cue_length(&all[at..]);
        if length > 0 {
            let cue = all[at].word.start..all[at + length - 1].word.end();
            let scope = scope(text, &all[at + length..], cue.end);
            found.push(Negation { cue, scope });
        }
        at += length.max(1);
    }
    found
}

/// How many words from here make up a cue; 0 when they make none.
fn cue_length(words: &[Spoken<'_>]) -> usize {
    let word = |at: usize| words.get(at).map_or("", |spoken| &*spoken.term);
    match (word(0), word(1)) {
        ("not" | "isn't" | "aren't", "only" | "just" | "merely" | "simply" | "necessarily") => 0,
        ("no", "doubt" | "matter" | "problem" | "wonder" | "worries" | "idea") => 0,
        ("no", "longer" | "more") | ("not", "any" | "yet" | "ever") => 2,
        ("instead", "of") | ("rather", "than") => 2,
        ("stop" | "stops" | "stopped" | "quit" | "quits", next) if next.ends_with("ing") => 1,
        (
            "not" | "no" | "never" | "cannot" | "without" | "neither" | "nor" | "none" | "nobody",
            _,
        ) => 1,
        ("lacks" | "lack" | "lacking" | "avoid" | "avoids" | "refuses", _) => 1,
        ("dont" | "doesnt" | "didnt" | "isnt" | "arent" | "wasnt" | "wont" | "cant", _) => 1,
        (one, _) => usize::from(one.ends_with("n't")),
    }
}

/// Whether a term may stand in a cue and is no stop word: whether it does deny depends on what
/// stands beside it.
pub(crate) fn may_deny(term: &str) -> bool {
    CUE_WORDS.has(term) || term.ends_with("n't")
}

/// The words of [`cue_length`] that are no stop words.
#[rustfmt::skip]
static CUE_WORDS: WordList = WordList::new(&[
    "arent", "avoid", "avoids", "cant", "didnt", "doesnt", "dont", "instead", "isnt", "lack", "lacking", "lacks",
    "longer", "more", "nobody", "none", "quit", "quits", "rather", "refuses", "stop", "stopped", "stops", "wasnt",
    "wont", "yet",
]);

/// From the cue to the end of its clause. A comma ends the clause unless an `or` shows that it only
/// lists.
fn scope(text: &str, all: &[Spoken<'_>], from: usize) -> Range<usize> {
    let mut end = from;
    for (at, Spoken { word, term }) in all.iter().enumerate() {
        let gap = &text[end..word.start];
        let lists = gap.contains(',') && lists_on(&all[at..]);
        let breaks = gap.contains([',', ';', ':', '(', ')', '—', '–']) && !lists;
        if breaks || opens_a_clause(term) || cue_length(&all[at..]) > 0 {
            break;
        }
        end = word.end();
    }
    let start = all.first().map_or(from, |first| first.word.start);
    start.min(end)..end
}

/// Whether an `or` comes soon, before anything that would open a clause of its own.
fn lists_on(words: &[Spoken<'_>]) -> bool {
    const LIST_WORDS_MAX: usize = 24;
    let terms = words.iter().map(|spoken| &*spoken.term);
    let mut near =
        terms.take(LIST_WORDS_MAX).take_while(|term| !opens_a_clause(term) && !is_pronoun(term));
    near.any(|term| matches!(term, "or" | "nor"))
}

fn is_pronoun(term: &str) -> bool {
    matches!(term, "i" | "we" | "you" | "he" | "she" | "it" | "they" | "this" | "that")
}

fn opens_a_clause(term: &str) -> bool {
    matches!(
        term,
        "but"
            | "however"
            | "although"
            | "though"
            | "because"
            | "since"
            | "so"
            | "unless"
            | "until"
            | "except"
            | "while"
            | "whereas"
            | "which"
            | "then"
            | "yet"
            | "if"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::terms::is_stop_word;

    fn check(text: &str, denied: &[&str]) {
        assert_eq!(negated_terms(text), denied, "{text}");
    }

    #[test]
    fn what_follows_a_cue_is_denied() {
        check("The service does not use PostgreSQL.", &["use", "postgresql"]);
        check("We don’t deploy on Fridays", &["deploy", "fridays"]);
        check("It never retries", &["retries"]);
        check("She no longer works at Acme", &["works", "acme"]);
        check("I stopped drinking coffee", &["drinking", "coffee"]);
        check("Deploy without Docker", &["docker"]);
        check("uses SQLite instead of PostgreSQL", &["postgresql"]);
    }

    #[test]
    fn every_word_of_a_cue_may_deny_or_is_a_stop_word() {
        let first = "not isn't aren't no instead rather stop stops stopped quit quits never cannot without neither nor \
                     none nobody lacks lack lacking avoid avoids refuses dont doesnt didnt isnt arent wasnt wont cant \
                     needn't";
        let second = ["", "longer", "more", "any", "yet", "ever", "of", "than", "using", "it"];
        for (first, second) in first.split(' ').flat_map(|one| second.map(|two| (one, two))) {
            let text = format!("{first} {second} coffee");
            for denial in negations(&text) {
                let cue = spoken(&text[denial.cue]).map(|spoken| spoken.term.into_owned());
                cue.for_each(|term| {
                    assert!(may_deny(&term) || is_stop_word(&term), "{term} in {text}")
                });
            }
        }
    }

    #[test]
    fn a_denial_ends_with_its_clause() {
        check("does not use PostgreSQL but SQLite", &["use", "postgresql"]);
        check("It does not use Redis, it uses Valkey. Port 22.", &["use", "redis"]);
        check("no MySQL, Oracle or DB2 anywhere", &["mysql", "oracle", "db2", "anywhere"]);
    }

    #[test]
    fn affirmations_are_not_denied() {
        for text in [
            "uses PostgreSQL",
            "not only fast",
            "No problem, it works",
            "bus stop at noon",
            "a knot",
        ] {
            assert!(!negated(text), "{text}");
        }
    }

    #[test]
    fn a_cue_at_the_very_end_denies_nothing() {
        let found = negations("Is it used? Not");
        assert_eq!(found.len(), 1);
        assert!(found[0].scope.is_empty());
    }
}
