//! Civil dates converted to spans of microseconds, with arithmetic that returns `None` outside of
//! the calendar.

use jiff::civil::{Date, Weekday};
use jiff::tz::Offset;
use jiff::{Timestamp, ToSpan};

use crate::vocabulary::{CalendarUnit, Season};

/// A half-open period of time in microseconds since the Unix epoch, UTC.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct MicrosSpan {
    pub(super) from_us: i64,
    pub(super) until_us: i64,
}

/// Returns the civil date of a moment.
pub(super) fn day_of(us: i64) -> Option<Date> {
    Timestamp::from_microsecond(us).ok().map(|moment| Offset::UTC.to_datetime(moment).date())
}

/// Returns the moment at which a day begins.
pub(super) fn start_of(day: Date) -> Option<i64> {
    Offset::UTC.to_timestamp(day.at(0, 0, 0, 0)).ok().map(Timestamp::as_microsecond)
}

/// Returns the span from the beginning of one day to the beginning of another.
pub(super) fn span_of_days(from: Date, until: Date) -> Option<MicrosSpan> {
    Some(MicrosSpan { from_us: start_of(from)?, until_us: start_of(until)? })
}

pub(super) fn plus_days(day: Date, count: i64) -> Option<Date> {
    let span = 0.days().try_days(count).ok()?;
    day.checked_add(span).ok()
}

/// Returns the first day of the month `count` months after the month of `day`.
pub(super) fn plus_months(day: Date, count: i64) -> Option<Date> {
    let months = (i64::from(day.year()) * 12 + i64::from(day.month()) - 1).checked_add(count)?;
    let year = i16::try_from(months.div_euclid(12)).ok()?;
    let month = i8::try_from(months.rem_euclid(12) + 1).ok()?;
    Date::new(year, month, 1).ok()
}

/// Returns the span of `count` days from `day` on.
pub(super) fn days_from(day: Date, count: i64) -> Option<MicrosSpan> {
    span_of_days(day, plus_days(day, count)?)
}

/// Returns the span of `count` calendar months from the month of `day` on.
pub(super) fn months_from(day: Date, count: i64) -> Option<MicrosSpan> {
    span_of_days(plus_months(day, 0)?, plus_months(day, count)?)
}

pub(super) fn year(year: i16) -> Option<MicrosSpan> {
    months_from(Date::new(year, 1, 1).ok()?, 12)
}

pub(super) fn quarter(year: i16, quarter: i8) -> Option<MicrosSpan> {
    months_from(Date::new(year, quarter.checked_mul(3)?.checked_sub(2)?, 1).ok()?, 3)
}

/// Returns the season that starts in `year`; a winter extends into the next.
pub(super) fn season(year: i16, season: Season) -> Option<MicrosSpan> {
    months_from(Date::new(year, season.first_month, 1).ok()?, 3)
}

/// Returns the Monday of the week of `day`.
pub(super) fn monday(day: Date) -> Option<Date> {
    plus_days(day, -i64::from(day.weekday().to_monday_zero_offset()))
}

/// Returns the latest such weekday that is not after `day`.
pub(super) fn latest_weekday(day: Date, weekday: Weekday) -> Option<Date> {
    let back =
        (day.weekday().to_monday_zero_offset() - weekday.to_monday_zero_offset()).rem_euclid(7);
    plus_days(day, -i64::from(back))
}

/// Returns the whole calendar unit `count` units after the one that contains `today`.
pub(super) fn whole_unit(unit: CalendarUnit, today: Date, count: i64) -> Option<MicrosSpan> {
    match unit {
        CalendarUnit::Day => days_from(plus_days(today, count)?, 1),
        CalendarUnit::Week => days_from(plus_days(monday(today)?, count.checked_mul(7)?)?, 7),
        CalendarUnit::Month => months_from(plus_months(today, count)?, 1),
        CalendarUnit::Quarter => {
            let into = i64::from((today.month() - 1).rem_euclid(3));
            months_from(plus_months(today, count.checked_mul(3)?.checked_sub(into)?)?, 3)
        }
        CalendarUnit::Year => {
            year(i16::try_from(i64::from(today.year()).checked_add(count)?).ok()?)
        }
        CalendarUnit::Hour | CalendarUnit::Minute => None,
    }
}

/// Returns the day `count` units after `today`, for rolling periods ("the past two weeks").
pub(super) fn shift_day(unit: CalendarUnit, today: Date, count: i64) -> Option<Date> {
    let span = match unit {
        CalendarUnit::Day => 0.days().try_days(count),
        CalendarUnit::Week => 0.days().try_weeks(count),
        CalendarUnit::Month => 0.days().try_months(count),
        CalendarUnit::Quarter => 0.days().try_months(count.checked_mul(3)?),
        CalendarUnit::Year => 0.days().try_years(count),
        CalendarUnit::Hour | CalendarUnit::Minute => return None,
    };
    today.checked_add(span.ok()?).ok()
}
