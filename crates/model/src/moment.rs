//! Points in time, in microseconds since the Unix epoch, always in UTC.
//! Nothing here reads a clock; callers pass the current time in.

use std::fmt;

/// A point in time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Moment(pub i64);

/// The text is not a date.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a date; write 2026-05-03 or 2026-05-03T14:00:00Z")]
pub struct InvalidDate(pub String);

const MICROS_PER_SECOND: i64 = 1_000_000;
const MICROS_PER_DAY: i64 = Moment::SECONDS_PER_DAY * MICROS_PER_SECOND;

impl Moment {
    /// Length of a day; UTC without leap seconds, as in the Unix epoch.
    pub const SECONDS_PER_DAY: i64 = 86_400;

    /// Returns the moment this many seconds after the epoch.
    #[must_use]
    pub fn from_seconds(seconds: i64) -> Self {
        Self(seconds.saturating_mul(MICROS_PER_SECOND))
    }

    /// Returns the moment this many seconds later, or earlier when negative.
    #[must_use]
    pub fn plus_seconds(self, seconds: i64) -> Self {
        Self(self.0.saturating_add(seconds.saturating_mul(MICROS_PER_SECOND)))
    }

    /// Returns the moment this many days later, or earlier when negative.
    #[must_use]
    pub fn plus_days(self, days: i64) -> Self {
        self.plus_seconds(days.saturating_mul(Self::SECONDS_PER_DAY))
    }

    /// Returns the number of the day in UTC, counted from the epoch.
    #[must_use]
    pub fn day_number(self) -> i64 {
        // Rounds down for days before 1970 as well.
        self.0.div_euclid(MICROS_PER_DAY)
    }

    /// Returns the start of the day with this number, counted from the epoch.
    #[must_use]
    pub fn from_day_number(day: i64) -> Self {
        Self(day.saturating_mul(MICROS_PER_DAY))
    }

    /// Returns the days from `earlier` to this moment; negative when this one is earlier.
    #[must_use]
    pub fn days_since(self, earlier: Self) -> f64 {
        (self.0.saturating_sub(earlier.0)) as f64 / MICROS_PER_DAY as f64
    }

    /// Returns the moment a number of days earlier, or the earliest there is.
    #[must_use]
    pub fn minus_days(self, days: f64) -> Self {
        // The conversion saturates, for days without end too.
        Self(self.0.saturating_sub((days * MICROS_PER_DAY as f64) as i64))
    }

    /// Parses a date (`2026-05-03`, midnight UTC) or an RFC 3339 time.
    ///
    /// # Errors
    /// Fails when the text is neither.
    pub fn parse(text: &str) -> Result<Self, InvalidDate> {
        let text = text.trim();
        let refused = || InvalidDate(text.chars().take(40).collect());
        if let Ok(stamp) = text.parse::<jiff::Timestamp>() {
            return Ok(Self(stamp.as_microsecond()));
        }
        let local = text.parse::<jiff::civil::DateTime>().map_err(|_| refused())?;
        let utc = local.to_zoned(jiff::tz::TimeZone::UTC).map_err(|_| refused())?;
        Ok(Self(utc.timestamp().as_microsecond()))
    }

    /// Formats as RFC 3339 in UTC with all significant digits, so that [`Moment::parse`] restores
    /// the same moment.
    #[must_use]
    pub fn to_rfc3339(self) -> String {
        jiff::Timestamp::from_microsecond(self.0)
            .map_or_else(|_| self.to_string(), |stamp| stamp.to_string())
    }

    /// Returns the calendar date in UTC, `2026-05-03`.
    #[must_use]
    pub fn date(self) -> String {
        self.to_string().split('T').next().unwrap_or_default().to_owned()
    }
}

impl fmt::Display for Moment {
    /// Formats as RFC 3339 in UTC with whole seconds: `2026-05-03T14:00:00Z`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match jiff::Timestamp::from_second(self.0.div_euclid(MICROS_PER_SECOND)) {
            Ok(stamp) => stamp.fmt(f),
            // Beyond year 9999, where RFC 3339 has no spelling. Printing must not fail.
            Err(_) => write!(f, "{}us", self.0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_date_and_a_time_read_back_as_written() {
        let moment = Moment::parse("2026-05-03T14:00:00Z").unwrap();
        assert_eq!(moment.to_string(), "2026-05-03T14:00:00Z");
        assert_eq!(Moment::parse("2026-05-03").unwrap().to_string(), "2026-05-03T00:00:00Z");
        assert_eq!(moment.date(), "2026-05-03");
    }

    #[test]
    fn an_invalid_date_is_refused_with_an_example() {
        let refusal = Moment::parse("next tuesday").unwrap_err().to_string();
        assert!(refusal.contains("2026-05-03"), "{refusal}");
    }

    #[test]
    fn days_are_counted_from_the_epoch_in_both_directions() {
        for (day, text) in [(0, "1970-01-01"), (1, "1970-01-02"), (-1, "1969-12-31")] {
            let start = Moment::parse(text).unwrap();
            assert_eq!(Moment::from_day_number(day), start);
            assert_eq!(Moment(0).plus_days(day), start);
            assert_eq!(start.day_number(), day);
            assert_eq!(start.plus_seconds(Moment::SECONDS_PER_DAY - 1).day_number(), day);
        }
        assert_eq!(Moment(0).plus_days(i64::MAX), Moment(i64::MAX));
    }

    #[test]
    fn moments_outside_the_calendar_can_be_printed() {
        assert_eq!(Moment(i64::MAX).to_string(), format!("{}us", i64::MAX));
        assert_eq!(Moment(i64::MAX).plus_seconds(10), Moment(i64::MAX));
    }
}
