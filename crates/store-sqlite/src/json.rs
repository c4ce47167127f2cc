//! JSON in columns. An empty map or list is stored as NULL; JSON that cannot be read back is
//! reported as damage.

use crate::fault::unreadable;
use model::{Allowed, JsonMap, Sources};
use rusqlite::Row;
use serde_json::{Value, json};

/// Encodes a map for a column; NULL when it is empty.
pub(crate) fn of_map(map: &JsonMap) -> Option<String> {
    if map.is_empty() { None } else { Some(text_of_map(map)) }
}

/// Encodes a map for a column that is NOT NULL.
pub(crate) fn text_of_map(map: &JsonMap) -> String {
    // Cannot fail: the keys are strings, and writing to a string is infallible.
    serde_json::to_string(map).unwrap_or_default()
}

/// Encodes a list of words for a column; NULL when it is empty.
pub(crate) fn of_list(list: &[String]) -> Option<String> {
    if list.is_empty() { None } else { Some(text_of_list(list)) }
}

/// Encodes a list of words for a column that is NOT NULL.
pub(crate) fn text_of_list<T: AsRef<str>>(list: &[T]) -> String {
    Value::from(list.iter().map(|word| word.as_ref()).collect::<Vec<&str>>()).to_string()
}

/// Encodes a list of numbers for `json_each`.
// SQLite has no array parameters; a JSON array keeps the text of a statement independent of the
// number of ids.
pub(crate) fn of_numbers(numbers: impl Iterator<Item = i64>) -> String {
    Value::from(numbers.collect::<Vec<i64>>()).to_string()
}

/// Encodes the readable sources as a parameter of the memory listing; `None` when all are.
// The longest names come first, so that the first rule that matches a name is the most specific.
pub(crate) fn of_sources(sources: &Sources) -> Option<String> {
    let named = |allowed: &Allowed| -> Vec<Value> {
        allowed.named().iter().map(|(name, open)| json!([name, u8::from(*open)])).collect()
    };
    (!sources.is_all()).then(|| {
        json!({
            "profile": u8::from(sources.profile),
            "tables": named(&sources.tables),
            "other_tables": u8::from(sources.tables.others()),
            "collections": named(&sources.collections),
            "other_collections": u8::from(sources.collections.others()),
        })
        .to_string()
    })
}

/// Reads the map in a column.
pub(crate) fn map(row: &Row<'_>, column: usize) -> rusqlite::Result<JsonMap> {
    match value(row, column)? {
        None => Ok(JsonMap::new()),
        Some(Value::Object(map)) => Ok(map),
        Some(_) => Err(unreadable(column, "not a JSON object")),
    }
}

/// Reads the list of words in a column.
pub(crate) fn list(row: &Row<'_>, column: usize) -> rusqlite::Result<Vec<String>> {
    match value(row, column)? {
        None => Ok(Vec::new()),
        Some(Value::Array(items)) => {
            words(items).ok_or_else(|| unreadable(column, "not a list of words"))
        }
        Some(_) => Err(unreadable(column, "not a JSON list")),
    }
}

fn words(items: Vec<Value>) -> Option<Vec<String>> {
    items
        .into_iter()
        .map(|item| if let Value::String(word) = item { Some(word) } else { None })
        .collect()
}

/// Reads any JSON value in a column.
pub(crate) fn value(row: &Row<'_>, column: usize) -> rusqlite::Result<Option<Value>> {
    let text = row.get_ref(column)?.as_str_or_null()?;
    text.map(|text| {
        serde_json::from_str(text).map_err(|error| unreadable(column, error.to_string()))
    })
    .transpose()
}
