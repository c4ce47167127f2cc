//! Temporal expressions of a text, resolved against a given moment, as half-open spans in UTC:
//! English, and the common ones of ten other languages. The crate reads no clock and knows no time
//! zone; a phrase that it does not know is not a date.

mod absolute;
mod calendar;
mod date_expression;
mod date_words;
mod events;
mod foreign_words;
mod ranges;
mod relative;
mod token;
mod translation;
mod unspaced;
mod vocabulary;

use std::ops::Range;

use calendar::{MicrosSpan, day_of};
use jiff::civil::Date;
use token::{DateToken, tokenize};
use translation::{translate, vocabulary_of};

pub use date_words::date_words;
pub use events::{EventPosition, EventReference, events};

/// Maximum number of spans per text; later ones are not read.
const SPANS_MAX: usize = 32;

/// A period of time that a text refers to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TimeSpan {
    /// First microsecond of the span, since the Unix epoch in UTC; [`TimeSpan::OPEN_FROM`] when the
    /// span has no beginning.
    pub from_us: i64,
    /// First microsecond after the span; [`TimeSpan::OPEN_UNTIL`] when it has no end.
    pub until_us: i64,
    /// Range of the expression in the text, with its preposition ("since May").
    pub range: Range<usize>,
}

impl TimeSpan {
    /// Beginning of a span that has none ("before 2020").
    pub const OPEN_FROM: i64 = i64::MIN;
    /// End of a span that has none ("since 2020").
    pub const OPEN_UNTIL: i64 = i64::MAX;

    /// Returns true if the moment `at_us` is in the span.
    pub fn contains(&self, at_us: i64) -> bool {
        (self.from_us..self.until_us).contains(&at_us)
    }
}

/// Returns the time expressions of `text` in order, resolved against `now_us` (microseconds since
/// the Unix epoch, UTC). Weeks start on Monday, seasons are those of the northern hemisphere, and a
/// day or month without a year is the latest one that has begun. Empty for a `now_us` outside of
/// the calendar (years -9999 to 9999).
pub fn dates(text: &str, now_us: i64) -> Vec<TimeSpan> {
    let Some(today) = day_of(now_us) else { return Vec::new() };
    if text.contains(words::is_unsegmented) {
        let found = unspaced::unspaced_dates(text, today);
        if !found.is_empty() {
            return found;
        }
    }
    let (tokens, is_foreign) = english_tokens(text);
    let reader = DateParser { tokens: &tokens, today, now_us, is_foreign };
    let mut found = Vec::new();
    let mut at = 0;
    while at < tokens.len() && found.len() < SPANS_MAX {
        match reader.phrase(at) {
            Some((span, next)) if next > at => {
                let range = tokens[at].start..tokens[next - 1].end;
                found.push(TimeSpan { from_us: span.from_us, until_us: span.until_us, range });
                at = next;
            }
            _ => at += 1,
        }
    }
    found
}

/// Returns the tokens of a text with the words of dates in English, and true if they were
/// translated.
fn english_tokens(text: &str) -> (Vec<DateToken>, bool) {
    let mut tokens = tokenize(text);
    let translations = vocabulary_of(text);
    if let Some(translations) = translations {
        translate(text, &mut tokens, translations);
    }
    (tokens, translations.is_some())
}

/// Recursive-descent parser over the tokens of a text. Each method tries one kind of phrase at a
/// token index, and returns its meaning and the index after it.
struct DateParser<'t> {
    tokens: &'t [DateToken],
    today: Date,
    now_us: i64,
    /// True if the tokens were translated into English.
    is_foreign: bool,
}

/// Context of an expression, which decides how bare it may be: `2021` alone is a number, `in 2021`
/// a year.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum DateContext {
    Bare,
    AfterPreposition,
}

impl DateParser<'_> {
    fn phrase(&self, at: usize) -> Option<(MicrosSpan, usize)> {
        self.bounded(at)
            .or_else(|| self.unmarked_range(at))
            .or_else(|| self.prepositional(at))
            .or_else(|| {
                let (when, next) = self.expression(at, DateContext::Bare)?;
                Some((when.latest(self.today)?, next))
            })
    }

    /// Parses "in May", "on the 3rd of May", "during last summer".
    fn prepositional(&self, at: usize) -> Option<(MicrosSpan, usize)> {
        if !vocabulary::is_preposition(self.word(at)) {
            return None;
        }
        let (when, next) =
            self.expression(self.skip_modifiers(at + 1), DateContext::AfterPreposition)?;
        Some((when.latest(self.today)?, next))
    }

    /// Parses one expression without a preposition.
    fn expression(
        &self,
        at: usize,
        lead: DateContext,
    ) -> Option<(date_expression::DateExpression, usize)> {
        self.absolute(at, lead).or_else(|| self.relative(at))
    }

    /// Returns the lower-cased word at an index; empty when there is none.
    fn word(&self, at: usize) -> &str {
        self.tokens.get(at).map_or("", DateToken::word)
    }

    fn number(&self, at: usize) -> Option<u32> {
        self.tokens.get(at).and_then(DateToken::number)
    }

    fn is_mark(&self, at: usize, mark: char) -> bool {
        self.tokens.get(at).is_some_and(|token| token.is_mark(mark))
    }

    /// Returns true if no white space separates the token from the one before.
    fn is_adjacent(&self, at: usize) -> bool {
        self.tokens.get(at).is_some_and(|token| token.adjacent)
    }

    /// Skips "the", "early", "mid-" and the like, which do not change the span.
    fn skip_modifiers(&self, mut at: usize) -> usize {
        while vocabulary::is_modifier(self.word(at)) {
            at += 1;
            if self.is_mark(at, '-') {
                at += 1;
            }
        }
        at
    }
}

#[cfg(test)]
mod fuzz_tests;
#[cfg(test)]
mod tests;
