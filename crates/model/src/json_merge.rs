//! JSON Merge Patch (RFC 7396), and the paths that a merge changed.

use crate::JsonMap;
use serde_json::Value;

/// Returns the document with the patch applied: null removes a field, objects merge, everything
/// else replaces.
#[must_use]
pub fn merge_patch(document: &JsonMap, patch: &JsonMap) -> JsonMap {
    let mut merged = document.clone();
    for (name, change) in patch {
        match change {
            Value::Null => {
                merged.remove(name);
            }
            Value::Object(inner) => {
                let before =
                    merged.get(name).and_then(Value::as_object).cloned().unwrap_or_default();
                merged.insert(name.clone(), Value::Object(merge_patch(&before, inner)));
            }
            other => {
                merged.insert(name.clone(), other.clone());
            }
        }
    }
    merged
}

/// Returns the patch that turns `before` into `after`.
#[must_use]
pub fn patch_between(before: &JsonMap, after: &JsonMap) -> JsonMap {
    let mut patch = JsonMap::new();
    for name in before.keys().filter(|name| !after.contains_key(*name)) {
        patch.insert(name.clone(), Value::Null);
    }
    for (name, value) in after {
        match (before.get(name), value) {
            (Some(old), new) if old == new => {}
            (Some(Value::Object(old)), Value::Object(new)) => {
                patch.insert(name.clone(), Value::Object(patch_between(old, new)));
            }
            (_, new) => {
                patch.insert(name.clone(), new.clone());
            }
        }
    }
    patch
}

/// Returns the dotted paths whose values differ, sorted by name.
#[must_use]
pub fn changed_fields(before: &JsonMap, after: &JsonMap) -> Vec<String> {
    let mut names: Vec<&String> = before.keys().chain(after.keys()).collect();
    names.sort_unstable();
    names.dedup();
    let mut changed = Vec::new();
    for name in names {
        match (before.get(name), after.get(name)) {
            (old, new) if old == new => {}
            (Some(Value::Object(old)), Some(Value::Object(new))) => {
                changed.extend(
                    changed_fields(old, new).into_iter().map(|path| format!("{name}.{path}")),
                );
            }
            _ => changed.push(name.clone()),
        }
    }
    changed
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn map(value: Value) -> JsonMap {
        value.as_object().unwrap().clone()
    }

    #[test]
    fn applying_patch_between_turns_one_document_into_the_other() {
        let documents = [
            json!({}),
            json!({"a": 1}),
            json!({"a": {"b": 1, "c": [1]}}),
            json!({"a": {"c": [2]}, "d": "e"}),
        ];
        for (before, after) in
            documents.iter().flat_map(|one| documents.iter().map(move |other| (one, other)))
        {
            let (before, after) = (map(before.clone()), map(after.clone()));
            assert_eq!(merge_patch(&before, &patch_between(&before, &after)), after);
        }
    }

    /// Cases of RFC 7396, appendix A, that apply to objects.
    #[test]
    fn the_cases_of_rfc_7396_hold() {
        for (document, patch, merged) in [
            (json!({"a": "b"}), json!({"a": "c"}), json!({"a": "c"})),
            (json!({"a": "b"}), json!({"b": "c"}), json!({"a": "b", "b": "c"})),
            (json!({"a": "b"}), json!({"a": null}), json!({})),
            (json!({"a": "b", "b": "c"}), json!({"a": null}), json!({"b": "c"})),
            (json!({"a": ["b"]}), json!({"a": "c"}), json!({"a": "c"})),
            (json!({"a": "c"}), json!({"a": ["b"]}), json!({"a": ["b"]})),
            (
                json!({"a": {"b": "c"}}),
                json!({"a": {"b": "d", "c": null}}),
                json!({"a": {"b": "d"}}),
            ),
            (json!({"a": [{"b": "c"}]}), json!({"a": [1]}), json!({"a": [1]})),
            (json!({"e": null}), json!({"a": 1}), json!({"e": null, "a": 1})),
            (json!({}), json!({"a": {"bb": {"ccc": null}}}), json!({"a": {"bb": {}}})),
        ] {
            assert_eq!(
                merge_patch(&map(document.clone()), &map(patch.clone())),
                map(merged),
                "{document} + {patch}"
            );
        }
    }

    #[test]
    fn changed_fields_are_listed_by_path() {
        let before = map(json!({"work": {"role": "dev", "city": "Bonn"}, "name": "Ada"}));
        let after = map(json!({"work": {"role": "lead", "city": "Bonn"}, "name": "Ada", "age": 3}));
        assert_eq!(changed_fields(&before, &after), ["age", "work.role"]);
    }
}
