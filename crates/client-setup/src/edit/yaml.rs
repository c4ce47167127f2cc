//! The entry of one extension in a YAML file, as whole lines: no other line is touched.
//! Only the plain layout is edited that Goose itself writes, a block of indented lines under a key
//! at the start of a line; anything else is refused.

use super::{EditError, EditReversal, FileEdit, line_end};
use serde_json::Value;

/// Applies one edit; only entries are supported.
pub(super) fn apply(
    text: &str,
    edit: &FileEdit,
) -> Result<(String, Option<EditReversal>), EditError> {
    let FileEdit::Entry { path, value } = edit else {
        return Err(EditError::NotPreserved { reason: "YAML files have no such place" });
    };
    let [list, key] = path.as_slice() else {
        return Err(EditError::Shape { at: path.join("."), expected: "a map in a map" });
    };
    let mut lines = YamlMapLines::read(text, list)?;
    let end = lines.end;
    let block = |indent: usize| render(indent, key, value, end);
    let reversal = |previous: Option<String>, created: usize| {
        let previous = previous.map(Value::from);
        Some(EditReversal::Entry { path: path.clone(), previous, created })
    };
    let Some(header) = lines.header else {
        let ends_open = lines.lines.last().is_some_and(|line| !line.ends_with('\n'));
        let start = if ends_open { end } else { "" };
        let added = format!("{start}{list}:{end}{}", block(2));
        return Ok((format!("{text}{added}"), reversal(None, 1)));
    };
    let indent = lines.child_indent(header).unwrap_or(2);
    let Some((first, after)) = lines.child(header, indent, key) else {
        let ends_open = !lines.lines[header].ends_with('\n');
        let start = if ends_open { end } else { "" };
        lines.lines[header] = lines.empty_map_as_block(header);
        lines.lines.insert(header + 1, format!("{start}{}", block(indent)));
        return Ok((lines.lines.concat(), reversal(None, 0)));
    };
    let previous = lines.lines[first..after].concat();
    if previous == block(indent) {
        return Ok((text.to_owned(), None));
    }
    lines.lines.splice(first..after, [block(indent)]);
    Ok((lines.lines.concat(), reversal(Some(previous), 0)))
}

/// Reverses one edit.
pub(super) fn reverse(text: &str, reversal: &EditReversal) -> Result<String, EditError> {
    let EditReversal::Entry { path, previous, created } = reversal else {
        return Ok(text.to_owned());
    };
    let [list, key] = path.as_slice() else { return Ok(text.to_owned()) };
    let mut lines = YamlMapLines::read(text, list)?;
    let Some(header) = lines.header else { return Ok(text.to_owned()) };
    let Some(indent) = lines.child_indent(header) else { return Ok(text.to_owned()) };
    let Some((first, after)) = lines.child(header, indent, key) else {
        return Ok(text.to_owned());
    };
    let previous = previous.as_ref().and_then(Value::as_str).map(str::to_owned);
    lines.lines.splice(first..after, previous);
    if lines.child_indent(header).is_none() {
        match created {
            // A key without a value is not an empty map.
            0 => lines.lines[header] = format!("{list}: {{}}{}", lines.end),
            _ => drop(lines.lines.remove(header)),
        }
    }
    Ok(lines.lines.concat())
}

/// Returns true if a map has an entry.
pub(super) fn has_entry(text: &str, path: &[String]) -> bool {
    let [list, key] = path else { return false };
    let Ok(lines) = YamlMapLines::read(text, list) else { return false };
    let Some(header) = lines.header else { return false };
    let indent = lines.child_indent(header);
    indent.is_some_and(|indent| lines.child(header, indent, key).is_some())
}

/// Lines of a file, with their line ends.
struct YamlMapLines {
    lines: Vec<String>,
    /// Index of the line with the key of the map.
    header: Option<usize>,
    end: &'static str,
}

impl YamlMapLines {
    fn read(text: &str, list: &str) -> Result<Self, EditError> {
        let invalid = |reason: &str| EditError::Invalid { format: "YAML", reason: reason.into() };
        let lines: Vec<String> = text.split_inclusive('\n').map(str::to_owned).collect();
        if lines.iter().any(|line| line.trim_start_matches(' ').starts_with('\t')) {
            return Err(invalid("a line is indented with a tab"));
        }
        let is_top = |line: &String| !line.starts_with([' ', '#', '-', '\r', '\n']);
        if lines.iter().any(|line| is_top(line) && !line.contains(':') && !is_mark(line)) {
            return Err(invalid("a line at the top is not a key with a value"));
        }
        let starts = |line: &String| line.starts_with(&format!("{list}:"));
        let header = lines.iter().position(starts);
        if let Some(line) = header.map(|index| &lines[index]) {
            let rest = line[list.len() + 1..].trim();
            if !(rest.is_empty() || rest.starts_with('#') || rest == "{}") {
                return Err(EditError::Shape { at: list.into(), expected: "a block of lines" });
            }
        }
        Ok(Self { lines, header, end: line_end(text) })
    }

    /// Returns the header without the braces of an empty map.
    fn empty_map_as_block(&self, header: usize) -> String {
        self.lines[header].replacen(" {}", "", 1).replacen(":{}", ":", 1)
    }

    /// Returns the indentation of the entries of the map; `None` if there is none.
    fn child_indent(&self, header: usize) -> Option<usize> {
        let line = self.lines[header + 1..].iter().find(|line| is_content(line))?;
        Some(indent_of(line)).filter(|indent| *indent > 0)
    }

    /// Returns the lines of an entry: its first one, and the one after its last.
    fn child(&self, header: usize, indent: usize, key: &str) -> Option<(usize, usize)> {
        let inside = |line: &String| !is_content(line) || indent_of(line) > 0;
        let count = self.lines[header + 1..].iter().take_while(|line| inside(line)).count();
        let range = header + 1..header + 1 + count;
        let first = range.clone().find(|index| {
            let line = &self.lines[*index];
            indent_of(line) == indent && line.trim().trim_end_matches(':') == key
        })?;
        let deeper = |index: &usize| {
            is_content(&self.lines[*index]) && indent_of(&self.lines[*index]) > indent
        };
        let last = (first + 1..range.end).take_while(deeper).last().unwrap_or(first);
        Some((first, last + 1))
    }
}

/// Returns true for the line that starts or ends a document.
fn is_mark(line: &str) -> bool {
    matches!(line.trim_end(), "---" | "...")
}

fn is_content(line: &str) -> bool {
    let trimmed = line.trim();
    !trimmed.is_empty() && !trimmed.starts_with('#')
}

fn indent_of(line: &str) -> usize {
    line.len() - line.trim_start_matches(' ').len()
}

fn render(indent: usize, key: &str, value: &Value, end: &str) -> String {
    let mut text = format!("{}{key}:{end}", " ".repeat(indent));
    for (name, field) in value.as_object().into_iter().flatten() {
        // JSON is YAML, so every value is quoted by a rule that holds in both.
        text.push_str(&format!("{}{name}: {field}{end}", " ".repeat(indent * 2)));
    }
    text
}
