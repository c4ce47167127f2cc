//! Dates relative to today: "yesterday", "last week", "three days ago", "the past two months".

use jiff::civil::{Date, Weekday};

use crate::DateParser;
use crate::calendar::{
    self, MicrosSpan, days_from, latest_weekday, monday, plus_days, shift_day, span_of_days,
    start_of, whole_unit,
};
use crate::date_expression::DateExpression;
use crate::vocabulary::{CalendarUnit, Season, month, number_word, season, unit, weekday};

/// Maximum number of units; more would leave the calendar.
const COUNT_MAX: u32 = 10_000;

/// Direction of a unit relative to the current one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum RelativeDirection {
    Last,
    This,
    Next,
}

impl RelativeDirection {
    fn offset(self) -> i64 {
        match self {
            Self::Last => -1,
            Self::This => 0,
            Self::Next => 1,
        }
    }
}

impl DateParser<'_> {
    pub(super) fn relative(&self, at: usize) -> Option<(DateExpression, usize)> {
        let (span, next) = self
            .named_day(at)
            .or_else(|| self.rolling(at))
            .or_else(|| self.unit_in_direction(at))
            .or_else(|| self.counted_offset(at))?;
        Some((DateExpression::Fixed(span), next))
    }

    /// Parses "yesterday", "the day after tomorrow", "last night", "this morning".
    fn named_day(&self, at: usize) -> Option<(MicrosSpan, usize)> {
        let words = (self.word(at), self.word(at + 1), self.word(at + 2));
        let (days, length) = match words {
            ("day", "before", "yesterday") => (-2, 3),
            ("day", "after", "tomorrow") => (2, 3),
            ("last", "night", _) => (-1, 2),
            ("this", "morning" | "afternoon" | "evening", _) => (0, 2),
            ("yesterday", ..) => (-1, 1),
            ("today" | "tonight", ..) => (0, 1),
            ("tomorrow", ..) => (1, 1),
            _ => return None,
        };
        Some((days_from(plus_days(self.today, days)?, 1)?, at + length))
    }

    /// Parses "the last three weeks", "past month", "next 10 days": up to today, or from today on.
    fn rolling(&self, at: usize) -> Option<(MicrosSpan, usize)> {
        let side = direction(self.word(at))?;
        let counted = self.count(at + 1);
        let (count, next) = match (self.word(at), counted) {
            ("past", None) => (1, at + 1),
            (_, Some(found)) if side != RelativeDirection::This => found,
            _ => return None,
        };
        let unit = unit(self.word(next))?;
        let count = i64::from(count);
        if matches!(unit, CalendarUnit::Hour | CalendarUnit::Minute) {
            let length = micros(unit).checked_mul(count)?;
            return Some((self.span_from_now(side, length)?, next + 1));
        }
        let tomorrow = plus_days(self.today, 1)?;
        let span = match side {
            RelativeDirection::Next => span_of_days(tomorrow, shift_day(unit, tomorrow, count)?)?,
            // A past period includes today: it ends where tomorrow begins.
            _ => span_of_days(shift_day(unit, self.today, -count)?, tomorrow)?,
        };
        Some((span, next + 1))
    }

    fn span_from_now(&self, side: RelativeDirection, length_us: i64) -> Option<MicrosSpan> {
        Some(match side {
            RelativeDirection::Next => {
                MicrosSpan { from_us: self.now_us, until_us: self.now_us.checked_add(length_us)? }
            }
            _ => MicrosSpan {
                from_us: self.now_us.checked_sub(length_us)?,
                until_us: self.now_us.checked_add(1)?,
            },
        })
    }

    /// Parses "last week", "this May", "next Friday", "last summer", "this weekend".
    fn unit_in_direction(&self, at: usize) -> Option<(MicrosSpan, usize)> {
        let side = direction(self.word(at))?;
        let word = self.word(at + 1);
        // "the next day" is relative to another day than today, and "this may" is rarely a month.
        if word == "day"
            || (side == RelativeDirection::This
                && word == "may"
                && !self.tokens[at + 1].is_capital())
        {
            return None;
        }
        let span = if let Some(unit) = unit(word).filter(|_| !word.ends_with('s')) {
            whole_unit(unit, self.today, side.offset())
        } else if let Some(weekday) = weekday(word) {
            self.weekday_in_direction(side, weekday)
        } else if let Some(month) = month(word).filter(|_| word.len() > 3 || word == "may") {
            self.months_in_direction(side, Season { first_month: month }, 1)
        } else if let Some(season) = season(word) {
            self.months_in_direction(side, season, 3)
        } else if word == "weekend" {
            days_from(plus_days(monday(self.today)?, side.offset() * 7 + 5)?, 2)
        } else {
            None
        };
        Some((span?, at + 2))
    }

    fn weekday_in_direction(
        &self,
        side: RelativeDirection,
        weekday: Weekday,
    ) -> Option<MicrosSpan> {
        let day = match side {
            RelativeDirection::Last => latest_weekday(plus_days(self.today, -1)?, weekday)?,
            RelativeDirection::This => {
                plus_days(monday(self.today)?, i64::from(weekday.to_monday_zero_offset()))?
            }
            // On a Wednesday, "next Wednesday" is a week away.
            RelativeDirection::Next => latest_weekday(plus_days(self.today, 7)?, weekday)?,
        };
        days_from(day, 1)
    }

    /// Resolves a month or season: the last one that is over, the one that contains today or else
    /// that of this year, or the next to begin.
    fn months_in_direction(
        &self,
        side: RelativeDirection,
        named: Season,
        count: i64,
    ) -> Option<MicrosSpan> {
        let year = self.today.year();
        let start = start_of(self.today)?;
        let of =
            |year: i16| calendar::months_from(Date::new(year, named.first_month, 1).ok()?, count);
        let years = [year.checked_sub(2)?, year - 1, year, year.checked_add(1)?];
        match side {
            RelativeDirection::Last => {
                years.into_iter().rev().filter_map(of).find(|span| span.until_us <= start)
            }
            RelativeDirection::Next => {
                years.into_iter().filter_map(of).find(|span| span.from_us > start)
            }
            RelativeDirection::This => {
                let current = years
                    .into_iter()
                    .filter_map(of)
                    .find(|span| (span.from_us..span.until_us).contains(&start));
                current.or_else(|| of(year))
            }
        }
    }

    /// Parses "three days ago", "a couple of weeks ago", "2 months from now".
    fn counted_offset(&self, at: usize) -> Option<(MicrosSpan, usize)> {
        let (count, next) = self.count(at)?;
        let unit = unit(self.word(next))?;
        let (sign, next) = match (self.word(next + 1), self.word(next + 2)) {
            ("ago", _) => (-1, next + 2),
            ("from", "now") => (1, next + 3),
            _ => return None,
        };
        let count = sign * i64::from(count);
        if matches!(unit, CalendarUnit::Hour | CalendarUnit::Minute) {
            let from_us =
                micros(unit).checked_mul(count).and_then(|away| self.now_us.checked_add(away))?;
            return Some((
                MicrosSpan { from_us, until_us: from_us.checked_add(micros(unit))? },
                next,
            ));
        }
        let day = shift_day(unit, self.today, count)?;
        Some((whole_unit(unit, day, 0)?, next))
    }

    /// Parses a count with the words around it: `3`, "three", "a", "a couple of", "a few".
    fn count(&self, at: usize) -> Option<(u32, usize)> {
        if let Some(number) = self.number(at) {
            return (number <= COUNT_MAX && !self.is_adjacent(at + 1)).then_some((number, at + 1));
        }
        let article =
            usize::from(self.word(at) == "a" && matches!(self.word(at + 1), "couple" | "few"));
        let count = number_word(self.word(at + article))?;
        let of = usize::from(self.word(at + article + 1) == "of");
        Some((count, at + article + 1 + of))
    }
}

fn direction(word: &str) -> Option<RelativeDirection> {
    Some(match word {
        "last" | "past" | "previous" => RelativeDirection::Last,
        "this" | "current" => RelativeDirection::This,
        "next" | "coming" => RelativeDirection::Next,
        _ => return None,
    })
}

fn micros(unit: CalendarUnit) -> i64 {
    const MINUTE: i64 = 60_000_000;
    match unit {
        CalendarUnit::Hour => 60 * MINUTE,
        _ => MINUTE,
    }
}
