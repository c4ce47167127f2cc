//! JSON in columns. An empty map or list is stored as NULL; JSON that cannot be read back is
//! reported as damage.

use crate::error::conversion_error;
use model::{Column, JsonMap, NameFilter, SourceFilter};
use rusqlite::Row;
use serde_json::{Value, json};

/// Encodes a map for a column; NULL when it is empty.
pub(crate) fn map_or_null(map: &JsonMap) -> Option<String> {
    if map.is_empty() { None } else { Some(map_text(map)) }
}

/// Encodes a map for a column that is NOT NULL.
pub(crate) fn map_text(map: &JsonMap) -> String {
    // Cannot fail: the keys are strings, and writing to a string is infallible.
    serde_json::to_string(map).unwrap_or_default()
}

/// Encodes a list of words for a column; NULL when it is empty.
pub(crate) fn list_or_null(list: &[String]) -> Option<String> {
    if list.is_empty() { None } else { Some(list_text(list)) }
}

/// Encodes a list of words for a column that is NOT NULL.
pub(crate) fn list_text<T: AsRef<str>>(list: &[T]) -> String {
    Value::from(list.iter().map(|word| word.as_ref()).collect::<Vec<&str>>()).to_string()
}

/// Encodes the columns of a table: pairs of name and type.
pub(crate) fn columns_text(columns: &[Column]) -> String {
    let pair = |column: &Column| Value::from(vec![column.name.as_str(), column.kind.name()]);
    Value::from(columns.iter().map(pair).collect::<Vec<_>>()).to_string()
}

/// Encodes a list of numbers for `json_each`.
// SQLite has no array parameters; a JSON array keeps the text of a statement independent of the
// number of ids.
pub(crate) fn numbers_text(numbers: impl Iterator<Item = i64>) -> String {
    Value::from(numbers.collect::<Vec<i64>>()).to_string()
}

/// Encodes the readable sources as a parameter of the memory listing; `None` when all are.
// The longest names come first, so that the first rule that matches a name is the most specific.
pub(crate) fn source_filter(sources: &SourceFilter) -> Option<String> {
    let named = |allowed: &NameFilter| -> Vec<Value> {
        allowed.rules().iter().map(|(name, open)| json!([name, u8::from(*open)])).collect()
    };
    (!sources.is_all()).then(|| {
        json!({
            "profile": u8::from(sources.profile),
            "tables": named(&sources.tables),
            "other_tables": u8::from(sources.tables.allows_others()),
            "collections": named(&sources.collections),
            "other_collections": u8::from(sources.collections.allows_others()),
        })
        .to_string()
    })
}

/// Reads the map in a column.
pub(crate) fn read_map(row: &Row<'_>, column: usize) -> rusqlite::Result<JsonMap> {
    match read_value(row, column)? {
        None => Ok(JsonMap::new()),
        Some(Value::Object(map)) => Ok(map),
        Some(_) => Err(conversion_error(column, "not a JSON object")),
    }
}

/// Reads the list of words in a column.
pub(crate) fn read_list(row: &Row<'_>, column: usize) -> rusqlite::Result<Vec<String>> {
    match read_value(row, column)? {
        None => Ok(Vec::new()),
        Some(Value::Array(items)) => {
            strings(items).ok_or_else(|| conversion_error(column, "not a list of words"))
        }
        Some(_) => Err(conversion_error(column, "not a JSON list")),
    }
}

fn strings(items: Vec<Value>) -> Option<Vec<String>> {
    items
        .into_iter()
        .map(|item| if let Value::String(word) = item { Some(word) } else { None })
        .collect()
}

/// Reads any JSON value in a column.
pub(crate) fn read_value(row: &Row<'_>, column: usize) -> rusqlite::Result<Option<Value>> {
    let text = row.get_ref(column)?.as_str_or_null()?;
    text.map(|text| {
        serde_json::from_str(text).map_err(|error| conversion_error(column, error.to_string()))
    })
    .transpose()
}
