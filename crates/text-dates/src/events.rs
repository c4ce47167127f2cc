//! Times given by an event: "before the move", "after I left Acme", "during the outage". The event
//! is only named here; its time is found by the caller, among the memories.

use crate::english_tokens;
use crate::token::DateToken;
use std::ops::Range;

/// Maximum number of words that name an event.
const WORDS_MAX: usize = 10;

/// An event that a text uses as a point of reference in time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EventReference {
    /// Position of the time relative to the event.
    pub side: EventPosition,
    /// Range of the words that name the event.
    pub range: Range<usize>,
}

/// Position of a time relative to an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EventPosition {
    /// "before the move", "until the move".
    Before,
    /// "after the move", "since the move".
    After,
    /// "during the move".
    During,
}

/// Returns the events of `text` in order. A date such as "the 3rd of May" in "before the 3rd of
/// May" is returned as well; callers that also read dates must leave out events that contain one.
pub fn events(text: &str) -> Vec<EventReference> {
    let (tokens, _) = english_tokens(text);
    let event = |(at, token): (usize, &DateToken)| {
        Some(EventReference {
            side: event_position(token.word())?,
            range: event_phrase(&tokens[at + 1..])?,
        })
    };
    tokens.iter().enumerate().filter_map(event).collect()
}

fn event_position(word: &str) -> Option<EventPosition> {
    match word {
        "before" | "until" | "till" => Some(EventPosition::Before),
        "after" | "since" => Some(EventPosition::After),
        "during" => Some(EventPosition::During),
        _ => None,
    }
}

/// Returns the range of the words that name an event, up to the end of the clause.
fn event_phrase(tokens: &[DateToken]) -> Option<Range<usize>> {
    let first = tokens.first().filter(|first| can_open_event(first.word()))?;
    let clause = tokens.iter().take(WORDS_MAX).take_while(|token| !ends_event(token));
    let last = clause.last()?;
    (last.end > first.end).then_some(first.start..last.end)
}

/// Returns true if a word can open the name of an event; without this test "after all" and "before
/// noon" would count.
fn can_open_event(word: &str) -> bool {
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
fn ends_event(token: &DateToken) -> bool {
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

    fn sides_and_names(text: &str) -> Vec<(EventPosition, &str)> {
        events(text).into_iter().map(|event| (event.side, &text[event.range])).collect()
    }

    #[test]
    fn events_are_found_with_their_side() {
        for (text, side, named) in [
            ("Where did Ana work before the move?", EventPosition::Before, "the move"),
            ("After we left Acme, who paid us?", EventPosition::After, "we left Acme"),
            (
                "What broke during the outage in Dublin",
                EventPosition::During,
                "the outage in Dublin",
            ),
            (
                "how have I slept since my sister's wedding",
                EventPosition::After,
                "my sister's wedding",
            ),
            ("Days before the team meeting did I call?", EventPosition::Before, "the team meeting"),
            ("until moving to Porto what did I eat", EventPosition::Before, "moving to Porto"),
        ] {
            assert_eq!(sides_and_names(text), [(side, named)], "{text}");
        }
    }

    #[test]
    fn other_uses_of_the_prepositions_are_no_events() {
        for text in [
            "after all, why?",
            "before noon",
            "since 2020",
            "the",
            "before the",
            "before I, the",
            "",
        ] {
            assert_eq!(sides_and_names(text), [], "{text}");
        }
    }
}
