//! Records: structured rows in tables that appear when first used, with columns whose types widen.

use crate::{Failure, JsonMap, MemoryId, Moment, RecordId, limits};
use serde_json::Value;

/// The type of a column, inferred from what was written to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ColumnType {
    /// Only nulls so far.
    Unknown,
    /// True or false.
    Boolean,
    /// Whole numbers.
    Integer,
    /// Numbers.
    Number,
    /// A calendar date, `2026-05-03`.
    Date,
    /// A point in time, RFC 3339.
    Time,
    /// Text.
    Text,
    /// Objects, arrays, or a mix of types.
    Json,
}

impl ColumnType {
    /// Every type.
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

    /// The name.
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

    /// The type of a name.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// The type of one value.
    #[must_use]
    pub fn of(value: &Value) -> Self {
        match value {
            Value::Null => Self::Unknown,
            Value::Bool(_) => Self::Boolean,
            Value::Number(number) if number.is_i64() => Self::Integer,
            Value::Number(_) => Self::Number,
            Value::String(text) => Self::of_text(text),
            Value::Array(_) | Value::Object(_) => Self::Json,
        }
    }

    fn of_text(text: &str) -> Self {
        if text.parse::<jiff::civil::Date>().is_ok() && text.len() == 10 {
            Self::Date
        } else if text.len() > 10 && text.parse::<jiff::Timestamp>().is_ok() {
            Self::Time
        } else {
            Self::Text
        }
    }

    /// The narrowest type that holds both.
    #[must_use]
    pub fn widen(self, other: Self) -> Self {
        match (self, other) {
            (same, twin) if same == twin => same,
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
    /// Its name.
    pub name: String,
    /// What it holds.
    pub kind: ColumnType,
}

/// A table as the catalogue knows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Table {
    /// Its name.
    pub name: String,
    /// What it is for.
    pub description: Option<String>,
    /// Its columns in the order they appeared.
    pub columns: Vec<Column>,
    /// How many rows it has.
    pub rows: usize,
    /// When it appeared.
    pub created_at: Moment,
    /// When a row last changed.
    pub updated_at: Moment,
}

/// A row.
#[derive(Debug, Clone, PartialEq)]
pub struct Record {
    /// Its number within the table.
    pub id: RecordId,
    /// The table.
    pub table: String,
    /// The fields.
    pub data: JsonMap,
    /// The memory it was written with.
    pub memory: Option<MemoryId>,
    /// When it was written.
    pub created_at: Moment,
    /// When it last changed.
    pub updated_at: Moment,
}

impl Record {
    /// A table's name in its one spelling: lower case, anything but letters and digits made `_`.
    ///
    /// # Errors
    /// When nothing is left of it or it is too long.
    pub fn table_name(name: &str) -> Result<String, Failure> {
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

    /// Holds a row's fields against their limits.
    ///
    /// # Errors
    /// When the row is empty, too large, too deep, or a name starts with `_`.
    pub fn check_data(data: &JsonMap) -> Result<(), Failure> {
        if data.is_empty() {
            return Err(Failure::invalid(
                "data is empty; give at least one field, such as {\"food\": \"pizza\"}",
            ));
        }
        if let Some(name) = data.keys().find(|name| name.is_empty() || name.starts_with('_')) {
            return Err(Failure::invalid(format!(
                "`{name}` cannot name a field; names starting with _ are kept"
            )));
        }
        data.keys().try_for_each(|name| limits::chars("field name", name, limits::NAME_CHARS))?;
        limits::count("data", data.len(), limits::COLUMNS)?;
        limits::json("data", data, limits::RECORD_BYTES)
    }
}

/// The columns after a row was added: new fields appended, types widened.
#[must_use]
pub fn infer_columns(columns: &[Column], data: &JsonMap) -> Vec<Column> {
    let mut widened = columns.to_vec();
    for (name, value) in data {
        let kind = ColumnType::of(value);
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
        assert_eq!(ColumnType::of(&json!("2026-02-12")), ColumnType::Date);
        assert_eq!(ColumnType::of(&json!("2026-02-12T08:00:00Z")), ColumnType::Time);
        assert_eq!(ColumnType::of(&json!("12 eggs")), ColumnType::Text);
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
        assert_eq!(Record::table_name("Food preferences").unwrap(), "food_preferences");
        assert_eq!(Record::table_name("to-do").unwrap(), "to_do");
        assert!(Record::table_name(" !! ").is_err());
    }
}
