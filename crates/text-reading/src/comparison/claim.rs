//! Claims: sentences that say by themselves what holds. Of running text, such as a message, only
//! claims can change or deny one another; greetings, thanks, requests, remarks on what somebody
//! else said, plans and moods cannot.

use super::lexicon;
use super::statement::{Statement, Tense};
use super::tokens::{Token, TokenClass};
use crate::word_list::WordList;

/// Number of words behind the speaker among which the verb or the adjective is.
const PREDICATE_WORDS: usize = 5;

/// Returns true if a sentence claims something that may hold until it is changed.
pub(super) fn is_claim(statement: &Statement) -> bool {
    let tokens = &statement.tokens[lead_in_length(&statement.tokens)..];
    let Some(first) = tokens.first() else { return false };
    !statement.question
        && statement.tense != Tense::Future
        && !CONDITIONS.contains(&first.word)
        && match subject(tokens) {
            SentenceSubject::Outside => false,
            SentenceSubject::Speaker(at) => !is_passing(&tokens[at + 1..]),
            SentenceSubject::Noun => true,
            // "Standup at 9:30", "run it at any time".
            SentenceSubject::Missing => tokens.iter().any(is_value_or_extent),
        }
}

/// Leaves out the words of speech before a sentence: "oh, by the way, my manager is …".
pub(super) fn drop_lead_in(tokens: &mut [Token]) {
    let mut at = 0;
    while at < tokens.len() {
        let words = tokens[at..].iter().take(3).map(|token| &*token.word);
        let length = match &*words.collect::<Vec<_>>() {
            ["by", "the", "way"] => 3,
            [first, ..] if INTERJECTIONS.contains(first) => 1,
            _ => break,
        };
        // Alone it is the whole sentence.
        if at + length == tokens.len() {
            break;
        }
        tokens[at..at + length].iter_mut().for_each(|token| token.class = TokenClass::Dropped);
        at += length;
    }
}

/// Subject of a sentence, as far as its first words tell.
enum SentenceSubject {
    /// A pronoun for something that another sentence names.
    Outside,
    /// The speaker, with the index of the pronoun.
    Speaker(usize),
    Noun,
    /// None: an order, an exclamation or a note.
    Missing,
}

fn subject(tokens: &[Token]) -> SentenceSubject {
    let end = tokens.iter().enumerate().position(|(at, _)| is_predicate(tokens, at));
    let Some(end) = end else { return SentenceSubject::Missing };
    let before = &tokens[..end];
    let noun = |token: &Token| {
        token.class == TokenClass::Content && !lexicon::is_pronoun_key(&token.key)
            || token.value_type().is_some()
    };
    let speaks = |token: &Token| matches!(&*token.key, "self" | "we") && !token.possessive;
    // Of several words before the predicate the last is the subject: "last weekend I took".
    match before.iter().rposition(|token| !is_adverb(token)) {
        Some(at) if speaks(&before[at]) => SentenceSubject::Speaker(at),
        Some(at) if POINTING.contains(&before[at].word) => SentenceSubject::Outside,
        Some(_) if before.iter().any(noun) => SentenceSubject::Noun,
        _ => SentenceSubject::Missing,
    }
}

/// Returns true for a copula, a modal or a verb that is no noun.
fn is_predicate(tokens: &[Token], at: usize) -> bool {
    let token = &tokens[at];
    let verb = token.class == TokenClass::Content
        && token.verb
        && !token.determined
        && !token.capital
        && !(at == 0 && token.word.ends_with("ing"));
    let auxiliary = matches!(&*token.word, "have" | "has" | "had" | "do" | "does" | "did" | "'ve");
    let joins = matches!(
        token.class,
        TokenClass::Copula | TokenClass::PastCopula | TokenClass::Modal | TokenClass::Change
    );
    verb || auxiliary || joins && !is_adverb(token)
}

fn is_adverb(token: &Token) -> bool {
    token.class == TokenClass::Quantifier
        || token.class == TokenClass::Negation
        || token.word.ends_with("ly")
        || matches!(&*token.word, "also" | "still" | "just" | "now" | "then" | "so" | "already")
}

/// Returns true if the words behind the speaker tell of a thought, a mood or an intention.
fn is_passing(tokens: &[Token]) -> bool {
    let content = |token: &&Token| {
        token.class == TokenClass::Content && !is_adverb(token) || token.value_type().is_some()
    };
    let Some(first) = tokens.iter().take(PREDICATE_WORDS).find(content) else { return true };
    let joined = tokens
        .iter()
        .take_while(|token| token.start < first.start)
        .any(|token| matches!(token.class, TokenClass::Copula | TokenClass::PastCopula));
    // "I'm looking for …" is over tomorrow, "I'm working at …" is not.
    let progressive = joined && first.word.ends_with("ing") && !lexicon::is_state_verb(&first.key);
    PASSING.contains(&first.word) || progressive
}

fn is_value_or_extent(token: &Token) -> bool {
    token.value_type().is_some() || token.class == TokenClass::Quantifier
}

/// Counts the words that only lead in to a sentence: "yeah", "so".
fn lead_in_length(tokens: &[Token]) -> usize {
    let leads =
        |token: &&Token| INTERJECTIONS.contains(&token.word) || LEAD_INS.contains(&token.word);
    tokens.iter().take_while(leads).count()
}

#[rustfmt::skip]
static INTERJECTIONS: WordList = WordList::new(&[
    "ah", "anyway", "btw", "haha", "hello", "hey", "hi", "lol", "oh", "wow", "yeah", "yep",
]);

/// Words that may lead in to a sentence, and may be part of it as well.
#[rustfmt::skip]
static LEAD_INS: WordList = WordList::new(&[
    "also", "and", "awesome", "but", "cool", "great", "however", "nice", "ok", "okay", "plus", "so",
    "sure", "thanks", "well", "yes",
]);

#[rustfmt::skip]
static CONDITIONS: WordList = WordList::new(&["falls", "if", "si", "unless", "wenn"]);

/// Words that stand for something outside of their sentence.
#[rustfmt::skip]
static POINTING: WordList = WordList::new(&[
    "anything", "das", "everyone", "everything", "he", "here", "how", "it", "nothing", "she",
    "something", "that", "there", "these", "they", "this", "those", "what", "which", "who", "you",
]);

/// Words behind the speaker that tell of a thought, a mood or an intention.
#[rustfmt::skip]
static PASSING: WordList = WordList::new(&[
    "agree", "appreciate", "believe", "bet", "curious", "excited", "feel", "felt", "glad", "good",
    "grateful", "guess", "happy", "hear", "heard", "hope", "interested", "know", "mean",
    "mentioned", "noticed", "okay", "proud", "ready", "realize", "realized", "remember", "saw",
    "see", "sorry", "stoked", "sure", "thankful", "think", "thought", "thrilled", "understand",
    "wait", "wish", "wonder",
]);
