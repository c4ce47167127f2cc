//! Whose state a statement tells: the speaker's, or somebody else's. "I live in Bristol" and "my
//! brother lives in Ghent" share the attribute and still say nothing of one another.

use super::lexicon;
use super::statement::Statement;
use super::tokens::{Token, TokenClass};

/// Whoever a statement is about, as far as its words tell.
#[derive(Debug, PartialEq, Eq)]
enum Holder<'s> {
    Speaker,
    /// Keys of the names and kinship words of other people.
    Others(Vec<&'s str>),
    /// A pronoun that may mean any other person.
    ThirdPerson,
    Unknown,
}

/// Returns true if one statement tells of the speaker and the other of somebody else, or both of
/// different people.
pub(super) fn have_other_holders(earlier: &Statement, later: &Statement) -> bool {
    match (Holder::of(earlier), Holder::of(later)) {
        (Holder::Speaker, Holder::Others(_) | Holder::ThirdPerson)
        | (Holder::Others(_) | Holder::ThirdPerson, Holder::Speaker) => true,
        (Holder::Others(one), Holder::Others(other)) => {
            !mentions(earlier, &other) && !mentions(later, &one)
        }
        _ => false,
    }
}

fn mentions(statement: &Statement, keys: &[&str]) -> bool {
    statement.tokens.iter().any(|token| keys.contains(&token.key.as_str()))
}

impl<'s> Holder<'s> {
    fn of(statement: &'s Statement) -> Self {
        let tokens = &statement.tokens;
        let people: Vec<&str> = subject_tokens(statement)
            .filter(|token| names_person(token))
            .map(|token| token.key.as_str())
            .collect();
        let third = |token: &Token| matches!(&*token.key, "he" | "she" | "they");
        if !people.is_empty() {
            Self::Others(people)
        } else if tokens.iter().any(|token| token.key == "self") {
            Self::Speaker
        } else if subject_tokens(statement).next().is_some_and(third) {
            Self::ThirdPerson
        } else {
            Self::Unknown
        }
    }
}

/// Iterates over the counted tokens before the predicate.
// In languages whose verbs are not listed the subject is at least an owner and a noun.
fn subject_tokens(statement: &Statement) -> impl Iterator<Item = &Token> {
    statement.tokens.iter().filter(|token| token.counts()).take(statement.subject.max(2))
}

/// Returns true for "Ana's" and for words of kinship.
fn names_person(token: &Token) -> bool {
    let owner = token.possessive && token.is_name();
    token.class == TokenClass::Content && (owner || lexicon::is_relative_person(&token.key))
}
