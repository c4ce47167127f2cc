//! Relations that a value of the profile states: the owner works at Acme, Leela is the owner's
//! daughter, and Leela, not the owner, is allergic to peanuts.

use super::leaves::{LeafPlace, LeafSubject};
use reading::{RelationStatement, RelationSubject, relations_in_profile_field};
use serde_json::Value;

/// Fields whose members are people.
const PEOPLE: [&str; 15] = [
    "children",
    "colleagues",
    "contacts",
    "coworkers",
    "family",
    "friends",
    "household",
    "kids",
    "parents",
    "partner",
    "people",
    "relatives",
    "siblings",
    "spouse",
    "team",
];
/// Fields that state the relation of a person to the owner.
const RELATION_FIELDS: [&str; 2] = ["relation", "role"];

/// Returns the relations that a value states.
pub(super) fn relations_of_leaf(place: &LeafPlace, value: &Value) -> Vec<RelationStatement> {
    let texts = texts_in(value);
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let own_path = place.own_fields.join(".");
    match &place.subject {
        // A list of unnamed things says nothing about which of them holds now.
        None if place.path.contains('[') => Vec::new(),
        None => relations_in_profile_field(&place.path, &texts),
        Some(subject) if RELATION_FIELDS.contains(&own_path.as_str()) => relation_to_owner(subject),
        Some(subject) if is_person(subject) => {
            let said = relations_in_profile_field(&own_path, &texts).into_iter();
            let by_them = RelationSubject::Named(subject.name.clone());
            said.map(|one| RelationStatement { subject: by_them.clone(), ..one }).collect()
        }
        Some(_) => Vec::new(),
    }
}

/// Returns the relation of a person in a list: `{"name": "Mia", "relation": "daughter"}`.
fn relation_to_owner(subject: &LeafSubject) -> Vec<RelationStatement> {
    let Some(relation) = &subject.relation else { return Vec::new() };
    let list = subject.path.split('[').next().unwrap_or_default();
    // With the relation itself as the name there is nobody to relate to.
    if *relation == subject.name {
        return Vec::new();
    }
    relations_in_profile_field(
        &format!("{list}.{}.name", relation.to_lowercase()),
        &[subject.name.as_str()],
    )
}

fn is_person(subject: &LeafSubject) -> bool {
    let path = subject.path.to_lowercase();
    let mut fields = path.split(['.', '[', ']']);
    let known = fields.any(|field| PEOPLE.contains(&field));
    let related = relations_in_profile_field(&format!("{path}.name"), &[subject.name.as_str()]);
    known || related.iter().any(|relation| relation.kind == Some("person"))
}

fn texts_in(value: &Value) -> Vec<String> {
    match value {
        Value::String(text) => vec![text.clone()],
        Value::Array(items) => items.iter().flat_map(texts_in).collect(),
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::leaves::ProfileLeaves;
    use reading::RelationSubject;
    use serde_json::{Value, json};

    fn relations(profile: &Value) -> Vec<String> {
        let read = ProfileLeaves::read(profile.as_object().unwrap());
        let relations = read.leaves.into_iter().flat_map(|leaf| leaf.relations);
        let subject = |subject| match subject {
            RelationSubject::Owner => "me".to_owned(),
            RelationSubject::Named(name) | RelationSubject::Thing(name) => name,
        };
        relations
            .map(|one| format!("{} {} {}", subject(one.subject), one.relation, one.object))
            .collect()
    }

    #[test]
    fn a_relation_is_that_of_the_subject_of_its_value() {
        let profile = json!({
            "allergies": ["cats"],
            "family": [{"name": "Leela", "relation": "daughter", "allergies": ["peanuts"]}],
            "employers": [{"name": "Acme", "city": "Berlin"}],
            "work": {"company": "Acme"}
        });
        let stated = relations(&profile);
        for expected in ["me allergic_to cats", "Leela allergic_to peanuts", "me works_at Acme"] {
            assert!(stated.iter().any(|one| one == expected), "{expected}: {stated:?}");
        }
        assert_eq!(stated.iter().filter(|one| one.ends_with("Leela")).count(), 1, "{stated:?}");
        assert!(!stated.iter().any(|one| one.ends_with("Berlin")), "{stated:?}");
    }

    #[test]
    fn a_relative_by_role_is_related_to_the_owner() {
        let stated =
            relations(&json!({"family": {"daughter": {"name": "Mia", "hobbies": ["chess"]}}}));
        assert!(
            stated.iter().any(|one| one.starts_with("me ") && one.ends_with(" Mia")),
            "{stated:?}"
        );
        assert!(stated.iter().any(|one| one == "Mia interested_in chess"), "{stated:?}");
    }
}
