//! Negation detection for English: cues (`not`, `no longer`, `instead of`) and the scope of each.
//! Clauses are recognised by punctuation and conjunctions; nothing is parsed.

use std::collections::HashSet;
use std::ops::Range;

use crate::sentences::sentences;
use crate::terms::{NormalizedWord, content_terms, normalized_words};

/// One negation: its cue and the text it negates.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Negation {
    /// Range of the negating words.
    pub cue: Range<usize>,
    /// Range of the negated words, up to the end of the clause; empty when nothing follows.
    pub scope: Range<usize>,
}

/// Returns every negation in `text`, in order.
pub fn negations(text: &str) -> Vec<Negation> {
    sentences(text).flat_map(|range| negations_in_sentence(text, range)).collect()
}

/// Returns true if `text` contains any negation.
pub fn has_negation(text: &str) -> bool {
    sentences(text).any(|range| !negations_in_sentence(text, range).is_empty())
}

/// Returns the content words that `text` negates: `postgresql` in "does not use PostgreSQL", but
/// not `sqlite` in "does not use PostgreSQL but SQLite".
pub fn negated_terms(text: &str) -> Vec<String> {
    let mut seen = HashSet::new();
    let scopes = negations(text).into_iter().map(|negation| &text[negation.scope]);
    scopes.flat_map(content_terms).filter(|term| seen.insert(term.clone())).collect()
}

fn negations_in_sentence(text: &str, sentence: Range<usize>) -> Vec<Negation> {
    let mut all: Vec<NormalizedWord<'_>> = normalized_words(&text[sentence.clone()]).collect();
    all.iter_mut().for_each(|word| word.word.start += sentence.start);
    negations_among_words(text, &all)
}

/// Returns the negations among the words of one sentence of `text`.
pub(crate) fn negations_among_words(text: &str, all: &[NormalizedWord<'_>]) -> Vec<Negation> {
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

/// Returns the number of leading words that form a cue; 0 when they form none.
fn cue_length(words: &[NormalizedWord<'_>]) -> usize {
    let term = |at: usize| words.get(at).map_or("", |word| &*word.term);
    match (term(0), term(1)) {
        // "not only", "no doubt" and their like affirm what follows.
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

/// Returns the range from the cue to the end of its clause. A comma ends the clause unless an `or`
/// shows that it separates list items.
fn scope(text: &str, all: &[NormalizedWord<'_>], from: usize) -> Range<usize> {
    let mut end = from;
    for (at, NormalizedWord { word, term }) in all.iter().enumerate() {
        let gap = &text[end..word.start];
        let lists = gap.contains(',') && continues_list(&all[at..]);
        let breaks = gap.contains([',', ';', ':', '(', ')', '—', '–']) && !lists;
        if breaks || opens_a_clause(term) || cue_length(&all[at..]) > 0 {
            break;
        }
        end = word.end();
    }
    let start = all.first().map_or(from, |first| first.word.start);
    start.min(end)..end
}

/// Returns true if an `or` follows soon, before anything that would open another clause.
fn continues_list(words: &[NormalizedWord<'_>]) -> bool {
    // Bounds the look-ahead, which starts again at every comma.
    const LIST_WORDS_MAX: usize = 24;
    let terms = words.iter().map(|word| &*word.term);
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

    fn check(text: &str, denied: &[&str]) {
        assert_eq!(negated_terms(text), denied, "{text}");
    }

    #[test]
    fn words_after_a_cue_are_negated() {
        check("The service does not use PostgreSQL.", &["use", "postgresql"]);
        check("We don’t deploy on Fridays", &["deploy", "fridays"]);
        check("It never retries", &["retries"]);
        check("She no longer works at Acme", &["works", "acme"]);
        check("I stopped drinking coffee", &["drinking", "coffee"]);
        check("Deploy without Docker", &["docker"]);
        check("uses SQLite instead of PostgreSQL", &["postgresql"]);
    }

    #[test]
    fn a_negation_ends_with_its_clause() {
        check("does not use PostgreSQL but SQLite", &["use", "postgresql"]);
        check("It does not use Redis, it uses Valkey. Port 22.", &["use", "redis"]);
        check("no MySQL, Oracle or DB2 anywhere", &["mysql", "oracle", "db2", "anywhere"]);
    }

    #[test]
    fn affirmations_contain_no_negation() {
        for text in [
            "uses PostgreSQL",
            "not only fast",
            "No problem, it works",
            "bus stop at noon",
            "a knot",
        ] {
            assert!(!has_negation(text), "{text}");
        }
    }

    #[test]
    fn a_cue_at_the_end_has_an_empty_scope() {
        let found = negations("Is it used? Not");
        assert_eq!(found.len(), 1);
        assert!(found[0].scope.is_empty());
    }
}
