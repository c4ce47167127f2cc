//! The slot that a statement fills: a subject, a single-valued attribute of it, and the value. "I
//! live in Berlin" fills one; "I like Berlin" fills none, since one may like many things.

use std::borrow::Cow;
use std::collections::BTreeSet;

use super::Contradiction;
use super::regions::is_region;
use super::statement::{ParsedStatement, content_stem};
use super::value::{SlotValue, ValueShape};
use crate::terms::NormalizedWord;

/// Maximum number of words in a subject; a longer one is a clause of its own.
const SUBJECT_WORDS_MAX: usize = 6;

/// Finds two statements that give mutually exclusive values to the same slot.
pub(super) fn conflicting_values(
    a: &ParsedStatement<'_>,
    b: &ParsedStatement<'_>,
) -> Option<Contradiction> {
    let (left, right) = (a.slot()?, b.slot()?);
    let regions_apart = left.value_type == SlotValueType::Place
        && is_region(&left.value.text) != is_region(&right.value.text);
    let same_slot =
        left.key == right.key && left.value_type.accepts(left.value.shape) && !regions_apart;
    if !same_slot || !left.value.excludes(&right.value) {
        return None;
    }
    let (slot, left, right) =
        (left.text.clone(), left.value.text.clone(), right.value.text.clone());
    Some(Contradiction::DifferentValue { slot, left, right })
}

/// A filled slot.
pub(super) struct Slot {
    /// Stems of subject and attribute; two statements fill the same slot when these are equal.
    key: BTreeSet<String>,
    text: String,
    value_type: SlotValueType,
    value: SlotValue,
}

/// Type of value that an attribute can have only one of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum SlotValueType {
    Place,
    Proper,
    Number,
    ProperOrNumber,
    Anything,
}

impl SlotValueType {
    fn accepts(self, shape: ValueShape) -> bool {
        match self {
            Self::Place | Self::Proper => shape == ValueShape::Proper,
            Self::Number => shape == ValueShape::Number,
            Self::ProperOrNumber => shape != ValueShape::Plain,
            Self::Anything => true,
        }
    }
}

impl Slot {
    pub(super) fn read(statement: &ParsedStatement<'_>) -> Option<Self> {
        if !statement.negations.is_empty() {
            return None;
        }
        slot_from_verb(statement)
            .or_else(|| slot_from_copula(statement))
            .or_else(|| slot_from_assignment(statement))
    }

    /// Returns subject and attribute, as the statement words them.
    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// Builds the slot named by `words[..from]`, whose value starts at `words[from]`.
    fn build(statement: &ParsedStatement<'_>, from: usize, takes: SlotValueType) -> Option<Self> {
        let (attribute, value) = statement.words.split_at_checked(from)?;
        let roots = attribute.iter().filter_map(|word| content_stem(&word.term));
        let key: BTreeSet<String> = roots.map(Cow::into_owned).collect();
        let (first, last) = (attribute.first()?, attribute.last()?);
        // Two words more than the subject: the verb and its preposition.
        if key.is_empty() || attribute.len() > SUBJECT_WORDS_MAX + 2 {
            return None;
        }
        let shown = statement.text[first.word.start..last.word.end()].to_owned();
        Some(Self {
            key,
            text: shown,
            value_type: takes,
            value: SlotValue::read(statement.text, value)?,
        })
    }
}

/// Reads "… lives in …", "… is set to …".
fn slot_from_verb(statement: &ParsedStatement<'_>) -> Option<Slot> {
    let words = &statement.words;
    let pairs = words.windows(2).take(SUBJECT_WORDS_MAX + 1).enumerate();
    pairs.into_iter().find_map(|(at, pair)| {
        let takes = verb_value_type(&pair[0].term, &pair[1].term)?;
        Slot::build(statement, at + 2, takes)
    })
}

fn verb_value_type(verb: &str, preposition: &str) -> Option<SlotValueType> {
    match (verb, preposition) {
        (
            "live" | "lives" | "living" | "reside" | "resides" | "based" | "located" | "born",
            "in",
        ) => Some(SlotValueType::Place),
        ("work" | "works" | "working", "at" | "for") | ("employed", "at" | "by") => {
            Some(SlotValueType::Proper)
        }
        ("married" | "engaged", "to") | ("report" | "reports", "to") => Some(SlotValueType::Proper),
        ("hosted" | "deployed", "on" | "at" | "in") | ("written", "in") => {
            Some(SlotValueType::Proper)
        }
        (
            "listen" | "listens" | "listening" | "run" | "runs" | "running" | "binds",
            "on" | "to",
        ) => Some(SlotValueType::Number),
        ("expire" | "expires", "in" | "after" | "on" | "at") => Some(SlotValueType::Number),
        ("born" | "due" | "scheduled", "on" | "for" | "at") => Some(SlotValueType::ProperOrNumber),
        ("starts" | "ends" | "opens" | "closes", "at" | "on") => {
            Some(SlotValueType::ProperOrNumber)
        }
        ("set" | "defaults" | "default", "to") => Some(SlotValueType::Anything),
        _ => None,
    }
}

/// Reads "my favourite colour is …", "the port is …".
fn slot_from_copula(statement: &ParsedStatement<'_>) -> Option<Slot> {
    let words = &statement.words;
    let at = words
        .iter()
        .take(SUBJECT_WORDS_MAX + 1)
        .position(|word| matches!(&*word.term, "is" | "are"))?;
    let takes = attribute_value_type(&words[..at])?;
    Slot::build(statement, at + 1, takes)
}

/// Reads "port: 22", "TIMEOUT = 30".
fn slot_from_assignment(statement: &ParsedStatement<'_>) -> Option<Slot> {
    let mark = statement.text.find(['=', ':'])?;
    let from = statement.words.iter().position(|word| word.word.start > mark)?;
    let named = &statement.words[..from];
    let plain = named.last()?.word.end() <= mark
        && !statement.text[mark + 1..].starts_with(['/', ':', '=', '>']);
    if !plain || from > 3 {
        return None;
    }
    Slot::build(statement, from, attribute_value_type(named).unwrap_or(SlotValueType::Number))
}

/// Returns the value type of the attribute at the end of `subject`; `None` when the attribute is
/// not known to be single-valued.
fn attribute_value_type(subject: &[NormalizedWord<'_>]) -> Option<SlotValueType> {
    let of = subject.iter().position(|word| word.term == "of").unwrap_or(subject.len());
    let head = subject[..of].last()?.term.as_ref();
    let chosen = subject[..of].iter().any(|word| SINGLING_ADJECTIVES.contains(&&*word.term));
    if chosen || FREE_VALUED_ATTRIBUTES.contains(&head) {
        Some(SlotValueType::Anything)
    } else if SINGLE_VALUED_ATTRIBUTES.contains(&head) {
        Some(SlotValueType::ProperOrNumber)
    } else {
        None
    }
}

/// Adjectives that single out one of many.
const SINGLING_ADJECTIVES: &[&str] =
    &["favourite", "favorite", "preferred", "default", "primary", "main"];

/// Single-valued attributes whose values are ordinary words.
const FREE_VALUED_ATTRIBUTES: &[&str] =
    &["name", "nickname", "username", "colour", "color", "branch", "theme", "license", "licence"];

/// Single-valued attributes whose value is a name or a number.
#[rustfmt::skip]
const SINGLE_VALUED_ATTRIBUTES: &[&str] = &[
    "port", "age", "birthday", "birthdate", "email", "e-mail", "address", "timezone", "version",
    "deadline", "timeout", "limit", "price", "salary", "budget", "phone", "height", "weight",
    "size", "capital", "hostname", "domain", "host", "url", "id", "database", "language", "editor",
    "owner", "framework", "boss", "manager", "lead", "employer", "wife", "husband", "ceo",
    "hometown", "nationality", "interval", "threshold", "quota", "retries", "ttl", "dimension",
    "region", "provider", "count", "maximum", "minimum", "total", "temperature",
];
