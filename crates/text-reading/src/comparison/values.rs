//! Values in a text: numbers with their units, times of day, dates, weekdays and versions, each in
//! one spelling, so that "five kilometres" and "5 km" are equal and "9 am" and "09:00" too.

use super::tokens::lower;
use foldhash::HashMap;
use std::sync::LazyLock;

/// Type of a value. Two values exclude each other only when they have the same type.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum ValueType {
    /// A number, or a number with a unit.
    Quantity,
    TimeOfDay,
    /// A day of a month, with or without its year, or a month.
    Date,
    Weekday,
    /// Dotted numbers of a version or an address.
    Version,
    /// A host, a path, a branch, a flag.
    Identifier,
    /// "hourly", "every two weeks", "twice a day".
    Frequency,
}

/// Returns the factor of a word such as "million" behind a number.
pub(super) fn multiplier(word: &str) -> Option<f64> {
    match word {
        "dozen" => Some(12.0),
        "hundred" | "hundert" => Some(100.0),
        "thousand" | "tausend" | "mil" => Some(1_000.0),
        "million" | "millions" | "millionen" | "millones" => Some(1_000_000.0),
        "billion" | "milliarden" => Some(1_000_000_000.0),
        _ => None,
    }
}

/// Returns a number multiplied.
pub(super) fn multiplied(number: &str, factor: f64) -> Option<String> {
    const PARTS: f64 = 1_000_000.0;
    let value: f64 = number.parse().ok()?;
    // Fractions are rounded, so that 4.1 kg are 4100 g.
    Some(((value * factor * PARTS).round() / PARTS).to_string())
}

/// Returns the frequency that a single word names.
pub(super) fn frequency(word: &str) -> Option<String> {
    let (number, unit) = match word {
        "hourly" | "stündlich" => ("1", "h"),
        "daily" | "nightly" | "täglich" | "diario" | "diaria" | "quotidien" => ("1", "day"),
        "weekly" | "wöchentlich" | "semanal" | "hebdomadaire" => ("1", "week"),
        "biweekly" | "fortnightly" => ("2", "week"),
        "monthly" | "monatlich" | "mensual" | "mensuel" | "mensuelle" => ("1", "month"),
        "quarterly" | "vierteljährlich" | "trimestral" | "trimestriel" => ("3", "month"),
        "yearly" | "annually" | "jährlich" | "anual" | "annuel" => ("1", "year"),
        _ => return None,
    };
    Some(period(number, unit))
}

/// Returns how often something happens every so many units of time.
pub(super) fn period(number: &str, unit: &str) -> String {
    let (number, unit) = in_base_unit(number, unit);
    format!("1/{number} {unit}")
}

/// Sign before an hour that may be in the morning or in the evening.
pub(super) const EITHER_HALF: &str = "~";

/// Returns true if a clock time is one of the two that an hour without am and pm may mean.
fn is_hour_of(one: &str, other: &str) -> bool {
    let hour = |time: &str| time.split_once(':')?.0.parse::<u8>().ok();
    let Some(either) = one.strip_prefix(EITHER_HALF) else { return false };
    let minutes = |time: &str| time.ends_with(":00");
    minutes(other)
        && hour(either).zip(hour(other)).is_some_and(|(one, other)| one % 12 == other % 12)
}

/// Returns true if one of two values of a type is only less exact than the other: 2029 and 14 May
/// 2029.
pub(super) fn refines(one: &str, other: &str) -> bool {
    let within = |part: &str, whole: &str| {
        whole.strip_prefix(part).is_some_and(|rest| rest.starts_with(['-', '/']))
            || part.starts_with('/') && whole.len() > part.len() && whole.ends_with(part)
    };
    within(one, other) || within(other, one) || is_hour_of(one, other) || is_hour_of(other, one)
}

/// Returns the value of a number written with digits or as a word.
pub(super) fn number(word: &str) -> Option<String> {
    let digits = word.strip_prefix(['v', 'V']).filter(|rest| starts_with_digit(rest));
    let plain = digits.unwrap_or(word);
    // "eighty-two" is eighty and two.
    if let Some((tens, ones)) = word.split_once('-')
        && let (Some(tens), Some(ones)) = (number(tens), number(ones))
        && let (Ok(tens), Ok(ones)) = (tens.parse::<u32>(), ones.parse::<u32>())
        && tens >= 20
        && ones < 10
    {
        return Some((tens + ones).to_string());
    }
    if starts_with_digit(plain) && plain.bytes().all(|b| b.is_ascii_digit() || b".,".contains(&b)) {
        return Some(without_grouping(plain));
    }
    static NUMBERS: WordTable<&str> = WordTable::new(|| table(NUMBER_WORDS.iter().copied()));
    NUMBERS.get(word).map(|&value| value.to_owned())
}

/// Values by the words that name them.
type WordTable<T> = LazyLock<HashMap<&'static str, T>>;

/// Builds a table; of two values with one name the first counts.
fn table<T>(
    entries: impl DoubleEndedIterator<Item = (&'static str, T)>,
) -> HashMap<&'static str, T> {
    entries.rev().collect()
}

/// Builds a table of values with several names.
fn table_of_groups<T: Copy + 'static>(
    groups: impl DoubleEndedIterator<Item = (T, &'static [&'static str])>,
) -> HashMap<&'static str, T> {
    table(groups.flat_map(|(value, names)| names.iter().map(move |name| (*name, value))))
}

fn starts_with_digit(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_digit())
}

/// Returns the digits of an ordinal such as "3rd".
pub(super) fn ordinal(word: &str) -> Option<&str> {
    let digits = word.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let ends = matches!(&word[digits.len()..], "st" | "nd" | "rd" | "th");
    (ends && !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit())).then_some(digits)
}

/// Removes commas that group thousands, and zeros at the end of a fraction.
fn without_grouping(number: &str) -> String {
    // "40.000" is written for forty thousand; a fraction would not end in zeros.
    if let Some((whole, rest)) = number.split_once('.')
        && (1..=3).contains(&whole.len())
        && !whole.starts_with('0')
        && rest.len() == 3
        && rest.ends_with('0')
        && rest.bytes().all(|b| b.is_ascii_digit())
    {
        return format!("{whole}{rest}");
    }
    let grouped = number.contains(',') && number.split(',').skip(1).all(|part| part.len() == 3);
    let plain = if grouped { number.replace(',', "") } else { number.replace(',', ".") };
    match plain.matches('.').count() {
        1 => plain.trim_end_matches('0').trim_end_matches('.').to_owned(),
        _ => plain,
    }
}

/// Returns a quantity in the smallest unit of its kind: 2 hours are 7200 seconds.
pub(super) fn in_base_unit(number: &str, unit: &str) -> (String, String) {
    let base = match unit {
        "h" => Some((3_600.0, "s")),
        "min" => Some((60.0, "s")),
        "day" => Some((86_400.0, "s")),
        "week" => Some((604_800.0, "s")),
        "year" => Some((12.0, "month")),
        "ms" => Some((0.001, "s")),
        "km" => Some((1_000.0, "m")),
        "cm" => Some((0.01, "m")),
        "mcg" => Some((0.001, "mg")),
        "kg" => Some((1_000_000.0, "mg")),
        "g" => Some((1_000.0, "mg")),
        "l" => Some((1_000.0, "ml")),
        "mb" if is_binary(number) => Some((1_000.0 / 1_024.0, "mb")),
        "kb" => Some((0.001, "mb")),
        "gb" => Some((1_000.0, "mb")),
        "tb" => Some((1_000_000.0, "mb")),
        "quarter" => Some((3.0, "month")),
        _ => None,
    };
    match base.and_then(|(factor, base)| Some((multiplied(number, factor)?, base))) {
        Some((number, base)) => (number, base.to_owned()),
        None => (number.to_owned(), unit.to_owned()),
    }
}

/// Returns true for a whole number of steps of 1024.
fn is_binary(number: &str) -> bool {
    number.parse::<u64>().is_ok_and(|number| number > 0 && number.is_multiple_of(1_024))
}

/// Returns true for units of money.
pub(super) fn is_currency(unit: &str) -> bool {
    matches!(
        unit,
        "eur" | "usd" | "gbp" | "jpy" | "chf" | "sek" | "brl" | "rub" | "pln" | "inr" | "mxn"
    )
}

/// Returns true if amounts in two units can be told to be more or less: months and weeks, euros
/// and dollars. An amount of money may be said without its unit.
pub(super) fn are_comparable_units(one: &str, other: &str) -> bool {
    let kind = |unit: &str| match unit {
        "s" | "month" | "workday" => Some("time"),
        unit if is_currency(unit) => Some("money"),
        _ => None,
    };
    one == other || kind(one).is_some() && kind(one) == kind(other)
}

/// Returns true for two or more dots between numbers: a version or an address.
pub(super) fn is_version(number: &str) -> bool {
    number.matches('.').count() >= 2
}

/// Returns the one spelling of a unit.
pub(super) fn unit(word: &str) -> Option<&'static str> {
    static NAMED: WordTable<&str> = WordTable::new(|| table_of_groups(UNITS.iter().copied()));
    NAMED.get(&*lower(word)).copied()
}

/// Splits a number from the unit that is written without a space: `20mg`, `9am`, `€50`, `50%`.
pub(super) fn split_unit(word: &str) -> Option<(&str, &str)> {
    if let Some(rest) = word.strip_prefix(['$', '€', '£', '¥']) {
        let sign = &word[..word.len() - rest.len()];
        return starts_with_digit(rest).then_some((rest, sign));
    }
    let digits = word.trim_end_matches(|c: char| !c.is_ascii_digit());
    let ending = &word[digits.len()..];
    let known =
        unit(ending).is_some() || matches!(&*ending.to_lowercase(), "am" | "pm" | "h" | "k" | "m");
    (starts_with_digit(word) && !digits.is_empty() && !ending.is_empty() && known)
        .then_some((digits, ending))
}

/// Returns a time of day as `hh:mm`, from `9:30`, `9.30`, `09:30` with or without am and pm.
pub(super) fn time_of_day(clock: &str, half: Option<&str>) -> Option<String> {
    let (hours, minutes) = match clock.split_once([':', 'h', '.']) {
        Some((hours, minutes)) => (hours, if minutes.is_empty() { "00" } else { minutes }),
        None => (clock, "00"),
    };
    let minutes = minutes.split_once(':').map_or(minutes, |(minutes, _)| minutes);
    let is_number = |text: &str| text.len() <= 2 && text.bytes().all(|b| b.is_ascii_digit());
    if hours.is_empty() || !is_number(hours) || !is_number(minutes) {
        return None;
    }
    let hours: u8 = hours.parse().ok()?;
    let minutes: u8 = minutes.parse().ok()?;
    let hours = match half.map(|half| half.to_lowercase().replace('.', "")).as_deref() {
        Some("am") if hours == 12 => 0,
        Some("pm") if hours < 12 => hours + 12,
        _ => hours,
    };
    (hours < 25 && minutes < 60).then(|| format!("{hours:02}:{minutes:02}"))
}

/// Returns the English name of a weekday, from its name in several languages, plural or shortened.
pub(super) fn weekday(word: &str) -> Option<&'static str> {
    static NAMED: WordTable<&str> = WordTable::new(|| table_of_groups(WEEKDAYS.iter().copied()));
    NAMED.get(word).copied()
}

/// Returns the number of a month, from its name in several languages.
pub(super) fn month(word: &str) -> Option<u8> {
    static NAMED: WordTable<u8> =
        WordTable::new(|| table_of_groups((1..=12).zip(MONTHS.iter().copied())));
    NAMED.get(word).copied()
}

/// Returns a date from its parts; a missing day or year is left out.
pub(super) fn date(day: Option<u8>, month: u8, year: Option<&str>) -> String {
    let day = day.map(|day| format!("-{day:02}")).unwrap_or_default();
    let year = year.map(|year| format!("/{year}")).unwrap_or_default();
    format!("{month:02}{day}{year}")
}

/// Returns a date written as `2026-05-03`, `2026/05/03` or `3.5.2026`.
pub(super) fn iso_date(word: &str) -> Option<String> {
    let mut parts = word.split(['-', '/']);
    if let [day, month, year] = word.split('.').collect::<Vec<_>>()[..]
        && year.len() == 4
        && let (Ok(day), Ok(month)) = (day.parse::<u8>(), month.parse::<u8>())
        && (1..=31).contains(&day)
        && (1..=12).contains(&month)
    {
        return Some(date(Some(day), month, Some(year)));
    }
    let (year, month, day) = (parts.next()?, parts.next()?, parts.next()?);
    let digits = |text: &str| text.bytes().all(|b| b.is_ascii_digit());
    let fits = year.len() == 4 && month.len() == 2 && day.len() == 2 && parts.next().is_none();
    if !fits || ![year, month, day].iter().all(|part| digits(part)) {
        return None;
    }
    Some(date(day.parse().ok(), month.parse().ok()?, Some(year)))
}

#[rustfmt::skip]
const NUMBER_WORDS: &[(&str, &str)] = &[
    ("zero", "0"), ("one", "1"), ("two", "2"), ("three", "3"), ("four", "4"), ("five", "5"),
    ("six", "6"), ("seven", "7"), ("eight", "8"), ("nine", "9"), ("ten", "10"), ("eleven", "11"),
    ("twelve", "12"), ("thirteen", "13"), ("fourteen", "14"), ("fifteen", "15"),
    ("sixteen", "16"), ("seventeen", "17"), ("eighteen", "18"), ("nineteen", "19"),
    ("twenty", "20"), ("thirty", "30"), ("forty", "40"), ("fifty", "50"), ("sixty", "60"),
    ("seventy", "70"), ("eighty", "80"), ("ninety", "90"), ("hundred", "100"),
    ("thousand", "1000"),
    ("zwei", "2"), ("drei", "3"), ("vier", "4"), ("fünf", "5"), ("sechs", "6"), ("sieben", "7"),
    ("acht", "8"), ("neun", "9"), ("zehn", "10"), ("elf", "11"), ("zwölf", "12"),
    ("zwanzig", "20"), ("dreißig", "30"), ("vierzig", "40"), ("fünfzig", "50"), ("fünfzehn", "15"),
    ("dreizehn", "13"), ("vierzehn", "14"), ("sechzehn", "16"), ("siebzehn", "17"),
    ("achtzehn", "18"), ("neunzehn", "19"), ("sechzig", "60"), ("siebzig", "70"),
    ("achtzig", "80"), ("neunzig", "90"), ("hundert", "100"), ("trece", "13"),
    ("catorce", "14"), ("dieciséis", "16"), ("diecisiete", "17"), ("dieciocho", "18"),
    ("sesenta", "60"), ("setenta", "70"), ("ochenta", "80"), ("noventa", "90"), ("treize", "13"),
    ("quatorze", "14"), ("seize", "16"), ("soixante", "60"),
    ("dos", "2"), ("tres", "3"), ("cuatro", "4"), ("cinco", "5"), ("seis", "6"), ("siete", "7"),
    ("ocho", "8"), ("nueve", "9"), ("diez", "10"), ("once", "11"), ("doce", "12"), ("quince", "15"),
    ("veinte", "20"), ("treinta", "30"), ("cuarenta", "40"),
    ("cincuenta", "50"), ("cien", "100"), ("dois", "2"), ("duas", "2"), ("três", "3"),
    ("deux", "2"), ("trois", "3"), ("quatre", "4"), ("cinq", "5"), ("sept", "7"), ("huit", "8"),
    ("neuf", "9"), ("dix", "10"), ("onze", "11"), ("douze", "12"), ("quinze", "15"), ("vingt",
    "20"), ("trente", "30"), ("quarante", "40"),
    ("cinquante", "50"), ("cent", "100"), ("два", "2"), ("две", "2"), ("три", "3"), ("пять", "5"),
    ("четыре", "4"), ("шесть", "6"), ("семь", "7"), ("восемь", "8"), ("девять", "9"),
    ("десять", "10"), ("zweit", "2"), ("dritt", "3"), ("viert", "4"), ("fünft", "5"),
    ("twee", "2"), ("drie", "3"), ("vijf", "5"), ("zes", "6"), ("zeven", "7"), ("negen", "9"),
    ("tien", "10"), ("tre", "3"), ("quattro", "4"), ("cinque", "5"), ("sei", "6"),
    ("sette", "7"), ("otto", "8"), ("nove", "9"), ("dieci", "10"), ("dez", "10"), ("sete", "7"),
    ("oito", "8"),
    ("一", "1"), ("二", "2"), ("两", "2"), ("三", "3"), ("四", "4"), ("五", "5"), ("六", "6"),
    ("七", "7"), ("八", "8"), ("九", "9"), ("十", "10"),
];

#[rustfmt::skip]
const UNITS: &[(&str, &[&str])] = &[
    ("km", &["km", "kilometre", "kilometres", "kilometer", "kilometers", "kilómetros",
    "kilomètres"]),
    ("m", &["metre", "metres", "meter", "meters"]),
    ("cm", &["cm", "centimetre", "centimetres", "centimeter", "centimeters"]),
    ("mile", &["mile", "miles", "mi"]),
    ("kg", &["kg", "kilo", "kilos", "kilogram", "kilograms", "kilogramm"]),
    ("g", &["g", "gram", "grams", "gramm"]),
    ("mcg", &["mcg", "µg", "μg", "ug", "microgram", "micrograms", "mikrogramm"]),
    ("iu", &["iu"]), ("lb", &["lb", "lbs"]), ("oz", &["oz", "ounce", "ounces"]),
    ("inch", &["inch", "inches"]), ("ft", &["ft", "feet"]), ("kwh", &["kwh"]), ("kw", &["kw"]),
    ("chf", &["chf", "francs", "franken"]), ("sek", &["sek", "kronor", "kr"]), ("brl", &["reais",
        "real", "r$"]), ("rub", &["рублей", "руб"]),
    ("pln", &["zł", "pln", "zloty"]), ("inr", &["inr", "rupees", "₹"]), ("mxn", &["pesos"]),
    ("mg", &["mg", "milligram", "milligrams", "milligramm"]),
    ("ml", &["ml", "millilitre", "millilitres", "milliliter", "milliliters"]),
    ("l", &["litre", "litres", "liter", "liters"]),
    ("kcal", &["kcal", "calorie", "calories", "cal", "kalorien", "calorías"]),
    ("h", &["h", "hour", "hours", "hr", "hrs", "stunde", "stunden", "hora", "horas", "heure",
        "heures", "uur", "ora", "ore", "часов", "часа"]),
    ("min", &["min", "mins", "minute", "minutes", "minuten", "minuto", "minutos", "minuti",
        "минут"]),
    ("s", &["s", "sec", "secs", "second", "seconds", "sekunde", "sekunden", "segundo",
        "segundos", "seconde", "secondes"]),
    ("ms", &["ms", "millisecond", "milliseconds", "millis"]),
    ("day", &["day", "days", "tag", "tage", "tagen", "día", "días", "jour", "jours", "d", "dag",
        "dagen", "giorno", "giorni", "dia", "dias", "дней", "дня"]),
    ("week", &["week", "weeks", "wk", "wks", "woche", "wochen", "semana", "semanas", "semaine",
        "semaines", "settimana", "settimane", "weken", "недели", "недель"]),
    ("month", &["month", "months", "monat", "monate", "monaten", "mes", "meses", "mois", "mese",
        "mesi",
        "mês", "maand", "maanden", "месяц", "месяца", "месяцев"]),
    ("quarter", &["trimestre", "trimestres", "quartal", "quartale"]),
    ("year", &["year", "years", "yr", "yrs", "jahr", "jahre", "jahren", "año", "años", "an",
        "ans", "anno", "anni", "ano", "anos", "jaar", "год", "года", "лет"]),
    ("%", &["%", "percent", "pct", "prozent", "procent"]),
    ("eur", &["€", "eur", "euro", "euros"]),
    ("usd", &["$", "usd", "dollar", "dollars", "bucks"]),
    ("gbp", &["£", "gbp", "pound", "pounds", "quid"]),
    ("jpy", &["¥", "jpy", "yen"]),
    ("kb", &["kb", "kib", "kilobyte", "kilobytes"]),
    ("mb", &["mb", "mib", "megabyte", "megabytes"]),
    ("gb", &["gb", "gib", "gigabyte", "gigabytes"]),
    ("tb", &["tb", "tib", "terabyte", "terabytes"]),
    ("°c", &["°c", "celsius"]),
    ("times", &["times", "x", "mal", "veces", "fois"]),
    ("unit", &["units", "unit", "einheiten"]),
];

#[rustfmt::skip]
const WEEKDAYS: &[(&str, &[&str])] = &[
    ("monday", &["lunedì", "maandag", "понедельник", "monday", "mondays", "mon", "montag",
        "montags", "lunes", "lundi", "lundis",
        "segunda-feira"]),
    ("tuesday", &["martedì", "dinsdag", "вторник", "tuesday", "tuesdays", "tue", "tues",
        "dienstag", "dienstags", "martes",
        "mardi", "mardis", "terça-feira"]),
    ("wednesday", &["mercoledì", "woensdag", "среда", "среду", "wednesday", "wednesdays", "wed",
        "mittwoch", "mittwochs", "miércoles",
        "mercredi", "mercredis", "quarta-feira"]),
    ("thursday", &["giovedì", "donderdag", "четверг", "thursday", "thursdays", "thu", "thur",
        "thurs", "donnerstag", "donnerstags",
        "jueves", "jeudi", "jeudis", "quinta-feira"]),
    ("friday", &["venerdì", "vrijdag", "пятница", "пятницу", "friday", "fridays", "fri",
        "freitag", "freitags", "viernes", "vendredi",
        "vendredis", "sexta-feira"]),
    ("saturday", &["sabato", "zaterdag", "суббота", "субботу", "saturday", "saturdays", "sat",
        "samstag", "samstags", "sábado", "sábados",
        "samedi", "samedis"]),
    ("sunday", &["domenica", "zondag", "воскресенье", "sunday", "sundays", "sun", "sonntag",
        "sonntags", "domingo", "domingos",
        "dimanche", "dimanches"]),
];

#[rustfmt::skip]
const MONTHS: &[&[&str]] = &[
    &["january", "jan", "januar", "enero", "janvier", "gennaio", "janeiro", "januari", "января"],
    &["february", "feb", "februar", "febrero", "février", "febbraio", "fevereiro", "februari",
    "февраля"],
    &["march", "mar", "märz", "marzo", "mars", "março", "maart", "марта"],
    &["april", "apr", "abril", "avril", "aprile", "апреля"],
    &["may", "mai", "mayo", "maggio", "maio", "mei", "мая"],
    &["june", "jun", "juni", "junio", "juin", "giugno", "junho", "июня"],
    &["july", "jul", "juli", "julio", "juillet", "luglio", "julho", "июля"],
    &["august", "aug", "agosto", "août", "augustus", "августа"],
    &["september", "sep", "sept", "septiembre", "septembre", "settembre", "setembro", "сентября"],
    &["october", "oct", "oktober", "octubre", "octobre", "ottobre", "outubro", "октября"],
    &["november", "nov", "noviembre", "novembre", "novembro", "ноября"],
    &["december", "dec", "dezember", "diciembre", "décembre", "dicembre", "dezembro", "декабря"],
];
