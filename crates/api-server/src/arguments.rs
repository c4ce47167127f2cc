//! Checks a client's arguments against a tool's input schema, so that a model learns in one answer
//! everything it has to correct: the name it probably meant, the expected type, an example. Bounds
//! and meanings stay with the dialect; nothing here knows a particular tool.

mod coercion;
mod schema;
mod wording;

use crate::nearest::nearest;
use model::{Failure, JsonMap};
use schema::{SchemaNode, has_type_among};
use serde_json::Value;
use wording::{describe_type, join_names, truncate};

/// Optional arguments that mean something when they are empty: an empty query has no results.
const KEPT_WHEN_EMPTY: [&str; 2] = ["query", "query_text"];

/// Maximum number of problems listed in one answer. A model corrects a handful at once; a longer
/// list only costs tokens.
const FAULTS_MAX: usize = 5;

/// Returns the arguments in the form the tool expects, or a failure that lists the problems.
///
/// A `null` for an optional argument that does not accept `null` counts as absent, and so does an
/// empty text, list or object, because several hosts send every argument they know of. A float
/// without a fraction and a number in quotes count as numbers where the schema wants one, and an id
/// as a number or a text, whichever the schema wants.
pub(crate) fn check_arguments(input: &JsonMap, mut arguments: JsonMap) -> Result<JsonMap, Failure> {
    let root = SchemaNode::root(input);
    arguments.retain(|name, value| match value {
        Value::Null => !is_ignorable_null(root, name),
        value => !is_empty(value) || !is_left_out_when_empty(root, name),
    });
    let mut faults = Faults::default();
    faults.check_object(root, &mut arguments, "");
    if faults.messages.is_empty() {
        Ok(arguments)
    } else {
        Err(Failure::invalid(faults.messages.join("; ")))
    }
}

fn is_ignorable_null(root: SchemaNode<'_>, name: &str) -> bool {
    let takes_null =
        |node: SchemaNode<'_>| node.types().is_empty() || node.types().contains(&"null");
    !root.required().any(|required| required == name)
        && root.property(name).is_some_and(|property| !takes_null(property))
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::String(text) => text.trim().is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Object(fields) => fields.is_empty(),
        _ => false,
    }
}

/// Returns true for an optional argument that is left out when it is empty.
fn is_left_out_when_empty(root: SchemaNode<'_>, name: &str) -> bool {
    !root.required().any(|required| required == name)
        && root.property(name).is_some()
        && !KEPT_WHEN_EMPTY.contains(&name)
}

/// Problems collected in one walk, which also coerces integers. `path` locates each one; it is
/// empty at the top level.
#[derive(Default)]
struct Faults {
    messages: Vec<String>,
}

impl Faults {
    fn add(&mut self, fault: String) {
        if self.messages.len() < FAULTS_MAX {
            self.messages.push(fault);
        }
    }

    fn check_value(&mut self, node: SchemaNode<'_>, value: &mut Value, path: &str) {
        if self.messages.len() == FAULTS_MAX {
            return;
        }
        let types = node.types();
        coercion::coerce_type(&types, value, path);
        if !has_type_among(&types, value) {
            return self.add(wrong_type(node, value, path));
        }
        if let Some(choices) = node.choices() {
            coercion::coerce_choice(&choices, value);
            if !choices.contains(&&*value) {
                self.add(wrong_choice(&choices, value, path));
            }
            return;
        }
        if let Some(branches) = node.branches() {
            return self.check_branches(&branches, value, path);
        }
        match value {
            Value::Object(fields) => self.check_object(node, fields, path),
            Value::Array(items) => self.check_items(node, items, path),
            _ => {}
        }
    }

    /// Checks a value that may take one of several forms.
    fn check_branches(&mut self, branches: &[SchemaNode<'_>], value: &mut Value, path: &str) {
        let mut first_faults = None;
        for branch in branches.iter().filter(|branch| branch.accepts_type_of(value)) {
            // A copy, because a branch that does not fit must not coerce anything.
            let mut tried = value.clone();
            let faults = collect_faults(*branch, &mut tried, path);
            if faults.is_empty() {
                *value = tried;
                return;
            }
            first_faults.get_or_insert(faults);
        }
        // When no branch fits, the problems of the first one with the right type are the most
        // useful.
        first_faults.into_iter().flatten().for_each(|fault| self.add(fault));
    }

    fn check_object(&mut self, node: SchemaNode<'_>, fields: &mut JsonMap, path: &str) {
        // Unlike a field, an argument is refused unless the schema allows others.
        let closed = match path {
            "" => !node.allows_extra_fields(),
            _ => node.forbids_extra_fields(),
        };
        for (name, value) in fields.iter().filter(|(name, _)| closed && !node.has_property(name)) {
            self.add(unknown_argument(node, name, value, path));
        }
        for name in node.required().filter(|name| !fields.contains_key(*name)) {
            self.add(missing_argument(node, name, path));
        }
        for (name, value) in fields {
            if let Some(property) = node.property(name) {
                self.check_value(property, value, &join_path(path, name));
            }
        }
    }

    fn check_items(&mut self, node: SchemaNode<'_>, items: &mut [Value], path: &str) {
        let Some(property) = node.items() else { return };
        for (at, item) in items.iter_mut().enumerate() {
            self.check_value(property, item, &format!("{path}[{at}]"));
        }
    }
}

fn collect_faults(node: SchemaNode<'_>, value: &mut Value, path: &str) -> Vec<String> {
    let mut faults = Faults::default();
    faults.check_value(node, value, path);
    faults.messages
}

/// Describes an unknown argument or field and proposes a known one.
fn unknown_argument(node: SchemaNode<'_>, name: &str, value: &Value, path: &str) -> String {
    // A name whose type fits the sent value is the better guess: `query` with a string means
    // `query_text`, not `query_vec`.
    let takes_it =
        |name: &&str| node.property(name).is_none_or(|property| property.accepts_type_of(value));
    let fitting = nearest(name, node.properties().filter(takes_it));
    let location = if path.is_empty() {
        "there is no argument".to_owned()
    } else {
        format!("`{path}` has no field")
    };
    let advice = match fitting.or_else(|| nearest(name, node.properties())) {
        Some(near) => format!("did you mean `{near}`?"),
        None if node.properties().next().is_none() => "it takes none".to_owned(),
        None => {
            format!("there are {}", join_names(node.properties().map(|name| format!("`{name}`"))))
        }
    };
    format!("{location} `{}` ({advice})", truncate(name))
}

fn missing_argument(node: SchemaNode<'_>, name: &str, path: &str) -> String {
    let property = node.property(name);
    let kind =
        property.map(expected_type).filter(|kind| !kind.is_empty()).map(|kind| format!(": {kind}"));
    format!(
        "`{}` is missing{}{}",
        join_path(path, name),
        kind.unwrap_or_default(),
        example_clause(property)
    )
}

fn wrong_type(node: SchemaNode<'_>, value: &Value, path: &str) -> String {
    let got = wording::describe_value(value);
    format!("`{path}` must be {}, not {got}{}", expected_type(node), example_clause(Some(node)))
}

fn wrong_choice(choices: &[&Value], value: &Value, path: &str) -> String {
    let names = choices.iter().filter_map(|choice| choice.as_str());
    let near = value.as_str().and_then(|value| nearest(value, names));
    let proposal = near.map(|near| format!(" (did you mean {}?)", Value::from(near)));
    let all = join_names(choices.iter().map(ToString::to_string));
    format!(
        "`{path}` must be one of {all}, not {}{}",
        truncate(&value.to_string()),
        proposal.unwrap_or_default()
    )
}

fn expected_type(node: SchemaNode<'_>) -> String {
    if let Some(choices) = node.choices() {
        return format!("one of {}", join_names(choices.iter().map(ToString::to_string)));
    }
    node.types().into_iter().map(describe_type).collect::<Vec<_>>().join(" or ")
}

fn example_clause(node: Option<SchemaNode<'_>>) -> String {
    let example = node.and_then(|node| node.example());
    example
        .map(|example| format!(", for example {}", truncate(&example.to_string())))
        .unwrap_or_default()
}

fn join_path(path: &str, name: &str) -> String {
    if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") }
}

#[cfg(test)]
mod tests;
