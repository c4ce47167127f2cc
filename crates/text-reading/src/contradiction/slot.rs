//! The slot that a statement fills: a subject, a single-valued attribute of it, and the value. "I
//! live in Berlin" fills one; "I like Berlin" fills none, since one may like many things.

use std::borrow::Cow;
use std::collections::BTreeSet;

use super::Reason;
use super::places::is_region;
use super::statement::{Statement, meaning};
use super::value::{Shape, Value};
use crate::terms::Spoken;

/// Maximum number of words in a subject; a longer one is a clause of its own.
const SUBJECT_WORDS_MAX: usize = 6;

/// Finds two statements that give mutually exclusive values to the same slot.
pub(super) fn different_value(a: &Statement<'_>, b: &Statement<'_>) -> Option<Reason> {
    let (left, right) = (a.slot()?, b.slot()?);
    let regions_apart =
        left.takes == Takes::Place && is_region(&left.value.shown) != is_region(&right.value.shown);
    let same_slot = left.key == right.key && left.takes.fits(left.value.shape) && !regions_apart;
    if !same_slot || !left.value.excludes(&right.value) {
        return None;
    }
    let (slot, left, right) =
        (left.shown.clone(), left.value.shown.clone(), right.value.shown.clone());
    Some(Reason::DifferentValue { slot, left, right })
}

/// A filled slot.
pub(super) struct Slot {
    /// Stems of subject and attribute; two statements fill the same slot when these are equal.
    key: BTreeSet<String>,
    shown: String,
    takes: Takes,
    value: Value,
}

/// Type of value that an attribute can have only one of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Takes {
    Place,
    Proper,
    Number,
    ProperOrNumber,
    Anything,
}

impl Takes {
    fn fits(self, shape: Shape) -> bool {
        match self {
            Self::Place | Self::Proper => shape == Shape::Proper,
            Self::Number => shape == Shape::Number,
            Self::ProperOrNumber => shape != Shape::Plain,
            Self::Anything => true,
        }
    }
}

impl Slot {
    pub(super) fn read(statement: &Statement<'_>) -> Option<Self> {
        if !statement.denied.is_empty() {
            return None;
        }
        verb(statement).or_else(|| copula(statement)).or_else(|| assignment(statement))
    }

    /// Returns subject and attribute, as the statement words them.
    pub(super) fn named(&self) -> &str {
        &self.shown
    }

    /// Builds the slot named by `words[..from]`, whose value starts at `words[from]`.
    fn build(statement: &Statement<'_>, from: usize, takes: Takes) -> Option<Self> {
        let (attribute, value) = statement.words.split_at_checked(from)?;
        let roots = attribute.iter().filter_map(|word| meaning(&word.term));
        let key: BTreeSet<String> = roots.map(Cow::into_owned).collect();
        let (first, last) = (attribute.first()?, attribute.last()?);
        // Two words more than the subject: the verb and its preposition.
        if key.is_empty() || attribute.len() > SUBJECT_WORDS_MAX + 2 {
            return None;
        }
        let shown = statement.text[first.word.start..last.word.end()].to_owned();
        Some(Self { key, shown, takes, value: Value::read(statement.text, value)? })
    }
}

/// Reads "… lives in …", "… is set to …".
fn verb(statement: &Statement<'_>) -> Option<Slot> {
    let words = &statement.words;
    let pairs = words.windows(2).take(SUBJECT_WORDS_MAX + 1).enumerate();
    pairs.into_iter().find_map(|(at, pair)| {
        let takes = verb_takes(&pair[0].term, &pair[1].term)?;
        Slot::build(statement, at + 2, takes)
    })
}

fn verb_takes(verb: &str, preposition: &str) -> Option<Takes> {
    match (verb, preposition) {
        (
            "live" | "lives" | "living" | "reside" | "resides" | "based" | "located" | "born",
            "in",
        ) => Some(Takes::Place),
        ("work" | "works" | "working", "at" | "for") | ("employed", "at" | "by") => {
            Some(Takes::Proper)
        }
        ("married" | "engaged", "to") | ("report" | "reports", "to") => Some(Takes::Proper),
        ("hosted" | "deployed", "on" | "at" | "in") | ("written", "in") => Some(Takes::Proper),
        (
            "listen" | "listens" | "listening" | "run" | "runs" | "running" | "binds",
            "on" | "to",
        ) => Some(Takes::Number),
        ("expire" | "expires", "in" | "after" | "on" | "at") => Some(Takes::Number),
        ("born" | "due" | "scheduled", "on" | "for" | "at") => Some(Takes::ProperOrNumber),
        ("starts" | "ends" | "opens" | "closes", "at" | "on") => Some(Takes::ProperOrNumber),
        ("set" | "defaults" | "default", "to") => Some(Takes::Anything),
        _ => None,
    }
}

/// Reads "my favourite colour is …", "the port is …".
fn copula(statement: &Statement<'_>) -> Option<Slot> {
    let words = &statement.words;
    let at = words
        .iter()
        .take(SUBJECT_WORDS_MAX + 1)
        .position(|word| matches!(&*word.term, "is" | "are"))?;
    let takes = attribute_takes(&words[..at])?;
    Slot::build(statement, at + 1, takes)
}

/// Reads "port: 22", "TIMEOUT = 30".
fn assignment(statement: &Statement<'_>) -> Option<Slot> {
    let mark = statement.text.find(['=', ':'])?;
    let from = statement.words.iter().position(|word| word.word.start > mark)?;
    let named = &statement.words[..from];
    let plain = named.last()?.word.end() <= mark
        && !statement.text[mark + 1..].starts_with(['/', ':', '=', '>']);
    if !plain || from > 3 {
        return None;
    }
    Slot::build(statement, from, attribute_takes(named).unwrap_or(Takes::Number))
}

/// Returns the value type of the attribute at the end of `subject`; `None` when the attribute is
/// not known to be single-valued.
fn attribute_takes(subject: &[Spoken<'_>]) -> Option<Takes> {
    let of = subject.iter().position(|word| word.term == "of").unwrap_or(subject.len());
    let head = subject[..of].last()?.term.as_ref();
    let chosen = subject[..of].iter().any(|word| SINGLED_OUT.contains(&&*word.term));
    if chosen || CHOICES.contains(&head) {
        Some(Takes::Anything)
    } else if SINGLE.contains(&head) {
        Some(Takes::ProperOrNumber)
    } else {
        None
    }
}

/// Adjectives that single out one of many.
const SINGLED_OUT: &[&str] = &["favourite", "favorite", "preferred", "default", "primary", "main"];

/// Single-valued attributes whose values are ordinary words.
const CHOICES: &[&str] =
    &["name", "nickname", "username", "colour", "color", "branch", "theme", "license", "licence"];

/// Single-valued attributes whose value is a name or a number.
#[rustfmt::skip]
const SINGLE: &[&str] = &[
    "port", "age", "birthday", "birthdate", "email", "e-mail", "address", "timezone", "version",
    "deadline", "timeout", "limit", "price", "salary", "budget", "phone", "height", "weight",
    "size", "capital", "hostname", "domain", "host", "url", "id", "database", "language", "editor",
    "owner", "framework", "boss", "manager", "lead", "employer", "wife", "husband", "ceo",
    "hometown", "nationality", "interval", "threshold", "quota", "retries", "ttl", "dimension",
    "region", "provider", "count", "maximum", "minimum", "total", "temperature",
];
