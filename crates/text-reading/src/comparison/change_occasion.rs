//! The occasion on which a state changed, when a statement opens with it: "after the renovation
//! Aspen has room for 12", "since v2 the config file is …". It tells that something is different
//! now, and nothing of what the statement is about.

use super::change_verbs;
use super::lexicon;
use super::statement::{Tense, is_pronoun, tense};
use super::tokens::{Token, TokenClass};
use super::values::ValueType;
use crate::word_list::WordList;

/// Maximum number of tokens of an occasion.
const OCCASION_TOKENS_MAX: usize = 9;
/// Fewest tokens of what is said behind it.
const STATED_TOKENS_MIN: usize = 3;

/// Marks the words of an occasion or a reason before a statement as words of change.
pub(super) fn mark_occasion(tokens: &mut [Token], text: &str) {
    let Some(length) = day_length(tokens).or_else(|| event_length(tokens, text)) else { return };
    tokens[..length].iter_mut().for_each(|token| token.class = TokenClass::Change);
}

/// Counts the tokens of the day or the version from which on a statement holds: "as of July our
/// rent is …".
fn day_length(tokens: &[Token]) -> Option<usize> {
    let first = tokens.first()?;
    let opens = first.class == TokenClass::Change
        && matches!(&*first.word, "as" | "ab" | "starting")
        || matches!(&*first.word, "since" | "from" | "seit" | "desde" | "depuis");
    let timed = |token: &Token| {
        use ValueType::{Date, Version, Weekday};
        matches!(token.value_type(), Some(Date | Version | Weekday))
            || lexicon::is_period(&token.word)
    };
    let day = tokens.iter().take(3).position(timed).filter(|_| opens)?;
    // Without another word there is nothing that could begin.
    (tokens.len() > day + 2).then_some(day + 1)
}

/// Counts the tokens of what happened before: "after the move", "wegen des Datenschutzes".
fn event_length(tokens: &[Token], text: &str) -> Option<usize> {
    let (first, next) = (tokens.first()?, tokens.get(1)?);
    // "With milk it costs 4 euros", but "with the new model it takes 3 seconds".
    let in_place = |two: &[Token]| two[0].word == "in" && two[1].word == "place";
    let renewed = tokens.iter().take(3).any(|token| lexicon::is_new(&token.word))
        || tokens.windows(2).take(OCCASION_TOKENS_MAX).any(in_place);
    let opens = OCCASIONS.contains(&first.word)
        || matches!(&*first.word, "with" | "under" | "mit" | "avec" | "con") && renewed;
    let length = opens.then(|| phrase_length(tokens, text)).flatten()?;
    let definite = lexicon::is_article(&next.word) || lexicon::is_possessive(&next.word);
    let breaks = ends_in_comma(tokens, length, text);
    let (phrase, stated) = tokens.split_at(length);
    // "After 10 minutes the page reloads" is a rule.
    let plain = !phrase.iter().any(|token| token.value_type().is_some());
    let changes = |token: &Token| {
        token.class == TokenClass::Change && change_verbs::tells_of_change(&token.word)
    };
    let holds = tense(stated) != Tense::Past || stated.iter().any(changes);
    let stands = stated.len() >= STATED_TOKENS_MIN && holds;
    (stands && plain && (breaks || definite)).then_some(length)
}

/// Counts the tokens up to a comma, or to the first word that cannot belong to the same noun.
fn phrase_length(tokens: &[Token], text: &str) -> Option<usize> {
    let last = tokens.len().min(OCCASION_TOKENS_MAX);
    let comma = (1..last).find(|length| ends_in_comma(tokens, *length, text));
    comma.or_else(|| {
        let german = tokens.iter().any(|token| lexicon::is_german(&token.word));
        let content = |token: &Token| token.class == TokenClass::Content;
        let noun = 1 + tokens.iter().take(last).skip(1).position(content)?;
        (noun + 1..last).find(|at| begins_clause(tokens, *at, german))
    })
}

fn ends_in_comma(tokens: &[Token], length: usize, text: &str) -> bool {
    let ends = tokens.get(length - 1).zip(tokens.get(length));
    ends.is_some_and(|(last, next)| {
        text.get(last.end..next.start).is_some_and(|between| between.contains([',', '，']))
    })
}

/// Returns true for an article, a pronoun, a verb or a name behind a common noun.
fn begins_clause(tokens: &[Token], at: usize, german: bool) -> bool {
    let (before, token) = (&tokens[at - 1], &tokens[at]);
    let noun = before.class == TokenClass::Content;
    let determiner = lexicon::is_article(&token.word)
        || lexicon::is_possessive(&token.word)
        || token.word == "there";
    let joined = matches!(token.class, TokenClass::Copula | TokenClass::Modal);
    let named = token.capital && !before.capital;
    // German nouns have a capital, and the verb follows them.
    let verb = german && !token.capital && before.capital;
    noun && (determiner || joined || is_pronoun(token) || named && !german || verb)
}

/// Words before an occasion or a reason.
#[rustfmt::skip]
static OCCASIONS: WordList = WordList::new(&[
    "after", "après", "após", "aufgrund", "because", "dank", "depuis", "desde", "despite",
    "después", "dopo", "due", "durch", "faute", "following", "given", "gracias", "grâce", "nach",
    "owing", "seit", "since", "suite", "thanks", "tras", "wegen",
]);
