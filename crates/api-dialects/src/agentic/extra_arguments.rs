//! Arguments beyond the contract. The original program ignores them, so clients that send more than
//! it documents must not fail here; a note in the result says what was ignored.

use crate::ToolSpec;
use model::JsonMap;
use serde_json::{Value, json};

/// Maximum number of characters of an ignored name in a note.
const NAME_CHARS_MAX: usize = 60;
/// Maximum number of ignored names in a note.
const NAMES_MAX: usize = 10;

/// Opens a tool: its input accepts further arguments, and its result may have notes on them.
pub(super) fn open(mut spec: ToolSpec) -> ToolSpec {
    for (name, inner) in &mut spec.input {
        if name != "additionalProperties" {
            drop_closed(inner);
        }
    }
    spec.input.insert("additionalProperties".to_owned(), true.into());
    if let Some(Value::Object(fields)) = spec.output.get_mut("properties") {
        fields.entry("notes").or_insert_with(|| json!({"type": "array"}));
    }
    spec
}

/// Removes what forbids further fields inside of an argument.
fn drop_closed(schema: &mut Value) {
    match schema {
        Value::Object(fields) => {
            fields.retain(|name, value| name != "additionalProperties" || *value != json!(false));
            fields.values_mut().for_each(drop_closed);
        }
        Value::Array(items) => items.iter_mut().for_each(drop_closed),
        _ => {}
    }
}

/// Removes the arguments that a tool does not have, and returns their names.
pub(super) fn remove_unknown(input: &JsonMap, given: &mut JsonMap) -> Vec<String> {
    let mut removed = Vec::new();
    remove_from(&Value::Object(input.clone()), given, "", &mut removed);
    removed
}

fn remove_from(schema: &Value, given: &mut JsonMap, path: &str, removed: &mut Vec<String>) {
    // An argument without declared fields, such as `metadata`, takes any.
    let Some(known) = schema["properties"].as_object() else { return };
    given.retain(|name, _| {
        let is_known = known.contains_key(name);
        if !is_known {
            removed.push(format!("{path}{name}"));
        }
        is_known
    });
    for (name, value) in given {
        remove_from_value(&known[name], value, &format!("{path}{name}"), removed);
    }
}

fn remove_from_value(schema: &Value, value: &mut Value, path: &str, removed: &mut Vec<String>) {
    match value {
        Value::Object(fields) => remove_from(schema, fields, &format!("{path}."), removed),
        Value::Array(items) => {
            for item in items {
                remove_from_value(&schema["items"], item, path, removed);
            }
        }
        _ => {}
    }
}

/// Adds a note on the ignored arguments to a result.
pub(super) fn add_note(answer: &mut Value, input: &JsonMap, removed: &[String]) {
    if removed.is_empty() {
        return;
    }
    let shorten = |name: &String| -> String { name.chars().take(NAME_CHARS_MAX).collect() };
    let shown: Vec<String> =
        removed.iter().take(NAMES_MAX).map(|name| format!("`{}`", shorten(name))).collect();
    let known = input.get("properties").and_then(Value::as_object);
    let known: Vec<&str> = known.into_iter().flat_map(JsonMap::keys).map(String::as_str).collect();
    let takes = match known.is_empty() {
        true => "the tool takes none".to_owned(),
        false => format!("the tool takes {}", known.join(", ")),
    };
    add_text(answer, &format!("ignored unknown arguments: {}; {takes}", shown.join(", ")));
}

/// Adds a sentence to the notes of a result.
pub(super) fn add_text(answer: &mut Value, note: &str) {
    let Value::Object(fields) = answer else { return };
    let notes = fields.entry("notes").or_insert_with(|| json!([]));
    if let Value::Array(notes) = notes {
        notes.push(note.into());
    }
}
