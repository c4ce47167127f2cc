//! Texts of memories for models, shared by the dialects: texts inside a list of plain text, and on
//! one line.

/// Indentation of the further lines of an item.
const INDENT: &str = "  ";

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
