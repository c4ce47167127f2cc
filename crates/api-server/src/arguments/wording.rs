//! How types and values are called in a sentence, and where long ones are cut.

use serde_json::Value;

/// The longest quotation of what a caller sent, in characters.
const QUOTED_MAX: usize = 60;

/// A type with its article.
pub(super) fn with_article(name: &str) -> String {
    match name {
        "boolean" => "true or false".to_owned(),
        "array" => "a list".to_owned(),
        "null" => "null".to_owned(),
        "integer" | "object" => format!("an {name}"),
        _ => format!("a {name}"),
    }
}

/// What was sent, by its kind, and in its own words where those are short.
pub(super) fn value(value: &Value) -> String {
    match value {
        Value::Null | Value::Bool(_) => value.to_string(),
        Value::Number(number) => format!("the number {number}"),
        Value::String(_) => format!("the string {}", shown(&value.to_string())),
        Value::Array(_) => "a list".to_owned(),
        Value::Object(_) => "an object".to_owned(),
    }
}

/// A text, cut where it gets long.
pub(super) fn shown(text: &str) -> String {
    let mut shown: String = text.chars().take(QUOTED_MAX).collect();
    if shown.len() < text.len() {
        shown.push('…');
    }
    shown
}

/// Names one after the other.
pub(super) fn listed(names: impl Iterator<Item = String>) -> String {
    names.collect::<Vec<_>>().join(", ")
}
