//! Whether two texts say the same: the same content words, however they are ordered and inflected,
//! none put in another's place, and neither denies what the other says. Nearness of meaning cannot
//! tell that: "I drive a red Volvo" comes nearer to "I drive a blue Volvo" than any other sentence
//! does.

use crate::contradiction::contradicts;
use crate::negation::negated;
use crate::terms::{is_stop_word, root, term};
use crate::words::words;
use std::collections::BTreeSet;

/// Words of whoever wants something gone; they belong to the wish and not to what is meant.
const OF_THE_WISH: &[&str] =
    &["anymore", "delete", "erase", "fact", "forget", "memory", "note", "please", "remove"];
/// Words after which it matters what comes first.
const ORDERING: &[&str] = &["after", "before", "over", "prefer", "than"];
const NUMBERS: &[&str] = &[
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
    "eleven", "twelve",
];

/// Whether a text says just what another says. The first may be a wish to forget it.
#[must_use]
pub fn says_the_same(wish: &str, text: &str) -> bool {
    let (wanted, said) = (keys(wish), keys(text));
    let counts = |key: &&String| !["over", "than"].contains(&key.as_str());
    let of = |keys: &[String]| keys.iter().filter(counts).cloned().collect::<BTreeSet<String>>();
    let (mut all_wanted, all_said) = (of(&wanted), of(&said));
    all_wanted.retain(|key| all_said.contains(key) || !OF_THE_WISH.contains(&key.as_str()));
    !all_said.is_empty()
        && all_wanted == all_said
        && in_the_same_order(&wanted, &said)
        && negated(wish) == negated(text)
        && contradicts(text, wish).is_none()
}

/// What a text is recognised by: its content words without their endings, its numbers, and letters
/// that stand alone as names do, such as those of vitamins.
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

/// One spelling for numbers in words and for what is written one way here and another there.
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
        for (wish, text) in [
            ("green is my favorite color", "My favourite colour is green."),
            ("forget that I run 5 kilometres", "I run five kilometres."),
            ("I don't eat meat", "I do not eat meat."),
            ("in the evening I prefer tea over coffee", "I prefer tea to coffee in the evening."),
        ] {
            assert!(
                says_the_same(wish, text),
                "{wish} / {text}: {:?} {:?}",
                keys(wish),
                keys(text)
            );
        }
    }

    #[test]
    fn one_word_in_place_of_another_says_something_else() {
        for (wish, text) in [
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
                !says_the_same(wish, text),
                "{wish} / {text}: {:?} {:?}",
                keys(wish),
                keys(text)
            );
        }
    }
}
