//! Comparison and order of values in rows.

use model::Moment;
use serde_json::{Number, Value};
use std::cmp::Ordering;

/// Compares two values of the same type: numbers by size, dates by time, other texts by character.
pub(super) fn compare(left: &Value, right: &Value) -> Option<Ordering> {
    match (left, right) {
        (Value::Number(a), Value::Number(b)) => Some(numbers(a, b)),
        (Value::String(a), Value::String(b)) => Some(texts(a, b)),
        (Value::Bool(a), Value::Bool(b)) => Some(a.cmp(b)),
        _ => None,
    }
}

/// Returns whether two values are equal; 1 and 1.0 are.
pub(super) fn equal(left: &Value, right: &Value) -> bool {
    match (left, right) {
        (Value::Number(a), Value::Number(b)) => numbers(a, b).is_eq(),
        _ => left == right,
    }
}

/// Total order over all values: by type first, then within the type.
pub(super) fn ordered(left: &Value, right: &Value) -> Ordering {
    let within = || match (left, right) {
        (Value::Array(_), Value::Array(_)) | (Value::Object(_), Value::Object(_)) => {
            left.to_string().cmp(&right.to_string())
        }
        _ => compare(left, right).unwrap_or(Ordering::Equal),
    };
    rank(left).cmp(&rank(right)).then_with(within)
}

fn rank(value: &Value) -> u8 {
    match value {
        Value::Null => 0,
        Value::Bool(_) => 1,
        Value::Number(_) => 2,
        Value::String(_) => 3,
        Value::Array(_) => 4,
        Value::Object(_) => 5,
    }
}

fn numbers(a: &Number, b: &Number) -> Ordering {
    // Integers past 2^53 may differ although their floats are equal.
    match (a.as_i64(), b.as_i64()) {
        (Some(a), Some(b)) => a.cmp(&b),
        _ => a.as_f64().unwrap_or(0.0).total_cmp(&b.as_f64().unwrap_or(0.0)),
    }
}

fn texts(a: &str, b: &str) -> Ordering {
    match (moment(a), moment(b)) {
        (Some(a), Some(b)) => a.cmp(&b),
        _ => a.cmp(b),
    }
}

/// Parses a text that can only be a date or a time.
// The fifth character of an ISO date is a dash; anything else is compared as plain text.
fn moment(text: &str) -> Option<Moment> {
    let dated = text.len() >= 10 && text.as_bytes().get(4) == Some(&b'-');
    dated.then(|| Moment::parse(text).ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn numbers_compare_by_size_and_dates_by_time() {
        assert_eq!(compare(&json!(9), &json!(10.5)), Some(Ordering::Less));
        assert!(equal(&json!(1), &json!(1.0)));
        assert!(!equal(&json!(9_007_199_254_740_993_i64), &json!(9_007_199_254_740_992_i64)));
        let (early, late) = (json!("2026-05-03T23:00:00+02:00"), json!("2026-05-03T22:00:00Z"));
        assert_eq!(compare(&early, &late), Some(Ordering::Less));
        assert_eq!(compare(&json!("9"), &json!("10")), Some(Ordering::Greater));
    }

    #[test]
    fn values_of_different_types_do_not_compare_but_have_an_order() {
        assert_eq!(compare(&json!("800"), &json!(800)), None);
        let mut mixed =
            [json!({"a": 1}), json!("b"), json!(2), json!(true), json!([1]), json!("a")];
        mixed.sort_by(ordered);
        assert_eq!(
            mixed,
            [json!(true), json!(2), json!("a"), json!("b"), json!([1]), json!({"a": 1})]
        );
    }
}
