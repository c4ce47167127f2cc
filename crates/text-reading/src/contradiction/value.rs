//! The value a statement gives to something, and when two values exclude each other.

use std::borrow::Cow;
use std::collections::BTreeSet;

use super::statement::meaning;
use crate::terms::Spoken;

/// A longer phrase is a description, and descriptions rarely exclude each other.
const WORDS_MAX: usize = 4;

#[derive(Debug)]
pub(super) struct Value {
    pub(super) shown: String,
    pub(super) shape: Shape,
    terms: BTreeSet<String>,
}

/// How a value is written; values of different shapes are never compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    Number,
    Proper,
    Plain,
}

impl Value {
    /// Reads the value that starts with the first of `words` and ends with the clause.
    pub(super) fn read(text: &str, words: &[Spoken<'_>]) -> Option<Self> {
        let skipped = words.iter().take_while(|spoken| is_article(&spoken.term)).count();
        let words = &words[skipped..];
        let length = value_length(text, words);
        if !(1..=WORDS_MAX).contains(&length) {
            return None;
        }
        let words = &words[..length];
        let (first, last) = (words.first()?, words.last()?);
        let roots = words.iter().filter_map(|spoken| meaning(&spoken.term));
        let terms = roots.map(Cow::into_owned).collect();
        Some(Self {
            shown: text[first.word.start..last.word.end()].to_owned(),
            shape: shape(words),
            terms,
        })
    }

    /// Whether both cannot be the value at once. A value that only adds detail (`Berlin`, `Berlin
    /// Mitte`) excludes nothing, and numbers are compared in the same unit only.
    pub(super) fn excludes(&self, other: &Self) -> bool {
        if self.shape != other.shape || self.terms.is_empty() || other.terms.is_empty() {
            return false;
        }
        match (self.quantity(), other.quantity()) {
            (Some((one, unit)), Some((two, same))) => unit == same && !same_number(&one, &two),
            (None, None) => {
                !self.terms.is_subset(&other.terms) && !other.terms.is_subset(&self.terms)
            }
            _ => false,
        }
    }

    /// The one number in the value and what it counts.
    fn quantity(&self) -> Option<(String, BTreeSet<String>)> {
        let mut numbers = self.terms.iter().filter(|term| is_number(term));
        let (only, None) = (numbers.next()?, numbers.next()) else { return None };
        let digits = only.trim_start_matches('v');
        let split = digits
            .find(|c: char| !c.is_ascii_digit() && c != '.' && c != ',')
            .unwrap_or(digits.len());
        let mut unit: BTreeSet<String> =
            self.terms.iter().filter(|term| *term != only).cloned().collect();
        unit.remove("port");
        if split < digits.len() {
            unit.insert(digits[split..].to_owned());
        }
        Some((digits[..split].replace(',', ""), unit))
    }
}

fn same_number(one: &str, two: &str) -> bool {
    match (one.parse::<f64>(), two.parse::<f64>()) {
        (Ok(one), Ok(two)) => one == two,
        _ => one == two,
    }
}

fn shape(words: &[Spoken<'_>]) -> Shape {
    if words.iter().any(|spoken| is_number(&spoken.term)) {
        Shape::Number
    } else if words.iter().all(|spoken| spoken.word.text.starts_with(char::is_uppercase)) {
        Shape::Proper
    } else {
        Shape::Plain
    }
}

fn is_number(term: &str) -> bool {
    let digits = term.strip_prefix('v').unwrap_or(term);
    digits.starts_with(|c: char| c.is_ascii_digit())
}

/// How many words belong to the value: up to punctuation or a word that begins another thought.
fn value_length(text: &str, words: &[Spoken<'_>]) -> usize {
    let mut length = 0;
    let mut end = words.first().map_or(0, |spoken| spoken.word.start);
    for spoken in words {
        let gap = &text[end..spoken.word.start];
        if gap.contains([',', ';', '(', ')', '[', '—', '–', '\n']) || ends_value(&spoken.term) {
            break;
        }
        length += 1;
        end = spoken.word.end();
    }
    length
}

fn is_article(term: &str) -> bool {
    matches!(term, "the" | "a" | "an")
}

fn ends_value(term: &str) -> bool {
    matches!(
        term,
        "with"
            | "since"
            | "and"
            | "or"
            | "but"
            | "because"
            | "where"
            | "which"
            | "that"
            | "for"
            | "near"
            | "as"
            | "now"
            | "who"
            | "at"
            | "from"
            | "to"
            | "in"
            | "on"
            | "by"
            | "right"
            | "anymore"
            | "so"
            | "not"
            | "per"
    )
}
