//! Fields of an answer that are only there when they say something: an empty one costs tokens and
//! tells nothing.

use model::JsonMap;
use serde_json::Value;

/// A field that is only shown when there is something to show.
pub(crate) fn optional(shown: &mut JsonMap, name: &str, value: Option<Value>) {
    if let Some(value) = value {
        shown.insert(name.to_owned(), value);
    }
}

/// What was changed on the way in, where anything was.
pub(crate) fn notes(shown: &mut JsonMap, notes: &[String]) {
    listed(shown, "notes", notes.iter().map(|note| note.as_str().into()).collect());
}

/// A list that is only shown when it is not empty.
pub(crate) fn listed(shown: &mut JsonMap, name: &str, items: Vec<Value>) {
    optional(shown, name, (!items.is_empty()).then_some(Value::Array(items)));
}
