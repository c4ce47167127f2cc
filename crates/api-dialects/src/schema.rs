//! Schemas of results, each written as one line of names and types. Clients need no more, and every
//! further word costs each of them tokens.

use model::JsonMap;
use serde_json::{Value, json};

/// Fields of a result that is a list of objects, wrapped in [`crate::LIST_FIELD`].
pub const LIST: &str = "result: objects";

/// Returns the schema of an object with the given fields, each `name: type`, with `?` behind the
/// name of an optional one: `"id: integer, text: string, tags?: strings, links?: objects"`. The
/// type of the items of a list is for the reader of the line only; the schema leaves it out to save
/// tokens. `integer|null` is required and nullable; `any` puts no constraint on the value.
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
    // Additional properties stay allowed, so that a new field does not break clients that
    // validate results.
    let mut schema = JsonMap::new();
    schema.insert("type".to_owned(), "object".into());
    schema.insert("properties".to_owned(), Value::Object(properties));
    if !required.is_empty() {
        schema.insert("required".to_owned(), Value::Array(required));
    }
    schema
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
