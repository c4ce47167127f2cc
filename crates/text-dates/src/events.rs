//! Times told by what happened then: "before the move", "after I left Acme", "during the outage".
//! What happened is only named here; when it was, whoever remembers it must tell.

use crate::token::{Token, tokens};
use std::ops::Range;

/// More words than this name no event.
const WORDS_MAX: usize = 10;

/// Something that happened, by which a text tells a time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Event {
    /// On which side of it the time lies.
    pub side: Side,
    /// The words that name it.
    pub range: Range<usize>,
}

/// Where a time lies, seen from an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// "before the move", "until the move".
    Before,
    /// "after the move", "since the move".
    After,
    /// "during the move".
    During,
}

/// The events of `text` in order. Dates are no events: "before the 3rd of May" tells its time by
/// itself, and whoever asks for both should leave out events that hold a date.
pub fn events(text: &str) -> Vec<Event> {
    let tokens = tokens(text);
    let places = tokens.iter().enumerate();
    let told =
        places.filter_map(|(at, token)| Some((side(token.word())?, named(&tokens[at + 1..])?)));
    told.map(|(side, range)| Event { side, range }).collect()
}

fn side(word: &str) -> Option<Side> {
    match word {
        "before" | "until" | "till" => Some(Side::Before),
        "after" | "since" => Some(Side::After),
        "during" => Some(Side::During),
        _ => None,
    }
}

/// The words that name an event, up to the end of their clause.
fn named(tokens: &[Token]) -> Option<Range<usize>> {
    let first = tokens.first().filter(|first| opens(first.word()))?;
    let clause = tokens.iter().take(WORDS_MAX).take_while(|token| !ends(token));
    let last = clause.last()?;
    (last.end > first.end).then_some(first.start..last.end)
}

/// Whether a word may be the first of those that name an event; without one "after all" and "before
/// noon" would pass.
fn opens(word: &str) -> bool {
    let gerund = word.len() > 4 && word.ends_with("ing");
    gerund
        || matches!(
            word,
            "the"
                | "my"
                | "our"
                | "your"
                | "his"
                | "her"
                | "their"
                | "its"
                | "that"
                | "this"
                | "a"
                | "an"
        )
        || matches!(word, "i" | "we" | "you" | "he" | "she" | "they" | "it")
}

/// Whether another thought begins: a mark, or a word that opens a clause.
fn ends(token: &Token) -> bool {
    let mark =
        !token.is_word() && token.number().is_none() && !token.is_mark('\'') && !token.is_mark('’');
    let opener = matches!(
        token.word(),
        "and"
            | "but"
            | "or"
            | "did"
            | "do"
            | "does"
            | "what"
            | "which"
            | "who"
            | "where"
            | "when"
            | "how"
    );
    mark && !token.is_mark('-') || opener
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(text: &str) -> Vec<(Side, &str)> {
        events(text).into_iter().map(|event| (event.side, &text[event.range])).collect()
    }

    #[test]
    fn what_happened_tells_a_time() {
        for (text, side, named) in [
            ("Where did Ana work before the move?", Side::Before, "the move"),
            ("After we left Acme, who paid us?", Side::After, "we left Acme"),
            ("What broke during the outage in Dublin", Side::During, "the outage in Dublin"),
            ("how have I slept since my sister's wedding", Side::After, "my sister's wedding"),
            ("Days before the team meeting did I call?", Side::Before, "the team meeting"),
            ("until moving to Porto what did I eat", Side::Before, "moving to Porto"),
        ] {
            assert_eq!(told(text), [(side, named)], "{text}");
        }
    }

    #[test]
    fn other_uses_of_the_words_tell_none() {
        for text in [
            "after all, why?",
            "before noon",
            "since 2020",
            "the",
            "before the",
            "before I, the",
            "",
        ] {
            assert_eq!(told(text), [], "{text}");
        }
    }
}
