//! JSON in columns. An empty map or list is stored as NULL; JSON that cannot be read back is
//! reported as damage.

use crate::error::conversion_error;
use model::{JsonMap, NameFilter, SourceFilter};
use rusqlite::Row;
use serde_json::{Value, json};
use store::rules::encoding;

pub(crate) use encoding::{
    columns_text, list_or_null, list_text, map_or_null, map_text, notes_text,
};

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
    decode(row, column, encoding::read_map)
}

/// Reads the list of words in a column.
pub(crate) fn read_list(row: &Row<'_>, column: usize) -> rusqlite::Result<Vec<String>> {
    decode(row, column, encoding::read_list)
}

/// Reads any JSON value in a column.
pub(crate) fn read_value(row: &Row<'_>, column: usize) -> rusqlite::Result<Option<Value>> {
    decode(row, column, encoding::read_value)
}

/// Reads the text in a column by a function of the stored format.
pub(crate) fn decode<T>(
    row: &Row<'_>,
    column: usize,
    read: fn(Option<&str>) -> Result<T, String>,
) -> rusqlite::Result<T> {
    read(row.get_ref(column)?.as_str_or_null()?)
        .map_err(|problem| conversion_error(column, problem))
}
