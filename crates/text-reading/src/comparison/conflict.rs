//! Values that exclude each other in two statements about the same thing, however they are worded.
//! The names and content words that both share say whether it is the same thing.

use super::lexicon;
use super::statement::{Statement, StatementKind};
use super::tokens::{Token, TokenClass};
use super::values::ValueType;
use std::collections::BTreeSet;

/// Share of the content words of the shorter statement that must be in the other one.
const SHARED_MIN: f64 = 0.6;
/// The same after a word of change.
const TOLD_MIN: f64 = 0.5;

/// Common and differing parts of two statements.
#[derive(Debug)]
pub(super) struct ValueConflict {
    /// Share of content words in common, of the shorter statement.
    pub shared: f64,
    /// Number of content words and names in common.
    pub anchors: usize,
    /// Content words that only the earlier statement has.
    pub left_over: usize,
}

/// Finds what two statements say differently of the same thing: values of one type, holders of a
/// role, or, after a word of change, names.
pub(super) fn find(earlier: &Statement, later: &Statement, told: bool) -> Option<ValueConflict> {
    value_conflict(earlier, later).or_else(|| holder_conflict(earlier, later, told))
}

fn value_conflict(earlier: &Statement, later: &Statement) -> Option<ValueConflict> {
    let types = [
        ValueType::Quantity,
        ValueType::TimeOfDay,
        ValueType::Date,
        ValueType::Weekday,
        ValueType::Version,
        ValueType::Identifier,
        ValueType::Frequency,
    ];
    let differing = types.iter().any(|kind| differing_values(earlier, later, *kind).is_some());
    let chosen = differing_choices(earlier, later);
    if !differing && chosen.is_empty() {
        return None;
    }
    let is_chosen = |token: &Token| chosen.contains(&token.key);
    let (shared, anchors, left_over) = common_content(earlier, later, is_chosen)?;
    Some(ValueConflict { shared, anchors, left_over })
}

/// Returns the words that are different choices of one closed class: "INFO", "WARN".
fn differing_choices(earlier: &Statement, later: &Statement) -> BTreeSet<String> {
    let content = |statement: &Statement| -> BTreeSet<String> {
        let words = statement.tokens.iter().filter(|token| token.class == TokenClass::Content);
        words.map(|token| token.key.clone()).collect()
    };
    let (left, right) = (content(earlier), content(later));
    let mut chosen = BTreeSet::new();
    for one in left.difference(&right) {
        for other in right.difference(&left).filter(|other| lexicon::same_choice(one, other)) {
            chosen.extend([one.clone(), other.clone()]);
        }
    }
    chosen
}

fn holder_conflict(earlier: &Statement, later: &Statement, told: bool) -> Option<ValueConflict> {
    let names = |statement: &Statement| -> BTreeSet<String> {
        let named = statement.tokens.iter().filter(|token| is_holder(token));
        named.map(|token| token.key.clone()).collect()
    };
    let has = |statement: &Statement, key: &String| {
        statement.tokens.iter().any(|token| token.key == *key)
    };
    let (left, right) = (names(earlier), names(later));
    let differ =
        left.iter().any(|key| !has(later, key)) && right.iter().any(|key| !has(earlier, key));
    let role =
        |statement: &Statement| statement.tokens.iter().any(|token| lexicon::is_role(&token.key));
    if !differ || !(told || role(earlier) && role(later)) {
        return None;
    }
    let exchanged =
        |token: &Token| is_holder(token) && (!has(later, &token.key) || !has(earlier, &token.key));
    let (shared, anchors, left_over) = common_content(earlier, later, exchanged)?;
    Some(ValueConflict { shared, anchors, left_over })
}

fn is_holder(token: &Token) -> bool {
    token.class == TokenClass::Content && (token.is_name() || token.opens) && !token.possessive
}

impl ValueConflict {
    /// Returns true if both statements are about the same thing. A word of change makes fewer words
    /// in common enough.
    pub fn is_same_topic(&self, told: bool) -> bool {
        let enough = if told { TOLD_MIN } else { SHARED_MIN };
        // One word in common is enough when the earlier statement says nothing else.
        let anchored = told || self.anchors >= 2 || self.left_over == 0;
        self.anchors >= 1 && self.shared >= enough && anchored
    }
}

/// Returns the values of a type that only one statement has, if both have such a value and share
/// none.
fn differing_values(
    earlier: &Statement,
    later: &Statement,
    kind: ValueType,
) -> Option<(Vec<usize>, Vec<usize>)> {
    let values = |statement: &Statement| -> Vec<(usize, String)> {
        let typed = statement.tokens.iter().enumerate();
        let typed = typed.filter(|(_, token)| token.value_type() == Some(kind));
        typed.map(|(at, token)| (at, token.key.clone())).collect()
    };
    let refined = |one: &str, other: &str| super::values::refines(one, other);
    let unit = |key: &str| key.split_once(' ').map(|(_, unit)| unit.to_owned());
    let (left, right) = (values(earlier), values(later));
    let only = |these: &[(usize, String)], those: &[(usize, String)]| -> Vec<usize> {
        let alone = these
            .iter()
            .filter(|(_, key)| those.iter().all(|(_, other)| other != key && !refined(key, other)));
        let same_unit = alone.filter(|(_, key)| {
            kind != ValueType::Quantity || those.iter().any(|(_, other)| unit(other) == unit(key))
        });
        same_unit.map(|(at, _)| *at).collect()
    };
    let (left_only, right_only) = (only(&left, &right), only(&right, &left));
    let shared = left.iter().any(|(_, key)| right.iter().any(|(_, other)| other == key));
    // "9, not 7" names the old value too.
    let corrected = later.contrast || later.negations > 0;
    let differ = !left_only.is_empty() && !right_only.is_empty() && !shared
        || shared && corrected && !right_only.is_empty();
    differ.then_some((left_only, right_only))
}

/// Returns the share of content words in common, their number, and how many only the earlier one
/// has; `None` when each statement has a name that the other lacks, which makes it another subject.
fn common_content(
    earlier: &Statement,
    later: &Statement,
    is_value: impl Fn(&Token) -> bool,
) -> Option<(f64, usize, usize)> {
    let content = |statement: &Statement| -> (BTreeSet<String>, BTreeSet<String>) {
        let tokens = statement.tokens.iter().filter(|token| !is_value(token));
        let words = tokens.filter(|token| {
            token.class == TokenClass::Content && !lexicon::is_pronoun_key(&token.key)
        });
        let (names, others): (Vec<&Token>, Vec<&Token>) = words.partition(|token| token.is_name());
        let key = |token: &&Token| lexicon::topic_key(&token.key).to_owned();
        (names.iter().map(key).collect(), others.iter().map(key).collect())
    };
    let ((left_names, left), (right_names, right)) = (content(earlier), content(later));
    let apart = left_names.difference(&right_names).any(|name| !right.contains(name))
        && right_names.difference(&left_names).any(|name| !left.contains(name));
    if apart {
        return None;
    }
    let all = |names: &BTreeSet<String>, words: &BTreeSet<String>| -> BTreeSet<String> {
        names.union(words).cloned().collect()
    };
    let (left, right) = (all(&left_names, &left), all(&right_names, &right));
    let shared = left.intersection(&right).count();
    let shorter = left.len().min(right.len()).max(1);
    // A common verb says little about the topic: "weighs 4 kg", "is at 4 kg".
    let left_over = left.difference(&right).filter(|key| !lexicon::is_verb(key)).count();
    Some((shared as f64 / shorter as f64, shared, left_over))
}

/// Returns true if a statement is certain enough to replace another: no guess, no report of
/// somebody's opinion, no single occasion.
pub(super) fn is_asserted(statement: &Statement) -> bool {
    statement.kind != StatementKind::Event
        && !statement.question
        && !statement.tokens.iter().any(|token| lexicon::is_hedge(&token.word))
}
