//! Rows with the same key. Rows of a table are events, and equal ones are two events; but where a
//! column names what its row is about, and each name so far stands once, a second row of that name
//! may be meant to replace the first. It is added all the same, since adding can be undone, and the
//! answer names the other row.

use engine_core::call::Call;
use guard::Resource;
use model::{Failure, JsonMap, Permission, Record, RecordId, limits};
use serde_json::Value;
use std::collections::HashMap;

/// Columns that name what a row is about.
const KEY_COLUMNS: [&str; 6] = ["id", "key", "slug", "sku", "email", "name"];

/// A row with the same key as a new one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SameKeyRow {
    pub table: String,
    pub row: RecordId,
    pub column: String,
}

/// Returns the row that has the same key as new data, if the key has been unique so far. Only the
/// first rows of a table are read: one of many rows is a log.
pub(crate) async fn find_same_key(
    call: &Call<'_>,
    table: &str,
    data: &JsonMap,
) -> Result<Option<SameKeyRow>, Failure> {
    let keys = key_columns(data);
    // What the caller may not read does not exist for it.
    let readable = call.policy.allows(Resource::Tables(Some(table.to_owned())), Permission::Read);
    if keys.is_empty() || !readable {
        return Ok(None);
    }
    let rows = call.store().records(table, RecordId(0), limits::PAGE_ITEMS).await?;
    if rows.len() == limits::PAGE_ITEMS {
        return Ok(None);
    }
    let rows = super::current_rows(call, rows).await?;
    let same = keys.into_iter().find_map(|column| {
        let row = row_with_key(&rows, &column, data.get(&column)?)?;
        Some(SameKeyRow { table: table.to_owned(), row, column })
    });
    Ok(same)
}

/// Returns the key columns of a row, the most telling first.
fn key_columns(data: &JsonMap) -> Vec<String> {
    let named = |key: &&str| data.keys().find(|column| column.eq_ignore_ascii_case(key)).cloned();
    KEY_COLUMNS.iter().filter_map(named).collect()
}

/// Returns the row with this value in a column in which no value stands twice.
fn row_with_key(rows: &[Record], column: &str, value: &Value) -> Option<RecordId> {
    let mut keys: HashMap<String, RecordId> = HashMap::new();
    for row in rows {
        let Some(key) = row.data.get(column).and_then(key_text) else { continue };
        if keys.insert(key, row.id).is_some() {
            return None;
        }
    }
    keys.get(&key_text(value)?).copied()
}

/// Returns a value as it is compared; `None` when it names nothing.
fn key_text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.trim().to_lowercase()).filter(|text| !text.is_empty()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::Moment;
    use serde_json::json;

    fn rows(names: &[Value]) -> Vec<Record> {
        let row = |(at, name): (usize, &Value)| Record {
            id: RecordId(at as i64 + 1),
            table: "contacts".into(),
            data: JsonMap::from_iter([("name".to_owned(), name.clone())]),
            memory: None,
            created_at: Moment(0),
            updated_at: Moment(0),
        };
        names.iter().enumerate().map(row).collect()
    }

    #[test]
    fn only_a_key_that_stood_once_names_another_row() {
        let unique = rows(&[json!("Ada"), json!(null), json!("Bo")]);
        assert_eq!(row_with_key(&unique, "name", &json!(" ada")), Some(RecordId(1)));
        assert_eq!(row_with_key(&unique, "name", &json!("Cy")), None);
        let log = rows(&[json!("Pizza"), json!("Tea"), json!("Pizza")]);
        assert_eq!(row_with_key(&log, "name", &json!("Tea")), None);
    }
}
