//! Relations in structured data: fields of a row of a known table, and fields of a profile.

use super::{Party, Tie, kinds, roles};

/// Maximum length of a name; a longer value is a sentence.
const CHARS_MAX: usize = 80;

/// Returns the relations that a row states: a meal was eaten, a gym was visited. `fields` are pairs
/// of column and text.
#[must_use]
pub fn ties_in_row(table: &str, fields: &[(&str, &str)]) -> Vec<Tie> {
    let rules = ROWS.iter().filter(|rule| rule.tables.contains(&table));
    let mut found = Vec::new();
    for rule in rules {
        for (column, value) in fields.iter().filter(|(column, _)| rule.columns.contains(column)) {
            let several = *column == "with";
            found.extend(
                names(value, several).map(|name| owners(rule.relation, name, Some(rule.kind))),
            );
        }
    }
    found
}

/// Returns the relations that a profile field states, by its dotted path and the texts in it.
#[must_use]
pub fn ties_in_field(path: &str, values: &[&str]) -> Vec<Tie> {
    let parts: Vec<String> = path.to_lowercase().split('.').map(str::to_owned).collect();
    let Some(last) = parts.last() else { return Vec::new() };
    let within = |name: &str| parts.iter().any(|part| part == name);
    let family = parts
        .iter()
        .rev()
        .find_map(|part| roles::relation(part))
        .filter(|_| last == "name" || parts.len() < 3);
    let rule = FIELDS.iter().find(|rule| {
        rule.names.contains(&last.as_str())
            && (rule.within.is_empty() || rule.within.iter().any(|name| within(name)))
    });
    let (relation, kind) = match (rule, family) {
        (Some(rule), _) => (rule.relation, rule.kind),
        (None, Some(relation)) => (relation, Some("person")),
        (None, None) => return Vec::new(),
    };
    let relation = |name: &str| owners(relation, name, kind.or_else(|| kinds::kind_of(name)));
    values.iter().flat_map(|value| names(value, false)).map(relation).collect()
}

fn owners(relation: &str, object: &str, kind: Option<&'static str>) -> Tie {
    Tie { subject: Party::Owner, relation: relation.to_owned(), object: object.to_owned(), kind }
}

/// Returns the names in a value: all of it, or the items of a list.
fn names(value: &str, several: bool) -> impl Iterator<Item = &str> {
    let parts = value.split(move |c| several && (c == ',' || c == '&'));
    parts.map(str::trim).filter(|name| !name.is_empty() && name.chars().count() <= CHARS_MAX)
}

struct Row {
    tables: &'static [&'static str],
    columns: &'static [&'static str],
    relation: &'static str,
    kind: &'static str,
}

struct Field {
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
const ROWS: &[Row] = &[
    Row {
        tables: MEALS, columns: &["food", "meal", "dish", "drink"],
        relation: "ate", kind: "food",
    },
    Row {
        tables: MEALS, columns: &["restaurant", "location", "place"],
        relation: "visited", kind: "place",
    },
    Row {
        tables: MEALS, columns: &["with"],
        relation: "eat_with", kind: "person",
    },
    Row {
        tables: WORKOUTS, columns: &["exercise", "activity", "workout", "sport"],
        relation: "performed", kind: "activity",
    },
    Row {
        tables: WORKOUTS, columns: &["location", "gym", "place"],
        relation: "works_out_at", kind: "place",
    },
    Row {
        tables: WORKOUTS, columns: &["with"],
        relation: "train_with", kind: "person",
    },
    Row {
        tables: MEDICINES, columns: &["medication_name", "medication", "name"],
        relation: "takes", kind: "medication",
    },
    Row {
        tables: TITLES, columns: &["title", "name"],
        relation: "consumed", kind: "media",
    },
    Row {
        tables: PEOPLE, columns: &["name"],
        relation: "knows", kind: "person",
    },
    Row {
        tables: TRIPS, columns: &["destination", "city", "country", "place", "name"],
        relation: "visited", kind: "place",
    },
    Row {
        tables: &["expenses", "purchases"], columns: &["item"],
        relation: "bought", kind: "thing",
    },
];

#[rustfmt::skip]
const FIELDS: &[Field] = &[
    Field {
        names: &["company", "employer"], within: &[],
        relation: "works_at", kind: Some("organization"),
    },
    Field {
        names: &["city", "location", "hometown", "home", "lives_in", "residence"], within: &[],
        relation: "lives_at", kind: Some("place"),
    },
    Field {
        names: &["institution", "school", "university"], within: &[],
        relation: "attended", kind: Some("organization"),
    },
    Field {
        names: &["interests", "hobbies"], within: &[],
        relation: "interested_in", kind: Some("activity"),
    },
    Field {
        names: &["skills", "languages"], within: &[],
        relation: "has_skill", kind: Some("topic"),
    },
    Field {
        names: &["favorites", "favourites", "likes"], within: &["food", "foods"],
        relation: "likes", kind: Some("food"),
    },
    Field {
        names: &["favorite_foods", "favourite_foods", "favorite_food", "favourite_food"],
        within: &[], relation: "likes", kind: Some("food"),
    },
    Field {
        names: &["favorites", "favourites", "likes"], within: &[],
        relation: "likes", kind: None,
    },
    Field {
        names: &["dislikes", "food_dislikes"], within: &[],
        relation: "dislikes", kind: None,
    },
    Field {
        names: &["allergies", "allergy"], within: &[],
        relation: "allergic_to", kind: None,
    },
    Field {
        names: &["dietary", "diet", "dietary_goals", "dietary_restrictions"], within: &[],
        relation: "follows", kind: Some("preference"),
    },
    Field {
        names: &["conditions"], within: &["health"],
        relation: "has_condition", kind: Some("topic"),
    },
    Field {
        names: &["medications"], within: &[],
        relation: "takes", kind: Some("medication"),
    },
    Field {
        names: &["pets", "pet"], within: &[],
        relation: "owns", kind: None,
    },
    Field {
        names: &["gym"], within: &[],
        relation: "works_out_at", kind: Some("place"),
    },
];
