//! Times in arguments: a date, a time in UTC, a phrase such as `yesterday` or `last monday`, or an
//! age such as `2w`.

use engine::{Clock, SystemClock};
use model::Moment;

/// Units of an age with their length in seconds. `m` is left out: it is a minute to some and a
/// month to others.
const UNITS: &[(&str, i64)] = &[
    ("min", 60),
    ("minute", 60),
    ("h", 3_600),
    ("hour", 3_600),
    ("d", 86_400),
    ("day", 86_400),
    ("w", 7 * 86_400),
    ("week", 7 * 86_400),
    ("mo", 30 * 86_400),
    ("month", 30 * 86_400),
    ("y", 365 * 86_400),
    ("year", 365 * 86_400),
];

/// End of a period that a time in an argument is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum PeriodEnd {
    First,
    Last,
}

/// Parses the beginning of a period, as a date or time that the tools understand.
///
/// # Errors
/// Fails when it is no time; clap shows the message.
pub fn since(text: &str) -> Result<String, String> {
    resolve(text, SystemClock.now(), PeriodEnd::First)
}

/// Parses the end of a period.
///
/// # Errors
/// Fails when it is no time; clap shows the message.
pub fn until(text: &str) -> Result<String, String> {
    resolve(text, SystemClock.now(), PeriodEnd::Last)
}

fn resolve(text: &str, now: Moment, end: PeriodEnd) -> Result<String, String> {
    let text = text.trim();
    // Dates and times are left as they are: the tools know that `until` a date includes its day.
    if Moment::parse(text).is_ok() {
        return Ok(text.to_owned());
    }
    let found = age(text, now).or_else(|| phrase(text, now, end));
    found.map(Moment::to_rfc3339).ok_or_else(|| {
        format!("`{text}` is not a time; use 2026-01-31, yesterday, \"last monday\", 12h, 3d or 2w")
    })
}

/// Returns the moment that is an age before now: `2w`, `3 days`, `3 days ago`.
fn age(text: &str, now: Moment) -> Option<Moment> {
    let text = text.to_lowercase();
    let text = text.strip_suffix("ago").unwrap_or(&text).trim();
    let digits = text.find(|c: char| !c.is_ascii_digit())?;
    let count: i64 = text[..digits].parse().ok()?;
    let unit = text[digits..].trim();
    let is_unit = |name: &str| unit == name || unit.strip_suffix('s') == Some(name);
    let (_, seconds) = UNITS.iter().find(|(name, _)| is_unit(name))?;
    count.checked_mul(*seconds).map(|seconds| now.plus_seconds(-seconds))
}

/// Returns an end of the period that a phrase names.
fn phrase(text: &str, now: Moment, end: PeriodEnd) -> Option<Moment> {
    let span = dates::dates(text, now.0).into_iter().next()?;
    // A phrase inside of other words is not the argument that was meant.
    if span.range != (0..text.len()) {
        return None;
    }
    let bound = match end {
        PeriodEnd::First => span.from_us,
        PeriodEnd::Last => span.until_us.saturating_sub(1),
    };
    (bound != dates::TimeSpan::OPEN_FROM && bound < dates::TimeSpan::OPEN_UNTIL - 1)
        .then_some(Moment(bound))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, first: &str, last: &str) {
        let now = Moment::parse("2026-05-20T12:00:00Z").unwrap();
        assert_eq!(resolve(text, now, PeriodEnd::First).as_deref(), Ok(first), "{text}");
        assert_eq!(resolve(text, now, PeriodEnd::Last).as_deref(), Ok(last), "{text}");
    }

    #[test]
    fn dates_and_times_are_passed_on_as_they_are() {
        check("2026-01-31", "2026-01-31", "2026-01-31");
        check("2026-01-31T08:00:00Z", "2026-01-31T08:00:00Z", "2026-01-31T08:00:00Z");
    }

    #[test]
    fn an_age_is_counted_back_from_now() {
        check("2w", "2026-05-06T12:00:00Z", "2026-05-06T12:00:00Z");
        check("3 days ago", "2026-05-17T12:00:00Z", "2026-05-17T12:00:00Z");
        check("12h", "2026-05-20T00:00:00Z", "2026-05-20T00:00:00Z");
    }

    #[test]
    fn a_phrase_is_a_period_with_two_ends() {
        check("yesterday", "2026-05-19T00:00:00Z", "2026-05-19T23:59:59.999999Z");
    }

    #[test]
    fn other_words_are_refused_with_examples() {
        let now = Moment::parse("2026-05-20T12:00:00Z").unwrap();
        for text in ["", "soon", "2x", "2m", "99999999999999999999w", "the yesterday of it"] {
            let refusal = resolve(text, now, PeriodEnd::First).unwrap_err();
            assert!(refusal.contains("yesterday") && refusal.contains("2w"), "{refusal}");
        }
    }
}
