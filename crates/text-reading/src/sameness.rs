//! Restatement test: two texts have the same content words, in any order and inflection, with no
//! word substituted and the same polarity. Embedding similarity cannot decide this: "I drive a red
//! Volvo" is closer to "I drive a blue Volvo" than to almost any other sentence.

use crate::contradiction::contradicts;
use crate::negation::negated;
use crate::terms::{is_stop_word, root, term};
use crate::words::words;
use std::collections::BTreeSet;

/// Words of a request to forget something; they belong to the request, not to its content.
const OF_THE_WISH: &[&str] =
    &["anymore", "delete", "erase", "fact", "forget", "memory", "note", "please", "remove"];
/// Words that make the order of their neighbours significant.
const ORDERING: &[&str] = &["after", "before", "over", "prefer", "than"];
const NUMBERS: &[&str] = &[
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
    "eleven", "twelve",
];

/// Returns true if `text` says exactly what `request` says. The latter may be a request to forget
/// it.
#[must_use]
pub fn says_the_same(request: &str, text: &str) -> bool {
    let (wanted, said) = (keys(request), keys(text));
    // "over" and "than" only mark an order, which is compared separately.
    let counts = |key: &&String| !["over", "than"].contains(&key.as_str());
    let of = |keys: &[String]| keys.iter().filter(counts).cloned().collect::<BTreeSet<String>>();
    let (mut all_wanted, all_said) = (of(&wanted), of(&said));
    all_wanted.retain(|key| all_said.contains(key) || !OF_THE_WISH.contains(&key.as_str()));
    !all_said.is_empty()
        && all_wanted == all_said
        && in_the_same_order(&wanted, &said)
        && negated(request) == negated(text)
        && contradicts(text, request).is_none()
}

/// Returns the keys that identify a text: the stems of its content words, its numbers, and single
/// capital letters that act as names ("vitamin C").
fn keys(text: &str) -> Vec<String> {
    let key = |(place, word): (usize, &str)| {
        let is_name =
            place > 0 && word != "I" && word.len() == 1 && word.starts_with(char::is_uppercase);
        let term = term(word);
        if is_name {
            return Some(word.to_owned());
        }
        if is_stop_word(&term) && !ORDERING.contains(&&*term) {
            return None;
        }
        Some(spelled(&term))
    };
    words(text).map(|word| word.text).enumerate().filter_map(key).collect()
}

/// Normalises numbers written as words, and British to American spelling.
fn spelled(term: &str) -> String {
    if let Some(number) = NUMBERS.iter().position(|name| *name == term) {
        return number.to_string();
    }
    root(&term.replace("our", "or")).to_owned()
}

fn in_the_same_order(one: &[String], other: &[String]) -> bool {
    let follows = |keys: &[String], word: &str| {
        let at = keys.iter().position(|key| key == root(word))?;
        keys.get(at + 1).cloned()
    };
    ORDERING.iter().all(|word| match (follows(one, word), follows(other, word)) {
        (Some(one), Some(other)) => one == other,
        _ => true,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_words_in_another_order_or_form_say_the_same() {
        for (request, text) in [
            ("green is my favorite color", "My favourite colour is green."),
            ("forget that I run 5 kilometres", "I run five kilometres."),
            ("I don't eat meat", "I do not eat meat."),
            ("in the evening I prefer tea over coffee", "I prefer tea to coffee in the evening."),
        ] {
            assert!(
                says_the_same(request, text),
                "{request} / {text}: {:?} {:?}",
                keys(request),
                keys(text)
            );
        }
    }

    #[test]
    fn one_word_in_place_of_another_says_something_else() {
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
                !says_the_same(request, text),
                "{request} / {text}: {:?} {:?}",
                keys(request),
                keys(text)
            );
        }
    }
}
