//! Roles and favourites: "my wife is Anna", "Bo is my boss", "my favourite foods are ramen and
//! figs". The direction of a role is preserved: the owner is `parent_of` "my daughter".

use super::noun_phrases::NounPhrase;
use super::{RelationStatement, RelationSubject, Sentence, entity_kinds, noun_phrases};
use crate::terms::light_stem;

/// Returns the relation of a person to whoever has this role towards them.
pub(super) fn relation_of_role(role: &str) -> Option<&'static str> {
    ROLES
        .iter()
        .find(|(name, _)| *name == role || light_stem(name) == light_stem(role))
        .map(|(_, relation)| *relation)
}

/// Returns the relations that roles and favourites state.
pub(super) fn role_relations(sentence: &Sentence<'_>) -> Vec<RelationStatement> {
    let mut found = Vec::new();
    for (at, term) in sentence.terms.iter().enumerate() {
        if !matches!(term.as_str(), "my" | "our") {
            continue;
        }
        let next = sentence.terms.get(at + 1).map_or("", String::as_str);
        if matches!(next, "favourite" | "favorite" | "favourites" | "favorites") {
            found.extend(favourites(sentence, at + 2));
        } else if let Some(relation) = relation_of_role(next) {
            found.extend(people_in_role(sentence, at).into_iter().map(|person| {
                RelationStatement {
                    subject: RelationSubject::Owner,
                    relation: relation.to_owned(),
                    object: person.to_owned(),
                    kind: Some("person"),
                    media_use: None,
                }
            }));
        }
    }
    found
}

/// Reads "my favourite foods are ramen and figs".
fn favourites(sentence: &Sentence<'_>, from: usize) -> Vec<RelationStatement> {
    let reach = sentence.terms.iter().enumerate().skip(from).take(4);
    let Some(at) =
        reach.into_iter().find(|(_, term)| matches!(term.as_str(), "is" | "are")).map(|(at, _)| at)
    else {
        return Vec::new();
    };
    let stated_kind =
        sentence.terms[from..at].iter().find_map(|word| entity_kinds::entity_kind_of_word(word));
    let relation = |thing: NounPhrase<'_>| RelationStatement {
        subject: RelationSubject::Owner,
        relation: "likes".to_owned(),
        object: thing.text.to_owned(),
        kind: stated_kind.or_else(|| entity_kinds::entity_kind_of_phrase(thing.text)),
        media_use: sentence.terms[from..at]
            .iter()
            .find_map(|word| entity_kinds::media_use_of_word(word)),
    };
    noun_phrases::noun_phrases(sentence, at + 1).into_iter().map(relation).collect()
}

/// Returns the people in the role "my wife", named before it ("Anna is my wife") or after it ("my
/// wife Anna", "my wife is Anna").
fn people_in_role<'t>(sentence: &Sentence<'t>, my: usize) -> Vec<&'t str> {
    let is = |at: usize| {
        sentence.terms.get(at).is_some_and(|term| matches!(term.as_str(), "is" | "are"))
    };
    let from = if is(my + 2) { my + 3 } else { my + 2 };
    let after: Vec<&str> =
        noun_phrases::proper_names(sentence, from).into_iter().map(|name| name.text).collect();
    if !after.is_empty() {
        return after;
    }
    match my.checked_sub(2) {
        Some(before) if is(my - 1) && sentence.is_name_word(before) => {
            vec![sentence.name_ending_at(before)]
        }
        _ => Vec::new(),
    }
}

#[rustfmt::skip]
const ROLES: &[(&str, &str)] = &[
    ("wife", "married_to"), ("husband", "married_to"), ("spouse", "married_to"),
    ("partner", "married_to"), ("fiancé", "married_to"), ("fiancée", "married_to"),
    ("daughter", "parent_of"), ("son", "parent_of"), ("child", "parent_of"),
    ("children", "parent_of"), ("kid", "parent_of"), ("mother", "child_of"), ("father", "child_of"),
    ("mom", "child_of"), ("mum", "child_of"), ("dad", "child_of"), ("parent", "child_of"),
    ("brother", "sibling_of"), ("sister", "sibling_of"), ("sibling", "sibling_of"),
    ("aunt", "family_member"), ("uncle", "family_member"), ("cousin", "family_member"),
    ("niece", "family_member"), ("nephew", "family_member"), ("grandmother", "family_member"),
    ("grandfather", "family_member"), ("friend", "friend"), ("girlfriend", "friend"),
    ("boyfriend", "friend"), ("roommate", "knows"), ("flatmate", "knows"), ("neighbour", "knows"),
    ("neighbor", "knows"), ("teacher", "knows"), ("doctor", "knows"), ("dentist", "knows"),
    ("therapist", "knows"), ("mentor", "knows"), ("coach", "knows"), ("boss", "reports_to"),
    ("manager", "reports_to"), ("colleague", "work_with"), ("coworker", "work_with"),
    ("teammate", "work_with"),
];

/// Returns the names of all relations that a role states.
#[cfg(test)]
pub(super) fn relation_names() -> impl Iterator<Item = &'static str> {
    ROLES.iter().map(|(_, relation)| *relation)
}
