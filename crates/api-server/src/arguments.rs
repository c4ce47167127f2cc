//! Checks a client's arguments against a tool's input schema, so that a model learns in one answer
//! everything it has to correct: the name it probably meant, the expected type, an example. Bounds
//! and meanings stay with the dialect; nothing here knows a particular tool.

mod schema;
mod whole;
mod wording;

use crate::nearest::nearest;
use model::{Failure, JsonMap};
use schema::Node;
use serde_json::Value;
use wording::{listed, shown, with_article};

/// Maximum number of problems listed in one answer. A model corrects a handful at once; a longer
/// list only costs tokens.
const FAULTS_MAX: usize = 5;

/// Returns the arguments in the form the tool expects, or a failure that lists the problems.
///
/// A `null` for an optional argument that does not accept `null` counts as absent, because several
/// hosts send every argument they know of. A float without a fraction counts as an integer where
/// the schema wants one.
pub(crate) fn checked(input: &JsonMap, mut arguments: JsonMap) -> Result<JsonMap, Failure> {
    let root = Node::root(input);
    arguments.retain(|name, value| !value.is_null() || !means_nothing(root, name));
    whole::numbers(root, &mut arguments);
    let mut faults = Faults::default();
    faults.in_object(root, &arguments, "", !root.is_open());
    if faults.found.is_empty() {
        Ok(arguments)
    } else {
        Err(Failure::invalid(faults.found.join("; ")))
    }
}

fn means_nothing(root: Node<'_>, name: &str) -> bool {
    let takes_null = |node: Node<'_>| node.types().is_empty() || node.types().contains(&"null");
    !root.required().any(|required| required == name)
        && root.property(name).is_some_and(|property| !takes_null(property))
}

/// Problems collected so far. `path` locates each one; it is empty at the top level.
#[derive(Default)]
struct Faults {
    found: Vec<String>,
}

impl Faults {
    fn add(&mut self, fault: String) {
        if self.found.len() < FAULTS_MAX {
            self.found.push(fault);
        }
    }

    fn in_value(&mut self, node: Node<'_>, value: &Value, path: &str) {
        if self.found.len() == FAULTS_MAX {
            return;
        }
        if !node.takes_type_of(value) {
            return self.add(wrong_type(node, value, path));
        }
        if let Some(choices) = node.choices() {
            if !choices.contains(&value) {
                self.add(wrong_choice(&choices, value, path));
            }
            return;
        }
        if let Some(branches) = node.branches() {
            return self.in_branches(&branches, value, path);
        }
        match value {
            Value::Object(fields) => self.in_object(node, fields, path, node.is_closed()),
            Value::Array(items) => self.in_items(node, items, path),
            _ => {}
        }
    }

    /// Checks a value that may take one of several forms.
    fn in_branches(&mut self, branches: &[Node<'_>], value: &Value, path: &str) {
        let fitting = branches.iter().filter(|branch| branch.takes_type_of(value));
        let mut found: Vec<Vec<String>> =
            fitting.map(|branch| faults_in(*branch, value, path)).collect();
        // When no branch fits, the problems of the first one with the right type are the most
        // useful. There is one: the caller has checked that the type fits a branch.
        if !found.iter().any(Vec::is_empty) {
            found.swap_remove(0).into_iter().for_each(|fault| self.add(fault));
        }
    }

    fn in_object(&mut self, node: Node<'_>, fields: &JsonMap, path: &str, closed: bool) {
        for (name, value) in fields.iter().filter(|(name, _)| closed && !node.has_property(name)) {
            self.add(unknown(node, name, value, path));
        }
        for name in node.required().filter(|name| !fields.contains_key(*name)) {
            self.add(missing(node, name, path));
        }
        for (name, value) in fields {
            if let Some(property) = node.property(name) {
                self.in_value(property, value, &below(path, name));
            }
        }
    }

    fn in_items(&mut self, node: Node<'_>, items: &[Value], path: &str) {
        let Some(property) = node.items() else { return };
        for (at, item) in items.iter().enumerate() {
            self.in_value(property, item, &format!("{path}[{at}]"));
        }
    }
}

fn faults_in(node: Node<'_>, value: &Value, path: &str) -> Vec<String> {
    let mut faults = Faults::default();
    faults.in_value(node, value, path);
    faults.found
}

/// Describes an unknown argument or field and proposes a known one.
fn unknown(node: Node<'_>, name: &str, value: &Value, path: &str) -> String {
    // A name whose type fits the sent value is the better guess: `query` with a string means
    // `query_text`, not `query_vec`.
    let takes_it =
        |name: &&str| node.property(name).is_none_or(|property| property.takes_type_of(value));
    let fitting = nearest(name, node.properties().filter(takes_it));
    let location = if path.is_empty() {
        "there is no argument".to_owned()
    } else {
        format!("`{path}` has no field")
    };
    let advice = match fitting.or_else(|| nearest(name, node.properties())) {
        Some(near) => format!("did you mean `{near}`?"),
        None if node.properties().next().is_none() => "it takes none".to_owned(),
        None => format!("there are {}", listed(node.properties().map(|name| format!("`{name}`")))),
    };
    format!("{location} `{}` ({advice})", shown(name))
}

fn missing(node: Node<'_>, name: &str, path: &str) -> String {
    let property = node.property(name);
    let kind =
        property.map(expected).filter(|kind| !kind.is_empty()).map(|kind| format!(": {kind}"));
    format!("`{}` is missing{}{}", below(path, name), kind.unwrap_or_default(), example(property))
}

fn wrong_type(node: Node<'_>, value: &Value, path: &str) -> String {
    let got = wording::value(value);
    format!("`{path}` must be {}, not {got}{}", expected(node), example(Some(node)))
}

fn wrong_choice(choices: &[&Value], value: &Value, path: &str) -> String {
    let names = choices.iter().filter_map(|choice| choice.as_str());
    let near = value.as_str().and_then(|value| nearest(value, names));
    let proposal = near.map(|near| format!(" (did you mean {}?)", Value::from(near)));
    let all = listed(choices.iter().map(ToString::to_string));
    format!(
        "`{path}` must be one of {all}, not {}{}",
        shown(&value.to_string()),
        proposal.unwrap_or_default()
    )
}

fn expected(node: Node<'_>) -> String {
    if let Some(choices) = node.choices() {
        return format!("one of {}", listed(choices.iter().map(ToString::to_string)));
    }
    node.types().into_iter().map(with_article).collect::<Vec<_>>().join(" or ")
}

fn example(node: Option<Node<'_>>) -> String {
    let example = node.and_then(|node| node.example());
    example
        .map(|example| format!(", for example {}", shown(&example.to_string())))
        .unwrap_or_default()
}

fn below(path: &str, name: &str) -> String {
    if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") }
}

#[cfg(test)]
mod tests;
