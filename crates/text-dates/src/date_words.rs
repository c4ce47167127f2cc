//! Spells out a date in the words that people use in questions, to be indexed with a text.

use crate::calendar::day_of;
use crate::vocabulary::{MONTHS, WEEKDAYS};

/// Returns the date of a moment in words: weekday, day, month, year and season ("Monday 3 May 2021
/// spring"). Empty for moments outside of the calendar.
pub fn date_words(us: i64) -> String {
    let Some(day) = day_of(us) else { return String::new() };
    let weekday =
        WEEKDAYS.iter().find(|(_, weekday)| *weekday == day.weekday()).map_or("", |(name, _)| name);
    let month =
        usize::try_from(day.month() - 1).ok().and_then(|at| MONTHS.get(at)).copied().unwrap_or("");
    let season = match day.month() {
        3..=5 => "spring",
        6..=8 => "summer",
        9..=11 => "autumn",
        _ => "winter",
    };
    format!("{} {} {} {} {season}", capitalised(weekday), day.day(), capitalised(month), day.year())
}

fn capitalised(name: &str) -> String {
    let mut name = name.to_owned();
    if let Some(first) = name.get_mut(..1) {
        first.make_ascii_uppercase();
    }
    name
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_moment_is_spelled_out_in_words() {
        assert_eq!(date_words(1_620_000_000_000_000), "Monday 3 May 2021 spring");
        assert_eq!(date_words(-1), "Wednesday 31 December 1969 winter");
        assert_eq!(date_words(i64::MAX), "");
    }
}
