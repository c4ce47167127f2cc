//! Turns floats without a fraction into integers. `5.0` is an integer to JSON Schema, and some
//! clients write integers that way, but the tools' own types reject it.

use super::schema::Node;
use model::JsonMap;
use serde_json::{Number, Value};

/// Largest magnitude (2^53) below which every integer has an exact `f64`.
const EXACT: f64 = 9_007_199_254_740_992.0;

/// Replaces every float without a fraction by an integer where the schema wants an integer.
pub(super) fn numbers(node: Node<'_>, fields: &mut JsonMap) {
    // Most arguments are strings, and looking a property up in a schema is the slow part.
    let may_hold_one = |value: &Value| value.is_number() || value.is_array() || value.is_object();
    for (name, value) in fields.iter_mut().filter(|(_, value)| may_hold_one(value)) {
        if let Some(wanted) = node.property(name) {
            in_value(wanted, value);
        }
    }
}

fn in_value(wanted: Node<'_>, value: &mut Value) {
    match value {
        Value::Number(number) => {
            if let Some(whole) = whole(number).filter(|_| wants_integer(wanted)) {
                *value = whole.into();
            }
        }
        Value::Array(items) => {
            if let Some(wanted) = wanted.items() {
                items.iter_mut().for_each(|item| in_value(wanted, item));
            }
        }
        Value::Object(fields) => numbers(wanted, fields),
        _ => {}
    }
}

fn wants_integer(wanted: Node<'_>) -> bool {
    let types = wanted.types();
    types.contains(&"integer") && !types.contains(&"number")
}

fn whole(number: &Number) -> Option<i64> {
    let value = number.as_f64().filter(|_| number.is_f64())?;
    (value.fract() == 0.0 && value.abs() <= EXACT).then_some(value as i64)
}
