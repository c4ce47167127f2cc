//! The owner's identity: an agent that read about the owner's family must not mistake the owner for
//! one of them.

use model::JsonMap;
use serde_json::Value;

/// Field with the owner's name.
const NAME: &str = "name";
/// Field with the owner's family: a list of people, or one person for each role.
const FAMILY: &str = "family";
/// Fields with the names of a person.
const NAME_FIELDS: [&str; 2] = ["name", "nickname"];

/// Returns whether a change of this field would give the owner the name of a relative.
pub(super) fn is_relatives_name(before: &JsonMap, after: &JsonMap, field: &str) -> bool {
    let Some(name) = after.get(NAME).and_then(Value::as_str).filter(|_| field == NAME) else {
        return false;
    };
    let family = before.get(FAMILY).map(names_of).unwrap_or_default();
    // The first name alone counts too: texts rarely mention a relative by the full name.
    family.iter().any(|relative| {
        same(relative, name) || relative.split(' ').next().is_some_and(|first| same(first, name))
    })
}

fn same(one: &str, other: &str) -> bool {
    one.trim().to_lowercase() == other.trim().to_lowercase()
}

/// Returns the names of everybody in a family.
fn names_of(family: &Value) -> Vec<&str> {
    match family {
        Value::Array(people) => people.iter().flat_map(names_of).collect(),
        Value::Object(fields) => {
            let own =
                NAME_FIELDS.iter().filter_map(|name| fields.get(*name).and_then(Value::as_str));
            own.chain(fields.values().filter(|inner| !inner.is_string()).flat_map(names_of))
                .collect()
        }
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn map(value: &Value) -> JsonMap {
        value.as_object().unwrap().clone()
    }

    #[test]
    fn relatives_are_recognized_by_full_name_first_name_and_nickname_in_either_form() {
        let listed = map(&json!({
            "name": "Ada",
            "family": [{"name": "Mia Lovelace", "nickname": "Mimi", "relation": "daughter"}]
        }));
        let by_role =
            map(&json!({"family": {"daughter": {"name": "Mia Lovelace", "nickname": "Mimi"}}}));
        for before in [listed, by_role] {
            for (name, relative) in [
                ("Mia Lovelace", true),
                ("mia", true),
                (" Mimi ", true),
                ("Lovelace", false),
                ("Miam", false),
                ("daughter", false),
            ] {
                let after = map(&json!({ "name": name }));
                assert_eq!(is_relatives_name(&before, &after, "name"), relative, "{name}");
                assert!(!is_relatives_name(&before, &after, "nickname"), "{name}");
            }
        }
    }
}
