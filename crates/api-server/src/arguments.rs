//! What a client sent, held against a tool's input schema, so that a model learns in one answer
//! everything that it has to correct: the name it probably meant, the type that was expected, an
//! example. Bounds and meanings stay with the dialect; nothing here knows a tool.

mod schema;
mod whole;
mod wording;

use crate::nearest::nearest;
use model::{Failure, JsonMap};
use schema::Node;
use serde_json::Value;
use wording::{listed, shown, with_article};

/// How many faults one answer names.
const FAULTS_MAX: usize = 5;

/// The arguments as the tool wants them.
///
/// A `null` for an optional argument that knows no `null` counts as not given: several hosts send
/// every argument they know of. A whole number with a point counts as an integer where one is
/// wanted.
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

/// What was found so far; `path` says where, empty at the top.
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

    /// One of several forms. When none fits, the first whose type fits tells what is wrong.
    fn in_branches(&mut self, branches: &[Node<'_>], value: &Value, path: &str) {
        let fitting = branches.iter().filter(|branch| branch.takes_type_of(value));
        let mut found: Vec<Vec<String>> =
            fitting.map(|branch| faults_in(*branch, value, path)).collect();
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
        let Some(wanted) = node.items() else { return };
        for (at, item) in items.iter().enumerate() {
            self.in_value(wanted, item, &format!("{path}[{at}]"));
        }
    }
}

fn faults_in(node: Node<'_>, value: &Value, path: &str) -> Vec<String> {
    let mut faults = Faults::default();
    faults.in_value(node, value, path);
    faults.found
}

/// The name that was probably meant takes what was sent, if there is such a one.
fn unknown(node: Node<'_>, name: &str, value: &Value, path: &str) -> String {
    let takes_it =
        |name: &&str| node.property(name).is_none_or(|wanted| wanted.takes_type_of(value));
    let fitting = nearest(name, node.properties().filter(takes_it));
    let place = if path.is_empty() {
        "there is no argument".to_owned()
    } else {
        format!("`{path}` has no field")
    };
    let advice = match fitting.or_else(|| nearest(name, node.properties())) {
        Some(near) => format!("did you mean `{near}`?"),
        None if node.properties().next().is_none() => "it takes none".to_owned(),
        None => format!("there are {}", listed(node.properties().map(|name| format!("`{name}`")))),
    };
    format!("{place} `{}` ({advice})", shown(name))
}

fn missing(node: Node<'_>, name: &str, path: &str) -> String {
    let wanted = node.property(name);
    let kind = wanted.map(expected).filter(|kind| !kind.is_empty()).map(|kind| format!(": {kind}"));
    format!("`{}` is missing{}{}", below(path, name), kind.unwrap_or_default(), example(wanted))
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
