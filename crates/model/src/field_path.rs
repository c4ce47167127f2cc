//! Paths of fields in a JSON document: names separated by dots, `work.company`; places in a list,
//! `family[1].allergies`; members of a list by their names, `family["Leela"].allergies`, which stay
//! the same when the list is reordered.

use crate::JsonMap;
use serde_json::Value;

/// Fields that name a member of a list, the most telling first.
const MEMBER_NAMES: [&str; 11] = [
    "name",
    "full_name",
    "first_name",
    "nickname",
    "title",
    "label",
    "company",
    "organization",
    "school",
    "relation",
    "role",
];
/// Largest length of a name, in characters; a longer text is a sentence.
const NAME_CHARS_MAX: usize = 80;

/// Returns the field that names a member of a list, with the name.
#[must_use]
pub fn member_name(member: &JsonMap) -> Option<(&'static str, &str)> {
    named_by(member, &MEMBER_NAMES)
}

/// Returns the first of these fields that has a name, with the name.
#[must_use]
pub fn named_by<'m>(
    object: &'m JsonMap,
    fields: &[&'static str],
) -> Option<(&'static str, &'m str)> {
    fields.iter().find_map(|field| {
        let name = object.get(*field)?.as_str()?.trim();
        let sound = !name.is_empty() && name.chars().count() <= NAME_CHARS_MAX;
        sound.then_some((*field, name))
    })
}

/// Returns whether a path leads to something inside of what another one leads to.
#[must_use]
pub fn is_path_below(path: &str, above: &str) -> bool {
    path.strip_prefix(above).is_some_and(|rest| rest.starts_with(['.', '[']))
}

/// Returns whether two paths are the same, or one leads to something inside of the other.
#[must_use]
pub fn paths_overlap(one: &str, other: &str) -> bool {
    one == other || is_path_below(one, other) || is_path_below(other, one)
}

/// Returns the path without the places in lists: `family[].allergies`.
#[must_use]
pub fn path_without_places(path: &str) -> String {
    let mut plain = String::with_capacity(path.len());
    let mut rest = path;
    while let Some(open) = rest.find('[') {
        let inner = &rest[open + 1..];
        let digits = inner.bytes().take_while(u8::is_ascii_digit).count();
        let place = digits > 0 && inner[digits..].starts_with(']');
        plain.push_str(&rest[..=open]);
        rest = if place { &inner[digits..] } else { inner };
    }
    plain + rest
}

/// Returns the path with each place in a list replaced by the name of the member there, if the
/// document has one.
#[must_use]
pub fn path_by_names(document: &JsonMap, path: &str) -> String {
    let mut by_names = String::with_capacity(path.len());
    let mut from = 0;
    for (close, _) in path.match_indices(']') {
        let Some(open) = path[from..close].rfind('[').map(|open| from + open) else { continue };
        let member = value_at(document, &path[..=close]).and_then(Value::as_object);
        let name = member.and_then(member_name).filter(|_| is_number(&path[open + 1..close]));
        by_names.push_str(&path[from..open]);
        match name {
            Some((_, name)) => by_names.push_str(&format!("[{}]", Value::from(name))),
            None => by_names.push_str(&path[open..=close]),
        }
        from = close + 1;
    }
    by_names + &path[from..]
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit())
}

/// Returns the value at a path.
#[must_use]
pub fn value_at<'d>(document: &'d JsonMap, path: &str) -> Option<&'d Value> {
    splits(path).find_map(|(name, rest)| value_below(document.get(name)?, rest))
}

fn value_below<'d>(value: &'d Value, path: &str) -> Option<&'d Value> {
    match value {
        _ if path.is_empty() => Some(value),
        Value::Object(fields) => value_at(fields, path.strip_prefix('.')?),
        Value::Array(items) => {
            let (selector, rest) = Selector::parse(path)?;
            items
                .iter()
                .enumerate()
                .filter(|(at, item)| selector.selects(*at, item))
                .find_map(|(_, item)| value_below(item, rest))
        }
        _ => None,
    }
}

/// Removes the field at a path and returns whether it existed. A name may contain dots itself.
pub fn remove_field(document: &mut JsonMap, path: &str) -> bool {
    if document.remove(path).is_some() {
        return true;
    }
    splits(path).any(|(name, rest)| {
        document.get_mut(name).is_some_and(|inner| !rest.is_empty() && remove_below(inner, rest))
    })
}

fn remove_below(value: &mut Value, path: &str) -> bool {
    match value {
        Value::Object(fields) => {
            path.strip_prefix('.').is_some_and(|path| remove_field(fields, path))
        }
        Value::Array(items) => {
            let Some((selector, rest)) = Selector::parse(path) else { return false };
            let selected: Vec<bool> =
                items.iter().enumerate().map(|(at, item)| selector.selects(at, item)).collect();
            if rest.is_empty() {
                let mut selected = selected.iter();
                let before = items.len();
                items.retain(|_| selected.next() != Some(&true));
                return items.len() < before;
            }
            let chosen = items.iter_mut().zip(selected).filter(|(_, selected)| *selected);
            // `filter` and `count` instead of `any`, which would stop after the first removal.
            chosen.filter_map(|(item, _)| remove_below(item, rest).then_some(())).count() > 0
        }
        _ => false,
    }
}

/// Returns the merge patch (RFC 7396) that sets the field at a path; `None` when the path leads
/// into a list that has no such member. A list is replaced whole, because a patch cannot name a
/// part of it.
#[must_use]
pub fn patch_at(document: &JsonMap, path: &str, value: Value) -> Option<JsonMap> {
    let known = splits(path).find(|(name, _)| document.contains_key(*name));
    let first = path.find('.').map_or((path, ""), |cut| path.split_at(cut));
    let (name, rest) = known.unwrap_or(first);
    let inner = match (document.get(name), rest.strip_prefix('.')) {
        _ if rest.is_empty() => value,
        (Some(Value::Object(fields)), Some(rest)) => Value::Object(patch_at(fields, rest, value)?),
        (Some(list @ Value::Array(_)), None) => {
            let mut list = list.clone();
            set_below(&mut list, rest, value).then_some(list)?
        }
        (_, Some(rest)) => Value::Object(patch_at(&JsonMap::new(), rest, value)?),
        (_, None) => return None,
    };
    Some(JsonMap::from_iter([(name.to_owned(), inner)]))
}

/// Sets the value at a path within a list; returns false when there is no such member.
fn set_below(value: &mut Value, path: &str, new: Value) -> bool {
    match value {
        _ if path.is_empty() => {
            *value = new;
            true
        }
        Value::Object(fields) => {
            let Some(path) = path.strip_prefix('.') else { return false };
            let patch = patch_at(fields, path, new);
            patch.is_some_and(|patch| {
                *fields = crate::merge_patch(fields, &patch);
                true
            })
        }
        Value::Array(items) => {
            let Some((selector, rest)) = Selector::parse(path) else { return false };
            let at = items.iter().enumerate().position(|(at, item)| selector.selects(at, item));
            at.is_some_and(|at| set_below(&mut items[at], rest, new))
        }
        _ => false,
    }
}

/// Returns every way to split a path into the first name and the rest, which begins with `.` or
/// `[`. Names may contain both, so each is tried, the longest name first.
fn splits(path: &str) -> impl Iterator<Item = (&str, &str)> {
    let cuts = path.match_indices(['.', '[']).map(|(cut, _)| cut).collect::<Vec<_>>();
    std::iter::once(path.len())
        .chain(cuts.into_iter().rev())
        .map(|cut| path.split_at(cut))
        .filter(|(name, _)| !name.is_empty())
}

/// The part of a path that selects members of a list.
enum Selector {
    Place(usize),
    Name(String),
}

impl Selector {
    /// Parses the selector at the start of a path and returns the rest of the path.
    fn parse(path: &str) -> Option<(Self, &str)> {
        let inner = path.strip_prefix('[')?;
        if inner.starts_with('"') {
            let mut names = serde_json::Deserializer::from_str(inner).into_iter::<String>();
            let name = names.next()?.ok()?;
            let rest = inner[names.byte_offset()..].strip_prefix(']')?;
            return Some((Self::Name(name), rest));
        }
        let (place, rest) = inner.split_once(']')?;
        Some((Self::Place(place.parse().ok()?), rest))
    }

    fn selects(&self, at: usize, item: &Value) -> bool {
        match self {
            Self::Place(place) => at == *place,
            Self::Name(name) => {
                let named = item.as_object().and_then(member_name);
                named.is_some_and(|(_, known)| known == name)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn map(value: Value) -> JsonMap {
        value.as_object().unwrap().clone()
    }

    fn family() -> JsonMap {
        map(json!({
            "name": "Priya",
            "sites": {"example.org": {"user": "ada", "port": 22}},
            "family": [
                {"name": "Ravi", "allergies": []},
                {"name": "Leela", "allergies": ["peanuts"], "pets": [{"name": "Rex", "age": 3}]}
            ]
        }))
    }

    #[test]
    fn a_value_is_found_by_place_and_by_name_even_with_dots_in_names() {
        let document = family();
        for (path, expected) in [
            ("sites.example.org.user", Some(json!("ada"))),
            ("family[1].allergies", Some(json!(["peanuts"]))),
            ("family[\"Leela\"].allergies", Some(json!(["peanuts"]))),
            ("family[1].pets[0].age", Some(json!(3))),
            ("family[2].name", None),
            ("family.name", None),
            ("sites.nowhere", None),
            ("name[0]", None),
        ] {
            assert_eq!(value_at(&document, path).cloned(), expected, "{path}");
        }
    }

    #[test]
    fn a_field_is_removed_by_path_even_if_names_contain_dots() {
        let mut document = map(json!({"sites": {"example.org": {"user": "ada", "port": 22}}}));
        assert!(remove_field(&mut document, "sites.example.org.user"));
        assert!(!remove_field(&mut document, "sites.nowhere"));
        assert_eq!(Value::Object(document), json!({"sites": {"example.org": {"port": 22}}}));
    }

    #[test]
    fn a_member_is_removed_by_its_name_wherever_it_stands() {
        let mut document = family();
        assert!(remove_field(&mut document, "family[\"Leela\"].allergies"));
        assert!(!remove_field(&mut document, "family[\"Leela\"].allergies"));
        assert!(remove_field(&mut document, "family[0]"));
        assert_eq!(
            document["family"],
            json!([{"name": "Leela", "pets": [{"name": "Rex", "age": 3}]}])
        );
    }

    #[test]
    fn places_become_names() {
        let document = family();
        for (path, expected) in [
            ("family[1].pets[0].age", "family[\"Leela\"].pets[\"Rex\"].age"),
            ("family[1]", "family[\"Leela\"]"),
            ("family[7].age", "family[7].age"),
            ("name", "name"),
        ] {
            assert_eq!(path_by_names(&document, path), expected);
        }
        assert_eq!(path_without_places("family[1].pets[20].age"), "family[].pets[].age");
        assert!(paths_overlap("family", "family[1].age") && !paths_overlap("fam", "family[1]"));
    }

    #[test]
    fn a_patch_sets_exactly_one_field() {
        let document = family();
        let patched = |path: &str| {
            let patch = patch_at(&document, path, json!("new")).expect("the field can be set");
            let after = crate::merge_patch(&document, &patch);
            assert_eq!(value_at(&after, path), Some(&json!("new")), "{path}");
            crate::changed_fields(&document, &after)
        };
        assert_eq!(patched("name"), ["name"]);
        assert_eq!(patched("work.company"), ["work"]);
        assert_eq!(patched("sites.example.org.user"), ["sites.example.org.user"]);
        assert_eq!(patched("family[1].allergies"), ["family"]);
        assert_eq!(patched("family[\"Ravi\"].age"), ["family"]);
        assert_eq!(patch_at(&document, "family[7].age", json!(1)), None);
        assert_eq!(patch_at(&document, "name[0]", json!(1)), None);
    }
}
