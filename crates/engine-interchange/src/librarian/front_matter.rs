//! The metadata at the top of a Markdown file, between two lines of three dashes. The subset of
//! YAML that programs write there is read: texts in any quotes, folded and literal blocks, lists,
//! and objects inside of them. Whatever cannot be read is a text.

use serde_json::{Map, Value};

/// Maximum depth of nested lists and objects; deeper ones are left out.
const DEPTH_MAX: usize = 8;

/// A Markdown file in two parts.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct FrontMatter {
    /// An object; empty when the file has no metadata.
    pub fields: Value,
    pub body: String,
}

impl FrontMatter {
    /// Splits a file.
    pub fn read(text: &str) -> Self {
        let text = text.trim_start_matches('\u{feff}').replace("\r\n", "\n");
        let parts = text.strip_prefix("---\n").and_then(|rest| {
            let end = if rest.starts_with("---") { 0 } else { rest.find("\n---")? + 1 };
            let after = rest[end..].find('\n').map_or("", |line| &rest[end + line + 1..]);
            Some((&rest[..end], after))
        });
        match parts {
            Some((head, body)) => {
                let mut lines = YamlLines::new(head);
                let fields = lines.object(0, 0);
                Self { fields, body: body.trim().to_owned() }
            }
            None => Self { fields: Value::Object(Map::new()), body: text.trim().to_owned() },
        }
    }
}

/// The lines of the metadata, read one after the other.
struct YamlLines<'t> {
    lines: Vec<&'t str>,
    at: usize,
}

impl<'t> YamlLines<'t> {
    fn new(text: &'t str) -> Self {
        Self { lines: text.lines().collect(), at: 0 }
    }

    /// Returns the next line that says something, with its indentation.
    fn next(&mut self) -> Option<(usize, &'t str)> {
        while let Some(line) = self.lines.get(self.at) {
            let content = line.trim();
            if !content.is_empty() && !content.starts_with('#') {
                return Some((indentation(line), content));
            }
            self.at += 1;
        }
        None
    }

    /// Reads an object whose keys are at an indentation.
    fn object(&mut self, indent: usize, depth: usize) -> Value {
        let mut fields = Map::new();
        while let Some((at, content)) = self.next().filter(|(at, _)| *at >= indent) {
            let Some((key, rest)) = split_key(content).filter(|_| at == indent) else {
                self.at += 1;
                continue;
            };
            self.at += 1;
            let value = self.value(rest, indent, depth);
            fields.insert(key, value);
        }
        Value::Object(fields)
    }

    /// Reads the value behind a key or a dash; `indent` is that of the key.
    fn value(&mut self, rest: &str, indent: usize, depth: usize) -> Value {
        match rest.chars().next() {
            _ if depth >= DEPTH_MAX => Value::Null,
            Some('|' | '>') => Value::String(self.block(rest, indent)),
            Some(_) => scalar(&self.continued(rest, indent)),
            None => match self.next() {
                Some((at, content)) if is_item(content) && at >= indent => self.list(at, depth + 1),
                Some((at, _)) if at > indent => self.object(at, depth + 1),
                _ => Value::Null,
            },
        }
    }

    /// Reads a list whose dashes are at an indentation.
    fn list(&mut self, indent: usize, depth: usize) -> Value {
        let mut items = Vec::new();
        while let Some((at, content)) = self.next() {
            if at != indent || !is_item(content) {
                break;
            }
            let rest = content[1..].trim_start();
            let inner = indent + content.len() - rest.len();
            if split_key(rest).is_some() && !rest.starts_with(['"', '\'']) {
                items.push(self.object_in_list(inner, rest, depth));
            } else {
                self.at += 1;
                let item = self.value(rest, indent, depth);
                items.push(item);
            }
        }
        Value::Array(items)
    }

    /// Reads an object whose first key is behind a dash.
    fn object_in_list(&mut self, indent: usize, first: &str, depth: usize) -> Value {
        let mut fields = Map::new();
        if let Some((key, rest)) = split_key(first) {
            self.at += 1;
            let value = self.value(rest, indent, depth + 1);
            fields.insert(key, value);
        }
        if let Value::Object(others) = self.object(indent, depth + 1) {
            fields.extend(others);
        }
        Value::Object(fields)
    }

    /// Appends the further lines of a text that is wrapped.
    fn continued(&mut self, first: &str, indent: usize) -> String {
        let mut text = first.to_owned();
        while let Some(line) = self.lines.get(self.at) {
            if line.trim().is_empty() || indentation(line) <= indent || is_closed(&text) {
                break;
            }
            text = format!("{text} {}", line.trim());
            self.at += 1;
        }
        text
    }

    /// Reads a folded (`>`) or literal (`|`) block.
    fn block(&mut self, mark: &str, indent: usize) -> String {
        let mut lines: Vec<&str> = Vec::new();
        while let Some(line) = self.lines.get(self.at) {
            if !line.trim().is_empty() && indentation(line) <= indent {
                break;
            }
            lines.push(line);
            self.at += 1;
        }
        let inner = lines.iter().find(|line| !line.trim().is_empty());
        let inner = inner.map_or(0, |line| indentation(line));
        let lines: Vec<&str> = lines.iter().map(|line| line.get(inner..).unwrap_or("")).collect();
        let text = if mark.starts_with('|') { lines.join("\n") } else { fold(&lines) };
        text.trim_end().to_owned()
    }
}

/// Joins wrapped lines; an empty line is the end of a paragraph.
fn fold(lines: &[&str]) -> String {
    lines.iter().fold(String::new(), |all, line| match (all.is_empty(), line.is_empty()) {
        (true, _) => (*line).to_owned(),
        (false, true) => format!("{all}\n"),
        (false, false) if all.ends_with('\n') => format!("{all}{line}"),
        (false, false) => format!("{all} {line}"),
    })
}

fn indentation(line: &str) -> usize {
    line.len() - line.trim_start_matches(' ').len()
}

fn is_item(content: &str) -> bool {
    content == "-" || content.starts_with("- ")
}

/// Splits `key: value`.
fn split_key(content: &str) -> Option<(String, &str)> {
    let at = content.find(':')?;
    let (key, rest) = (content[..at].trim(), &content[at + 1..]);
    let is_key = !key.is_empty()
        && key.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '"' | '\''));
    let ends = rest.is_empty() || rest.starts_with(' ');
    (is_key && ends).then(|| (key.trim_matches(['"', '\'']).to_owned(), rest.trim()))
}

/// Returns true unless the text is in quotes that are still open.
fn is_closed(text: &str) -> bool {
    match text.chars().next() {
        Some(quote @ ('"' | '\'')) => text.len() > 1 && text.ends_with(quote),
        Some('[') => text.ends_with(']'),
        _ => false,
    }
}

/// Reads a value on one line.
fn scalar(text: &str) -> Value {
    match text {
        "" | "~" | "null" | "Null" => Value::Null,
        "true" | "True" => Value::Bool(true),
        "false" | "False" => Value::Bool(false),
        "{}" => Value::Object(Map::new()),
        _ if text.starts_with('"') => serde_json::from_str(text)
            .unwrap_or_else(|_| Value::String(text.trim_matches('"').to_owned())),
        _ if text.starts_with('\'') => {
            let inner = text.trim_start_matches('\'');
            Value::String(inner.strip_suffix('\'').unwrap_or(inner).replace("''", "'"))
        }
        _ if text.starts_with('[') && text.ends_with(']') => {
            let items = text[1..text.len() - 1].split(',').map(str::trim);
            Value::Array(items.filter(|item| !item.is_empty()).map(scalar).collect())
        }
        _ => Value::String(text.split(" #").next().unwrap_or(text).trim().to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn texts_lists_and_objects_are_read_as_programs_write_them() {
        let text = "---\nid: mem_1\ntitle: 'Ada''s host: blue'\nquoted: \"a \\\"b\\\"\\nc\"\n\
                    tags:\n  - ops\n  - 'a: b'\nflat: [x, \"y\"]\nempty: []\nnone: null\n\
                    flags:\n  - agent_id: codex\n    reason: >-\n      moved in\n      May\n\
                    \x20   created_at: '2026-05-01T10:00:00.000Z'\n  - agent_id: pi\n\
                    claimed_by:\n  agent_id: codex\n  cwd: null\nlong: wrapped\n  over lines\n\
                    is_global: false\nlit: |\n  one\n   two\n---\n\nThe body.\n---\nstill body\n";
        let read = FrontMatter::read(text);
        assert_eq!(
            read.fields,
            json!({
                "id": "mem_1", "title": "Ada's host: blue", "quoted": "a \"b\"\nc",
                "tags": ["ops", "a: b"], "flat": ["x", "y"], "empty": [], "none": null,
                "flags": [
                    {"agent_id": "codex", "reason": "moved in May",
                     "created_at": "2026-05-01T10:00:00.000Z"},
                    {"agent_id": "pi"}
                ],
                "claimed_by": {"agent_id": "codex", "cwd": null}, "long": "wrapped over lines",
                "is_global": false, "lit": "one\n two"
            })
        );
        assert_eq!(read.body, "The body.\n---\nstill body");
    }

    #[test]
    fn a_file_without_metadata_is_a_body() {
        for (text, body) in
            [("Hello", "Hello"), ("---\nnever closed", "---\nnever closed"), ("", "")]
        {
            let read = FrontMatter::read(text);
            assert_eq!((read.fields, read.body.as_str()), (json!({}), body));
        }
    }

    #[test]
    fn no_metadata_is_too_strange_to_read() {
        for text in [
            "---\n- a\n- b\n---\n",
            "---\n: x\n---\n",
            "---\na:\n    b: 1\n  c: 2\n---\n",
            "---\na: [1, 2\n---\n",
            "---\na: \"open\nb: 1\n---\n",
            "---\n\ta: 1\n---\nx",
            "---\na: |\n---\n",
            "---\na: é\n  ü: ö\n---\n",
        ] {
            assert!(FrontMatter::read(text).fields.is_object(), "{text}");
        }
        let deep: String = (0..200).map(|n| format!("{}a:\n", " ".repeat(n))).collect();
        assert!(FrontMatter::read(&format!("---\n{deep}---\n")).fields.is_object());
    }
}
