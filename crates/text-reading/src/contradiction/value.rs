//! Values of slots, and the test whether two values exclude each other.

use std::borrow::Cow;
use std::collections::BTreeSet;

use super::statement::content_stem;
use crate::terms::NormalizedWord;

/// Maximum number of words in a value; a longer phrase is a description, and descriptions rarely
/// exclude each other.
const WORDS_MAX: usize = 4;

#[derive(Debug)]
pub(super) struct SlotValue {
    pub(super) text: String,
    pub(super) shape: ValueShape,
    terms: BTreeSet<String>,
}

/// Spelling class of a value; values of different shapes are never compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ValueShape {
    Number,
    Proper,
    Plain,
}

impl SlotValue {
    /// Parses the value that starts with the first of `words` and ends with the clause.
    pub(super) fn read(text: &str, words: &[NormalizedWord<'_>]) -> Option<Self> {
        let skipped = words.iter().take_while(|word| is_article(&word.term)).count();
        let words = &words[skipped..];
        let length = value_length(text, words);
        if !(1..=WORDS_MAX).contains(&length) {
            return None;
        }
        let words = &words[..length];
        let (first, last) = (words.first()?, words.last()?);
        let roots = words.iter().filter_map(|word| content_stem(&word.term));
        let terms = roots.map(Cow::into_owned).collect();
        Some(Self {
            text: text[first.word.start..last.word.end()].to_owned(),
            shape: shape_of_words(words),
            terms,
        })
    }

    /// Returns true if both cannot be the value at once. A value that only adds detail (`Berlin`,
    /// `Berlin Mitte`) excludes nothing, and numbers are compared only in the same unit.
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

    /// Returns the only number in the value, and its unit.
    fn quantity(&self) -> Option<(String, BTreeSet<String>)> {
        let mut numbers = self.terms.iter().filter(|term| is_number(term));
        let (only, None) = (numbers.next()?, numbers.next()) else { return None };
        let digits = only.trim_start_matches('v');
        let split = digits
            .find(|c: char| !c.is_ascii_digit() && c != '.' && c != ',')
            .unwrap_or(digits.len());
        let mut unit: BTreeSet<String> =
            self.terms.iter().filter(|term| *term != only).cloned().collect();
        // "on 9090" and "on port 9090" are the same value.
        unit.remove("port");
        if split < digits.len() {
            unit.insert(digits[split..].to_owned());
        }
        Some((digits[..split].replace(',', ""), unit))
    }
}

fn same_number(one: &str, two: &str) -> bool {
    // `1000` equals `1000.0`; versions such as `1.2.3` do not parse and are compared as text.
    match (one.parse::<f64>(), two.parse::<f64>()) {
        (Ok(one), Ok(two)) => one == two,
        _ => one == two,
    }
}

fn shape_of_words(words: &[NormalizedWord<'_>]) -> ValueShape {
    if words.iter().any(|word| is_number(&word.term)) {
        ValueShape::Number
    } else if words.iter().all(|word| word.word.text.starts_with(char::is_uppercase)) {
        ValueShape::Proper
    } else {
        ValueShape::Plain
    }
}

fn is_number(term: &str) -> bool {
    let digits = term.strip_prefix('v').unwrap_or(term);
    digits.starts_with(|c: char| c.is_ascii_digit())
}

/// Returns the number of words of the value: up to punctuation or a word that opens another phrase.
fn value_length(text: &str, words: &[NormalizedWord<'_>]) -> usize {
    let mut length = 0;
    let mut end = words.first().map_or(0, |word| word.word.start);
    for word in words {
        let gap = &text[end..word.word.start];
        if gap.contains([',', ';', '(', ')', '[', '—', '–', '\n']) || ends_value(&word.term) {
            break;
        }
        length += 1;
        end = word.word.end();
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
