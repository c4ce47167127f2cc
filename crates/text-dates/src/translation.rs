//! Dates in other languages, by translating the words of the vocabulary into English before the
//! text is parsed. Where a language puts words in another order ("la semana pasada", "vor drei
//! Tagen"), they change places; the ranges in the text stay where they are.

use crate::foreign_words::{DUTCH, FRENCH, GERMAN, ITALIAN, PORTUGUESE, RUSSIAN, SPANISH};
use crate::token::DateToken;
use crate::vocabulary::{month, number_word, season, unit, weekday};
use words::TextLanguage;

/// Pairs of an English word and its translations, each in lower case.
pub(crate) type Translations = &'static [(&'static str, &'static str)];

/// Returns the vocabulary of the language of a text; `None` for English and unknown languages.
pub(super) fn vocabulary_of(text: &str) -> Option<Translations> {
    if text.chars().any(|c| matches!(c, 'а'..='я' | 'А'..='Я')) {
        return Some(RUSSIAN);
    }
    Some(match TextLanguage::detect([text])? {
        TextLanguage::German => GERMAN,
        TextLanguage::Spanish => SPANISH,
        TextLanguage::French => FRENCH,
        TextLanguage::Portuguese => PORTUGUESE,
        TextLanguage::Italian => ITALIAN,
        TextLanguage::Dutch => DUTCH,
    })
}

/// Translates the tokens of a text, and puts them into the English order.
pub(super) fn translate(text: &str, tokens: &mut [DateToken], translations: Translations) {
    for token in tokens.iter_mut().filter(|token| token.is_word()) {
        let word = text[token.start..token.end].to_lowercase();
        let english = translations.iter().find(|(_, words)| words.split(' ').any(|w| w == word));
        if let Some((english, _)) = english {
            token.set_word(english);
        }
    }
    for at in 0..tokens.len() {
        reorder(&mut tokens[at..]);
    }
}

/// Puts the words at the beginning of the tokens into the English order.
fn reorder(tokens: &mut [DateToken]) {
    let counted = counts_back(tokens);
    let [first, second, rest @ ..] = tokens else { return };
    if let Some(third) = rest.first_mut().filter(|_| counted) {
        first.set_word("ago");
        first.swap_kind(second);
        second.swap_kind(third);
    } else if matches!(second.word(), "last" | "next") && is_period(first.word()) {
        // "la semana pasada".
        first.swap_kind(second);
    } else if matches!(first.word(), "before" | "after" | "since" | "until")
        && second.word() == "of"
    {
        // "antes de mayo".
        second.set_word("the");
    }
}

/// Returns true for "vor drei Tagen" and "hace tres días", whose first word means "ago".
fn counts_back(tokens: &[DateToken]) -> bool {
    let [first, count, counted, ..] = tokens else { return false };
    matches!(first.word(), "ago" | "before")
        && (count.number().is_some() || number_word(count.word()).is_some())
        && unit(counted.word()).is_some()
}

fn is_period(word: &str) -> bool {
    unit(word).is_some()
        || weekday(word).is_some()
        || month(word).is_some()
        || season(word).is_some()
        || word == "weekend"
}
