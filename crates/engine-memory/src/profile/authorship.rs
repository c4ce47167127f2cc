//! Authors of the current values of the profile. Each innermost value counts by itself: an object
//! to which the owner and an agent both contributed belongs to both.

use super::field_at;
use model::{JsonMap, ProfileVersion, Provenance, paths_overlap};
use serde_json::Value;

/// Returns the provenance of each innermost value at or below a path, and of the last change of
/// the path when it has no value.
pub(super) fn value_authors<'h>(
    history: &'h [ProfileVersion],
    current: &JsonMap,
    path: &str,
) -> Vec<&'h Provenance> {
    let mut paths = Vec::new();
    match field_at(current, path) {
        Some(value) => collect_paths(path, value, &mut paths),
        None => paths.push(path.to_owned()),
    }
    let author = |path: &String| {
        let changes = |version: &&ProfileVersion| {
            version.changed.iter().any(|changed| paths_overlap(changed, path))
        };
        history.iter().find(changes).map(|version| &version.provenance)
    };
    paths.iter().filter_map(author).collect()
}

fn collect_paths(path: &str, value: &Value, paths: &mut Vec<String>) {
    match value {
        Value::Object(fields) if !fields.is_empty() => {
            for (name, inner) in fields {
                collect_paths(&format!("{path}.{name}"), inner, paths);
            }
        }
        _ => paths.push(path.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::{AgentName, Author, Dialect, Moment, Origin};
    use serde_json::json;

    fn version(number: u32, agent: &str, changed: &[&str]) -> ProfileVersion {
        let author = Author {
            agent: AgentName::new(agent),
            client: None,
            dialect: Dialect::Quipu,
            tool: String::new(),
        };
        let origin = Origin::Agent;
        ProfileVersion {
            version: number,
            data: JsonMap::new(),
            changed: changed.iter().map(|path| (*path).to_owned()).collect(),
            reason: None,
            provenance: Provenance { author, origin, trust: origin.trust(), at: Moment(0) },
        }
    }

    #[test]
    fn an_object_belongs_to_everybody_who_contributed_a_value() {
        let history = [
            version(3, "c", &["work.city"]),
            version(2, "b", &["diet"]),
            version(1, "a", &["work"]),
        ];
        let current = json!({"work": {"role": "dev", "city": "Bonn"}, "diet": "vegan"});
        let current = current.as_object().unwrap();
        let agents = |path: &str| -> Vec<&str> {
            let authors = value_authors(&history, current, path);
            authors.iter().map(|from| from.author.agent.as_str()).collect()
        };
        assert_eq!(agents("work"), ["c", "a"]);
        assert_eq!(agents("work.city"), ["c"]);
        assert_eq!(agents("diet"), ["b"]);
        assert_eq!(agents("name"), [""; 0]);
    }
}
