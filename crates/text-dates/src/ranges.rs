//! Ranges of dates: "since May", "before 2020", "between March and May 2023", "May 3-7",
//! "2019–2021".

use crate::calendar::{MicrosSpan, day_of};
use crate::date_expression::DateExpression;
use crate::{DateContext, DateParser, TimeSpan};

impl DateParser<'_> {
    /// Parses a range that opens with "since", "after", "before", "until", "by", "between" or
    /// "from".
    pub(super) fn bounded(&self, at: usize) -> Option<(MicrosSpan, usize)> {
        let word = self.word(at);
        if matches!(word, "between" | "from") {
            let joins: &[&str] =
                if word == "between" { &["and"] } else { &["to", "until", "till", "through"] };
            let closed =
                self.pair(self.skip_modifiers(at + 1), DateContext::AfterPreposition, joins);
            return closed.or_else(|| self.open_from(at));
        }
        if !matches!(word, "since" | "after" | "before" | "until" | "till" | "by") {
            return None;
        }
        let (when, next) =
            self.expression(self.skip_modifiers(at + 1), DateContext::AfterPreposition)?;
        // "by Friday" looks ahead; the others look back.
        let span = if word == "by" { when.earliest(self.today)? } else { when.latest(self.today)? };
        Some((open_span(word, span), next))
    }

    /// Parses "from 2020 on", "from May onwards".
    fn open_from(&self, at: usize) -> Option<(MicrosSpan, usize)> {
        if self.word(at) != "from" {
            return None;
        }
        let (when, next) =
            self.expression(self.skip_modifiers(at + 1), DateContext::AfterPreposition)?;
        let onward = matches!(self.word(next), "on" | "onward" | "onwards");
        let span = when.latest(self.today)?;
        if onward { Some((open_span("since", span), next + 1)) } else { Some((span, next)) }
    }

    /// Parses "May 3 to May 7", "May 3-7, 2024", "2019–2021" without a word before it.
    pub(super) fn unmarked_range(&self, at: usize) -> Option<(MicrosSpan, usize)> {
        if self.is_adjacent(at) {
            return None;
        }
        self.year_range(at)
            .or_else(|| self.pair(at, DateContext::Bare, &["to", "until", "till", "through"]))
    }

    fn year_range(&self, at: usize) -> Option<(MicrosSpan, usize)> {
        let (first, next) = self.year(at)?;
        let dash = self.is_mark(next, '-') || self.is_mark(next, '–');
        let (last, end) = self.year(next + 1).filter(|_| dash && self.is_adjacent(next + 1))?;
        let on = self.is_mark(end, '-') && self.is_adjacent(end);
        let from = super::calendar::year(first)?;
        let until = super::calendar::year(last).filter(|_| first < last && !on)?;
        Some((MicrosSpan { until_us: until.until_us, ..from }, end))
    }

    /// Parses two expressions with one of `joins` or a dash between them.
    fn pair(&self, at: usize, lead: DateContext, joins: &[&str]) -> Option<(MicrosSpan, usize)> {
        let (first, next) = self.expression(at, lead)?;
        let dash = self.is_mark(next, '-') || self.is_mark(next, '–');
        if !dash && !joins.contains(&self.word(next)) {
            return None;
        }
        let second = self.skip_modifiers(next + 1);
        let (last, end) = self
            .expression(second, DateContext::AfterPreposition)
            .or_else(|| self.same_month(first, second))?;
        Some((self.join(first, last)?, end))
    }

    /// Parses the `7` of "May 3-7, 2024".
    fn same_month(&self, first: DateExpression, at: usize) -> Option<(DateExpression, usize)> {
        let DateExpression::Day { year, month, .. } = first else { return None };
        let (day, next) = self.day(at)?;
        let dated = self.year_after(next);
        let year = dated.map_or(year, |(year, _)| Some(year));
        Some((DateExpression::Day { year, month, day }, dated.map_or(next, |(_, next)| next)))
    }

    /// Returns the span from the beginning of one to the end of the other; an expression without a
    /// year takes it from the other.
    fn join(&self, first: DateExpression, last: DateExpression) -> Option<MicrosSpan> {
        // The expression with a year is resolved first, and the other one relative to it.
        let (from, until) = if first.has_year() && !last.has_year() {
            let from = first.latest(self.today)?;
            (from, last.earliest(day_of(from.from_us)?)?)
        } else {
            let until = last.latest(self.today)?;
            (first.latest(day_of(until.from_us)?)?, until)
        };
        (from.from_us < until.until_us)
            .then_some(MicrosSpan { from_us: from.from_us, until_us: until.until_us })
    }
}

fn open_span(word: &str, span: MicrosSpan) -> MicrosSpan {
    match word {
        "before" => MicrosSpan { from_us: TimeSpan::OPEN_FROM, until_us: span.from_us },
        "until" | "till" | "by" => {
            MicrosSpan { from_us: TimeSpan::OPEN_FROM, until_us: span.until_us }
        }
        "after" => MicrosSpan { from_us: span.until_us, until_us: TimeSpan::OPEN_UNTIL },
        _ => MicrosSpan { from_us: span.from_us, until_us: TimeSpan::OPEN_UNTIL },
    }
}
