//! A proposed change of the profile in words: the path of each field, with its old and its new
//! value.

use super::lookup;
use maud::{Markup, html};
use model::JsonMap;
use serde_json::Value;

/// Value that a proposal gives to a field; `None` removes the field.
pub(super) struct ProposedValue {
    pub path: String,
    pub value: Option<Value>,
}

/// Returns the values of a patch by their dotted paths.
pub(super) fn proposed_values(patch: &JsonMap, prefix: &str) -> Vec<ProposedValue> {
    let of_field = |(name, value): (&String, &Value)| match value {
        Value::Object(inner) if !inner.is_empty() => {
            proposed_values(inner, &format!("{prefix}{name}."))
        }
        Value::Null => vec![ProposedValue { path: format!("{prefix}{name}"), value: None }],
        value => {
            vec![ProposedValue { path: format!("{prefix}{name}"), value: Some(value.clone()) }]
        }
    };
    patch.iter().flat_map(of_field).collect()
}

/// Returns a dotted path in words: "home › zip code".
pub(super) fn path_in_words(path: &str) -> String {
    path.replace('_', " ").replace('.', " › ")
}

/// Returns the paths of all fields that a patch changes, in words.
pub(in super::super) fn fields_in_words(patch: &JsonMap) -> String {
    let paths: Vec<String> =
        proposed_values(patch, "").iter().map(|one| path_in_words(&one.path)).collect();
    paths.join(", ")
}

/// Renders each field of a patch with its new value, and the old one of `current`, if given.
pub(in super::super) fn change_in_words(patch: &JsonMap, current: Option<&JsonMap>) -> Markup {
    let old = |path: &str| current.and_then(|data| lookup(data, path));
    html! {
        dl.diff {
            @for one in proposed_values(patch, "") {
                dt dir="auto" { (path_in_words(&one.path)) }
                @if let Some(old) = old(&one.path) {
                    dd { del dir="auto" { (value_in_words(old)) } }
                }
                @match &one.value {
                    Some(value) => dd { ins dir="auto" { (value_in_words(value)) } },
                    None => dd.note { "would be removed" },
                }
            }
        }
    }
}

/// Returns a value as the editors show it: a list with commas, a group with the names of its
/// fields.
pub(super) fn value_in_words(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Bool(yes) => if *yes { "yes" } else { "no" }.to_owned(),
        Value::Null => "nothing".to_owned(),
        Value::Array(items) if items.is_empty() => "an empty list".to_owned(),
        Value::Object(fields) if fields.is_empty() => "an empty group".to_owned(),
        Value::Array(items) => {
            let is_nested = items.iter().any(|item| item.is_array() || item.is_object());
            let words: Vec<String> = items.iter().map(value_in_words).collect();
            words.join(if is_nested { "; " } else { ", " })
        }
        Value::Object(fields) => {
            let field = |(name, value): (&String, &Value)| {
                format!("{}: {}", name.replace('_', " "), value_in_words(value))
            };
            fields.iter().map(field).collect::<Vec<_>>().join(", ")
        }
        other @ Value::Number(_) => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_patch_is_read_as_values_by_path() {
        let patch = json!({ "work": { "role": "lead", "city": null }, "langs": ["de"] });
        let patch = patch.as_object().unwrap();
        let values = proposed_values(patch, "");
        let paths: Vec<(&str, bool)> =
            values.iter().map(|one| (one.path.as_str(), one.value.is_some())).collect();
        assert_eq!(paths, [("langs", true), ("work.city", false), ("work.role", true)]);
        assert_eq!(fields_in_words(patch), "langs, work › city, work › role");
    }

    #[test]
    fn values_are_in_words() {
        assert_eq!(value_in_words(&json!(["Portuguese", "English"])), "Portuguese, English");
        let studio = json!({ "city": "Lisbon", "kilns": 3, "open_now": true });
        assert_eq!(value_in_words(&studio), "city: Lisbon, kilns: 3, open now: yes");
        let pets = json!([{ "name": "Mia", "age": 3 }, { "name": "Bo" }]);
        assert_eq!(value_in_words(&pets), "age: 3, name: Mia; name: Bo");
        assert_eq!(value_in_words(&json!([])), "an empty list");
    }

    #[test]
    fn a_change_shows_its_path_with_the_old_and_the_new_value() {
        let patch = json!({ "home": { "zip_code": "53111" }, "likes": null });
        let data = json!({ "home": { "zip_code": "10115" } });
        let shown = change_in_words(patch.as_object().unwrap(), data.as_object()).into_string();
        for part in ["home › zip code", "10115</del>", "53111</ins>", "would be removed"] {
            assert!(shown.contains(part), "{part}: {shown}");
        }
    }
}
