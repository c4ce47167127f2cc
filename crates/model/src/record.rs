//! Records: JSON rows in tables that are created on first use. Column types only ever widen.

use crate::{Failure, JsonMap, MemoryId, Moment, RecordId, limits};
use serde_json::Value;

/// Type of a column, inferred from the values written to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ColumnType {
    /// Only nulls so far.
    Unknown,
    Boolean,
    Integer,
    Number,
    /// A calendar date, `2026-05-03`.
    Date,
    /// A point in time, RFC 3339.
    Time,
    Text,
    /// Objects, arrays, or a mix of types.
    Json,
}

impl ColumnType {
    /// All types.
    pub const ALL: [Self; 8] = [
        Self::Unknown,
        Self::Boolean,
        Self::Integer,
        Self::Number,
        Self::Date,
        Self::Time,
        Self::Text,
        Self::Json,
    ];

    /// Returns the name used in the catalogue and in dialects.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Unknown => "unknown",
            Self::Boolean => "boolean",
            Self::Integer => "integer",
            Self::Number => "number",
            Self::Date => "date",
            Self::Time => "time",
            Self::Text => "text",
            Self::Json => "json",
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
        if text.parse::<jiff::civil::Date>().is_ok() && text.len() == 10 {
            Self::Date
        } else if text.len() > 10 && text.parse::<jiff::Timestamp>().is_ok() {
            Self::Time
        } else {
            Self::Text
        }
    }

    /// Returns the narrowest type that holds values of both types.
    #[must_use]
    pub fn widen(self, other: Self) -> Self {
        match (self, other) {
            (a, b) if a == b => a,
            (Self::Unknown, known) | (known, Self::Unknown) => known,
            (Self::Integer | Self::Number, Self::Integer | Self::Number) => Self::Number,
            (Self::Date | Self::Time | Self::Text, Self::Date | Self::Time | Self::Text) => {
                Self::Text
            }
            _ => Self::Json,
        }
    }
}

/// A column of a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Column {
    pub name: String,
    pub kind: ColumnType,
}

/// Catalogue entry of a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Table {
    pub name: String,
    /// Purpose of the table, in the words of its writer.
    pub description: Option<String>,
    /// Columns in the order of their first appearance.
    pub columns: Vec<Column>,
    /// Number of rows.
    pub rows: usize,
    pub created_at: Moment,
    /// Time of the last change to any row.
    pub updated_at: Moment,
}

/// A row of a table.
#[derive(Debug, Clone, PartialEq)]
pub struct Record {
    /// Row number, unique within the table.
    pub id: RecordId,
    pub table: String,
    pub data: JsonMap,
    /// Memory written in the same batch, which makes the row recallable.
    pub memory: Option<MemoryId>,
    pub created_at: Moment,
    pub updated_at: Moment,
}

impl Record {
    /// Returns the normalised name of a table: lower case, with `_` for every character that is
    /// neither a letter nor a digit.
    ///
    /// # Errors
    /// Fails when the normalised name is empty or too long.
    pub fn normalize_table_name(name: &str) -> Result<String, Failure> {
        let folded: String = name
            .trim()
            .to_lowercase()
            .chars()
            .map(|c| if c.is_alphanumeric() { c } else { '_' })
            .collect();
        let name = folded.trim_matches('_').to_owned();
        if name.is_empty() {
            return Err(Failure::invalid(
                "the table's name is empty; name it for what it holds, such as meals",
            ));
        }
        limits::chars("table", &name, limits::NAME_CHARS)?;
        Ok(name)
    }

    /// Checks the fields of a row against their limits.
    ///
    /// # Errors
    /// Fails when the row is empty, too large or nested too deeply, or a name starts with `_`.
    pub fn check_data(data: &JsonMap) -> Result<(), Failure> {
        if data.is_empty() {
            return Err(Failure::invalid(
                "data is empty; give at least one field, such as {\"food\": \"pizza\"}",
            ));
        }
        if let Some(name) = data.keys().find(|name| name.is_empty() || name.starts_with('_')) {
            return Err(Failure::invalid(format!(
                "`{name}` cannot name a field; names starting with _ are reserved"
            )));
        }
        data.keys().try_for_each(|name| limits::chars("field name", name, limits::NAME_CHARS))?;
        limits::count("data", data.len(), limits::TABLE_COLUMNS)?;
        limits::json("data", data, limits::RECORD_BYTES)
    }
}

/// Returns the columns after adding a row: new fields are appended, types widened.
#[must_use]
pub fn infer_columns(columns: &[Column], data: &JsonMap) -> Vec<Column> {
    let mut widened = columns.to_vec();
    for (name, value) in data {
        let kind = ColumnType::infer(value);
        match widened.iter_mut().find(|column| column.name == *name) {
            Some(column) => column.kind = column.kind.widen(kind),
            None => widened.push(Column { name: name.clone(), kind }),
        }
    }
    widened
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_column_widens_and_never_refuses() {
        let mut columns = Vec::new();
        for row in [json!({"n": null}), json!({"n": 1}), json!({"n": 2.5})] {
            columns = infer_columns(&columns, row.as_object().unwrap());
        }
        assert_eq!(columns, [Column { name: "n".into(), kind: ColumnType::Number }]);
        let mixed = infer_columns(&columns, json!({"n": "many"}).as_object().unwrap());
        assert_eq!(mixed[0].kind, ColumnType::Json);
    }

    #[test]
    fn dates_and_times_are_known_from_plain_text() {
        assert_eq!(ColumnType::infer(&json!("2026-02-12")), ColumnType::Date);
        assert_eq!(ColumnType::infer(&json!("2026-02-12T08:00:00Z")), ColumnType::Time);
        assert_eq!(ColumnType::infer(&json!("12 eggs")), ColumnType::Text);
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

    #[test]
    fn any_words_can_name_a_table() {
        assert_eq!(Record::normalize_table_name("Food preferences").unwrap(), "food_preferences");
        assert_eq!(Record::normalize_table_name("to-do").unwrap(), "to_do");
        assert!(Record::normalize_table_name(" !! ").is_err());
    }
}
