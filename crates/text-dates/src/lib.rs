//! When a text speaks of: English time expressions resolved against a given moment, as half-open
//! spans in UTC. It reads no clock and knows no time zone; a phrase that it does not know is simply
//! not a date.

mod absolute;
mod calendar;
mod date_words;
mod events;
mod joined;
mod relative;
mod token;
mod vocabulary;
mod when;

use std::ops::Range;

use calendar::{Span, day_of};
use jiff::civil::Date;
use token::{Token, tokens};

pub use date_words::date_words;
pub use events::{Event, Side, events};

/// No text needs more spans than this; what comes later is not read.
const SPANS_MAX: usize = 32;

/// A stretch of time that a text speaks of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TimeSpan {
    /// The first microsecond since the Unix epoch, UTC; [`TimeSpan::OPEN_FROM`] when it has no
    /// beginning.
    pub from_us: i64,
    /// The first microsecond after it; [`TimeSpan::OPEN_UNTIL`] when it has no end.
    pub until_us: i64,
    /// Where the text says so, with the words that belong to it ("since May").
    pub range: Range<usize>,
}

impl TimeSpan {
    /// The beginning of a span that has none ("before 2020").
    pub const OPEN_FROM: i64 = i64::MIN;
    /// The end of a span that has none ("since 2020").
    pub const OPEN_UNTIL: i64 = i64::MAX;

    /// Whether the moment `at_us` lies in the span.
    pub fn contains(&self, at_us: i64) -> bool {
        (self.from_us..self.until_us).contains(&at_us)
    }
}

/// The time expressions of `text` in order, resolved against `now_us` (microseconds since the Unix
/// epoch, UTC). Weeks start on Monday, seasons are those of the northern hemisphere, and a day or
/// month without a year is the latest one that has begun. A `now_us` outside of the calendar (years
/// -9999 to 9999) gives none.
pub fn dates(text: &str, now_us: i64) -> Vec<TimeSpan> {
    let Some(today) = day_of(now_us) else { return Vec::new() };
    let tokens = tokens(text);
    let reader = Reader { tokens: &tokens, today, now_us };
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

/// The words of a text and the moment they are read at. Each of its methods tries one sort of
/// phrase at a place and gives what it means and where the next phrase starts.
struct Reader<'t> {
    tokens: &'t [Token],
    today: Date,
    now_us: i64,
}

/// What stands before an expression, and so how bare it may be: `2021` alone is a number, `in 2021`
/// a year.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Lead {
    Nothing,
    Preposition,
}

impl Reader<'_> {
    fn phrase(&self, at: usize) -> Option<(Span, usize)> {
        self.bounded(at).or_else(|| self.range(at)).or_else(|| self.placed(at)).or_else(|| {
            let (when, next) = self.moment(at, Lead::Nothing)?;
            Some((when.latest(self.today)?, next))
        })
    }

    /// "in May", "on the 3rd of May", "during last summer".
    fn placed(&self, at: usize) -> Option<(Span, usize)> {
        if !vocabulary::is_preposition(self.word(at)) {
            return None;
        }
        let (when, next) = self.moment(self.skip_modifiers(at + 1), Lead::Preposition)?;
        Some((when.latest(self.today)?, next))
    }

    /// One expression that stands for itself.
    fn moment(&self, at: usize, lead: Lead) -> Option<(when::When, usize)> {
        self.absolute(at, lead).or_else(|| self.relative(at))
    }

    /// The lower-cased word at a place; empty when there is none.
    fn word(&self, at: usize) -> &str {
        self.tokens.get(at).map_or("", Token::word)
    }

    fn number(&self, at: usize) -> Option<u32> {
        self.tokens.get(at).and_then(Token::number)
    }

    fn is_mark(&self, at: usize, mark: char) -> bool {
        self.tokens.get(at).is_some_and(|token| token.is_mark(mark))
    }

    /// Whether the token at this place follows the one before without a gap.
    fn is_glued(&self, at: usize) -> bool {
        self.tokens.get(at).is_some_and(|token| token.glued)
    }

    /// Past "the", "early", "mid-" and the like, which change nothing here.
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
mod tests;
