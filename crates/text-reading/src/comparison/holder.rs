//! The holder of the state that a statement tells: the speaker, or somebody else. "I live in
//! Bristol" and "my brother lives in Ghent" share the attribute and say nothing of one another.

use super::change_verbs;
use super::lexicon;
use super::statement::Statement;
use super::tokens::{Token, TokenClass};

/// Whoever a statement is about, as far as its words tell.
#[derive(Debug, PartialEq, Eq)]
enum Holder<'s> {
    Speaker,
    /// The speaker and others: "we".
    Group,
    /// Topics of the names and kinship words of other people.
    Others(Vec<&'s str>),
    /// A pronoun that may mean any other person.
    ThirdPerson,
    Unknown,
}

/// Returns true if one statement tells of the speaker and the other of somebody else, or both of
/// different people.
pub(super) fn have_other_holders(earlier: &Statement, later: &Statement) -> bool {
    // "Theo is four", "Theo's sister turned five".
    if names_relative_of(earlier, later) || names_relative_of(later, earlier) {
        return true;
    }
    match (Holder::of(earlier), Holder::of(later)) {
        (Holder::Speaker, Holder::Others(_) | Holder::ThirdPerson)
        | (Holder::Others(_) | Holder::ThirdPerson, Holder::Speaker) => true,
        (Holder::Group, Holder::Others(people)) => !mentions(earlier, &people),
        (Holder::Others(people), Holder::Group) => !mentions(later, &people),
        (Holder::Others(one), Holder::Others(other)) => {
            !mentions(earlier, &other) && !mentions(later, &one)
        }
        _ => is_speaker_alone(earlier, later) || is_speaker_alone(later, earlier),
    }
}

/// Returns true if one statement tells what the speaker does, and the other has a subject of its
/// own: "I live in Bristol", "Clara moved to Bristol".
fn is_speaker_alone(one: &Statement, other: &Statement) -> bool {
    let speaks = |token: &Token| token.key == "self" && !token.possessive;
    if !one.tokens.iter().find(|token| token.counts()).is_some_and(speaks) {
        return false;
    }
    let speaker = |token: &Token| matches!(&*token.key, "self" | "we");
    let opens = other.tokens.iter().find(|token| token.class != TokenClass::Change);
    // Without a verb before it, a note leaves open whom it is about.
    let named = opens.is_some_and(|token| {
        token.class == TokenClass::Dropped && lexicon::is_article(&token.word)
            || token.class == TokenClass::Content && token.opens && !token.verb
    });
    let joined = other.tokens.iter().skip(1).any(|token| {
        let copula =
            token.class == TokenClass::Copula && token.word.starts_with(char::is_alphabetic);
        let verb = token.class == TokenClass::Content && token.verb;
        copula || verb || change_verbs::is_change_verb(&token.word)
    });
    // "Zoe and I moved dinner": what the other one is about is the object here.
    let noun = other.tokens.iter().find(|token| token.class == TokenClass::Content);
    let object =
        noun.is_some_and(|token| one.tokens.iter().any(|it| it.key == token.key && !it.is_name()));
    named && joined && !object && !other.tokens.iter().any(speaker)
}

/// Returns true if one statement is about a relative of whom the other one names.
fn names_relative_of(one: &Statement, other: &Statement) -> bool {
    let mut subject = subject_tokens(one);
    let owner = subject.next().filter(|token| token.possessive && names_person(token));
    // "Priya's boyfriend is Hamza" tells whom Priya is dating.
    let partner = |token: &Token| {
        matches!(&*token.word, "boyfriend" | "girlfriend" | "husband" | "wife" | "spouse")
            || matches!(&*token.word, "fiancé" | "fiancée" | "partner")
    };
    let relative =
        subject.next().filter(|token| lexicon::is_relative_person(&token.key) && !partner(token));
    owner.zip(relative).is_some_and(|(owner, relative)| {
        mentions(other, &[&owner.topic]) && !mentions(other, &[&relative.topic])
    })
}

fn mentions(statement: &Statement, keys: &[&str]) -> bool {
    statement.tokens.iter().any(|token| keys.contains(&token.topic.as_str()))
}

impl<'s> Holder<'s> {
    fn of(statement: &'s Statement) -> Self {
        let tokens = &statement.tokens;
        let people: Vec<&str> = subject_tokens(statement)
            .filter(|token| names_person(token))
            .map(|token| token.topic.as_str())
            .collect();
        let third = |token: &Token| matches!(&*token.key, "he" | "she" | "they");
        if !people.is_empty() {
            Self::Others(people)
        } else if tokens.iter().any(|token| token.key == "self") {
            Self::Speaker
        } else if subject_tokens(statement).next().is_some_and(|token| token.key == "we") {
            Self::Group
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
    let owner = token.possessive && token.is_name() && !lexicon::is_pronoun_key(&token.key);
    token.class == TokenClass::Content && (owner || lexicon::is_relative_person(&token.key))
}
