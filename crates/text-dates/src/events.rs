//! Times given by an event: "before the move", "after I left Acme", "during the outage". The event
//! is only named here; its time is found by the caller, among the memories.

use crate::token::{Token, tokens};
use std::ops::Range;

/// Maximum number of words that name an event.
const WORDS_MAX: usize = 10;

/// An event that a text uses as a point of reference in time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Event {
    /// Position of the time relative to the event.
    pub side: Side,
    /// Range of the words that name the event.
    pub range: Range<usize>,
}

/// Position of a time relative to an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// "before the move", "until the move".
    Before,
    /// "after the move", "since the move".
    After,
    /// "during the move".
    During,
}

/// Returns the events of `text` in order. A date such as "the 3rd of May" in "before the 3rd of
/// May" is returned as well; callers that also read dates must leave out events that contain one.
pub fn events(text: &str) -> Vec<Event> {
    let tokens = tokens(text);
    let event = |(at, token): (usize, &Token)| {
        Some(Event { side: side(token.word())?, range: named(&tokens[at + 1..])? })
    };
    tokens.iter().enumerate().filter_map(event).collect()
}

fn side(word: &str) -> Option<Side> {
    match word {
        "before" | "until" | "till" => Some(Side::Before),
        "after" | "since" => Some(Side::After),
        "during" => Some(Side::During),
        _ => None,
    }
}

/// Returns the range of the words that name an event, up to the end of the clause.
fn named(tokens: &[Token]) -> Option<Range<usize>> {
    let first = tokens.first().filter(|first| opens(first.word()))?;
    let clause = tokens.iter().take(WORDS_MAX).take_while(|token| !ends(token));
    let last = clause.last()?;
    (last.end > first.end).then_some(first.start..last.end)
}

/// Returns true if a word can open the name of an event; without this test "after all" and "before
/// noon" would count.
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

/// Returns true at a punctuation mark or a word that opens another clause.
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
