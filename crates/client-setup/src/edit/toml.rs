//! Edits of TOML, which keep comments and order.

use super::{EditError, EditReversal, FileEdit};
use crate::server_entry::TRANSPORT_FIELDS;
use serde_json::{Map, Value};
use toml_edit::{Array, DocumentMut, InlineTable, Item, Table, TableLike, Value as TomlValue};

/// Applies one edit; only entries are supported.
pub(super) fn apply(
    text: &str,
    edit: &FileEdit,
) -> Result<(String, Option<EditReversal>), EditError> {
    let FileEdit::Entry { path, value } = edit else {
        return Err(EditError::NotPreserved { reason: "TOML files have no such place" });
    };
    with_document(text, |document| set_entry(document, path, value))
}

/// Reverses one edit.
pub(super) fn reverse(text: &str, reversal: &EditReversal) -> Result<String, EditError> {
    let EditReversal::Entry { path, previous, created } = reversal else {
        return Ok(text.to_owned());
    };
    let restored = with_document(text, |document| {
        restore_entry(document.as_table_mut(), path, previous.as_ref(), *created);
        Ok(())
    });
    restored.map(|(text, ())| text)
}

/// Returns true if a table has an entry.
pub(super) fn has_entry(text: &str, path: &[String]) -> bool {
    let Ok(document) = text.parse::<DocumentMut>() else { return false };
    let mut item = Some(document.as_item());
    for key in path {
        item = item.and_then(Item::as_table_like).and_then(|table| table.get(key));
    }
    item.is_some()
}

/// Parses a text, changes it, and writes it with the line ends that it had.
fn with_document<T>(
    text: &str,
    change: impl FnOnce(&mut DocumentMut) -> Result<T, EditError>,
) -> Result<(String, T), EditError> {
    let plain = text.replace("\r\n", "\n");
    let is_windows = plain != text;
    if is_windows && plain.replace('\n', "\r\n") != text {
        return Err(EditError::NotPreserved { reason: "its line ends differ from each other" });
    }
    let mut document: DocumentMut = plain.parse().map_err(|error: toml_edit::TomlError| {
        EditError::Invalid { format: "TOML", reason: error.to_string().trim().to_owned() }
    })?;
    if document.to_string() != plain {
        return Err(EditError::NotPreserved { reason: "its TOML is unusual" });
    }
    let outcome = change(&mut document)?;
    let edited = document.to_string();
    Ok((if is_windows { edited.replace('\n', "\r\n") } else { edited }, outcome))
}

fn set_entry(
    document: &mut DocumentMut,
    path: &[String],
    value: &Value,
) -> Result<Option<EditReversal>, EditError> {
    let [list, key] = path else {
        return Err(EditError::Shape { at: path.join("."), expected: "a table in a table" });
    };
    let shape = |at: &str| EditError::Shape { at: at.to_owned(), expected: "a table" };
    let is_first_line = document.to_string().is_empty();
    let created = usize::from(!document.contains_key(list));
    let parent = document.entry(list).or_insert_with(|| {
        let mut table = Table::new();
        table.set_implicit(true);
        Item::Table(table)
    });
    let is_inline = parent.is_inline_table();
    let parent = parent.as_table_like_mut().ok_or_else(|| shape(list))?;
    let previous = parent.get(key).map(to_json);
    match parent.get_mut(key) {
        Some(item) => merge(item.as_table_like_mut().ok_or_else(|| shape(key))?, value),
        None if is_inline => drop(parent.insert(key, Item::Value(to_toml(value)))),
        None => drop(parent.insert(key, Item::Table(to_table(value, is_first_line)))),
    }
    let changed = previous.is_none() || parent.get(key).map(to_json) != previous;
    Ok(changed.then(|| EditReversal::Entry { path: path.to_vec(), previous, created }))
}

/// Sets the fields of a table, removes those of another transport, and keeps the others.
fn merge(table: &mut dyn TableLike, value: &Value) {
    let Value::Object(fields) = value else { return };
    for name in TRANSPORT_FIELDS.iter().filter(|name| !fields.contains_key(**name)) {
        table.remove(name);
    }
    for (name, field) in fields {
        let existing = table.get(name).map(to_json);
        if existing.as_ref() == Some(field) {
            continue;
        }
        let nested = table.get_mut(name).and_then(Item::as_table_like_mut);
        match nested.filter(|_| field.is_object()) {
            Some(nested) => merge_nested(nested, field),
            None => drop(table.insert(name, Item::Value(to_toml(field)))),
        }
    }
}

fn merge_nested(table: &mut dyn TableLike, value: &Value) {
    for (name, field) in value.as_object().into_iter().flatten() {
        table.insert(name, Item::Value(to_toml(field)));
    }
}

fn restore_entry(root: &mut Table, path: &[String], previous: Option<&Value>, created: usize) {
    let [list, key] = path else { return };
    let Some(parent) = root.get_mut(list).and_then(Item::as_table_like_mut) else { return };
    match previous {
        Some(previous) => {
            // Kept in place; only its fields change.
            if let Some(table) = parent.get_mut(key).and_then(Item::as_table_like_mut) {
                let fields: Vec<String> = table.iter().map(|(name, _)| name.to_owned()).collect();
                let gone = |name: &&String| previous.get(name.as_str()).is_none();
                for name in fields.iter().filter(gone) {
                    table.remove(name);
                }
                merge(table, previous);
            }
        }
        None => {
            parent.remove(key);
            if created > 0 && parent.is_empty() {
                root.remove(list);
            }
        }
    }
}

fn to_table(value: &Value, is_first_line: bool) -> Table {
    let mut table = Table::new();
    table.decor_mut().set_prefix(if is_first_line { "" } else { "\n" });
    for (name, field) in ordered(value) {
        table.insert(name, Item::Value(to_toml(field)));
    }
    table
}

fn to_toml(value: &Value) -> TomlValue {
    match value {
        Value::Bool(on) => (*on).into(),
        Value::Number(number) => number.as_i64().unwrap_or_default().into(),
        Value::Array(items) => items.iter().map(to_toml).collect::<Array>().into(),
        Value::Object(_) => {
            let fields = ordered(value).into_iter().map(|(name, field)| (name, to_toml(field)));
            fields.collect::<InlineTable>().into()
        }
        Value::String(text) => text.into(),
        Value::Null => "".into(),
    }
}

fn ordered(value: &Value) -> Vec<(&String, &Value)> {
    let mut fields: Vec<_> = value.as_object().into_iter().flatten().collect();
    fields.sort_by_key(|(name, _)| !matches!(name.as_str(), "command" | "url"));
    fields
}

/// Returns an item as JSON, to compare it; a date is compared as text.
fn to_json(item: &Item) -> Value {
    if let Some(table) = item.as_table_like() {
        let fields = table.iter().map(|(name, field)| (name.to_owned(), to_json(field)));
        return fields.collect::<Map<_, _>>().into();
    }
    match item.as_value() {
        Some(TomlValue::String(text)) => text.value().as_str().into(),
        Some(TomlValue::Integer(number)) => (*number.value()).into(),
        Some(TomlValue::Boolean(on)) => (*on.value()).into(),
        Some(TomlValue::Float(number)) => (*number.value()).into(),
        Some(TomlValue::Array(items)) => {
            items.iter().map(|item| to_json(&Item::Value(item.clone()))).collect::<Vec<_>>().into()
        }
        _ => item.to_string().trim().into(),
    }
}
