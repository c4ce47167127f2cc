//! Clauses of a sentence: "Finished the upgrade, the service is on 5.0" says in its second clause
//! what another statement may say alone.

use super::decide::{StatementVerdict, decide};
use super::statement::{Statement, StatementKind, Tense};
use super::tokens::{Token, TokenClass};
use super::values::ValueType;
use super::{Certainty, StatementRelation as R};
use std::ops::Range;

/// Fewest words of a clause that can stand alone.
const CLAUSE_WORDS_MIN: usize = 3;
/// Number of words that each of two sentences may have for itself and still be about one thing.
pub(super) const OTHER_WORDS_MAX: usize = 4;
/// Maximum number of clauses of a sentence that are compared.
const CLAUSES_MAX: usize = 6;

/// Splits a sentence at commas, semicolons, colons and dashes. Parts that are too short to stand
/// alone stay with the one before.
pub(super) fn split(text: &str) -> Vec<Range<usize>> {
    let mut parts: Vec<Range<usize>> = Vec::new();
    let mut start = 0;
    for (at, c) in text.char_indices() {
        let after = &text[at + c.len_utf8()..];
        let breaks = match c {
            ',' | ':' => after.starts_with(' '),
            ';' | '—' | '；' | '，' => true,
            _ => false,
        };
        if breaks {
            parts.push(start..at);
            start = at + c.len_utf8();
        }
    }
    parts.push(start..text.len());
    let words = |range: &Range<usize>| {
        let part = &text[range.clone()];
        let unsegmented = part.chars().filter(|c| super::tokens::is_unsegmented(*c)).count();
        part.split_whitespace().count() + unsegmented / 2
    };
    let mut joined: Vec<Range<usize>> = Vec::new();
    for part in parts {
        match joined.last_mut() {
            Some(last) if words(&part) < CLAUSE_WORDS_MIN || words(last) < CLAUSE_WORDS_MIN => {
                last.end = part.end;
            }
            _ => joined.push(part),
        }
    }
    joined.truncate(CLAUSES_MAX);
    joined
}

/// Decides the relation of two sentences. When the whole sentences are not related, a clause of one
/// may still be to the other.
pub(super) fn decide_clauses(earlier: &Statement, later: &Statement) -> StatementVerdict {
    let whole = decide(earlier, later);
    // "We refinanced, the mortgage rate is 3.2%" tells what happened, and what holds since.
    let states = |one: &Statement| one.kind == StatementKind::State && one.tense == Tense::Present;
    let stated = whole.relation == R::OtherEvent
        && states(earlier)
        && later
            .clauses
            .iter()
            .any(|clause| states(clause) && (clause.has_copula() || clause.explained));
    if !stated && !matches!(whole.relation, R::Unrelated | R::Paraphrase | R::MoreDetailed) {
        return whole;
    }
    if whole.relation == R::MoreDetailed || later.clauses.is_empty() && earlier.clauses.is_empty() {
        return whole;
    }
    // The whole sentences have shown already that the number names another thing.
    if names_differ(earlier, later)
        || super::conflict::have_other_subjects(earlier, later)
        || differ_in_number(earlier, later)
    {
        return whole;
    }
    let open = later.clauses.iter().filter(|it| stands_alone(it) && (!stated || states(it)));
    let in_later = open.map(|clause| (decide(earlier, clause), true));
    let asserted = earlier.clauses.iter().filter(|it| stands_alone(it));
    let in_earlier = asserted.map(|clause| (decide(clause, later), false));
    let mut best: Option<StatementVerdict> = None;
    for (mut verdict, covers) in in_later.chain(in_earlier) {
        match verdict.relation {
            R::Same => verdict.relation = R::MoreDetailed,
            R::ChangedValue | R::Opposite => {}
            _ => continue,
        }
        verdict.covers_earlier &= covers;
        if !covers {
            verdict.certainty = Certainty::Likely;
        }
        // A changed value tells more than a repetition in another clause.
        let better = best.as_ref().is_none_or(|best| best.relation == R::MoreDetailed);
        if better {
            best = Some(verdict);
        }
    }
    best.unwrap_or(whole)
}

/// Returns true unless a clause is only the name of a value or only the value: "rate limit for
/// authenticated callers", "5000 per hour".
fn stands_alone(clause: &Statement) -> bool {
    let content = |token: &Token| token.class == TokenClass::Content;
    let told = |token: &Token| {
        token.value_type().is_some()
            || token.is_name()
            || matches!(token.class, TokenClass::Copula | TokenClass::Change | TokenClass::Modal)
            || token.class == TokenClass::Negation
    };
    clause.tokens.iter().any(content) && clause.tokens.iter().any(told)
}

/// Returns true if two sentences differ in one number alone.
fn differ_in_number(earlier: &Statement, later: &Statement) -> bool {
    let (left, right) = (&earlier.tokens, &later.tokens);
    let differ = |(one, other): &(&Token, &Token)| one.key != other.key;
    let mut differing = left.iter().zip(right).filter(differ);
    let is_number = |token: &Token| token.value_type() == Some(ValueType::Quantity);
    left.len() == right.len()
        && differing.next().is_some_and(|(one, other)| is_number(one) && is_number(other))
        && differing.next().is_none()
}

/// Returns true if each sentence has a name that the other lacks: they may be about different
/// things, even if a clause of one fits the other.
fn names_differ(earlier: &Statement, later: &Statement) -> bool {
    let has =
        |statement: &Statement, key: &str| statement.tokens.iter().any(|token| token.key == key);
    let only = |one: &Statement, other: &Statement| {
        one.tokens.iter().filter(|token| token.is_name() && !has(other, &token.key)).count()
    };
    // One name more on each side is what a new holder of a role looks like.
    let names = only(earlier, later) > 0
        && only(later, earlier) > 0
        && only(earlier, later) + only(later, earlier) > 2;
    let content = |one: &Statement, other: &Statement| {
        let counted = one.tokens.iter().filter(|token| token.counts());
        counted.filter(|token| !has(other, &token.key)).count()
    };
    names || content(earlier, later).min(content(later, earlier)) > OTHER_WORDS_MAX
}
