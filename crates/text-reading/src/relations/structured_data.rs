//! Relations in structured data: fields of a row of a known table, and fields of a profile.

use super::{RelationStatement, RelationSubject, entity_kinds, roles};

/// Maximum length of a name; a longer value is a sentence.
const NAME_CHARS_MAX: usize = 80;

/// Returns the relations that a row states: a meal was eaten, a gym was visited. `fields` are pairs
/// of column and text.
#[must_use]
pub fn relations_in_row(table: &str, fields: &[(&str, &str)]) -> Vec<RelationStatement> {
    let rules = ROW_RULES.iter().filter(|rule| rule.tables.contains(&table));
    let mut found = Vec::new();
    for rule in rules {
        for (column, value) in fields.iter().filter(|(column, _)| rule.columns.contains(column)) {
            let several = *column == "with";
            found.extend(
                names_in_value(value, several)
                    .map(|name| owner_relation(rule.relation, name, Some(rule.kind)))
                    .map(|one| RelationStatement { media_use: media_use(table, &one), ..one }),
            );
        }
    }
    found
}

/// Returns the relations that a profile field states, by its dotted path and the texts in it.
#[must_use]
pub fn relations_in_profile_field(path: &str, values: &[&str]) -> Vec<RelationStatement> {
    let parts: Vec<String> = path.to_lowercase().split('.').map(str::to_owned).collect();
    let Some(last) = parts.last() else { return Vec::new() };
    let within = |name: &str| parts.iter().any(|part| part == name);
    let family = parts
        .iter()
        .rev()
        .find_map(|part| roles::relation_of_role(part))
        .filter(|_| last == "name" || parts.len() < 3);
    let rule = PROFILE_FIELD_RULES.iter().find(|rule| {
        rule.names.contains(&last.as_str())
            && (rule.within.is_empty() || rule.within.iter().any(|name| within(name)))
    });
    let (relation, kind) = match (rule, family) {
        (Some(rule), _) => (rule.relation, rule.kind),
        (None, Some(relation)) => (relation, Some("person")),
        (None, None) => return Vec::new(),
    };
    let relation = |name: &str| {
        owner_relation(relation, name, kind.or_else(|| entity_kinds::entity_kind_of_phrase(name)))
    };
    values.iter().flat_map(|value| names_in_value(value, false)).map(relation).collect()
}

/// Returns the use of a title, by the name of its table.
fn media_use(table: &str, statement: &RelationStatement) -> Option<&'static str> {
    entity_kinds::media_use_of_word(table).filter(|_| statement.kind == Some("media"))
}

fn owner_relation(relation: &str, object: &str, kind: Option<&'static str>) -> RelationStatement {
    RelationStatement {
        subject: RelationSubject::Owner,
        relation: relation.to_owned(),
        object: object.to_owned(),
        kind,
        media_use: None,
    }
}

/// Returns the names in a value: all of it, or the items of a list.
fn names_in_value(value: &str, several: bool) -> impl Iterator<Item = &str> {
    let parts = value.split(move |c| several && (c == ',' || c == '&'));
    parts.map(str::trim).filter(|name| !name.is_empty() && name.chars().count() <= NAME_CHARS_MAX)
}

struct RowRule {
    tables: &'static [&'static str],
    columns: &'static [&'static str],
    relation: &'static str,
    kind: &'static str,
}

struct ProfileFieldRule {
    /// Accepted last segments of the path.
    names: &'static [&'static str],
    /// Segments of which one must also be in the path; empty for no such condition.
    within: &'static [&'static str],
    relation: &'static str,
    kind: Option<&'static str>,
}

const MEALS: &[&str] = &["meals", "meal", "food", "foods", "food_log", "eating"];
const WORKOUTS: &[&str] = &["workouts", "workout", "exercise", "exercises", "training", "runs"];
const MEDICINES: &[&str] = &["medications", "medication", "medicines"];
const TITLES: &[&str] = &[
    "books", "movies", "films", "shows", "series", "albums", "music", "podcasts", "games",
    "reading",
];
const PEOPLE: &[&str] = &["people", "contacts", "friends"];
const TRIPS: &[&str] = &["trips", "travel", "travels", "visits", "places"];

#[rustfmt::skip]
const ROW_RULES: &[RowRule] = &[
    RowRule {
        tables: MEALS, columns: &["food", "meal", "dish", "drink"],
        relation: "ate", kind: "food",
    },
    RowRule {
        tables: MEALS, columns: &["restaurant", "location", "place"],
        relation: "visited", kind: "place",
    },
    RowRule {
        tables: MEALS, columns: &["with"],
        relation: "eat_with", kind: "person",
    },
    RowRule {
        tables: WORKOUTS, columns: &["exercise", "activity", "workout", "sport"],
        relation: "performed", kind: "activity",
    },
    RowRule {
        tables: WORKOUTS, columns: &["location", "gym", "place"],
        relation: "works_out_at", kind: "place",
    },
    RowRule {
        tables: WORKOUTS, columns: &["with"],
        relation: "train_with", kind: "person",
    },
    RowRule {
        tables: MEDICINES, columns: &["medication_name", "medication", "name"],
        relation: "takes", kind: "medication",
    },
    RowRule {
        tables: TITLES, columns: &["title", "name"],
        relation: "consumed", kind: "media",
    },
    RowRule {
        tables: PEOPLE, columns: &["name"],
        relation: "knows", kind: "person",
    },
    RowRule {
        tables: TRIPS, columns: &["destination", "city", "country", "place", "name"],
        relation: "visited", kind: "place",
    },
    RowRule {
        tables: &["expenses", "purchases"], columns: &["item"],
        relation: "bought", kind: "thing",
    },
];

#[rustfmt::skip]
const PROFILE_FIELD_RULES: &[ProfileFieldRule] = &[
    ProfileFieldRule {
        names: &["company", "employer"], within: &[],
        relation: "works_at", kind: Some("organization"),
    },
    ProfileFieldRule {
        names: &["city", "location", "hometown", "home", "lives_in", "residence"], within: &[],
        relation: "lives_at", kind: Some("place"),
    },
    ProfileFieldRule {
        names: &["institution", "school", "university"], within: &[],
        relation: "attended", kind: Some("organization"),
    },
    ProfileFieldRule {
        names: &["interests", "hobbies"], within: &[],
        relation: "interested_in", kind: Some("activity"),
    },
    ProfileFieldRule {
        names: &["skills", "languages"], within: &[],
        relation: "has_skill", kind: Some("topic"),
    },
    ProfileFieldRule {
        names: &["favorites", "favourites", "likes"], within: &["food", "foods"],
        relation: "likes", kind: Some("food"),
    },
    ProfileFieldRule {
        names: &["favorite_foods", "favourite_foods", "favorite_food", "favourite_food"],
        within: &[], relation: "likes", kind: Some("food"),
    },
    ProfileFieldRule {
        names: &["favorites", "favourites", "likes"], within: &[],
        relation: "likes", kind: None,
    },
    ProfileFieldRule {
        names: &["dislikes", "food_dislikes"], within: &[],
        relation: "dislikes", kind: None,
    },
    ProfileFieldRule {
        names: &["allergies", "allergy"], within: &[],
        relation: "allergic_to", kind: None,
    },
    ProfileFieldRule {
        names: &["dietary", "diet", "dietary_goals", "dietary_restrictions"], within: &[],
        relation: "follows", kind: Some("preference"),
    },
    ProfileFieldRule {
        names: &["conditions"], within: &["health"],
        relation: "has_condition", kind: Some("topic"),
    },
    ProfileFieldRule {
        names: &["medications"], within: &[],
        relation: "takes", kind: Some("medication"),
    },
    ProfileFieldRule {
        names: &["pets", "pet"], within: &[],
        relation: "owns", kind: None,
    },
    ProfileFieldRule {
        names: &["gym"], within: &[],
        relation: "works_out_at", kind: Some("place"),
    },
];

/// Returns the names of all relations that a row or a field of the profile states.
#[cfg(test)]
pub(super) fn relation_names() -> impl Iterator<Item = &'static str> {
    let fields = PROFILE_FIELD_RULES.iter().map(|rule| rule.relation);
    ROW_RULES.iter().map(|rule| rule.relation).chain(fields)
}
