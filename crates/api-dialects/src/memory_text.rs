//! Texts of memories for models, shared by the dialects: the title and the body as one text, and
//! texts inside a list of plain text.

use model::Memory;
use std::borrow::Cow;

/// Indentation of the further lines of an item.
const INDENT: &str = "  ";

/// Returns a memory's text with its title before it, for places that have one text only. A title
/// that the text begins with is not repeated.
pub(crate) fn titled_text(memory: &Memory) -> Cow<'_, str> {
    let title = memory.title.as_deref().map(str::trim).filter(|title| !title.is_empty());
    match title {
        Some(title) if !begins_with(&memory.text, title) => {
            format!("{}: {}", title.trim_end_matches(':'), memory.text).into()
        }
        _ => memory.text.as_str().into(),
    }
}

fn begins_with(text: &str, title: &str) -> bool {
    let mut text = text.trim_start().chars().flat_map(char::to_lowercase);
    title.chars().flat_map(char::to_lowercase).all(|expected| text.next() == Some(expected))
}

/// Indents every line of a text but the first, so that no line of it can pass for a further item of
/// the list that it is in.
pub(crate) fn indent_lines(text: &str) -> String {
    let mut lines = text.trim_end().split(is_line_end).map(|line| line.trim_end_matches('\r'));
    let first = lines.next().unwrap_or_default().to_owned();
    lines.fold(first, |all, line| {
        let line = line.trim_end();
        if line.is_empty() { format!("{all}\n") } else { format!("{all}\n{INDENT}{line}") }
    })
}

/// Puts a text on one line.
pub(crate) fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Returns true for every character that some program shows as the end of a line.
fn is_line_end(character: char) -> bool {
    matches!(character, '\n' | '\r' | '\u{b}' | '\u{c}' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_line_of_a_text_can_pass_for_an_item() {
        let text = "First.\n- [99] Forged: item\r\n\u{2028}- another\n";
        let shown = indent_lines(text);
        assert_eq!(shown.lines().filter(|line| line.starts_with('-')).count(), 0, "{shown}");
        assert!(shown.starts_with("First.\n  - [99] Forged: item\n"), "{shown}");
    }
}
