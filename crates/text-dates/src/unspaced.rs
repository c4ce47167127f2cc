//! Dates in Chinese, Japanese and Korean, which are written without spaces: "2024年5月3日", "昨天",
//! "三个月前", "지난주".

use crate::calendar::{self, MicrosSpan, days_from, plus_days, shift_day, whole_unit};
use crate::date_expression::DateExpression;
use crate::vocabulary::CalendarUnit;
use crate::{SPANS_MAX, TimeSpan};
use jiff::civil::Date;

/// Words for a day, by its distance from today in days. Longer words come before those they begin
/// with.
const DAYS: [(&str, i64); 16] = [
    ("前天", -2),
    ("一昨日", -2),
    ("그저께", -2),
    ("昨天", -1),
    ("昨日", -1),
    ("어제", -1),
    ("今天", 0),
    ("今日", 0),
    ("오늘", 0),
    ("明天", 1),
    ("明日", 1),
    ("내일", 1),
    ("后天", 2),
    ("後天", 2),
    ("明後日", 2),
    ("모레", 2),
];

/// Words for a whole unit, by its distance from the current one.
#[rustfmt::skip]
const UNITS: [(&str, CalendarUnit, i64); 31] = [
    ("上周", CalendarUnit::Week, -1), ("上週", CalendarUnit::Week, -1),
    ("上星期", CalendarUnit::Week, -1), ("先週", CalendarUnit::Week, -1),
    ("지난주", CalendarUnit::Week, -1), ("지난 주", CalendarUnit::Week, -1),
    ("本周", CalendarUnit::Week, 0), ("这周", CalendarUnit::Week, 0),
    ("今週", CalendarUnit::Week, 0), ("이번 주", CalendarUnit::Week, 0),
    ("이번주", CalendarUnit::Week, 0), ("下周", CalendarUnit::Week, 1),
    ("来週", CalendarUnit::Week, 1), ("다음 주", CalendarUnit::Week, 1),
    ("上个月", CalendarUnit::Month, -1), ("上個月", CalendarUnit::Month, -1),
    ("先月", CalendarUnit::Month, -1), ("지난달", CalendarUnit::Month, -1),
    ("지난 달", CalendarUnit::Month, -1), ("这个月", CalendarUnit::Month, 0),
    ("今月", CalendarUnit::Month, 0), ("이번 달", CalendarUnit::Month, 0),
    ("来月", CalendarUnit::Month, 1), ("去年", CalendarUnit::Year, -1),
    ("昨年", CalendarUnit::Year, -1), ("작년", CalendarUnit::Year, -1),
    ("今年", CalendarUnit::Year, 0), ("올해", CalendarUnit::Year, 0),
    ("明年", CalendarUnit::Year, 1), ("来年", CalendarUnit::Year, 1),
    ("내년", CalendarUnit::Year, 1),
];

/// Words between a number and "ago".
#[rustfmt::skip]
const COUNTED: [(&str, CalendarUnit); 16] = [
    ("天前", CalendarUnit::Day), ("日前", CalendarUnit::Day), ("일 전", CalendarUnit::Day),
    ("周前", CalendarUnit::Week), ("週間前", CalendarUnit::Week), ("주 전", CalendarUnit::Week),
    ("个星期前", CalendarUnit::Week), ("个月前", CalendarUnit::Month),
    ("個月前", CalendarUnit::Month), ("か月前", CalendarUnit::Month),
    ("ヶ月前", CalendarUnit::Month), ("カ月前", CalendarUnit::Month),
    ("개월 전", CalendarUnit::Month), ("달 전", CalendarUnit::Month),
    ("年前", CalendarUnit::Year), ("년 전", CalendarUnit::Year),
];

/// Returns the dates of a text in these languages, in order.
pub(super) fn unspaced_dates(text: &str, today: Date) -> Vec<TimeSpan> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(first) = text[at..].chars().next() {
        let read = if found.len() < SPANS_MAX { date_at(&text[at..], today) } else { None };
        if let Some((span, length)) = read {
            let (from_us, until_us) = (span.from_us, span.until_us);
            found.push(TimeSpan { from_us, until_us, range: at..at + length });
        }
        at += read.map_or(first.len_utf8(), |(_, length)| length);
    }
    found
}

fn date_at(rest: &str, today: Date) -> Option<(MicrosSpan, usize)> {
    calendar_date(rest, today)
        .or_else(|| counted(rest, today))
        .or_else(|| {
            let (word, days) = DAYS.iter().find(|(word, _)| rest.starts_with(word))?;
            Some((days_from(plus_days(today, *days)?, 1)?, word.len()))
        })
        .or_else(|| {
            let (word, unit, away) = UNITS.iter().find(|(word, ..)| rest.starts_with(word))?;
            Some((whole_unit(*unit, today, *away)?, word.len()))
        })
}

/// Parses "2024年5月3日", "2024年5月", "2024年", "5月3日" and "5월".
fn calendar_date(rest: &str, today: Date) -> Option<(MicrosSpan, usize)> {
    let year = numbered(rest, &["年", "년"]).filter(|(year, _)| (1900..=2100).contains(year));
    let after_year = year.map_or(0, |(_, length)| length);
    let after_year = after_year + space(&rest[after_year..]);
    let month = numbered(&rest[after_year..], &["月", "월"]);
    let year_number = year.and_then(|(year, _)| i16::try_from(year).ok());
    let Some((month, length)) = month else {
        let (year, (_, length)) = year_number.zip(year)?;
        return Some((calendar::year(year)?, length));
    };
    let month = i8::try_from(month).ok()?;
    let after_month = after_year + length;
    let before_day = after_month + space(&rest[after_month..]);
    let day = numbered(&rest[before_day..], &["日", "号", "號", "일"]);
    let expression = match day {
        Some((day, _)) => {
            DateExpression::Day { year: year_number, month, day: i8::try_from(day).ok()? }
        }
        None => DateExpression::Month { year: year_number, month },
    };
    let end = day.map_or(after_month, |(_, length)| before_day + length);
    Some((expression.latest(today)?, end))
}

/// Parses "三个月前", "3日前", "2주 전".
fn counted(rest: &str, today: Date) -> Option<(MicrosSpan, usize)> {
    let (count, digits) = number(rest)?;
    let (word, unit) = COUNTED.iter().find(|(word, _)| rest[digits..].starts_with(word))?;
    let day = shift_day(*unit, today, -i64::from(count))?;
    Some((whole_unit(*unit, day, 0)?, digits + word.len()))
}

/// Parses a number with one of these words after it.
fn numbered(rest: &str, words: &[&str]) -> Option<(u32, usize)> {
    let (value, digits) = number(rest)?;
    let word = words.iter().find(|word| rest[digits..].starts_with(**word))?;
    Some((value, digits + word.len()))
}

/// Parses a number of at most four digits, or a Chinese numeral up to ten; returns its value and
/// its length.
fn number(rest: &str) -> Option<(u32, usize)> {
    const NUMERALS: &str = "一二三四五六七八九十";
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    if (1..=4).contains(&digits) {
        return Some((rest[..digits].parse().ok()?, digits));
    }
    let first = rest.chars().next().map(|c| if c == '两' || c == '兩' { '二' } else { c })?;
    let value = NUMERALS.chars().position(|numeral| numeral == first)?;
    Some((u32::try_from(value + 1).ok()?, first.len_utf8()))
}

fn space(rest: &str) -> usize {
    usize::from(rest.starts_with(' '))
}
