//! Fields that a text states by name, `calories: 800`, as the text of a row's memory does: all of
//! them behind the name of the table, or some in parentheses behind a sentence.

use model::{JsonMap, spelled_boolean, spelled_number};
use serde_json::Value;
use std::ops::Range;

/// A field that a text states by name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct StatedField {
    pub column: String,
    /// Value as it is written.
    pub value: String,
    /// Place of name and value in the text.
    pub place: Range<usize>,
}

/// Returns whether a text is the rendering of a row: the name of its table, then fields.
pub(super) fn is_rendering(table: &str, text: &str) -> bool {
    fields_start(table, text).is_some()
}

/// Returns the fields that a text states by name. A rendering of the row may state new ones;
/// `before` is the text that it replaces.
pub(super) fn stated_fields(
    table: &str,
    data: &JsonMap,
    text: &str,
    before: &str,
) -> Vec<StatedField> {
    let rendering = fields_start(table, text);
    let marks = marks(text, rendering.unwrap_or(0));
    let known: Vec<(Mark, String)> = marks
        .into_iter()
        .filter_map(|mark| {
            let column = column_named(data, &text[mark.name.clone()])
                .or_else(|| rendering.and_then(|_| new_column(text, &mark, before)))?;
            Some((mark, column))
        })
        .collect();
    let ends = known.iter().skip(1).map(|(mark, _)| mark.boundary).chain([text.len()]);
    known
        .iter()
        .zip(ends)
        .map(|((mark, column), end)| {
            let end = if mark.in_parentheses { closing(text, mark.value, end) } else { end };
            let value = text[mark.value..end].trim().trim_end_matches([',', ';']).trim();
            StatedField {
                column: column.clone(),
                value: value.to_owned(),
                place: mark.name.start..end,
            }
        })
        .collect()
}

/// Converts a written value to the type of the value it replaces; `None` when it has another type.
pub(crate) fn parse_like(before: &Value, text: &str) -> Option<Value> {
    match before {
        Value::Null => Some(parse_new(text)),
        Value::Bool(_) => spelled_boolean(text).map(Value::Bool),
        Value::Number(_) => spelled_number(text).map(Value::Number),
        Value::String(_) => Some(text.into()),
        Value::Array(items) if items.iter().all(|item| !item.is_array() && !item.is_object()) => {
            let like = items.first().cloned().unwrap_or_else(|| Value::String(String::new()));
            text.split(", ").map(|item| parse_like(&like, item.trim())).collect()
        }
        Value::Array(_) | Value::Object(_) => None,
    }
}

fn parse_new(text: &str) -> Value {
    spelled_number(text).map_or_else(|| Value::from(text), Value::Number)
}

/// A possible name of a field: text before a colon.
#[derive(Debug, Clone)]
struct Mark {
    /// Place of what separates it from the field before.
    boundary: usize,
    name: Range<usize>,
    /// Start of the value.
    value: usize,
    in_parentheses: bool,
}

/// Returns where the fields of a rendering begin.
fn fields_start(table: &str, text: &str) -> Option<usize> {
    let spaces = text.len() - text.trim_start().len();
    let (name, _) = text.trim_start().split_once(':')?;
    let same = name.trim().replace(' ', "_").eq_ignore_ascii_case(table);
    same.then_some(spaces + name.len() + 1)
}

/// Returns every text before a colon that begins where a field may.
fn marks(text: &str, start: usize) -> Vec<Mark> {
    let mut found = Vec::new();
    for (colon, _) in text.match_indices(':').filter(|(colon, _)| *colon >= start) {
        let before = &text[start..colon];
        let boundary = before.rfind([',', ';', '(', '\n']).map_or(start, |at| start + at);
        let opened =
            text[..colon].rfind('(').is_some_and(|open| text[open..colon].find(')').is_none());
        let skipped = if boundary == start && !text[start..].starts_with([',', ';', '(', '\n']) {
            0
        } else {
            1
        };
        let name = &text[boundary + skipped..colon];
        let from = boundary + skipped + (name.len() - name.trim_start().len());
        let spaced = text[colon + 1..].starts_with([' ', '\n']) || colon + 1 == text.len();
        if !name.trim().is_empty() && spaced {
            let name = from..from + name.trim().len();
            found.push(Mark { boundary, name, value: colon + 1, in_parentheses: opened });
        }
    }
    found
}

/// Returns the column of this name, spelled as a column or in words.
fn column_named(data: &JsonMap, name: &str) -> Option<String> {
    let spelled = |text: &str| text.replace('_', " ").to_lowercase();
    data.keys().find(|column| spelled(column) == spelled(name)).cloned()
}

/// Returns the name of a column that a rendering adds: one word that the text before did not have
/// in this place.
fn new_column(text: &str, mark: &Mark, before: &str) -> Option<String> {
    let name = &text[mark.name.clone()];
    let word = name.chars().all(|c| c.is_alphanumeric() || c == '_')
        && name.starts_with(char::is_alphabetic);
    let known = before.to_lowercase().contains(&format!("{}:", name.to_lowercase()));
    (word && !known).then(|| name.to_owned())
}

/// Returns the end of a value in parentheses.
fn closing(text: &str, from: usize, end: usize) -> usize {
    let mut depth = 0_usize;
    for (at, c) in text[from..end].char_indices() {
        match c {
            '(' => depth += 1,
            ')' if depth == 0 => return from + at,
            ')' => depth -= 1,
            _ => {}
        }
    }
    end
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn fields(data: &Value, text: &str) -> Vec<(String, String)> {
        let found = stated_fields("meals", data.as_object().unwrap(), text, "meals: food: tea");
        found.into_iter().map(|field| (field.column, field.value)).collect()
    }

    fn pair(column: &str, value: &str) -> (String, String) {
        (column.to_owned(), value.to_owned())
    }

    #[test]
    fn a_rendering_states_all_fields_and_may_add_one() {
        let data = json!({"food": "pizza", "calories": 800, "eaten_with": ["Ada", "Bo"]});
        let text = "Meals: food: pizza, with: a view, calories: 650, eaten with: Ada, Cy, sugar: 3";
        assert_eq!(
            fields(&data, text),
            [
                pair("food", "pizza"),
                pair("with", "a view"),
                pair("calories", "650"),
                pair("eaten_with", "Ada, Cy"),
                pair("sugar", "3"),
            ]
        );
    }

    #[test]
    fn a_sentence_states_fields_in_parentheses() {
        let data = json!({"title": "Dune", "rating": 5, "at": "10:30"});
        assert_eq!(
            fields(&data, "Finished Dune (rating: 4, at: 10:45) today: at last"),
            [pair("rating", "4"), pair("at", "10:45")]
        );
        assert_eq!(fields(&data, "Note: Dune is long"), []);
    }

    #[test]
    fn a_value_keeps_its_type() {
        for (before, text, after) in [
            (json!(800), "1,200", Some(json!(1200))),
            (json!(800), "many", None),
            (json!("800"), "900", Some(json!("900"))),
            (json!(true), "no", Some(json!(false))),
            (json!(["Ada", "Bo"]), "Ada, Cy", Some(json!(["Ada", "Cy"]))),
            (json!([1, 2]), "3", Some(json!([3]))),
            (json!({"a": 1}), "a 2", None),
            (json!(null), "7", Some(json!(7))),
        ] {
            assert_eq!(parse_like(&before, text), after, "{before} {text}");
        }
    }
}
