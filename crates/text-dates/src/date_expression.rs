//! A date expression as written, perhaps without its year, and its resolution against another date.

use jiff::civil::{Date, Weekday};

use crate::calendar::{MicrosSpan, day_of, days_from, latest_weekday, months_from, plus_days};

/// A date expression before it is resolved.
#[derive(Debug, Clone, Copy)]
pub(super) enum DateExpression {
    Fixed(MicrosSpan),
    Day { year: Option<i16>, month: i8, day: i8 },
    Month { year: Option<i16>, month: i8 },
    Weekday(Weekday),
}

impl DateExpression {
    /// Returns the latest occurrence that has begun on `today`.
    pub(super) fn latest(self, today: Date) -> Option<MicrosSpan> {
        match self {
            Self::Weekday(weekday) => days_from(latest_weekday(today, weekday)?, 1),
            _ => self
                .first_in_years((0..=8).map(|back| today.year().saturating_sub(back)), |first| {
                    first <= today
                }),
        }
    }

    /// Returns the earliest occurrence that does not begin before `today`.
    pub(super) fn earliest(self, today: Date) -> Option<MicrosSpan> {
        match self {
            Self::Weekday(weekday) => days_from(latest_weekday(plus_days(today, 6)?, weekday)?, 1),
            _ => self
                .first_in_years((0..=8).map(|ahead| today.year().saturating_add(ahead)), |first| {
                    first >= today
                }),
        }
    }

    /// Returns true if the expression includes its year, and needs none from another date.
    pub(super) fn has_year(self) -> bool {
        matches!(
            self,
            Self::Fixed(_) | Self::Day { year: Some(_), .. } | Self::Month { year: Some(_), .. }
        )
    }

    /// Returns the occurrence in the first of `years` that `fits`. A leap day may need eight years,
    /// since 1900 and 2100 have none.
    fn first_in_years(
        self,
        mut years: impl Iterator<Item = i16>,
        fits: impl Fn(Date) -> bool,
    ) -> Option<MicrosSpan> {
        match self {
            Self::Fixed(span) => Some(span),
            Self::Day { year: Some(year), .. } | Self::Month { year: Some(year), .. } => {
                self.in_year(year)
            }
            _ => years.find_map(|year| {
                let span = self.in_year(year)?;
                fits(day_of(span.from_us)?).then_some(span)
            }),
        }
    }

    fn in_year(self, year: i16) -> Option<MicrosSpan> {
        match self {
            Self::Day { month, day, .. } => days_from(Date::new(year, month, day).ok()?, 1),
            Self::Month { month, .. } => months_from(Date::new(year, month, 1).ok()?, 1),
            Self::Fixed(_) | Self::Weekday(_) => None,
        }
    }
}
