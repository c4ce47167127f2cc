//! Conversion of values to and from SQLite. Booleans are stored as 0 and 1, objects and arrays as
//! JSON text; a column declared as one of these types returns the original value. Texts in a column
//! that is compared as numbers or truth values are stored as those.

use crate::layout::RowValue;
use model::{ColumnType, Moment, spelled_boolean, spelled_number};
use rusqlite::types::{ToSqlOutput, Value as Cell, ValueRef};
use serde_json::{Number, Value};
use std::borrow::Cow;

/// Converts a value for a column of this type.
pub(crate) fn to_cell<'r>(value: &'r RowValue<'r>, kind: ColumnType) -> ToSqlOutput<'r> {
    match value {
        RowValue::Null => ToSqlOutput::Owned(Cell::Null),
        RowValue::Id(id) => ToSqlOutput::Owned(Cell::Integer(id.0)),
        RowValue::Text(words) => text_to_cell(words),
        RowValue::Field(value) => json_to_cell(value, kind),
    }
}

/// Converts a cell to JSON; `kind` is the type of the column, if the cell comes from one.
pub(crate) fn from_cell(cell: ValueRef<'_>, kind: Option<ColumnType>) -> Value {
    match cell {
        ValueRef::Null => Value::Null,
        ValueRef::Integer(number @ (0 | 1)) if kind == Some(ColumnType::Boolean) => {
            (number == 1).into()
        }
        ValueRef::Integer(number) => number.into(),
        // JSON has no infinity.
        ValueRef::Real(number) => Number::from_f64(number).map_or(Value::Null, Value::Number),
        ValueRef::Text(bytes) => text_to_json(String::from_utf8_lossy(bytes), kind),
        ValueRef::Blob(bytes) => {
            bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>().into()
        }
    }
}

/// Returns the number of bytes that a cell adds to a result.
pub(crate) fn cell_size(cell: ValueRef<'_>) -> usize {
    match cell {
        ValueRef::Null | ValueRef::Integer(_) | ValueRef::Real(_) => 8,
        ValueRef::Text(bytes) => bytes.len(),
        ValueRef::Blob(bytes) => 2 * bytes.len(),
    }
}

fn json_to_cell(value: &Value, kind: ColumnType) -> ToSqlOutput<'_> {
    match value {
        Value::Null => ToSqlOutput::Owned(Cell::Null),
        Value::Bool(yes) => ToSqlOutput::Owned(Cell::Integer((*yes).into())),
        Value::Number(number) => ToSqlOutput::Owned(number_to_cell(number)),
        Value::String(words) => words_to_cell(words, kind),
        Value::Array(_) | Value::Object(_) => ToSqlOutput::Owned(Cell::Text(value.to_string())),
    }
}

/// Converts a text to the value that it spells in a column of this type.
fn words_to_cell(words: &str, kind: ColumnType) -> ToSqlOutput<'_> {
    let spelled = match kind {
        ColumnType::Time => return time_to_cell(words),
        ColumnType::IntegerText | ColumnType::NumberText => {
            spelled_number(words).map(|number| number_to_cell(&number))
        }
        ColumnType::BooleanText => spelled_boolean(words).map(|yes| Cell::Integer(yes.into())),
        _ => None,
    };
    spelled.map_or_else(|| text_to_cell(words), ToSqlOutput::Owned)
}

fn number_to_cell(number: &Number) -> Cell {
    let real = || Cell::Real(number.as_f64().unwrap_or_default());
    number.as_i64().map_or_else(real, Cell::Integer)
}

/// Converts a time to UTC, so that times with different offsets compare correctly as text. A date
/// stays: as the beginning of a time, it sorts before the times of its day.
fn time_to_cell(words: &str) -> ToSqlOutput<'_> {
    if words.ends_with('Z') || !words.contains('T') {
        return text_to_cell(words);
    }
    Moment::parse(words).map_or_else(
        |_| text_to_cell(words),
        |moment| ToSqlOutput::Owned(Cell::Text(in_utc(moment))),
    )
}

fn in_utc(moment: Moment) -> String {
    let (whole, micros) = (moment.to_string(), moment.0.rem_euclid(1_000_000));
    if micros == 0 { whole } else { format!("{}.{micros:06}Z", whole.trim_end_matches('Z')) }
}

fn text_to_cell(words: &str) -> ToSqlOutput<'_> {
    ToSqlOutput::Borrowed(ValueRef::Text(words.as_bytes()))
}

fn text_to_json(words: Cow<'_, str>, kind: Option<ColumnType>) -> Value {
    let is_json = kind == Some(ColumnType::Json) && words.starts_with(['{', '[']);
    let parsed = is_json.then(|| serde_json::from_str(&words).ok()).flatten();
    parsed.unwrap_or_else(|| words.into_owned().into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn round_trip(given: &Value, kind: ColumnType) -> Value {
        match to_cell(&RowValue::Field(given), kind) {
            ToSqlOutput::Borrowed(cell) => from_cell(cell, Some(kind)),
            ToSqlOutput::Owned(cell) => from_cell(ValueRef::from(&cell), Some(kind)),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn every_value_of_a_typed_column_comes_back_as_it_was() {
        for (given, kind) in [
            (json!(null), ColumnType::Text),
            (json!(true), ColumnType::Boolean),
            (json!(i64::MIN), ColumnType::Integer),
            (json!(0.1), ColumnType::Number),
            (json!("2026-05-03"), ColumnType::Date),
            (json!("2026-05-03T14:00:00Z"), ColumnType::Time),
            (json!("007"), ColumnType::Text),
            (json!({"a": [1, null, "x"]}), ColumnType::Json),
            (json!("[draft]"), ColumnType::Json),
        ] {
            assert_eq!(round_trip(&given, kind), given, "{given}");
        }
    }

    #[test]
    fn a_spelled_value_is_stored_as_what_it_spells() {
        for (given, kind, stored) in [
            (json!("1,200"), ColumnType::IntegerText, json!(1200)),
            (json!(5), ColumnType::IntegerText, json!(5)),
            (json!("5.5"), ColumnType::NumberText, json!(5.5)),
            (json!("yes"), ColumnType::BooleanText, json!(1)),
            (json!("1,200"), ColumnType::Text, json!("1,200")),
            (json!("2026-05-03"), ColumnType::Time, json!("2026-05-03")),
        ] {
            assert_eq!(round_trip(&given, kind), stored, "{given}");
        }
    }

    #[test]
    fn times_are_held_in_utc() {
        let east = json!("2026-05-03T16:00:00+02:00");
        assert_eq!(round_trip(&east, ColumnType::Time), json!("2026-05-03T14:00:00Z"));
        let exact = json!("2026-05-03T16:00:00.25+02:00");
        assert_eq!(round_trip(&exact, ColumnType::Time), json!("2026-05-03T14:00:00.250000Z"));
    }
}
