//! Optional fields of a result. An empty field costs tokens and carries no information, so it is
//! left out.

use model::JsonMap;
use serde_json::Value;

/// Inserts a field if there is a value.
pub(crate) fn insert_some(shown: &mut JsonMap, name: &str, value: Option<Value>) {
    if let Some(value) = value {
        shown.insert(name.to_owned(), value);
    }
}

/// Inserts the notes on what was changed before storing, if there are any.
pub(crate) fn insert_notes(shown: &mut JsonMap, notes: &[String]) {
    insert_non_empty(shown, "notes", notes.iter().map(|note| note.as_str().into()).collect());
}

/// Inserts a list if it is not empty.
pub(crate) fn insert_non_empty(shown: &mut JsonMap, name: &str, items: Vec<Value>) {
    insert_some(shown, name, (!items.is_empty()).then_some(Value::Array(items)));
}
