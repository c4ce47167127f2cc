//! Text forms of maps, lists and columns, as JSON. An empty map or list is stored as NULL; text
//! that cannot be read back is reported as damage by the backend.

use model::{Column, ColumnType, JsonMap};
use serde_json::Value;

/// Encodes a map for a column; NULL when it is empty.
#[must_use]
pub fn map_or_null(map: &JsonMap) -> Option<String> {
    if map.is_empty() { None } else { Some(map_text(map)) }
}

/// Encodes a map for a column that is NOT NULL.
#[must_use]
pub fn map_text(map: &JsonMap) -> String {
    // Cannot fail: the keys are strings, and writing to a string is infallible.
    serde_json::to_string(map).unwrap_or_default()
}

/// Encodes a list of words for a column; NULL when it is empty.
#[must_use]
pub fn list_or_null(list: &[String]) -> Option<String> {
    if list.is_empty() { None } else { Some(list_text(list)) }
}

/// Encodes a list of words for a column that is NOT NULL.
#[must_use]
pub fn list_text<T: AsRef<str>>(list: &[T]) -> String {
    Value::from(list.iter().map(|word| word.as_ref()).collect::<Vec<&str>>()).to_string()
}

/// Encodes the columns of a table: pairs of name and type.
#[must_use]
pub fn columns_text(columns: &[Column]) -> String {
    let pair = |column: &Column| Value::from(vec![column.name.as_str(), column.kind.name()]);
    Value::from(columns.iter().map(pair).collect::<Vec<_>>()).to_string()
}

/// Encodes the notes of a claim: pairs of name and text; NULL when there are none.
#[must_use]
pub fn notes_text(notes: &[(String, String)]) -> Option<String> {
    let pair = |(name, text): &(String, String)| Value::from(vec![name.as_str(), text.as_str()]);
    (!notes.is_empty()).then(|| Value::from(notes.iter().map(pair).collect::<Vec<_>>()).to_string())
}

/// Decodes any JSON value.
///
/// # Errors
/// Fails when the text is not JSON.
pub fn read_value(text: Option<&str>) -> Result<Option<Value>, String> {
    text.map(|text| serde_json::from_str(text).map_err(|error| error.to_string())).transpose()
}

/// Decodes a map; NULL is an empty one.
///
/// # Errors
/// Fails when the text is not a JSON object.
pub fn read_map(text: Option<&str>) -> Result<JsonMap, String> {
    match read_value(text)? {
        None => Ok(JsonMap::new()),
        Some(Value::Object(map)) => Ok(map),
        Some(_) => Err("not a JSON object".to_owned()),
    }
}

/// Decodes a list of words; NULL is an empty one.
///
/// # Errors
/// Fails when the text is not a JSON array of strings.
pub fn read_list(text: Option<&str>) -> Result<Vec<String>, String> {
    match read_value(text)? {
        None => Ok(Vec::new()),
        Some(Value::Array(items)) => strings(items).ok_or_else(|| "not a list of words".to_owned()),
        Some(_) => Err("not a JSON list".to_owned()),
    }
}

fn strings(items: Vec<Value>) -> Option<Vec<String>> {
    items
        .into_iter()
        .map(|item| if let Value::String(word) = item { Some(word) } else { None })
        .collect()
}

/// Decodes the columns of a table.
///
/// # Errors
/// Fails when the text is not a list of pairs of name and type.
pub fn read_columns(text: Option<&str>) -> Result<Vec<Column>, String> {
    let pair = |pair: &Value| {
        let (name, kind) = (pair.get(0)?.as_str()?, pair.get(1)?.as_str()?);
        Some(Column { name: name.to_owned(), kind: ColumnType::parse(kind)? })
    };
    let value = read_value(text)?.unwrap_or_default();
    let columns = value.as_array().and_then(|pairs| pairs.iter().map(pair).collect());
    columns.ok_or_else(|| "not a list of columns".to_owned())
}

/// Decodes the notes of a claim; NULL is none.
///
/// # Errors
/// Fails when the text is not a list of pairs.
pub fn read_notes(text: Option<&str>) -> Result<Vec<(String, String)>, String> {
    let pair =
        |pair: &Value| Some((pair.get(0)?.as_str()?.to_owned(), pair.get(1)?.as_str()?.to_owned()));
    let value = read_value(text)?.unwrap_or_else(|| Value::Array(Vec::new()));
    let notes = value.as_array().and_then(|pairs| pairs.iter().map(pair).collect());
    notes.ok_or_else(|| "not the notes of a claim".to_owned())
}
