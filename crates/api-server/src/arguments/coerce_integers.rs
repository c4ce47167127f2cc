//! Turns floats without a fraction into integers. `5.0` is an integer to JSON Schema, and some
//! clients write integers that way, but the tools' own types reject it.

use super::schema::SchemaNode;
use model::JsonMap;
use serde_json::{Number, Value};

/// Largest magnitude (2^53) below which every integer has an exact `f64`.
const EXACT_INTEGER_MAX: f64 = 9_007_199_254_740_992.0;

/// Replaces every float without a fraction by an integer where the schema wants an integer.
pub(super) fn coerce_fields(node: SchemaNode<'_>, fields: &mut JsonMap) {
    // Most arguments are strings, and looking a property up in a schema is the slow part.
    let may_hold_one = |value: &Value| value.is_number() || value.is_array() || value.is_object();
    for (name, value) in fields.iter_mut().filter(|(_, value)| may_hold_one(value)) {
        if let Some(wanted) = node.property(name) {
            coerce_value(wanted, value);
        }
    }
}

fn coerce_value(wanted: SchemaNode<'_>, value: &mut Value) {
    match value {
        Value::Number(number) => {
            if let Some(whole) = as_exact_integer(number).filter(|_| wants_integer(wanted)) {
                *value = whole.into();
            }
        }
        Value::Array(items) => {
            if let Some(wanted) = wanted.items() {
                items.iter_mut().for_each(|item| coerce_value(wanted, item));
            }
        }
        Value::Object(fields) => coerce_fields(wanted, fields),
        _ => {}
    }
}

fn wants_integer(wanted: SchemaNode<'_>) -> bool {
    let types = wanted.types();
    types.contains(&"integer") && !types.contains(&"number")
}

fn as_exact_integer(number: &Number) -> Option<i64> {
    let value = number.as_f64().filter(|_| number.is_f64())?;
    (value.fract() == 0.0 && value.abs() <= EXACT_INTEGER_MAX).then_some(value as i64)
}
