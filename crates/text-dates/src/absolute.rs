//! Absolute dates: `2024-05-03`, "May 3, 2024", "3 May", "Q3 2024", "summer of 2021", "the 1990s".

use jiff::civil::Date;

use crate::calendar::{self, days_from, months_from};
use crate::date_expression::DateExpression;
use crate::vocabulary::{is_counted_noun, is_unambiguous_month, month, ordinal, season, weekday};
use crate::{DateContext, DateParser};

impl DateParser<'_> {
    pub(super) fn absolute(&self, at: usize, lead: DateContext) -> Option<(DateExpression, usize)> {
        self.iso(at)
            .or_else(|| self.dotted(at))
            .or_else(|| self.month_first(at, lead))
            .or_else(|| self.day_first(at))
            .or_else(|| self.quarter(at))
            .or_else(|| self.season_of_year(at))
            .or_else(|| self.bare_year(at, lead))
            .or_else(|| self.bare_weekday(at, lead))
    }

    /// Parses `2024-05-03`, `2024/05/03` or `2024-05`, and skips a time of day.
    fn iso(&self, at: usize) -> Option<(DateExpression, usize)> {
        // Adjacent to a word it is a version or an id (`v2024-05`).
        let token = self.tokens.get(at).filter(|token| token.digits() == 4 && !token.adjacent)?;
        let year = i16::try_from(token.number()?).ok().filter(|year| *year >= 1)?;
        let dash = ['-', '/'].into_iter().find(|&mark| self.is_mark(at + 1, mark))?;
        let month = self.two_digits(at + 2)?;
        if self.is_mark(at + 3, dash) && self.is_adjacent(at + 3) && self.is_adjacent(at + 1) {
            let date = Date::new(year, month, self.two_digits(at + 4)?).ok()?;
            return Some((
                DateExpression::Fixed(days_from(date, 1)?),
                self.skip_time_of_day(at + 5),
            ));
        }
        let ends = !self.is_adjacent(at + 3)
            || !(self.tokens[at + 3].is_word() || self.is_mark(at + 3, '-'));
        let date = Date::new(year, month, 1)
            .ok()
            .filter(|_| dash == '-' && ends && self.is_adjacent(at + 1))?;
        Some((DateExpression::Fixed(months_from(date, 1)?), at + 3))
    }

    /// Parses `3.5.2024` and `03.05.2024`: the day comes first wherever dots separate a date.
    fn dotted(&self, at: usize) -> Option<(DateExpression, usize)> {
        let part =
            |at: usize| self.tokens.get(at).filter(|token| (1..=2).contains(&token.digits()));
        let is_joined = (at + 1..at + 5).all(|at| self.is_adjacent(at));
        let dots = self.is_mark(at + 1, '.') && self.is_mark(at + 3, '.');
        let day = part(at).filter(|day| !day.adjacent && is_joined && dots)?.number()?;
        let (month, (year, next)) = (part(at + 2)?.number()?, self.year(at + 4)?);
        let date = Date::new(year, i8::try_from(month).ok()?, i8::try_from(day).ok()?).ok()?;
        Some((DateExpression::Fixed(days_from(date, 1)?), next))
    }

    fn two_digits(&self, at: usize) -> Option<i8> {
        let token = self.tokens.get(at).filter(|token| token.adjacent && token.digits() == 2)?;
        i8::try_from(token.number()?).ok()
    }

    /// Skips `T10:20:30.5+02:00`: only the day counts.
    fn skip_time_of_day(&self, at: usize) -> usize {
        if self.word(at) != "t" || !self.is_adjacent(at) {
            return at;
        }
        let part = |at: &usize| {
            let marks = [':', '.', '+', '-'].into_iter().any(|mark| self.is_mark(*at, mark));
            self.is_adjacent(*at)
                && (self.number(*at).is_some() || marks || matches!(self.word(*at), "t" | "z"))
        };
        let mut end = (at..self.tokens.len()).take_while(part).last().map_or(at, |last| last + 1);
        // A full stop after the timestamp ends the sentence, not the time.
        while end > at && self.tokens[end - 1].digits() == 0 && self.word(end - 1).is_empty() {
            end -= 1;
        }
        end
    }

    /// Parses "May 3, 2024", "May 3rd", "May 2023", and "in May".
    fn month_first(&self, at: usize, lead: DateContext) -> Option<(DateExpression, usize)> {
        let month = month(self.word(at)).filter(|_| !self.is_adjacent(at))?;
        let after = at + 1 + usize::from(self.is_mark(at + 1, '.') && self.word(at).len() <= 4);
        let capital = self.tokens[at].is_capital();
        if let Some((year, next)) = self.year_after(after) {
            return Some((DateExpression::Month { year: Some(year), month }, next));
        }
        // In lower case `may` is a verb ("I may 2 times").
        if let Some((day, next)) = self.day(after).filter(|_| capital || self.word(at) != "may") {
            let year = self.year_after(next);
            let next = year.map_or(next, |(_, next)| next);
            return Some((
                DateExpression::Day { year: year.map(|(year, _)| year), month, day },
                next,
            ));
        }
        let plain = capital && is_unambiguous_month(self.word(at));
        let written_out = self.word(at).len() > 3 || self.word(at) == "may" || capital;
        (plain || (lead == DateContext::AfterPreposition && written_out))
            .then_some((DateExpression::Month { year: None, month }, at + 1))
    }

    /// Parses "3 May 2024", "the 3rd of May".
    fn day_first(&self, at: usize) -> Option<(DateExpression, usize)> {
        let (day, next) = self.day(at).filter(|_| !self.is_adjacent(at))?;
        // "3. Mai": in English a full stop ends the sentence before "May".
        let next = next + usize::from(self.is_foreign && self.is_mark(next, '.'));
        let next = next + usize::from(self.word(next) == "of");
        let month = month(self.word(next)).filter(|_| !self.is_adjacent(next))?;
        let year = self.year_after(next + 1);
        let next = year.map_or(next + 1, |(_, next)| next);
        Some((DateExpression::Day { year: year.map(|(year, _)| year), month, day }, next))
    }

    /// Parses a day of the month, `3` or `3rd`, that is not part of a time or a larger number.
    pub(super) fn day(&self, at: usize) -> Option<(i8, usize)> {
        let token = self.tokens.get(at).filter(|token| (1..=2).contains(&token.digits()))?;
        let day = i8::try_from(token.number()?).ok().filter(|day| (1..=31).contains(day))?;
        if self.is_adjacent(at + 1) && matches!(self.word(at + 1), "st" | "nd" | "rd" | "th") {
            return Some((day, at + 2));
        }
        let part_of_more = [':', '.', '%', '/'].into_iter().any(|mark| {
            self.is_mark(at + 1, mark) && self.is_adjacent(at + 2) && self.number(at + 2).is_some()
        });
        let glued_word = self.is_adjacent(at + 1) && self.tokens[at + 1].is_word();
        (!part_of_more && !glued_word && !self.is_mark(at + 1, '%')).then_some((day, at + 1))
    }

    /// Parses a year with an optional comma or "of" before it.
    pub(super) fn year_after(&self, at: usize) -> Option<(i16, usize)> {
        let skipped = usize::from(self.is_mark(at, ',') || self.word(at) == "of");
        self.year(at + skipped)
    }

    /// Parses a number of four digits that can be a year in its context.
    pub(super) fn year(&self, at: usize) -> Option<(i16, usize)> {
        let token = self.tokens.get(at).filter(|token| token.digits() == 4)?;
        // Other numbers of four digits are more often counts, ports or ids.
        let year =
            i16::try_from(token.number()?).ok().filter(|year| (1900..=2100).contains(year))?;
        let more = self.is_adjacent(at + 1)
            && (self.tokens[at + 1].is_word()
                || ([',', '.', ':'].iter().any(|&mark| self.is_mark(at + 1, mark))
                    && self.is_adjacent(at + 2)
                    && self.number(at + 2).is_some()));
        // "2022 года" is the year 2022.
        let names_year = self.is_foreign && self.word(at + 1) == "years";
        let counts = is_counted_noun(self.word(at + 1)) && !names_year;
        (!more && !counts).then_some((year, at + 1))
    }

    /// Parses "Q3 2024", "2024 Q3", "third quarter of 2024", "H1 2024"; a quarter alone is this
    /// year's.
    fn quarter(&self, at: usize) -> Option<(DateExpression, usize)> {
        if let Some((year, next)) = self.year(at) {
            let (span, next) =
                self.part_of_year(next + usize::from(self.is_mark(next, '-')), year)?;
            return Some((DateExpression::Fixed(span), next));
        }
        if let Some(number) = ordinal(self.word(at)).filter(|_| self.word(at + 1) == "quarter") {
            let (year, next) = self.year_after(at + 2)?;
            return Some((DateExpression::Fixed(calendar::quarter(year, number)?), next));
        }
        let this_year = self.part_of_year(at, self.today.year())?;
        // `H1` alone is as often a heading as a half.
        let dated = self.year_after(this_year.1);
        if dated.is_none() && self.word(at) != "q" {
            return None;
        }
        let year = dated.map_or(self.today.year(), |(year, _)| year);
        let (span, next) = self.part_of_year(at, year)?;
        Some((DateExpression::Fixed(span), dated.map_or(next, |(_, next)| next)))
    }

    fn part_of_year(&self, at: usize, year: i16) -> Option<(calendar::MicrosSpan, usize)> {
        let capital = self.tokens.get(at).is_some_and(|token| token.is_capital());
        let number = self.number(at + 1).filter(|_| self.is_adjacent(at + 1) && capital)?;
        if self.is_adjacent(at + 2) && self.tokens[at + 2].is_word() {
            return None;
        }
        let number = i8::try_from(number).ok()?;
        let span = match self.word(at) {
            "q" if (1..=4).contains(&number) => calendar::quarter(year, number)?,
            "h" if (1..=2).contains(&number) => {
                let first = calendar::quarter(year, number * 2 - 1)?;
                calendar::MicrosSpan {
                    until_us: calendar::quarter(year, number * 2)?.until_us,
                    ..first
                }
            }
            _ => return None,
        };
        Some((span, at + 2))
    }

    /// Parses "summer 2021", "winter of 2020".
    fn season_of_year(&self, at: usize) -> Option<(DateExpression, usize)> {
        let season = season(self.word(at))?;
        let (year, next) = self.year_after(at + 1)?;
        Some((DateExpression::Fixed(calendar::season(year, season)?), next))
    }

    /// Parses `2021` after a preposition, and the decade in "the 1990s".
    fn bare_year(&self, at: usize, lead: DateContext) -> Option<(DateExpression, usize)> {
        if lead != DateContext::AfterPreposition {
            return None;
        }
        if let Some((year, next)) = self.year(at) {
            return Some((DateExpression::Fixed(calendar::year(year)?), next));
        }
        let decade = self.tokens.get(at).filter(|token| token.digits() == 4)?.number()?;
        let year = i16::try_from(decade)
            .ok()
            .filter(|year| (1900..=2100).contains(year) && year % 10 == 0)?;
        let named = self.word(at + 1) == "s" && self.is_adjacent(at + 1);
        let first = Date::new(year, 1, 1).ok().filter(|_| named)?;
        Some((DateExpression::Fixed(months_from(first, 120)?), at + 2))
    }

    /// Parses "on Monday", or "Monday" written out and capitalised.
    fn bare_weekday(&self, at: usize, lead: DateContext) -> Option<(DateExpression, usize)> {
        let weekday = weekday(self.word(at)).filter(|_| !self.is_adjacent(at))?;
        let named = self.tokens[at].is_capital() && self.word(at).ends_with("day");
        (named || lead == DateContext::AfterPreposition)
            .then_some((DateExpression::Weekday(weekday), at + 1))
    }
}
