//! Values that are not directly after their name: in a list, in an object below the name, in a
//! block of the next lines, in an XML element, or in a pair of `name` and `value`.

use crate::assigned_value::{AssignedValue, value_at};
use crate::assignments::Separator;
use crate::placeholders::is_placeholder;
use crate::secret_names::SecretName;
use crate::{offset_in, truncate_to, window_before};

/// Maximum number of bytes of a list or an object that are read.
const BLOCK_BYTES_MAX: usize = 2_048;
/// Maximum number of bytes between a name and the `value` that belongs to it.
const PAIR_BYTES_MAX: usize = 160;
const ITEMS_MAX: usize = 64;
/// Keys below a name whose values are the secret itself.
const VALUE_KEYS: [&str; 9] =
    ["value", "default", "secret", "password", "plain", "plaintext", "data", "current", "_value"];

/// Returns the values of a name that are written as a list, an object, a block or a pair.
pub(super) fn structured_values(
    text: &str,
    name: &SecretName,
    separated: Option<(Separator, usize)>,
) -> Vec<AssignedValue> {
    let values = match separated {
        Some((Separator::Equals | Separator::Colon, from)) => below(text, name, from),
        _ => beside(text, name),
    };
    let is_secret = |value: &AssignedValue| {
        let value = AssignedValue { quoted: value.quoted, ..*value };
        value.matches_kind(text, name.announces, Separator::Equals)
    };
    values.into_iter().filter(is_secret).collect()
}

/// Returns the values below a name and its separator.
fn below(text: &str, name: &SecretName, from: usize) -> Vec<AssignedValue> {
    let bare = text[from..].trim_start_matches([' ', '\t']);
    let at = text.len() - bare.len();
    match bare.bytes().next() {
        Some(b'[') => list_items(text, at + 1),
        Some(b'{') if !bare.starts_with("{{") => object_values(text, at + 1, name.is_plural),
        Some(b'|' | b'>') => {
            let line_end = bare.find('\n').filter(|end| *end <= 4);
            line_end.and_then(|end| value_at(text, at + end + 1)).into_iter().collect()
        }
        Some(b'\n' | b'\r') => lines_below(text, name, at),
        _ => Vec::new(),
    }
}

/// Returns the items of `[a, b]`.
fn list_items(text: &str, from: usize) -> Vec<AssignedValue> {
    let list = truncate_to(&text[from..], BLOCK_BYTES_MAX);
    let Some(close) = list.find(']') else { return Vec::new() };
    let mut at = from;
    let items = list[..close].split(',').take(ITEMS_MAX).filter_map(|item| {
        let start = at + item.len() - item.trim_start().len();
        at += item.len() + 1;
        value_at(text, start)
    });
    items.collect()
}

/// Returns the values of `{"value": "…"}`, or all texts in an object below a plural name.
fn object_values(text: &str, from: usize, all: bool) -> Vec<AssignedValue> {
    let object = truncate_to(&text[from..], BLOCK_BYTES_MAX);
    // An object inside this one is another name's.
    let object = &object[..object.find(['{', '}']).unwrap_or(object.len())];
    let mut values = Vec::new();
    for (mark, _) in object.match_indices([':', '=']).take(ITEMS_MAX) {
        let key = object[..mark].trim_end_matches(['"', '\'', ' ', '\\']);
        let in_key = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let key = key.rsplit(|c: char| !in_key(c)).next().unwrap_or_default();
        let is_value = VALUE_KEYS.iter().any(|one| one.eq_ignore_ascii_case(key));
        let value = value_at(text, from + mark + 1);
        values.extend(value.filter(|value| {
            (is_value || all && value.quoted) && value.start < from + object.len()
        }));
    }
    values
}

/// Returns the values on the lines below `passwords:`: items of a list, or `value: …`.
fn lines_below(text: &str, name: &SecretName, at: usize) -> Vec<AssignedValue> {
    let block = truncate_to(&text[at..], BLOCK_BYTES_MAX);
    let before = window_before(text, name.start, PAIR_BYTES_MAX);
    let indent = indentation(&before[before.rfind('\n').map_or(0, |offset| offset + 1)..]);
    let mut values = Vec::new();
    let mut offset = at;
    for line in block.split_inclusive('\n').take(ITEMS_MAX) {
        let (start, content) = (offset, line.trim_matches([' ', '\t', '\r', '\n']));
        offset += line.len();
        if content.is_empty() {
            continue;
        }
        let content_at = start + indentation(line);
        let key = VALUE_KEYS
            .iter()
            .find(|key| content.strip_prefix(**key).is_some_and(|rest| rest.starts_with(':')));
        if let Some(item) = content.strip_prefix("- ") {
            // An item with a key of its own is an object, not a value.
            if item.contains(": ") || item.ends_with(':') {
                break;
            }
            values.extend(value_at(text, content_at + 2));
        } else if let Some(key) = key.filter(|_| indentation(line) > indent) {
            values.extend(value_at(text, content_at + key.len() + 1));
        } else {
            break;
        }
    }
    values
}

fn indentation(line: &str) -> usize {
    line.len() - line.trim_start_matches([' ', '\t']).len()
}

/// Returns the values beside a name that has no separator: XML elements and pairs.
fn beside(text: &str, name: &SecretName) -> Vec<AssignedValue> {
    let found = element_text(text, name)
        .or_else(|| pair_value(text, name))
        .or_else(|| pair_value_before(text, name))
        .map(|value| vec![value]);
    found.unwrap_or_else(|| {
        let mut values = block_below(text, name);
        values.extend(column_values(text, name));
        values
    })
}

/// Returns the text of `<password>…</password>`, or of the `<string>` after a `<key>`.
fn element_text(text: &str, name: &SecretName) -> Option<AssignedValue> {
    let rest = truncate_to(&text[name.end..], PAIR_BYTES_MAX);
    let opens = text[..name.start].ends_with(['<', ':']);
    let from = if let Some(after) = rest.strip_prefix("</key>") {
        let value = after.trim_start().strip_prefix("<string>")?;
        name.end + rest.len() - value.len()
    } else {
        let close =
            rest.find('>').filter(|close| opens && !rest[..*close].contains(['<', '\n']))?;
        name.end + close + 1
    };
    let length = text[from..].find(['<', '\n'])?;
    let (start, end) = (from, from + length);
    Some(AssignedValue { start, end, quoted: true, is_phrase: false })
}

/// Returns the value of `name: DB_PASSWORD`, `value: …` in YAML, JSON or XML.
fn pair_value(text: &str, name: &SecretName) -> Option<AssignedValue> {
    let rest = truncate_to(&text[name.end..], PAIR_BYTES_MAX);
    let between = |c: char| c.is_whitespace() || matches!(c, '"' | '\'' | ',' | '\\');
    let pair = rest.trim_start_matches(between);
    let is_apart = pair.len() < rest.len();
    let after = strip_value_word(pair).filter(|_| is_apart)?;
    let after = after.trim_start_matches(['"', '\'', ' ', '\\']);
    let value = after.strip_prefix([':', '='])?;
    value_at(text, name.end + rest.len() - value.len())
}

fn strip_value_word(text: &str) -> Option<&str> {
    ["value", "Value", "VALUE", "val", "body"].iter().find_map(|word| text.strip_prefix(word))
}

/// Returns the value of `{"value": "…", "name": "DB_PASSWORD"}`.
fn pair_value_before(text: &str, name: &SecretName) -> Option<AssignedValue> {
    let before = window_before(text, name.start, PAIR_BYTES_MAX);
    let before = before.trim_end_matches(['"', '\'', ' ', ':', '=']);
    let key = before.strip_suffix("name").or_else(|| before.strip_suffix("key"))?;
    let open = key.rfind(['{', '<', '}', '>'])?;
    let mark = open + key[open..].rfind("value")?;
    let after = key[mark + 5..].trim_start_matches(['"', '\'', ' ']);
    let value = after.strip_prefix([':', '='])?;
    value_at(text, offset_in(text, value))
}

/// Returns the default in `variable "db_password" { default = "…" }`.
fn block_below(text: &str, name: &SecretName) -> Vec<AssignedValue> {
    let rest = text[name.end..].trim_start_matches(['"', '\'', ' ']);
    if !rest.starts_with('{') || !text[name.end..].starts_with('"') {
        return Vec::new();
    }
    let from = text.len() - rest.len() + 1;
    let values = object_values(text, from, false);
    values.into_iter().filter(|value| !is_placeholder(&text[value.start..value.end])).collect()
}

/// Returns the values below a name in the heading of a table of comma-separated values.
fn column_values(text: &str, name: &SecretName) -> Vec<AssignedValue> {
    let before = window_before(text, name.start, PAIR_BYTES_MAX);
    let start = name.start - before.len() + before.rfind('\n').map_or(0, |offset| offset + 1);
    let line = truncate_to(&text[start..], PAIR_BYTES_MAX).lines().next().unwrap_or_default();
    let is_cell = |cell: &str| {
        let cell = cell.trim_matches([' ', '"']);
        !cell.is_empty() && cell.bytes().all(|b| b.is_ascii_alphanumeric() || b"_- ".contains(&b))
    };
    let cells: Vec<&str> = line.split(',').collect();
    if cells.len() < 2 || !cells.iter().all(|cell| is_cell(cell)) || name.end > start + line.len() {
        return Vec::new();
    }
    // The last of equal headings is the one with rows below.
    let below = text[start + line.len()..].trim_start_matches(['\r', '\n']);
    if below.strip_prefix(line).is_some_and(|rest| rest.starts_with(['\r', '\n'])) {
        return Vec::new();
    }
    let nth = text[start..name.start].matches(',').count();
    let mut at = start;
    let mut values = Vec::new();
    for row in text[start..].split_inclusive('\n').take(ITEMS_MAX) {
        if row.split(',').count() != cells.len() {
            break;
        }
        let before: usize = row.split(',').take(nth).map(|cell| cell.len() + 1).sum();
        // The first row is the heading itself.
        let is_row = at > start;
        values.extend(value_at(text, at + before).filter(|_| is_row));
        at += row.len();
    }
    values
}
