//! Restatement test: two texts have the same content words, in any order and inflection, with no
//! word substituted and the same polarity. Embedding similarity cannot decide this: "I drive a red
//! Volvo" is closer to "I drive a blue Volvo" than to almost any other sentence.

use crate::contradiction::find_contradiction;
use crate::negation::has_negation;
use crate::terms::{light_stem, term};
use crate::word_spans::words;
use std::collections::BTreeSet;
use words::is_function_word;

/// Words of a request to forget something; they belong to the request, not to its content.
const FORGET_REQUEST_WORDS: &[&str] =
    &["anymore", "delete", "erase", "fact", "forget", "memory", "note", "please", "remove"];
/// Words that make the order of their neighbours significant.
const ORDERING_WORDS: &[&str] = &["after", "before", "over", "prefer", "than"];
const NUMBER_WORDS: &[&str] = &[
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
    "eleven", "twelve",
];

/// Returns true if `text` says exactly what `request` says. The latter may be a request to forget
/// it.
#[must_use]
pub fn is_restatement(request: &str, text: &str) -> bool {
    let (wanted, said) = (content_keys(request), content_keys(text));
    // "over" and "than" only mark an order, which is compared separately.
    let counts = |key: &&String| !["over", "than"].contains(&key.as_str());
    let of = |keys: &[String]| keys.iter().filter(counts).cloned().collect::<BTreeSet<String>>();
    let (mut all_wanted, all_said) = (of(&wanted), of(&said));
    all_wanted
        .retain(|key| all_said.contains(key) || !FORGET_REQUEST_WORDS.contains(&key.as_str()));
    !all_said.is_empty()
        && all_wanted == all_said
        && in_the_same_order(&wanted, &said)
        && has_negation(request) == has_negation(text)
        && find_contradiction(text, request).is_none()
}

/// Returns the keys that identify a text: the stems of its content words, its numbers, and single
/// capital letters that act as names ("vitamin C").
fn content_keys(text: &str) -> Vec<String> {
    let key = |(place, word): (usize, &str)| {
        let is_name =
            place > 0 && word != "I" && word.len() == 1 && word.starts_with(char::is_uppercase);
        let term = term(word);
        if is_name {
            return Some(word.to_owned());
        }
        if is_function_word(&term) && !ORDERING_WORDS.contains(&&*term) {
            return None;
        }
        Some(normalize_spelling(&term))
    };
    words(text).map(|word| word.text).enumerate().filter_map(key).collect()
}

/// Normalises numbers written as words, and British to American spelling.
fn normalize_spelling(term: &str) -> String {
    if let Some(number) = NUMBER_WORDS.iter().position(|name| *name == term) {
        return number.to_string();
    }
    light_stem(&term.replace("our", "or")).to_owned()
}

fn in_the_same_order(one: &[String], other: &[String]) -> bool {
    let follows = |keys: &[String], word: &str| {
        let at = keys.iter().position(|key| key == light_stem(word))?;
        keys.get(at + 1).cloned()
    };
    ORDERING_WORDS.iter().all(|word| match (follows(one, word), follows(other, word)) {
        (Some(one), Some(other)) => one == other,
        _ => true,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_words_in_another_order_or_form_are_a_restatement() {
        for (request, text) in [
            ("green is my favorite color", "My favourite colour is green."),
            ("forget that I run 5 kilometres", "I run five kilometres."),
            ("I don't eat meat", "I do not eat meat."),
            ("in the evening I prefer tea over coffee", "I prefer tea to coffee in the evening."),
        ] {
            assert!(
                is_restatement(request, text),
                "{request} / {text}: {:?} {:?}",
                content_keys(request),
                content_keys(text)
            );
        }
    }

    #[test]
    fn a_substituted_word_is_no_restatement() {
        for (request, text) in [
            ("I drive a red Volvo", "I drive a blue Volvo"),
            ("I take vitamin C", "I take vitamin D"),
            ("I eat meat", "I do not eat meat"),
            ("I prefer coffee to tea", "I prefer tea to coffee"),
            ("Ana is older than Eva", "Eva is older than Ana"),
            ("we meet after lunch", "we meet before lunch"),
            ("my sister Ana", "My sister Ana lives in Porto"),
            ("Standup is at 10:30", "Standup is at 9:30"),
            ("", "the"),
        ] {
            assert!(
                !is_restatement(request, text),
                "{request} / {text}: {:?} {:?}",
                content_keys(request),
                content_keys(text)
            );
        }
    }
}
