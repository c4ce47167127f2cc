//! Values of fields under the names that programs give them.

use model::{JsonMap, Moment};
use serde_json::Value;

/// Returns the first non-empty text among fields. Numbers are texts too.
pub(super) fn text(row: &JsonMap, names: &[&str]) -> Option<String> {
    names.iter().find_map(|name| match row.get(*name)? {
        Value::String(text) if !text.trim().is_empty() => Some(text.trim().to_owned()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    })
}

/// Returns the texts of the first of these fields that has some: a list, a list as JSON in a text,
/// or names separated by commas.
pub(super) fn texts(row: &JsonMap, names: &[&str]) -> Vec<String> {
    let found = names.iter().find_map(|name| {
        let listed = list(row.get(*name)?);
        (!listed.is_empty()).then_some(listed)
    });
    found.unwrap_or_default()
}

fn list(value: &Value) -> Vec<String> {
    match value {
        Value::Array(items) => {
            let items = items.iter().filter_map(Value::as_str).map(str::trim);
            items.filter(|item| !item.is_empty()).map(str::to_owned).collect()
        }
        Value::String(text) if text.trim_start().starts_with('[') => {
            serde_json::from_str::<Value>(text).map(|value| list(&value)).unwrap_or_default()
        }
        Value::String(text) => {
            let parts = text.split(',').map(str::trim).filter(|part| !part.is_empty());
            parts.map(str::to_owned).collect()
        }
        _ => Vec::new(),
    }
}

/// Returns the first time among fields: RFC 3339, a date, or seconds, milliseconds or microseconds
/// since 1970.
pub(super) fn moment(row: &JsonMap, names: &[&str]) -> Option<Moment> {
    names.iter().find_map(|name| moment_of(row.get(*name)?))
}

/// Returns the time that a value is.
pub(super) fn moment_of(value: &Value) -> Option<Moment> {
    match value {
        Value::String(text) => {
            let text = text.trim();
            let number = || text.parse::<f64>().ok().and_then(since_epoch);
            let written =
                Moment::parse(&text.replacen(' ', "T", 1)).or_else(|_| Moment::parse(text));
            written.ok().or_else(number)
        }
        Value::Number(number) => since_epoch(number.as_f64()?),
        _ => None,
    }
}

fn since_epoch(number: f64) -> Option<Moment> {
    // From 1973 on, the three units cannot be confused.
    let micros = match number {
        n if n >= 1e14 => n,
        n if n >= 1e11 => n * 1e3,
        n if n >= 1e8 => n * 1e6,
        _ => return None,
    };
    (micros < i64::MAX as f64).then_some(Moment(micros as i64))
}

/// Returns an object field; also one that is JSON in a text.
pub(super) fn object(row: &JsonMap, name: &str) -> JsonMap {
    match row.get(name) {
        Some(Value::Object(fields)) => fields.clone(),
        Some(Value::String(text)) => serde_json::from_str(text).unwrap_or_default(),
        _ => JsonMap::new(),
    }
}

/// Returns the objects of a list field.
pub(super) fn rows(document: &JsonMap, name: &str) -> Vec<JsonMap> {
    let items = document.get(name).and_then(Value::as_array).into_iter().flatten();
    items.filter_map(Value::as_object).cloned().collect()
}
