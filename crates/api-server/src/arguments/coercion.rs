//! Turns values into the form that a tool expects where their meaning is plain: a float without a
//! fraction into an integer, a number or a truth value in quotes into itself, an id or a session
//! that is a number into a text, and a choice in other letters into the listed one.

use serde_json::{Number, Value};

/// Largest magnitude (2^53) below which every integer has an exact `f64`.
const EXACT_INTEGER_MAX: f64 = 9_007_199_254_740_992.0;

/// Replaces a value of another type by its form in the accepted types. `path` names the argument.
pub(super) fn coerce_type(types: &[&str], value: &mut Value, path: &str) {
    let takes = |name: &str| types.contains(&name);
    let coerced = match value {
        // `5.0` is an integer to JSON Schema, and some clients write integers that way.
        Value::Number(number) if takes("integer") && !takes("number") => {
            as_exact_integer(number).map(Value::from)
        }
        Value::Number(number) if takes("string") && is_id(path) => {
            let whole = number.as_i64().or_else(|| as_exact_integer(number));
            whole.filter(|_| !takes("number")).map(|whole| whole.to_string().into())
        }
        Value::String(text) if !takes("string") => parse_text(&takes, text.trim()),
        _ => None,
    };
    if let Some(coerced) = coerced {
        *value = coerced;
    }
}

/// Returns what a text says, if a value of that type is wanted.
fn parse_text(takes: &impl Fn(&str) -> bool, text: &str) -> Option<Value> {
    let integer = || text.parse::<i64>().ok().map(Value::from);
    let number = || text.parse::<f64>().ok().filter(|number| number.is_finite()).map(Value::from);
    let truth = || text.to_ascii_lowercase().parse::<bool>().ok().map(Value::from);
    let wanted = |name: &str, parsed: Option<Value>| parsed.filter(|_| takes(name));
    wanted("integer", integer())
        .or_else(|| wanted("number", number()))
        .or_else(|| wanted("boolean", truth()))
}

/// Replaces a choice in other letters, or with space around it, by the listed one.
pub(super) fn coerce_choice(choices: &[&Value], value: &mut Value) {
    let Value::String(given) = &*value else { return };
    let same = |choice: &&&Value| {
        choice.as_str().is_some_and(|choice| choice.eq_ignore_ascii_case(given.trim()))
    };
    if let Some(choice) = choices.iter().find(same) {
        *value = (*choice).clone();
    }
}

/// Returns true for an argument, or an item of one, whose name says that it is an id or a session.
fn is_id(path: &str) -> bool {
    let name = path.rsplit('.').next().unwrap_or_default();
    let name = name.split('[').next().unwrap_or_default();
    ["id", "ids", "session"].contains(&name)
        || ["_id", "_ids", "Id", "Ids"].iter().any(|ending| name.ends_with(ending))
}

fn as_exact_integer(number: &Number) -> Option<i64> {
    let value = number.as_f64().filter(|_| number.is_f64())?;
    (value.fract() == 0.0 && value.abs() <= EXACT_INTEGER_MAX).then_some(value as i64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn coerced(types: &[&str], mut value: Value, path: &str) -> Value {
        coerce_type(types, &mut value, path);
        value
    }

    #[test]
    fn an_id_is_taken_as_a_number_and_as_a_text() {
        assert_eq!(coerced(&["string"], json!(17), "memory_id"), json!("17"));
        assert_eq!(coerced(&["integer"], json!("17"), "metaId"), json!(17));
        assert_eq!(coerced(&["integer"], json!(" 17 "), "ids[2]"), json!(17));
        assert_eq!(coerced(&["integer"], json!("17"), "edges[0].target_id"), json!(17));
    }

    #[test]
    fn a_number_or_a_truth_value_in_quotes_is_taken() {
        assert_eq!(coerced(&["integer"], json!("5"), "limit"), json!(5));
        assert_eq!(coerced(&["number"], json!("0.5"), "top_p"), json!(0.5));
        assert_eq!(coerced(&["boolean"], json!("True"), "dry_run"), json!(true));
        assert_eq!(coerced(&["string"], json!(12), "session"), json!("12"));
        assert_eq!(coerced(&["integer"], json!("five"), "limit"), json!("five"));
        assert_eq!(coerced(&["number"], json!("inf"), "top_p"), json!("inf"));
    }

    #[test]
    fn nothing_else_changes_its_type() {
        assert_eq!(coerced(&["string"], json!(17), "query"), json!(17));
        assert_eq!(coerced(&["integer"], json!("hdo_17"), "id"), json!("hdo_17"));
        assert_eq!(coerced(&["integer", "string"], json!("17"), "session_id"), json!("17"));
        assert_eq!(coerced(&["string"], json!(1.5), "id"), json!(1.5));
    }
}
