//! English vocabulary of dates.

use jiff::civil::Weekday;

pub(super) const MONTHS: [&str; 12] = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];

pub(super) const WEEKDAYS: [(&str, Weekday); 7] = [
    ("monday", Weekday::Monday),
    ("tuesday", Weekday::Tuesday),
    ("wednesday", Weekday::Wednesday),
    ("thursday", Weekday::Thursday),
    ("friday", Weekday::Friday),
    ("saturday", Weekday::Saturday),
    ("sunday", Weekday::Sunday),
];

/// Unit of time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CalendarUnit {
    Minute,
    Hour,
    Day,
    Week,
    Month,
    Quarter,
    Year,
}

/// A season of the northern hemisphere, identified by its first month.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Season {
    pub(super) first_month: i8,
}

/// Returns the number of a month, written out or abbreviated to three letters (or `sept`).
pub(super) fn month(word: &str) -> Option<i8> {
    let index =
        MONTHS.iter().position(|name| *name == word || (word.len() == 3 && name.starts_with(word)));
    let index = index.or((word == "sept").then_some(8))?;
    i8::try_from(index + 1).ok()
}

/// Returns true if the name of a month, alone and capitalised, is unambiguous (unlike "May").
pub(super) fn is_unambiguous_month(word: &str) -> bool {
    matches!(
        word,
        "january" | "february" | "july" | "september" | "october" | "november" | "december"
    )
}

/// Returns a weekday, written out or abbreviated as in `Tue` and `Thurs`.
pub(super) fn weekday(word: &str) -> Option<Weekday> {
    let short = matches!(word, "mon" | "tue" | "tues" | "wed" | "thu" | "thur" | "thurs" | "fri");
    let named = |name: &str| name == word || (short && name.starts_with(word));
    WEEKDAYS.iter().find(|(name, _)| named(name)).map(|&(_, day)| day)
}

pub(super) fn season(word: &str) -> Option<Season> {
    let first_month = match word {
        "spring" => 3,
        "summer" => 6,
        "autumn" | "fall" => 9,
        "winter" => 12,
        _ => return None,
    };
    Some(Season { first_month })
}

pub(super) fn unit(word: &str) -> Option<CalendarUnit> {
    Some(match word {
        "minute" | "minutes" => CalendarUnit::Minute,
        "hour" | "hours" => CalendarUnit::Hour,
        "day" | "days" => CalendarUnit::Day,
        "week" | "weeks" => CalendarUnit::Week,
        "month" | "months" => CalendarUnit::Month,
        "quarter" | "quarters" => CalendarUnit::Quarter,
        "year" | "years" => CalendarUnit::Year,
        _ => return None,
    })
}

/// Returns the value of a small number word; "a few" is taken as three.
pub(super) fn number_word(word: &str) -> Option<u32> {
    Some(match word {
        "a" | "an" | "one" => 1,
        "two" | "couple" => 2,
        "three" | "few" => 3,
        "four" => 4,
        "five" => 5,
        "six" => 6,
        "seven" => 7,
        "eight" => 8,
        "nine" => 9,
        "ten" => 10,
        "eleven" => 11,
        "twelve" => 12,
        _ => return None,
    })
}

pub(super) fn ordinal(word: &str) -> Option<i8> {
    Some(match word {
        "first" => 1,
        "second" => 2,
        "third" => 3,
        "fourth" => 4,
        _ => return None,
    })
}

pub(super) fn is_preposition(word: &str) -> bool {
    matches!(
        word,
        "in" | "during"
            | "on"
            | "of"
            | "over"
            | "within"
            | "throughout"
            | "early"
            | "late"
            | "mid"
            | "year"
    )
}

pub(super) fn is_modifier(word: &str) -> bool {
    matches!(word, "the" | "early" | "late" | "mid" | "all" | "year")
}

/// Returns true for nouns that make a number before them a count, not a year ("in 2000 lines").
pub(super) fn is_counted_noun(word: &str) -> bool {
    #[rustfmt::skip]
    const COUNTED_NOUNS: &[&str] = &[
        "ms", "lines", "files", "rows", "items", "requests", "tokens", "bytes", "words",
        "characters", "chars", "steps", "users", "people", "records", "memories", "euros",
        "dollars", "units", "points", "cases", "entries", "documents", "pages", "tests", "times",
        "seconds", "minutes", "hours", "days", "weeks", "months", "years", "km", "miles", "meters",
        "metres", "kg", "calories", "iterations", "commits", "messages", "queries", "px",
    ];
    COUNTED_NOUNS.contains(&word)
}
