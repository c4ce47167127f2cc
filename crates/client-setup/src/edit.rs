//! Edits of the text of a configuration file, and their reversals. Every function keeps all bytes
//! that it does not have to change: comments, order, indentation, line ends and a byte-order mark.

mod json;
mod section;
mod toml;
mod yaml;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::path::Path;

/// Byte-order mark, which some editors put at the start of a file.
const BYTE_ORDER_MARK: char = '\u{feff}';

/// One edit of a file.
#[derive(Debug, Clone, PartialEq)]
pub enum FileEdit {
    /// Sets an entry of an object or table. Fields that an existing entry has besides are kept.
    Entry { path: Vec<String>, value: Value },
    /// Sets an entry unless there is one.
    Default { path: Vec<String>, value: Value },
    /// Sets an entry of a file that does not exist yet.
    DefaultInNewFile { path: Vec<String>, value: Value },
    /// Adds an element to a list, in place of an earlier one of Quipu.
    Element { path: Vec<String>, value: Value },
    /// Sets a section of a text, between two marks.
    Section { text: String },
    /// Sets the whole text of a file of Quipu's own.
    Whole { text: String },
}

/// Information that reverses an edit in a file that changed since.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "edit")]
pub(crate) enum EditReversal {
    Entry {
        path: Vec<String>,
        previous: Option<Value>,
        /// Number of objects around it that the edit created.
        created: usize,
    },
    Element {
        path: Vec<String>,
        value: Value,
        created: usize,
    },
    Section {
        /// Text that the edit put before the section, to separate it.
        separator: String,
    },
    Whole {
        previous: Option<String>,
    },
}

impl EditReversal {
    /// Returns true if two reversals are about the same place, so that the earlier one counts.
    pub fn is_same_place(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Entry { path: one, .. }, Self::Entry { path: two, .. }) => one == two,
            (
                Self::Element { path: one, value: first, .. },
                Self::Element { path: two, value: second, .. },
            ) => one == two && first == second,
            (Self::Section { .. }, Self::Section { .. })
            | (Self::Whole { .. }, Self::Whole { .. }) => true,
            _ => false,
        }
    }
}

/// Text of a file after the edits.
#[derive(Debug, PartialEq)]
pub(crate) struct EditedText {
    pub text: String,
    /// In the order of the edits; to be applied backwards.
    pub reversals: Vec<EditReversal>,
}

/// Reason why a text cannot be edited. The file is left as it is.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EditError {
    #[error("it is not valid {format}: {reason}")]
    Invalid { format: &'static str, reason: String },
    #[error("`{at}` in it is not {expected}")]
    Shape { at: String, expected: &'static str },
    #[error("it cannot be edited without changing the rest of it: {reason}")]
    NotPreserved { reason: &'static str },
    #[error("the marks of Quipu's section in it are incomplete")]
    BrokenSection,
}

/// Format of a file, by its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TextFormat {
    Json,
    Toml,
    Yaml,
    Plain,
}

impl TextFormat {
    fn of(path: &Path) -> Self {
        match path.extension().and_then(|ending| ending.to_str()) {
            Some("json" | "jsonc") => Self::Json,
            Some("toml") => Self::Toml,
            Some("yaml" | "yml") => Self::Yaml,
            _ => Self::Plain,
        }
    }
}

/// Applies edits to the text of a file; `None` if there is no file yet.
///
/// # Errors
/// Fails when the text is not valid, or is of another shape than the client expects.
pub(crate) fn apply_edits(
    path: &Path,
    before: Option<&str>,
    edits: &[FileEdit],
) -> Result<EditedText, EditError> {
    let (mark, text) = split_mark(before.unwrap_or_default());
    let mut edited = EditedText { text: text.to_owned(), reversals: Vec::new() };
    for edit in edits {
        let is_skipped = matches!(edit, FileEdit::DefaultInNewFile { .. }) && before.is_some();
        if !is_skipped {
            apply_edit(TextFormat::of(path), &mut edited, edit)?;
        }
    }
    edited.text.insert_str(0, mark);
    Ok(edited)
}

fn apply_edit(
    format: TextFormat,
    edited: &mut EditedText,
    edit: &FileEdit,
) -> Result<(), EditError> {
    let text = &edited.text;
    let (text, reversal) = match (edit, format) {
        (FileEdit::Whole { text: new }, _) => {
            let previous = (!text.is_empty() && text != new).then(|| text.clone());
            (new.clone(), Some(EditReversal::Whole { previous }))
        }
        (FileEdit::Section { text: content }, _) => section::set(text, content)?,
        (_, TextFormat::Toml) => toml::apply(text, edit)?,
        (_, TextFormat::Yaml) => yaml::apply(text, edit)?,
        _ => json::apply(text, edit)?,
    };
    edited.text = text;
    edited.reversals.extend(reversal);
    Ok(())
}

/// Removes what edits added from a text that may have changed since, and puts back what they
/// replaced. An empty result means that nothing but Quipu's part was in it.
///
/// # Errors
/// Fails when the text is not valid any more.
pub(crate) fn reverse_edits(
    path: &Path,
    text: &str,
    reversals: &[EditReversal],
) -> Result<String, EditError> {
    let (mark, text) = split_mark(text);
    let mut text = text.to_owned();
    for reversal in reversals.iter().rev() {
        text = match (reversal, TextFormat::of(path)) {
            (EditReversal::Whole { previous }, _) => previous.clone().unwrap_or_default(),
            (EditReversal::Section { separator }, _) => section::remove(&text, separator)?,
            (_, TextFormat::Toml) => toml::reverse(&text, reversal)?,
            (_, TextFormat::Yaml) => yaml::reverse(&text, reversal)?,
            _ => json::reverse(&text, reversal)?,
        };
    }
    if is_empty(path, &text) { Ok(text) } else { Ok(format!("{mark}{text}")) }
}

/// Returns true if a text says nothing: no entry, no line.
pub(crate) fn is_empty(path: &Path, text: &str) -> bool {
    let plain = split_mark(text).1.trim();
    plain.is_empty()
        || (TextFormat::of(path) == TextFormat::Json
            && plain.chars().filter(|letter| !letter.is_whitespace()).eq("{}".chars()))
}

/// Returns true if a text has an entry at a path of keys.
pub(crate) fn has_entry(path: &Path, text: &str, keys: &[String]) -> bool {
    let text = split_mark(text).1;
    match TextFormat::of(path) {
        TextFormat::Json => json::has_entry(text, keys),
        TextFormat::Toml => toml::has_entry(text, keys),
        TextFormat::Yaml => yaml::has_entry(text, keys),
        TextFormat::Plain => false,
    }
}

fn split_mark(text: &str) -> (&str, &str) {
    match text.strip_prefix(BYTE_ORDER_MARK) {
        Some(rest) => text.split_at(text.len() - rest.len()),
        None => ("", text),
    }
}

/// Returns the line end that a text uses.
fn line_end(text: &str) -> &'static str {
    if text.contains("\r\n") { "\r\n" } else { "\n" }
}
