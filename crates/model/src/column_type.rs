//! Types of columns. The type of a column is the narrowest that holds all of its values. Texts that
//! all spell numbers, or all yes and no, are compared as numbers or truth values, although they are
//! stored as they were given.

use serde_json::{Number, Value};

/// Largest number of digits of a text that counts as a number; longer ones are identifiers, and a
/// float would not hold them exactly.
const DIGITS_MAX: usize = 15;

/// Type of a column, inferred from the values written to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ColumnType {
    /// Only nulls so far.
    Unknown,
    Boolean,
    /// Texts that spell a truth value, `yes` or `false`, and possibly truth values.
    BooleanText,
    Integer,
    /// Texts that spell an integer, `800` or `1,200`, and possibly integers.
    IntegerText,
    Number,
    /// Texts that spell a number, `5.5`, and possibly numbers.
    NumberText,
    /// A calendar date, `2026-05-03`.
    Date,
    /// A point in time, RFC 3339, and possibly dates.
    Time,
    Text,
    /// Objects, arrays, or a mix of types.
    Json,
}

impl ColumnType {
    /// All types.
    pub const ALL: [Self; 11] = [
        Self::Unknown,
        Self::Boolean,
        Self::BooleanText,
        Self::Integer,
        Self::IntegerText,
        Self::Number,
        Self::NumberText,
        Self::Date,
        Self::Time,
        Self::Text,
        Self::Json,
    ];

    /// Returns the name used in the catalogue and in exports.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Unknown => "unknown",
            Self::Boolean => "boolean",
            Self::BooleanText => "boolean text",
            Self::Integer => "integer",
            Self::IntegerText => "integer text",
            Self::Number => "number",
            Self::NumberText => "number text",
            Self::Date => "date",
            Self::Time => "time",
            Self::Text => "text",
            Self::Json => "json",
        }
    }

    /// Returns the type that the values are compared as, which is the one to show to a reader.
    #[must_use]
    pub fn compared_as(self) -> Self {
        match self {
            Self::BooleanText => Self::Boolean,
            Self::IntegerText => Self::Integer,
            Self::NumberText => Self::Number,
            other => other,
        }
    }

    /// Returns the type without regard to what a text spells.
    #[must_use]
    pub fn without_spelling(self) -> Self {
        match self {
            Self::BooleanText | Self::IntegerText | Self::NumberText => Self::Text,
            other => other,
        }
    }

    /// Returns the type with this name.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// Infers the type of one value.
    #[must_use]
    pub fn infer(value: &Value) -> Self {
        match value {
            Value::Null => Self::Unknown,
            Value::Bool(_) => Self::Boolean,
            Value::Number(number) if number.is_i64() => Self::Integer,
            Value::Number(_) => Self::Number,
            Value::String(text) => Self::infer_text(text),
            Value::Array(_) | Value::Object(_) => Self::Json,
        }
    }

    fn infer_text(text: &str) -> Self {
        if let Some(number) = spelled_number(text) {
            if number.is_i64() { Self::IntegerText } else { Self::NumberText }
        } else if spelled_boolean(text).is_some() {
            Self::BooleanText
        } else if text.parse::<jiff::civil::Date>().is_ok() && text.len() == 10 {
            Self::Date
        } else if text.len() > 10 && text.parse::<jiff::Timestamp>().is_ok() {
            Self::Time
        } else {
            Self::Text
        }
    }

    /// Returns the narrowest type that holds values of both types. Texts of different types are a
    /// text; a text beside a number is a mix, in which each value keeps its own type.
    #[must_use]
    pub fn widen(self, other: Self) -> Self {
        let spelled = self.is_spelled() || other.is_spelled();
        match (self.compared_as(), other.compared_as()) {
            _ if self == other => self,
            (Self::Unknown, _) => other,
            (_, Self::Unknown) => self,
            (Self::Boolean, Self::Boolean) => Self::BooleanText,
            (Self::Integer, Self::Integer) => Self::IntegerText,
            (Self::Integer | Self::Number, Self::Integer | Self::Number) if spelled => {
                Self::NumberText
            }
            (Self::Integer | Self::Number, Self::Integer | Self::Number) => Self::Number,
            (Self::Date | Self::Time, Self::Date | Self::Time) => Self::Time,
            _ if self.is_text() && other.is_text() => Self::Text,
            _ => Self::Json,
        }
    }

    fn is_spelled(self) -> bool {
        self != self.compared_as()
    }

    fn is_text(self) -> bool {
        self.is_spelled() || matches!(self, Self::Date | Self::Time | Self::Text)
    }
}

/// Returns the number that a text spells: `800`, `-5.5`, `1,200`. A leading zero, as in a postal
/// code, makes it a text.
#[must_use]
pub fn spelled_number(text: &str) -> Option<Number> {
    let text = text.trim();
    let (sign, digits) = text.strip_prefix('-').map_or(("", text), |rest| ("-", rest));
    let (whole, fraction) =
        digits.split_once('.').map_or((digits, None), |(whole, rest)| (whole, Some(rest)));
    let whole = without_separators(whole)?;
    let all_digits = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
    let padded = whole.len() > 1 && whole.starts_with('0');
    let length = whole.len() + fraction.map_or(0, str::len);
    if padded || length > DIGITS_MAX || !all_digits(&whole) || !fraction.is_none_or(all_digits) {
        return None;
    }
    match fraction {
        None => format!("{sign}{whole}").parse::<i64>().ok().map(Number::from),
        Some(fraction) => {
            format!("{sign}{whole}.{fraction}").parse().ok().and_then(Number::from_f64)
        }
    }
}

/// Removes the separators between groups of three digits; `None` when a group is not of three.
fn without_separators(whole: &str) -> Option<String> {
    let mut groups = whole.split(',');
    let first = groups.next()?;
    let grouped = first.len() < whole.len();
    let sound = !grouped || ((1..=3).contains(&first.len()) && !first.starts_with('0'));
    (sound && groups.all(|group| group.len() == 3)).then(|| whole.replace(',', ""))
}

/// Returns the truth value that a text spells.
#[must_use]
pub fn spelled_boolean(text: &str) -> Option<bool> {
    let word = text.trim();
    let is = |known: [&str; 2]| known.iter().any(|known| word.eq_ignore_ascii_case(known));
    if is(["true", "yes"]) { Some(true) } else { is(["false", "no"]).then_some(false) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn dates_and_times_are_known_from_plain_text() {
        assert_eq!(ColumnType::infer(&json!("2026-02-12")), ColumnType::Date);
        assert_eq!(ColumnType::infer(&json!("2026-02-12T08:00:00Z")), ColumnType::Time);
        assert_eq!(ColumnType::infer(&json!("12 eggs")), ColumnType::Text);
        let dated = ColumnType::Date.widen(ColumnType::Time);
        assert_eq!(dated, ColumnType::Time);
    }

    #[test]
    fn a_text_spells_a_number_only_when_nothing_is_lost() {
        for (text, number) in [
            ("500", json!(500)),
            (" -5 ", json!(-5)),
            ("1,200", json!(1200)),
            ("12,345,678", json!(12_345_678)),
            ("5.5", json!(5.5)),
            ("0", json!(0)),
            ("0.25", json!(0.25)),
            ("1,200.5", json!(1200.5)),
        ] {
            assert_eq!(spelled_number(text).map(Value::Number), Some(number), "{text}");
        }
        for text in [
            "",
            "-",
            "007",
            "1,20",
            "1,2000",
            "0,500",
            "5.",
            ".5",
            "1e5",
            "+5",
            "5 km",
            "1.2.3",
            "١",
            "nan",
            "4111111111111111",
            ",500",
            "5,",
        ] {
            assert_eq!(spelled_number(text), None, "{text}");
        }
    }

    #[test]
    fn a_column_of_spelled_numbers_is_compared_as_numbers() {
        let kind = |values: &[Value]| {
            values
                .iter()
                .fold(ColumnType::Unknown, |kind, value| kind.widen(ColumnType::infer(value)))
        };
        for (values, stored, shown) in [
            (vec![json!("500"), json!("1,200")], "integer text", "integer"),
            (vec![json!("500"), json!(800)], "integer text", "integer"),
            (vec![json!("500"), json!(80.5)], "number text", "number"),
            (vec![json!("5.5"), json!(8)], "number text", "number"),
            (vec![json!("yes"), json!("No"), json!(true)], "boolean text", "boolean"),
            (vec![json!("1984"), json!("Dune")], "text", "text"),
            (vec![json!("yes"), json!("5")], "text", "text"),
            (vec![json!(800), json!("many")], "json", "json"),
        ] {
            let kind = kind(&values);
            assert_eq!((kind.name(), kind.compared_as().name()), (stored, shown), "{values:?}");
        }
    }

    #[test]
    fn widening_is_commutative_and_idempotent() {
        for a in ColumnType::ALL {
            assert_eq!(a.widen(a), a);
            for b in ColumnType::ALL {
                assert_eq!(a.widen(b), b.widen(a));
                assert_eq!(a.widen(b).widen(b), a.widen(b));
            }
        }
    }
}
