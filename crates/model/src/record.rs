//! Records: JSON rows in tables that are created on first use.

use crate::{ColumnType, Failure, JsonMap, MemoryId, Moment, RecordId, limits};

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
    /// Number of current rows: those without a memory, and those whose memory is active.
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
    /// Memory that states the row as it is now, and makes it recallable.
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
    fn any_words_can_name_a_table() {
        assert_eq!(Record::normalize_table_name("Food preferences").unwrap(), "food_preferences");
        assert_eq!(Record::normalize_table_name("to-do").unwrap(), "to_do");
        assert!(Record::normalize_table_name(" !! ").is_err());
    }
}
