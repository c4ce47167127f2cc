//! Reads the value that begins at a word: "5 May 2026", "half past eight", "20 mg", "every two
//! weeks", "八十万元".

use super::clock_reader::{read_full_hour, read_spoken_time, read_time};
use super::tokens::{RawWord, is_unsegmented, lower};
use super::values::{self, ValueType};

/// A value with its key, its type and the number of words it takes.
pub(super) type ReadValue = (String, ValueType, usize);

/// Reads the value at the beginning of some words.
pub(super) fn read_value(words: &[RawWord<'_>], before: &str) -> Option<ReadValue> {
    let first = words.first()?.text;
    if (first.starts_with(is_unsegmented) || starts_cjk_number(words))
        && let Some(found) = read_unsegmented(words)
    {
        return Some(found);
    }
    // Words behind a comma or a colon belong to something else.
    let mut next = [""; 5];
    let near = words.iter().skip(1).take_while(|word| word.joined);
    next.iter_mut().zip(near).for_each(|(next, word)| *next = &word.lower);
    let [one, two, three, four, _] = next;
    let word = &*words[0].lower;
    read_blood_type(first, one)
        .or_else(|| read_spoken_time(word, next))
        .or_else(|| read_time(word, [one, two, three, four], &lower(before)))
        .or_else(|| read_full_hour(word, one, &lower(before)))
        .or_else(|| values::iso_date(first).map(|date| (date, ValueType::Date, 1)))
        .or_else(|| read_date_with_year(words).or_else(|| read_date(first, word, one, two)))
        .or_else(|| read_may(first, &lower(before)))
        .or_else(|| read_day_of_month(word, one))
        .or_else(|| read_weekday(first, word))
        .or_else(|| read_frequency(word, [one, two, three]))
        .or_else(|| read_year(first, before))
        .or_else(|| read_rate(word, one, &lower(before)))
        .or_else(|| read_rate_with_article(word, one, two))
        .or_else(|| read_and_half(word, next))
        .or_else(|| read_one_unit(word, one, two))
        .or_else(|| read_phone_number(words))
        .or_else(|| read_spelled_digits(words))
        .or_else(|| read_quantity(word, one, two))
}

/// Reads "one and a half years", "an hour and a half" and "a quarter of an hour".
fn read_and_half(first: &str, next: [&str; 5]) -> Option<ReadValue> {
    let (number, unit, length) = match (first, next) {
        (_, ["and", "a", "half", unit, _]) => {
            (format!("{}.5", values::number(first)?), values::unit(unit)?, 5)
        }
        ("an", ["hour", "and", "a", "half", _]) => ("90".to_owned(), "min", 5),
        ("three", ["quarters", "of", "an", "hour", _]) => ("45".to_owned(), "min", 5),
        ("a", ["quarter", "of", "an", "hour", _]) => ("15".to_owned(), "min", 5),
        ("a", ["quarter", "of", "a", "year", _]) => ("3".to_owned(), "month", 5),
        _ => return None,
    };
    let (number, unit) = values::in_base_unit(&number, unit);
    Some((format!("{number} {unit}"), ValueType::Quantity, length))
}

/// Reads "in May": with another word before, it may be the verb or a name.
fn read_may(first: &str, before: &str) -> Option<ReadValue> {
    let month = first == "May" && matches!(before, "in" | "of" | "since" | "until" | "by" | "for");
    month.then(|| (values::date(None, 5, None), ValueType::Date, 1))
}

/// Reads "a month", "per hour", "/min" and "im Monat" behind an amount.
fn read_rate(first: &str, next: &str, before: &str) -> Option<ReadValue> {
    if let Some(unit) = first.strip_prefix('/').and_then(values::unit) {
        return Some((values::period("1", unit), ValueType::Frequency, 1));
    }
    let per = matches!(first, "a" | "an" | "per" | "pro" | "im" | "al" | "par" | "por" | "each");
    let timed = |unit: &&str| matches!(*unit, "h" | "min" | "day" | "week" | "month" | "year");
    let always = matches!(first, "per" | "pro" | "par" | "por");
    let amount = always
        || before.contains(|c: char| c.is_ascii_digit() || "€$£%".contains(c))
        || values::number(before).is_some()
        || values::unit(before).is_some();
    let unit = values::unit(next).filter(timed)?;
    (per && amount).then(|| (values::period("1", unit), ValueType::Frequency, 2))
}

/// Reads "a la semana" and "à l'année".
fn read_rate_with_article(first: &str, next: &str, third: &str) -> Option<ReadValue> {
    let per = matches!((first, next), ("a" | "à", "la" | "l'") | ("in", "der") | ("alla", _));
    let unit = values::unit(third).filter(|unit| matches!(*unit, "day" | "week" | "month"))?;
    per.then(|| (values::period("1", unit), ValueType::Frequency, 3))
}

/// Reads digits that are spelled out one by one: "four four seven one".
fn read_spelled_digits(words: &[RawWord<'_>]) -> Option<ReadValue> {
    const DIGITS_MIN: usize = 3;
    let digit = |word: &RawWord<'_>| values::number(&word.lower).filter(|it| it.len() == 1);
    let digits: String = words.iter().map_while(digit).collect();
    let spelled = words.first()?.text.starts_with(char::is_alphabetic);
    (spelled && digits.len() >= DIGITS_MIN).then(|| {
        let length = digits.len();
        (digits, ValueType::Quantity, length)
    })
}

/// Reads a telephone number, however its digits are grouped.
fn read_phone_number(words: &[RawWord<'_>]) -> Option<ReadValue> {
    const DIGITS_MIN: usize = 7;
    // With the code of a country.
    const FOREIGN_DIGITS_MIN: usize = 10;
    let is_digits = |text: &str| text.bytes().all(|b| b.is_ascii_digit() || b == b'-');
    let first = words.first()?;
    let groups = words.iter().skip(1).take_while(|word| word.joined && is_digits(word.text));
    let groups: Vec<&str> = std::iter::once(first.text).chain(groups.map(|one| one.text)).collect();
    let digits: String = groups.concat().replace('-', "");
    let dialled = first.text.starts_with('0') || digits.len() >= FOREIGN_DIGITS_MIN;
    let is_number = is_digits(first.text) && dialled && digits.len() >= DIGITS_MIN;
    is_number.then_some((digits, ValueType::Identifier, groups.len()))
}

/// Reads "an hour", "a week", "half an hour".
fn read_one_unit(first: &str, next: &str, third: &str) -> Option<ReadValue> {
    let timed = |unit: &&str| matches!(*unit, "h" | "min" | "day" | "week" | "month" | "year");
    let quantity = |number: &str, unit: &str, length| {
        let (number, unit) = values::in_base_unit(number, unit);
        Some((format!("{number} {unit}"), ValueType::Quantity, length))
    };
    match (first, next) {
        ("a", "dozen") => Some(("12".to_owned(), ValueType::Quantity, 2)),
        (
            "an" | "a" | "un" | "una" | "une" | "uma" | "um" | "ein" | "eine" | "einen" | "einem"
            | "einer" | "één" | "een",
            unit,
        ) => quantity("1", values::unit(unit).filter(timed)?, 2),
        ("half", "an" | "a") => quantity("0.5", values::unit(third).filter(timed)?, 3),
        _ => None,
    }
}

/// Reads a year behind "in" or "since".
fn read_year(first: &str, before: &str) -> Option<ReadValue> {
    let dated = matches!(
        &*lower(before),
        "in" | "since"
            | "until"
            | "by"
            | "of"
            | "en"
            | "seit"
            | "depuis"
            | "desde"
            | "im"
            | "year"
            | "birth"
            | ":"
            | "="
    );
    let is_year = first.len() == 4
        && (first.starts_with("19") || first.starts_with("20"))
        && first.bytes().all(|b| b.is_ascii_digit());
    // "Extended to 2034"; rents and prices are rarely in this range.
    let coming = is_year && lower(before) == "to" && ("2020"..="2060").contains(&first);
    (dated && is_year || coming).then(|| (format!("/{first}"), ValueType::Date, 1))
}

/// Reads "O negative" as the blood type `O-`.
fn read_blood_type(first: &str, next: &str) -> Option<ReadValue> {
    let sign = match next {
        "positive" | "positiv" | "positivo" => '+',
        "negative" | "negativ" | "negativo" => '-',
        _ => return None,
    };
    let group = matches!(first, "A" | "B" | "AB" | "O" | "0");
    group.then(|| (format!("{}{sign}", lower(first)), ValueType::Identifier, 2))
}

/// Reads "5 May", "May 5", "May 5 2026", "May 2026", "3. Juni", "5 de mayo".
fn read_date(first: &str, word: &str, next: &str, third: &str) -> Option<ReadValue> {
    let day = |word: &str| {
        let number = values::ordinal(word).map(str::to_owned).or_else(|| values::number(word))?;
        number.parse().ok().filter(|day| (1..=31).contains(day))
    };
    let year = |word: &str| {
        let is_year = word.len() == 4 && (word.starts_with("19") || word.starts_with("20"));
        (is_year && word.bytes().all(|b| b.is_ascii_digit())).then(|| word.to_owned())
    };
    if first.starts_with(|c: char| c.is_ascii_digit()) {
        let (month, skipped) = match next {
            "de" | "of" => (values::month(third)?, 1),
            _ => (values::month(next)?, 0),
        };
        let year = if skipped == 0 { year(third) } else { None };
        let length = 2 + skipped + usize::from(year.is_some());
        let date = values::date(Some(day(word)?), month, year.as_deref());
        return Some((date, ValueType::Date, length));
    }
    let month = values::month(word)?;
    // "may" and "march" are verbs as well, so a month is capitalised or stands before a number.
    let shown = first.starts_with(char::is_uppercase) && word != "mar";
    if let (Some(day), true) = (day(next), year(next).is_none()) {
        let year = year(third);
        let length = 2 + usize::from(year.is_some());
        return Some((values::date(Some(day), month, year.as_deref()), ValueType::Date, length));
    }
    if let Some(year) = year(next) {
        return Some((values::date(None, month, Some(&year)), ValueType::Date, 2));
    }
    (shown && word != "may").then(|| (values::date(None, month, None), ValueType::Date, 1))
}

/// Reads "May 5, 2026", with a comma before the year.
fn read_date_with_year(words: &[RawWord<'_>]) -> Option<ReadValue> {
    let [month, day, year, ..] = words else { return None };
    let is_year = year.text.len() == 4 && year.text.starts_with("20") && !year.joined;
    if !is_year || !day.joined || !year.text.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    match read_date(month.text, &month.lower, &day.lower, &year.lower)? {
        (date, kind, 3) => Some((date, kind, 3)),
        _ => None,
    }
}

/// Reads "the 15th", "the 1st of each month"; before a noun it is no date.
fn read_day_of_month(word: &str, next: &str) -> Option<ReadValue> {
    let spelled = match word {
        "first" if next == "of" => Some("1"),
        "second" if next == "of" => Some("2"),
        _ => None,
    };
    let day = values::ordinal(word).or(spelled)?;
    let ends = matches!(next, "" | "of" | "at" | "every" | "each" | "now" | "instead" | "and");
    ends.then(|| (format!("day {day}"), ValueType::Date, 1))
}

fn read_weekday(first: &str, word: &str) -> Option<ReadValue> {
    let day = values::weekday(word)?;
    // "sun", "mon" and "sat" are words as well.
    let abbreviated = word.len() <= 4 && !first.starts_with(char::is_uppercase);
    (!abbreviated).then(|| (day.to_owned(), ValueType::Weekday, 1))
}

/// Reads "hourly", "every two weeks", "twice a day", "3 times per week", "every evening".
fn read_frequency(first: &str, next: [&str; 3]) -> Option<ReadValue> {
    let of = |key: String, length| Some((key, ValueType::Frequency, length));
    if let Some(often) = values::frequency(first) {
        return of(often, 1);
    }
    if matches!(first, "every" | "each" | "alle" | "cada" | "jeden" | "jede" | "chaque") {
        // "every other Sunday"
        if matches!(next[0], "other" | "second" | "zweiten")
            && let Some(day) = values::weekday(next[1])
        {
            return of(format!("1/2 {day}"), 3);
        }
        if let Some(unit) = values::unit(next[0]).or((next[0] == "quarter").then_some("quarter")) {
            return of(values::period("1", unit), 2);
        }
        if matches!(next[0], "morning" | "evening" | "night" | "afternoon" | "tag" | "abend")
            || matches!(next[0], "nacht" | "noche" | "mañana" | "tarde" | "matin" | "soir" | "nuit")
        {
            return of(format!("1/{}", next[0]), 2);
        }
        let other = if next[0] == "other" { Some("2".to_owned()) } else { values::number(next[0]) };
        return of(values::period(&other?, values::unit(next[1])?), 3);
    }
    let (times, length) = match first {
        "once" if next[0] != "the" => ("1".to_owned(), 1),
        "twice" => ("2".to_owned(), 1),
        _ => (values::number(first).filter(|_| values::unit(next[0]) == Some("times"))?, 2),
    };
    let per = |at: usize| matches!(next[at], "a" | "per" | "each" | "every" | "pro" | "al" | "por");
    if per(length - 1)
        && let Some(unit) = values::unit(next[length])
    {
        let often =
            if times == "1" { values::period("1", unit) } else { format!("{times}/{unit}") };
        return of(often, length + 2);
    }
    of(format!("{times} times"), length)
}

fn read_quantity(first: &str, next: &str, third: &str) -> Option<ReadValue> {
    // "30-day", "two-week".
    if let Some((number, unit)) = first.split_once('-')
        && let (Some(number), Some(unit)) = (values::number(number), values::unit(unit))
    {
        let (number, unit) = values::in_base_unit(&number, unit);
        return Some((format!("{number} {unit}"), ValueType::Quantity, 1));
    }
    // "£18/h".
    if let Some((amount, unit)) = first.split_once('/')
        && amount.starts_with(['$', '€', '£', '¥'])
        && values::unit(unit).is_some()
    {
        return read_quantity(amount, "", "");
    }
    // "€40k", "EUR 40".
    if let Some(amount) = first.strip_prefix(['$', '€', '£', '¥'])
        && amount.ends_with(['k', 'm'])
    {
        let sign = &first[..first.len() - amount.len()];
        let (key, kind, _) = read_quantity(amount, sign, "")?;
        return Some((key, kind, 1));
    }
    if values::unit(first).is_some_and(values::is_currency)
        && next.starts_with(|c: char| c.is_ascii_digit())
    {
        let (key, kind, _) = read_quantity(next, first, "")?;
        return Some((key, kind, 2));
    }
    // "20 000 euros".
    if next.len() == 3
        && (1..=3).contains(&first.len())
        && [first, next].iter().all(|word| word.bytes().all(|b| b.is_ascii_digit()))
        && !first.starts_with('0')
        && (next == "000" || values::unit(third).is_some())
    {
        let (key, kind, length) = read_quantity(&format!("{first}{next}"), third, "")?;
        return Some((key, kind, length + 1));
    }
    let (number, sign) = match values::split_unit(first) {
        Some((number, "k")) => (values::multiplied(&values::number(number)?, 1_000.0)?, None),
        Some((number, "m")) => (values::multiplied(&values::number(number)?, 1_000_000.0)?, None),
        Some((number, ending)) => (values::number(number)?, Some(values::unit(ending)?)),
        None => (values::number(first)?, None),
    };
    if values::is_version(&number) {
        return Some((number, ValueType::Version, 1));
    }
    // "Two working days" are no two days.
    if matches!(next, "working" | "business") && values::unit(third) == Some("day") {
        return Some((format!("{number} workday"), ValueType::Quantity, 3));
    }
    // "two hundred dollars", "1.5 million".
    let factor = values::multiplier(next).filter(|_| first != "hundred");
    let (number, length, next) = match factor {
        Some(factor) => (values::multiplied(&number, factor)?, 2, third),
        None => (number, 1, next),
    };
    // "55 an hour": the French year is no unit before another.
    let next = if next == "an" && values::unit(third).is_some() { "" } else { next };
    match sign.map(|sign| (sign, 0)).or_else(|| values::unit(next).map(|unit| (unit, 1))) {
        Some((unit, more)) => {
            let (number, unit) = values::in_base_unit(&number, unit);
            Some((format!("{number} {unit}"), ValueType::Quantity, length + more))
        }
        None => Some((number, ValueType::Quantity, length)),
    }
}

fn starts_cjk_number(words: &[RawWord<'_>]) -> bool {
    let next = words.get(1).is_some_and(|word| word.text.starts_with(is_unsegmented));
    next && words[0].text.bytes().all(|b| b.is_ascii_digit())
}

/// Reads values of scripts without spaces, whose characters are single words.
fn read_unsegmented(words: &[RawWord<'_>]) -> Option<ReadValue> {
    let text = |at: usize| words.get(at).map_or("", |word| word.text);
    let weekdays = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];
    let named = |days: &str, day: &str| {
        let at = days.chars().position(|one| day.starts_with(one))?;
        weekdays.get(at.min(6)).map(|day| (*day).to_owned())
    };
    let weekday = |key: String, length| Some((key, ValueType::Weekday, length));
    match (text(0), text(1)) {
        ("周", day) if named("一二三四五六日", day).is_some() => {
            return weekday(named("一二三四五六日", day)?, 2);
        }
        ("星", "期") => return weekday(named("一二三四五六日", text(2))?, 3),
        (day, "曜") => {
            return weekday(named("月火水木金土日", day)?, 2 + usize::from(text(2) == "日"));
        }
        _ => {}
    }
    if let (half @ ("午" | "上" | "下"), _) = (text(0), text(1))
        && matches!((half, text(1)), ("午", "前" | "後") | ("上" | "下", "午"))
        && let Some((clock, ValueType::TimeOfDay, length)) = read_unsegmented(words.get(2..)?)
            .or_else(|| {
                let clock = values::time_of_day(text(2), None).filter(|_| text(2).contains(':'))?;
                Some((clock, ValueType::TimeOfDay, 1))
            })
    {
        let late = text(1) == "後" || half == "下";
        let time = values::time_of_day(&clock, late.then_some("pm"))?;
        return Some((time, ValueType::TimeOfDay, length + 2));
    }
    let (number, length) = cjk_number(words)?;
    match text(length) {
        "月" => match cjk_number(words.get(length + 1..)?) {
            Some((day, days)) => {
                let end = length + 1 + days + 1;
                let date = values::date(day.parse().ok(), number.parse().ok()?, None);
                Some((date, ValueType::Date, end.min(words.len())))
            }
            None => {
                Some((values::date(None, number.parse().ok()?, None), ValueType::Date, length + 1))
            }
        },
        "点" | "時" | "时" => {
            let half = text(length + 1) == "半";
            let clock = if half { format!("{number}:30") } else { number };
            let length = length + 1 + usize::from(half);
            Some((values::time_of_day(&clock, None)?, ValueType::TimeOfDay, length))
        }
        "小" if text(length + 1) == "时" => {
            Some((values::multiplied(&number, 3_600.0)? + " s", ValueType::Quantity, length + 2))
        }
        "分" if text(length + 1) == "钟" => {
            Some((values::multiplied(&number, 60.0)? + " s", ValueType::Quantity, length + 2))
        }
        "公" if matches!(text(length + 1), "里" | "斤") => {
            let unit = if text(length + 1) == "里" { "km" } else { "kg" };
            let (number, unit) = values::in_base_unit(&number, unit);
            Some((format!("{number} {unit}"), ValueType::Quantity, length + 2))
        }
        "秒" => Some((format!("{number} s"), ValueType::Quantity, length + 1)),
        // "23个人" and "31人" count the same.
        "个" if text(length + 1) == "人" => {
            Some((format!("{number} 人"), ValueType::Quantity, length + 2))
        }
        "元" | "円" | "天" | "片" | "岁" | "歳" | "次" | "回" | "年" | "个" | "人" | "台"
        | "名" | "位" | "页" | "条" | "块" => {
            Some((format!("{number} {}", text(length)), ValueType::Quantity, length + 1))
        }
        _ if length > 1 || words[0].text.bytes().all(|b| b.is_ascii_digit()) => {
            Some((number, ValueType::Quantity, length))
        }
        _ => None,
    }
}

/// Reads a number in Chinese numerals or digits. Returns its value and the number of words.
fn cjk_number(words: &[RawWord<'_>]) -> Option<(String, usize)> {
    if words.first().is_some_and(|word| word.text.bytes().all(|b| b.is_ascii_digit())) {
        let factor = words.get(1).map_or("", |word| word.text);
        let digits = words[0].text;
        return match factor {
            "万" => Some((values::multiplied(digits, 10_000.0)?, 2)),
            _ => Some((digits.to_owned(), 1)),
        };
    }
    let (mut total, mut section, mut digit, mut length) = (0_u64, 0_u64, 0_u64, 0);
    for word in words {
        let one = word.text.chars().next()?;
        let ones = "零一二三四五六七八九".chars().position(|numeral| numeral == one);
        let ones = if one == '两' { Some(2) } else { ones };
        let power = match one {
            '十' => Some(10),
            '百' => Some(100),
            '千' => Some(1_000),
            _ => None,
        };
        match (ones, power, one) {
            (Some(value), ..) => digit = value as u64,
            (_, Some(power), _) => {
                section += digit.max(1) * power;
                digit = 0;
            }
            (_, _, '万') => {
                total += (section + digit) * 10_000;
                (section, digit) = (0, 0);
            }
            _ => break,
        }
        length += 1;
    }
    (length > 0).then(|| ((total + section + digit).to_string(), length))
}
