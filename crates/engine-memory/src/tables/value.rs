//! Comparison and order of values in rows. A text that spells a number or a truth value counts as
//! one in a column that is compared so, and wherever it meets a number or a truth value.

use model::{ColumnType, Moment, spelled_boolean, spelled_number};
use serde_json::{Number, Value};
use std::borrow::Cow;
use std::cmp::Ordering;

/// Compares two values of a column: numbers by size, dates by time, other texts by character.
/// `None` when they are of different types.
pub(super) fn compare(kind: ColumnType, left: &Value, right: &Value) -> Option<Ordering> {
    match (&*meant(kind, left, right), &*meant(kind, right, left)) {
        (Value::Number(a), Value::Number(b)) => Some(numbers(a, b)),
        (Value::String(a), Value::String(b)) => Some(texts(a, b)),
        (Value::Bool(a), Value::Bool(b)) => Some(a.cmp(b)),
        _ => None,
    }
}

/// Returns whether two values of a column are equal; 1 and 1.0 are, and so are 800 and "800".
pub(super) fn equal(kind: ColumnType, left: &Value, right: &Value) -> bool {
    match (&*meant(kind, left, right), &*meant(kind, right, left)) {
        (Value::Number(a), Value::Number(b)) => numbers(a, b).is_eq(),
        (left, right) => left == right,
    }
}

/// Total order over all values of a column: by type first, then within the type.
pub(super) fn ordered(kind: ColumnType, left: &Value, right: &Value) -> Ordering {
    let (left, right) = (&*coerced(kind, left), &*coerced(kind, right));
    let within = || match (left, right) {
        (Value::Array(_), Value::Array(_)) | (Value::Object(_), Value::Object(_)) => {
            left.to_string().cmp(&right.to_string())
        }
        (Value::Number(a), Value::Number(b)) => numbers(a, b),
        (Value::String(a), Value::String(b)) => texts(a, b),
        (Value::Bool(a), Value::Bool(b)) => a.cmp(b),
        _ => Ordering::Equal,
    };
    rank(left).cmp(&rank(right)).then_with(within)
}

/// Returns what a value means in its column, beside another value.
fn meant<'v>(kind: ColumnType, value: &'v Value, beside: &Value) -> Cow<'v, Value> {
    // A number asks for a number, whatever else the column has.
    match (value, beside) {
        (Value::String(text), Value::Number(_)) => as_number(text),
        (Value::String(text), Value::Bool(_)) => as_boolean(text),
        _ => None,
    }
    .map_or_else(|| coerced(kind, value), Cow::Owned)
}

/// Returns what a value means in its column by itself.
fn coerced(kind: ColumnType, value: &Value) -> Cow<'_, Value> {
    let Value::String(text) = value else { return Cow::Borrowed(value) };
    let spelled = match kind.compared_as() {
        // In a mix, a number may be written either way.
        ColumnType::Integer | ColumnType::Number | ColumnType::Json => as_number(text),
        ColumnType::Boolean => as_boolean(text),
        _ => None,
    };
    spelled.map_or(Cow::Borrowed(value), Cow::Owned)
}

fn as_number(text: &str) -> Option<Value> {
    spelled_number(text).map(Value::Number)
}

fn as_boolean(text: &str) -> Option<Value> {
    spelled_boolean(text).map(Value::Bool)
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
        let compare = |left, right| compare(ColumnType::Json, &left, &right);
        assert_eq!(compare(json!(9), json!(10.5)), Some(Ordering::Less));
        assert!(equal(ColumnType::Number, &json!(1), &json!(1.0)));
        let (large, larger) = (json!(9_007_199_254_740_992_i64), json!(9_007_199_254_740_993_i64));
        assert!(!equal(ColumnType::Integer, &large, &larger));
        let (early, late) = (json!("2026-05-03T23:00:00+02:00"), json!("2026-05-03T22:00:00Z"));
        assert_eq!(compare(early, late), Some(Ordering::Less));
    }

    #[test]
    fn a_number_and_a_text_that_spells_one_compare_by_size() {
        for kind in ColumnType::ALL {
            assert!(equal(kind, &json!("800"), &json!(800)), "{kind:?}");
            assert!(equal(kind, &json!(1200), &json!("1,200")), "{kind:?}");
            assert_eq!(compare(kind, &json!("1,200"), &json!(500)), Some(Ordering::Greater));
            assert_eq!(compare(kind, &json!("many"), &json!(500)), None);
            assert!(
                equal(kind, &json!("yes"), &json!(true)) && !equal(kind, &json!("y"), &json!(true))
            );
        }
    }

    #[test]
    fn two_texts_compare_as_what_their_column_is() {
        let (nine, ten) = (json!("9"), json!("10"));
        assert_eq!(compare(ColumnType::IntegerText, &nine, &ten), Some(Ordering::Less));
        assert_eq!(compare(ColumnType::Text, &nine, &ten), Some(Ordering::Greater));
        assert!(equal(ColumnType::IntegerText, &json!("1,200"), &json!("1200")));
        assert!(!equal(ColumnType::Text, &json!("1,200"), &json!("1200")));
        assert!(equal(ColumnType::BooleanText, &json!("Yes"), &json!("true")));
    }

    #[test]
    fn values_of_different_types_do_not_compare_but_have_an_order() {
        assert_eq!(compare(ColumnType::Json, &json!("b"), &json!(800)), None);
        let mut mixed = [
            json!({"a": 1}),
            json!("b"),
            json!(12),
            json!(true),
            json!([1]),
            json!("a"),
            json!("9"),
        ];
        mixed.sort_by(|left, right| ordered(ColumnType::Json, left, right));
        assert_eq!(
            mixed,
            [
                json!(true),
                json!("9"),
                json!(12),
                json!("a"),
                json!("b"),
                json!([1]),
                json!({"a": 1})
            ]
        );
    }
}
