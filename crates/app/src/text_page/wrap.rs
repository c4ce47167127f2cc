//! Makes text safe to print and wraps it to a display width, at words, or within a word that is
//! wider than the line. Widths are columns of the terminal, so that CJK characters count as two.

use std::borrow::Cow;
use textwrap::{Options, WordSplitter};

/// Removes everything that a terminal would interpret: control characters, and Unicode marks that
/// reorder text.
pub(super) fn strip_control_characters(text: &str) -> String {
    let shown = |c: char| match c {
        '\n' => Some('\n'),
        '\t' => Some(' '),
        '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => None,
        c if c.is_control() => None,
        c => Some(c),
    };
    text.chars().filter_map(shown).collect()
}

/// Splits text into lines of at most `width` columns; its own line breaks are kept.
pub(super) fn wrap_text(text: &str, width: Option<usize>) -> Vec<String> {
    let lines = text.trim_end().split('\n').map(str::trim_end);
    match width {
        Some(width) => lines.flat_map(|line| wrap_line(line, width)).collect(),
        None => lines.map(str::to_owned).collect(),
    }
}

fn wrap_line(line: &str, width: usize) -> Vec<String> {
    let text = line.trim_start_matches(' ');
    // Continuation lines keep the indentation of the first, so that a list stays readable.
    let indent = " ".repeat((line.len() - text.len()).min(width / 2));
    let options = Options::new(width)
        .initial_indent(&indent)
        .subsequent_indent(&indent)
        // Identifiers and paths are copied from the output, so they break only where they must.
        .word_splitter(WordSplitter::NoHyphenation);
    textwrap::wrap(text, options).into_iter().map(Cow::into_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use unicode_width::UnicodeWidthStr;

    fn check(text: &str, width: usize, expected: &[&str]) {
        assert_eq!(wrap_text(text, Some(width)), expected, "{text:?} at {width}");
    }

    #[test]
    fn lines_break_at_words_and_existing_breaks_are_kept() {
        check("one two three", 8, &["one two", "three"]);
        check("one\ntwo three\n", 20, &["one", "two three"]);
        check("", 20, &[""]);
    }

    #[test]
    fn a_word_that_does_not_fit_is_broken() {
        check("abcdefghij kl", 4, &["abcd", "efgh", "ij", "kl"]);
        check("記憶記憶記憶", 4, &["記憶", "記憶", "記憶"]);
    }

    #[test]
    fn continuation_lines_keep_the_indentation() {
        check("  - one two three", 11, &["  - one two", "  three"]);
    }

    #[test]
    fn no_line_exceeds_the_width() {
        let text = "Ein Text, mit 記憶 und einem_sehr_langen_bezeichner::der_nicht_passt, 12 mal.";
        for width in 4..40 {
            assert!(
                wrap_text(text, Some(width)).iter().all(|line| line.width() <= width),
                "{width}"
            );
        }
    }
}
