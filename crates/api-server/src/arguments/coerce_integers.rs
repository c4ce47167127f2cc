//! Turns floats without a fraction into integers. `5.0` is an integer to JSON Schema, and some
//! clients write integers that way, but the tools' own types reject it.

use serde_json::{Number, Value};

/// Largest magnitude (2^53) below which every integer has an exact `f64`.
const EXACT_INTEGER_MAX: f64 = 9_007_199_254_740_992.0;

/// Replaces a float without a fraction by an integer where the accepted types want an integer.
pub(super) fn coerce_integer(types: &[&str], value: &mut Value) {
    if let Value::Number(number) = value
        && types.contains(&"integer")
        && !types.contains(&"number")
        && let Some(whole) = as_exact_integer(number)
    {
        *value = whole.into();
    }
}

fn as_exact_integer(number: &Number) -> Option<i64> {
    let value = number.as_f64().filter(|_| number.is_f64())?;
    (value.fract() == 0.0 && value.abs() <= EXACT_INTEGER_MAX).then_some(value as i64)
}
