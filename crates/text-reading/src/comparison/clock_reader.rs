//! Reads times of day: "half past eight", "9:30 am", "18 Uhr 15", "at 9".

use super::value_reader::ReadValue;
use super::values::{self, ValueType};

/// Reads "half past eight", "quarter to nine", "halb neun".
pub(super) fn read_spoken_time(first: &str, next: [&str; 5]) -> Option<ReadValue> {
    if first == "halb" {
        let hour: u32 = values::number(next[0])?.parse().ok()?;
        let hour = hour.checked_sub(1).filter(|hour| *hour < 24)?;
        let length = 2 + usize::from(next[1] == "uhr");
        return Some((format!("{hour:02}:30"), ValueType::TimeOfDay, length));
    }
    let hour: u32 = values::number(next[1])?.parse().ok().filter(|hour| (1..=24).contains(hour))?;
    let afternoon = matches!(next, [_, _, "in", "the", "afternoon" | "evening"]);
    let hour = if afternoon && hour < 12 { hour + 12 } else { hour };
    let length = if matches!(next, [_, _, "in", "the", _]) { 6 } else { 3 };
    let (hour, minutes) = match (first, next[0]) {
        ("half", "past") => (hour, 30),
        ("quarter", "past") => (hour, 15),
        ("quarter", "to") => (hour - 1, 45),
        _ => return None,
    };
    Some((format!("{hour:02}:{minutes:02}"), ValueType::TimeOfDay, length))
}

/// Reads "at 9" at the end of a clause. Without am or pm it may be either half of the day.
pub(super) fn read_full_hour(first: &str, next: &str, before: &str) -> Option<ReadValue> {
    let ends = matches!(
        next,
        "" | "on"
            | "in"
            | "desde"
            | "seit"
            | "every"
            | "each"
            | "now"
            | "from"
            | "instead"
            | "today"
            | "tomorrow"
    ) || values::weekday(next).is_some();
    let hour: u8 = values::number(first)?.parse().ok().filter(|hour| (1..=24).contains(hour))?;
    let half = if hour <= 12 { values::EITHER_HALF } else { "" };
    let at = matches!(before, "at" | "las" | "um" | "alle" | "às" | "om" | "until" | "till");
    (at && ends).then(|| (format!("{half}{hour:02}:00"), ValueType::TimeOfDay, 1))
}

/// Reads "9 am", "14:30", "18 Uhr", "à 14h".
pub(super) fn read_time(first: &str, next: [&str; 4], before: &str) -> Option<ReadValue> {
    let time = |clock: &str, half: Option<&str>, length| {
        values::time_of_day(clock, half).map(|time| (time, ValueType::TimeOfDay, length))
    };
    if let Some((clock, ending @ ("am" | "pm"))) = values::split_unit(first) {
        return time(clock, Some(ending), 1);
    }
    if matches!(first, "noon" | "midday" | "mittags" | "midi" | "mediodía") {
        return Some(("12:00".to_owned(), ValueType::TimeOfDay, 1));
    }
    if matches!(first, "midnight" | "mitternacht" | "minuit" | "medianoche" | "mezzanotte") {
        return Some(("00:00".to_owned(), ValueType::TimeOfDay, 1));
    }
    let number = values::number(first).filter(|number| number.len() <= 2);
    // "24h" is a duration, "14h30" and "à 14h" are times.
    let at = matches!(before, "à" | "um" | "vers" | "las" | "dès" | "às" | "alle" | "om")
        || values::weekday(before).is_some();
    let digit_clock = first.starts_with(|c: char| c.is_ascii_digit())
        && (first.contains(':')
            || first.contains('h') && (at || !first.ends_with('h'))
            || first.contains('.') && (at || matches!(next[0], "uhr" | "am" | "pm")));
    let clock = if digit_clock { first.to_owned() } else { number? };
    match next {
        ["am" | "a.m", ..] => time(&clock, Some("am"), 2),
        ["pm" | "p.m", ..] => time(&clock, Some("pm"), 2),
        ["in", "the", "morning", _] => time(&clock, Some("am"), 4),
        ["in", "the", "afternoon" | "evening", _] => time(&clock, Some("pm"), 4),
        ["de", "la", "tarde" | "noche", _] => time(&clock, Some("pm"), 4),
        ["de", "la", "mañana", _] => time(&clock, Some("am"), 4),
        ["y", "media", ..] if at => time(&format!("{clock}:30"), None, 3),
        ["y", "cuarto", ..] if at => time(&format!("{clock}:15"), None, 3),
        ["h" | "heures", "du", "matin", _] => time(&clock, Some("am"), 4),
        ["h" | "heures", "du", "soir", _] => time(&clock, Some("pm"), 4),
        ["uhr", "morgens" | "früh", ..] => time(&clock, Some("am"), 3),
        ["uhr", "nachmittags" | "abends", ..] => time(&clock, Some("pm"), 3),
        ["da", "manhã", ..] | ["утра", ..] => {
            time(&clock, Some("am"), if next[0] == "da" { 3 } else { 2 })
        }
        ["da", "tarde" | "noite", ..] => time(&clock, Some("pm"), 3),
        ["вечера", ..] => time(&clock, Some("pm"), 2),
        ["uhr" | "o'clock" | "uur", minutes, ..] => {
            let minutes = minutes.parse::<u8>().ok().filter(|minutes| *minutes < 60);
            match minutes.filter(|_| next[0] == "uhr") {
                Some(minutes) => time(&format!("{clock}:{minutes:02}"), None, 3),
                None => time(&clock, None, 2),
            }
        }
        ["h", ..] if at && next[1].parse::<u8>().is_err() => time(&clock, None, 2),
        ["h", minutes, ..] if minutes.parse::<u8>().is_ok_and(|minutes| minutes < 60) => {
            time(&format!("{clock}:{minutes}"), None, 3)
        }
        _ if digit_clock => time(&clock, None, 1),
        _ => None,
    }
}
