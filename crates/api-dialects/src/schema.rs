//! Schemas of results, written down in one line each: a client needs the names and types, not an
//! essay.

use crate::LIST;
use model::JsonMap;
use serde_json::{Value, json};

/// The schema of an object with these fields, as `name: type` with `?` behind what may be missing:
/// `"id: integer, text: string, tags?: strings, links?: objects"`. What a list holds is for the
/// reader of the line; the schema says that it is a list, and saves the tokens. `integer|null` is
/// there and may be null; `any` says nothing.
#[must_use]
pub fn result(fields: &str) -> JsonMap {
    let mut properties = JsonMap::new();
    let mut required = Vec::new();
    for field in fields.split(',') {
        let (name, kind) = field.split_once(':').unwrap_or((field, "string"));
        let (name, kind) = (name.trim(), kind.trim());
        let plain = name.trim_end_matches('?');
        if plain.len() == name.len() {
            required.push(Value::from(name));
        }
        properties.insert(plain.to_owned(), type_of(kind));
    }
    let mut schema = JsonMap::new();
    schema.insert("type".to_owned(), "object".into());
    schema.insert("properties".to_owned(), Value::Object(properties));
    if !required.is_empty() {
        schema.insert("required".to_owned(), Value::Array(required));
    }
    schema
}

/// The schema of a list of objects, which the protocol has under one name.
#[must_use]
pub fn list() -> JsonMap {
    result(&format!("{LIST}: objects"))
}

fn type_of(kind: &str) -> Value {
    match kind {
        "strings" | "integers" | "objects" => json!({"type": "array"}),
        "any" => json!({}),
        _ => match kind.strip_suffix("|null") {
            Some(plain) => json!({"type": [plain, "null"]}),
            None => json!({"type": kind}),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_becomes_a_schema() {
        assert_eq!(
            Value::Object(result("id: integer, tags?: strings")),
            json!({
                "type": "object",
                "properties": {"id": {"type": "integer"}, "tags": {"type": "array"}},
                "required": ["id"]
            })
        );
    }
}
