//! Edits of JSON with comments and trailing commas, on a syntax tree that keeps every byte.

use super::{EditError, EditReversal, FileEdit};
use crate::hooks::{hooks_of, is_our_hook};
use crate::server_entry::TRANSPORT_FIELDS;
use jsonc_parser::ParseOptions;
use jsonc_parser::cst::{CstArray, CstInputValue, CstNode, CstObject, CstObjectProp, CstRootNode};
use serde_json::{Map, Value};

type Applied = Result<(String, Option<EditReversal>), EditError>;

/// Applies one edit.
pub(super) fn apply(text: &str, edit: &FileEdit) -> Applied {
    let root = parse(text)?;
    let reversal = match edit {
        FileEdit::Entry { path, value } => set_entry(&root, path, value)?,
        FileEdit::Default { path, value } | FileEdit::DefaultInNewFile { path, value } => {
            set_default(&root, path, value)?
        }
        FileEdit::Element { path, value } => add_element(&root, path, value)?,
        FileEdit::Section { .. } | FileEdit::Whole { .. } => None,
    };
    let mut edited = root.to_string();
    if text.trim().is_empty() {
        edited.push('\n');
    }
    Ok((edited, reversal))
}

/// Reverses one edit.
pub(super) fn reverse(text: &str, reversal: &EditReversal) -> Result<String, EditError> {
    if text.trim().is_empty() {
        return Ok(text.to_owned());
    }
    let root = parse(text)?;
    match reversal {
        EditReversal::Entry { path, previous, created } => {
            restore_entry(&root, path, previous.as_ref(), *created);
        }
        EditReversal::Element { path, value, created } => {
            remove_element(&root, path, value, *created);
        }
        EditReversal::Section { .. } | EditReversal::Whole { .. } => {}
    }
    Ok(root.to_string())
}

/// Returns true if an object has an entry.
pub(super) fn has_entry(text: &str, path: &[String]) -> bool {
    let Some((key, parents)) = path.split_last() else { return false };
    let Ok(root) = parse(text) else { return false };
    existing_object(&root, parents).is_some_and(|object| object.get(key).is_some())
}

fn parse(text: &str) -> Result<CstRootNode, EditError> {
    // What real clients accept: comments and trailing commas, and nothing else of JSON5.
    let options = ParseOptions {
        allow_comments: true,
        allow_trailing_commas: true,
        allow_loose_object_property_names: false,
        allow_missing_commas: false,
        allow_single_quoted_strings: false,
        allow_hexadecimal_numbers: false,
        allow_unary_plus_numbers: false,
        allow_bare_decimal_point_numbers: false,
        allow_non_finite_numbers: false,
        allow_extended_string_escapes: false,
    };
    let invalid = |reason: String| EditError::Invalid { format: "JSON", reason };
    let root = CstRootNode::parse(text, &options).map_err(|error| invalid(error.to_string()))?;
    if root.to_string() != text {
        return Err(EditError::NotPreserved { reason: "its JSON is unusual" });
    }
    Ok(root)
}

fn root_object(root: &CstRootNode) -> Result<CstObject, EditError> {
    root.object_value_or_create()
        .ok_or_else(|| EditError::Shape { at: "its content".into(), expected: "an object" })
}

/// Returns the object that contains the last key of a path, and the number of objects created.
fn parent_of(root: &CstRootNode, path: &[String]) -> Result<(CstObject, usize), EditError> {
    let mut object = root_object(root)?;
    let mut created = 0;
    for (depth, key) in path.iter().take(path.len().saturating_sub(1)).enumerate() {
        let property = object.get(key).unwrap_or_else(|| {
            created += 1;
            object.append(key, CstInputValue::Object(Vec::new()))
        });
        object = property.object_value().ok_or_else(|| EditError::Shape {
            at: path[..=depth].join("."),
            expected: "an object",
        })?;
    }
    Ok((object, created))
}

fn set_entry(
    root: &CstRootNode,
    path: &[String],
    value: &Value,
) -> Result<Option<EditReversal>, EditError> {
    let (parent, created) = parent_of(root, path)?;
    let key = last_key(path);
    let previous = parent.get(key).and_then(|property| property.to_serde_value());
    match parent.get(key) {
        Some(property) => merge(&property, value, &TRANSPORT_FIELDS),
        None => drop(parent.append(key, to_input(value))),
    }
    let changed = previous.is_none()
        || parent.get(key).and_then(|property| property.to_serde_value()) != previous;
    Ok(changed.then(|| EditReversal::Entry { path: path.to_vec(), previous, created }))
}

/// Sets the fields of an entry, removes those of `obsolete` that the value lacks, and keeps the
/// others.
fn merge(property: &CstObjectProp, value: &Value, obsolete: &[&str]) {
    let existing = property.to_serde_value();
    let (Some(object), Value::Object(fields)) = (property.object_value(), value) else {
        if existing.as_ref() != Some(value) {
            property.set_value(to_input(value));
        }
        return;
    };
    for name in obsolete.iter().filter(|name| !fields.contains_key(**name)) {
        if let Some(field) = object.get(name) {
            field.remove();
        }
    }
    for (name, field) in fields {
        match object.get(name) {
            Some(existing) => merge(&existing, field, &[]),
            None => drop(object.append(name, to_input(field))),
        }
    }
}

fn set_default(
    root: &CstRootNode,
    path: &[String],
    value: &Value,
) -> Result<Option<EditReversal>, EditError> {
    let (parent, created) = parent_of(root, path)?;
    if parent.get(last_key(path)).is_some() {
        return Ok(None);
    }
    parent.insert(0, last_key(path), to_input(value));
    Ok(Some(EditReversal::Entry { path: path.to_vec(), previous: None, created }))
}

fn add_element(
    root: &CstRootNode,
    path: &[String],
    value: &Value,
) -> Result<Option<EditReversal>, EditError> {
    let (parent, mut created) = parent_of(root, path)?;
    let property = parent.get(last_key(path)).unwrap_or_else(|| {
        created += 1;
        parent.append(last_key(path), CstInputValue::Array(Vec::new()))
    });
    let list = property
        .array_value()
        .ok_or_else(|| EditError::Shape { at: path.join("."), expected: "a list" })?;
    if is_present(&list, value) {
        return Ok(None);
    }
    let ours = list.elements().into_iter().find(is_ours_alone);
    match ours.filter(|_| value.is_object()) {
        Some(element) => drop(replace(element, value)),
        None => drop(list.append(to_input(value))),
    }
    Ok(Some(EditReversal::Element { path: path.to_vec(), value: value.clone(), created }))
}

/// Returns true if a list has an element, also as one of several hooks of a group.
fn is_present(list: &CstArray, value: &Value) -> bool {
    let wanted = hooks_of(value);
    list.elements().iter().filter_map(CstNode::to_serde_value).any(|element| {
        let inside = || hooks_of(&element).into_iter().any(|hook| wanted.contains(&hook));
        element == *value || (value.is_object() && inside())
    })
}

/// Returns true if all hooks of an element are Quipu's.
fn is_ours_alone(element: &CstNode) -> bool {
    element.to_serde_value().is_some_and(|value| {
        let hooks = hooks_of(&value);
        value.is_object() && !hooks.is_empty() && hooks.into_iter().all(is_our_hook)
    })
}

fn replace(element: CstNode, value: &Value) -> Option<CstNode> {
    match element {
        CstNode::Container(container) => container.as_object()?.replace_with(to_input(value)),
        CstNode::Leaf(_) => None,
    }
}

fn restore_entry(root: &CstRootNode, path: &[String], previous: Option<&Value>, created: usize) {
    let Some(parent) = existing_object(root, &path[..path.len().saturating_sub(1)]) else { return };
    let Some(property) = parent.get(last_key(path)) else { return };
    match previous {
        Some(previous) => property.set_value(to_input(previous)),
        None => {
            property.remove();
            remove_empty(root, path, created);
        }
    }
}

fn remove_element(root: &CstRootNode, path: &[String], value: &Value, created: usize) {
    let Some(parent) = existing_object(root, &path[..path.len().saturating_sub(1)]) else { return };
    let Some(property) = parent.get(last_key(path)) else { return };
    let Some(list) = property.array_value() else { return };
    for element in list.elements() {
        if element.to_serde_value().as_ref() == Some(value) || is_ours_alone(&element) {
            element.remove();
        } else if let Some(group) = element.as_object().and_then(|it| it.array_value("hooks")) {
            let ours = |hook: &CstNode| hook.to_serde_value().as_ref().is_some_and(is_our_hook);
            group.elements().into_iter().filter(ours).for_each(CstNode::remove);
        }
    }
    if list.elements().is_empty() && created > 0 {
        property.remove();
        remove_empty(root, path, created - 1);
    }
}

/// Removes the objects that an edit created around an entry, as far as they are empty.
fn remove_empty(root: &CstRootNode, path: &[String], created: usize) {
    for depth in (0..path.len().saturating_sub(1)).rev().take(created) {
        let Some(parent) = existing_object(root, &path[..depth]) else { return };
        let Some(property) = parent.get(&path[depth]) else { return };
        if property.object_value().is_none_or(|object| !object.properties().is_empty()) {
            return;
        }
        property.remove();
    }
}

fn existing_object(root: &CstRootNode, path: &[String]) -> Option<CstObject> {
    path.iter().try_fold(root.object_value()?, |object, key| object.object_value(key))
}

fn last_key(path: &[String]) -> &str {
    path.last().map_or("", String::as_str)
}

fn to_input(value: &Value) -> CstInputValue {
    match value {
        Value::Null => CstInputValue::Null,
        Value::Bool(on) => CstInputValue::Bool(*on),
        Value::Number(number) => CstInputValue::Number(number.to_string()),
        Value::String(text) => CstInputValue::String(text.clone()),
        Value::Array(items) => CstInputValue::Array(items.iter().map(to_input).collect()),
        Value::Object(fields) => CstInputValue::Object(in_usual_order(fields)),
    }
}

/// Returns fields in the order in which people write them: the command before its arguments.
fn in_usual_order(fields: &Map<String, Value>) -> Vec<(String, CstInputValue)> {
    let rank = |name: &str| match name {
        "type" | "name" => 0,
        "command" | "url" | "cmd" => 1,
        "args" => 2,
        _ => 3,
    };
    let mut ordered: Vec<_> = fields.iter().collect();
    ordered.sort_by_key(|(name, _)| rank(name));
    ordered.into_iter().map(|(name, value)| (name.clone(), to_input(value))).collect()
}
