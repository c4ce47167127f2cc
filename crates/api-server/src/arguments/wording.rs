//! Words for types and values in error messages, with long ones truncated.

use serde_json::Value;

/// Maximum number of characters quoted from what a caller sent.
const QUOTED_MAX: usize = 60;

/// Returns a JSON type with its article.
pub(super) fn describe_type(name: &str) -> String {
    match name {
        "boolean" => "true or false".to_owned(),
        "array" => "a list".to_owned(),
        "null" => "null".to_owned(),
        "integer" | "object" => format!("an {name}"),
        _ => format!("a {name}"),
    }
}

/// Describes a value by its type, and quotes it where it is short.
pub(super) fn describe_value(value: &Value) -> String {
    match value {
        Value::Null | Value::Bool(_) => value.to_string(),
        Value::Number(number) => format!("the number {number}"),
        Value::String(_) => format!("the string {}", truncate(&value.to_string())),
        Value::Array(_) => "a list".to_owned(),
        Value::Object(_) => "an object".to_owned(),
    }
}

/// Truncates a text to the quotation limit.
pub(super) fn truncate(text: &str) -> String {
    let mut truncated: String = text.chars().take(QUOTED_MAX).collect();
    if truncated.len() < text.len() {
        truncated.push('…');
    }
    truncated
}

/// Joins names with commas.
pub(super) fn join_names(names: impl Iterator<Item = String>) -> String {
    names.collect::<Vec<_>>().join(", ")
}
