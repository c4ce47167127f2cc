//! The leaves of a profile: each value as a fact of its own, with its path and its subject.
//! `family[1].allergies` is Leela's, and reads "Leela (family): allergies: peanuts". A list of
//! plain values is one leaf. Pure: a document in, leaves out.

use super::leaf_relations::relations_of_leaf;
use super::value_to_text;
use model::{JsonMap, limits, member_name, named_by};
use reading::RelationStatement;
use serde_json::Value;

/// Fields that name an object outside of a list. A title or a role there is the owner's own.
const OBJECT_NAMES: [&str; 4] = ["name", "full_name", "first_name", "nickname"];
/// Objects that are about the owner, whatever name is in them.
const OWN_PARTS: [&str; 20] = [
    "about",
    "address",
    "basics",
    "career",
    "contact",
    "diet",
    "education",
    "employment",
    "food",
    "health",
    "home",
    "identity",
    "job",
    "location",
    "me",
    "owner",
    "personal",
    "preferences",
    "user",
    "work",
];

/// A value of the profile.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ProfileLeaf {
    pub path: String,
    /// Name of the person or thing that the value is about; `None` for the owner.
    pub subject: Option<String>,
    /// The value as a sentence.
    pub text: String,
    /// Relations that it states.
    pub relations: Vec<RelationStatement>,
}

/// The leaves of a profile, in the order of the document.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct ProfileLeaves {
    pub leaves: Vec<ProfileLeaf>,
    /// Number of values past the limit.
    pub omitted: usize,
}

impl ProfileLeaves {
    /// Reads the leaves of a document.
    pub fn read(profile: &JsonMap) -> Self {
        let mut found = Self::default();
        found.read_object(profile, &LeafPlace::default(), None);
        found
    }

    /// Returns a sentence about values past the limit.
    pub fn note(&self) -> Option<String> {
        let (kept, total) = (self.leaves.len(), self.leaves.len() + self.omitted);
        (self.omitted > 0).then(|| {
            format!(
                "the profile has {total} values; recall finds the first {kept}, the others are \
                 read only with the profile itself"
            )
        })
    }

    fn read_object(&mut self, fields: &JsonMap, place: &LeafPlace, listed: Option<usize>) {
        let naming = place.naming_field(fields, listed.is_some());
        let inside = match naming {
            Some((_, name)) => place.of_subject(name, fields),
            None => place.numbered(listed),
        };
        for (name, value) in fields {
            // The name itself is a fact about whoever has somebody of that name.
            let named = naming.is_some_and(|(field, _)| field == name);
            self.read_value(value, &if named { place } else { &inside }.field(name));
        }
    }

    fn read_value(&mut self, value: &Value, place: &LeafPlace) {
        match value {
            Value::Null => {}
            Value::Object(fields) => self.read_object(fields, place, None),
            Value::Array(items) => self.read_list(items, place),
            plain => self.add(plain, place),
        }
    }

    fn read_list(&mut self, items: &[Value], place: &LeafPlace) {
        let (nested, plain): (Vec<_>, Vec<_>) =
            items.iter().enumerate().partition(|(_, item)| item.is_object() || item.is_array());
        let plain: Vec<Value> = plain
            .into_iter()
            .map(|(_, item)| item.clone())
            .filter(|item| !item.is_null())
            .collect();
        if !plain.is_empty() {
            self.add(&Value::Array(plain), place);
        }
        let several = nested.len() > 1;
        for (at, item) in nested {
            let member = place.member(at);
            match item {
                Value::Object(fields) => {
                    self.read_object(fields, &member, Some(if several { at + 1 } else { 0 }));
                }
                item => self.read_value(item, &member.numbered(several.then_some(at + 1))),
            }
        }
    }

    fn add(&mut self, value: &Value, place: &LeafPlace) {
        let rendered = value_to_text(value);
        // An empty text has nothing to recall.
        if rendered.trim().is_empty() {
            return;
        }
        if self.leaves.len() == limits::PROFILE_VALUES {
            self.omitted += 1;
            return;
        }
        self.leaves.push(ProfileLeaf {
            path: place.path.clone(),
            subject: place.subject.as_ref().map(|subject| subject.name.clone()),
            text: truncate_to_limit(format!("{}: {rendered}", place.words())),
            relations: relations_of_leaf(place, value),
        });
    }
}

/// The place of a value in the document.
#[derive(Debug, Clone, Default)]
pub(super) struct LeafPlace {
    pub path: String,
    /// Names of all fields and subjects on the way, in words.
    all_words: Vec<String>,
    /// Names of the fields since the subject.
    pub own_fields: Vec<String>,
    pub subject: Option<LeafSubject>,
}

/// The person or thing that a value is about.
#[derive(Debug, Clone)]
pub(super) struct LeafSubject {
    pub name: String,
    /// Path of its object.
    pub path: String,
    /// Relation to the owner, as the object states it.
    pub relation: Option<String>,
    place: String,
}

impl LeafPlace {
    /// Returns the field that names an object here, with the name.
    fn naming_field<'f>(&self, fields: &'f JsonMap, listed: bool) -> Option<(&'f str, &'f str)> {
        let key = self.own_fields.last().map_or("", String::as_str).to_lowercase();
        match listed {
            true => member_name(fields),
            // The document itself is the owner.
            false if self.path.is_empty() || OWN_PARTS.contains(&key.as_str()) => None,
            false => named_by(fields, &OBJECT_NAMES),
        }
    }

    fn field(&self, name: &str) -> Self {
        let dot = if self.path.is_empty() { "" } else { "." };
        let words = name.replace(['_', '.'], " ");
        Self {
            path: format!("{}{dot}{name}", self.path),
            all_words: [self.all_words.as_slice(), &[words]].concat(),
            own_fields: [self.own_fields.as_slice(), &[name.to_owned()]].concat(),
            subject: self.subject.clone(),
        }
    }

    fn member(&self, at: usize) -> Self {
        Self { path: format!("{}[{at}]", self.path), ..self.clone() }
    }

    /// Returns the place with the number of a member that has no name; 0 for the only one.
    fn numbered(&self, number: Option<usize>) -> Self {
        let Some(number) = number.filter(|number| *number > 0) else { return self.clone() };
        let number = [number.to_string()];
        Self {
            all_words: [self.all_words.as_slice(), &number].concat(),
            own_fields: [self.own_fields.as_slice(), &number].concat(),
            ..self.clone()
        }
    }

    fn of_subject(&self, name: &str, fields: &JsonMap) -> Self {
        let text = |field: &str| fields.get(field).and_then(Value::as_str).map(str::to_owned);
        let subject = LeafSubject {
            name: name.to_owned(),
            path: self.path.clone(),
            relation: text("relation").or_else(|| text("role")),
            place: self.all_words.join(" "),
        };
        Self {
            path: self.path.clone(),
            all_words: [self.all_words.as_slice(), &[name.to_owned()]].concat(),
            own_fields: Vec::new(),
            subject: Some(subject),
        }
    }

    /// Returns the place in words: `work company`, or `Leela (family): allergies`.
    fn words(&self) -> String {
        let own = self.own_fields.join(" ").replace(['_', '.'], " ");
        match &self.subject {
            Some(LeafSubject { name, place, .. }) => format!("{name} ({place}): {own}"),
            None => own,
        }
    }
}

/// Truncates a text to the limit of a memory, at a character boundary.
fn truncate_to_limit(mut text: String) -> String {
    let mut end = text.len().min(limits::TEXT_BYTES);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text.truncate(end);
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn texts(profile: &Value) -> Vec<(String, String)> {
        let read = ProfileLeaves::read(profile.as_object().unwrap());
        read.leaves.into_iter().map(|leaf| (leaf.path, leaf.text)).collect()
    }

    fn pair(path: &str, text: &str) -> (String, String) {
        (path.to_owned(), text.to_owned())
    }

    #[test]
    fn each_value_is_a_leaf_with_its_path_in_words() {
        let profile = json!({
            "name": "Priya",
            "favourite_food": "dosa",
            "languages": ["English", "Tamil"],
            "work": {"title": "Engineer", "company": "Acme"},
            "nothing": null, "blank": " ", "empty": [], "none": {}
        });
        assert_eq!(
            texts(&profile),
            [
                pair("favourite_food", "favourite food: dosa"),
                pair("languages", "languages: English, Tamil"),
                pair("name", "name: Priya"),
                pair("work.company", "work company: Acme"),
                pair("work.title", "work title: Engineer"),
            ]
        );
    }

    #[test]
    fn what_is_said_of_a_member_stays_with_that_member() {
        let profile = json!({
            "family": [
                {"name": "Ravi", "birthday": "3 May"},
                {"name": "Leela", "allergies": ["peanuts"], "pets": [{"name": "Rex", "age": 3}]}
            ],
            "spouse": {"name": "Sam", "work": {"city": "Pune"}},
            "jobs": [{"since": 2020}, {"since": 2023}],
            "flat": [{"rooms": 2}]
        });
        assert_eq!(
            texts(&profile),
            [
                pair("family[0].birthday", "Ravi (family): birthday: 3 May"),
                pair("family[0].name", "family name: Ravi"),
                pair("family[1].allergies", "Leela (family): allergies: peanuts"),
                pair("family[1].name", "family name: Leela"),
                pair("family[1].pets[0].age", "Rex (family Leela pets): age: 3"),
                pair("family[1].pets[0].name", "Leela (family): pets name: Rex"),
                pair("flat[0].rooms", "flat rooms: 2"),
                pair("jobs[0].since", "jobs 1 since: 2020"),
                pair("jobs[1].since", "jobs 2 since: 2023"),
                pair("spouse.name", "spouse name: Sam"),
                pair("spouse.work.city", "Sam (spouse): work city: Pune"),
            ]
        );
    }

    #[test]
    fn the_owners_own_name_makes_nobody_else_of_them() {
        let profile = json!({"identity": {"name": "Priya", "city": "Porto"}});
        assert_eq!(
            texts(&profile),
            [
                pair("identity.city", "identity city: Porto"),
                pair("identity.name", "identity name: Priya")
            ]
        );
    }

    #[test]
    fn values_past_the_limit_are_counted() {
        let many: Vec<Value> =
            (0..limits::PROFILE_VALUES + 2).map(|n| json!({"n": n, "kept": null})).collect();
        let profile = json!({ "list": many });
        let read = ProfileLeaves::read(profile.as_object().unwrap());
        assert_eq!((read.leaves.len(), read.omitted), (limits::PROFILE_VALUES, 2));
        assert!(read.note().unwrap().contains("1002 values"), "{:?}", read.note());
    }
}
