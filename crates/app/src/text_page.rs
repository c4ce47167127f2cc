//! Text layout for people: headlines, paragraphs, aligned pairs and columns, wrapped to the width
//! of the terminal. Control characters in a memory never reach the terminal.

mod wrap;

use crate::terminal::Terminal;
use unicode_width::UnicodeWidthStr;
use wrap::{strip_control_characters, wrap_text};

/// Indentation of the text below a headline.
pub const INDENT: usize = 4;
/// Number of spaces between columns.
const GAP: usize = 2;

/// Emphasis of a piece of text, shown as a colour or weight.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Style {
    Plain,
    Strong,
    Faint,
    Good,
    Warn,
    Bad,
}

impl Style {
    fn code(self) -> &'static str {
        match self {
            Self::Plain => "",
            Self::Strong => "\u{1b}[1m",
            Self::Faint => "\u{1b}[2m",
            Self::Good => "\u{1b}[32m",
            Self::Warn => "\u{1b}[33m",
            Self::Bad => "\u{1b}[31m",
        }
    }

    /// Returns text in this style, for a terminal with colours.
    pub fn paint(self, text: &str) -> String {
        format!("{}{text}\u{1b}[0m", self.code())
    }
}

/// Builds the text output of a command.
#[derive(Debug)]
pub struct TextPage {
    terminal: Terminal,
    text: String,
}

impl TextPage {
    /// Creates an empty page for a terminal.
    pub fn new(terminal: Terminal) -> Self {
        Self { terminal, text: String::new() }
    }

    /// Returns the text written so far.
    pub fn into_text(self) -> String {
        self.text
    }

    /// Adds an empty line, unless there is one already or the page is empty.
    pub fn blank(&mut self) -> &mut Self {
        if !self.text.is_empty() && !self.text.ends_with("\n\n") {
            self.text.push('\n');
        }
        self
    }

    /// Adds a line of pieces separated by two spaces, without wrapping; empty pieces are left out.
    pub fn headline(&mut self, pieces: &[(Style, &str)]) -> &mut Self {
        let pieces = pieces.iter().filter(|(_, piece)| !piece.is_empty());
        for (position, (style, piece)) in pieces.enumerate() {
            if position > 0 {
                self.text.push_str("  ");
            }
            self.push_styled(*style, &strip_control_characters(piece).replace('\n', " "));
        }
        self.text.push('\n');
        self
    }

    /// Adds a heading, after an empty line.
    pub fn heading(&mut self, text: &str) -> &mut Self {
        self.blank().headline(&[(Style::Strong, text)])
    }

    /// Adds plain text at the left margin.
    pub fn add_text(&mut self, text: &str) -> &mut Self {
        self.paragraph(0, Style::Plain, text)
    }

    /// Adds indented and wrapped text; its own line breaks are kept.
    pub fn paragraph(&mut self, indent: usize, style: Style, text: &str) -> &mut Self {
        for line in wrap_text(&strip_control_characters(text), self.available_width(indent)) {
            if !line.is_empty() {
                self.text.push_str(&" ".repeat(indent));
                self.push_styled(style, &line);
            }
            self.text.push('\n');
        }
        self
    }

    /// Adds aligned name-value pairs, one per line; a long value is wrapped with a hanging indent.
    pub fn pairs(&mut self, pairs: &[(&str, String)]) -> &mut Self {
        let widest = pairs.iter().map(|(name, _)| name.width()).max().unwrap_or(0);
        let indent = GAP + widest + GAP;
        for (name, value) in pairs {
            self.text.push_str(&" ".repeat(GAP));
            self.push_styled(Style::Faint, name);
            self.text.push_str(&" ".repeat(indent - GAP - name.width()));
            self.hanging_indent(indent, value);
        }
        self
    }

    /// Adds rows in aligned columns; the last column is wrapped with a hanging indent.
    pub fn columns(&mut self, rows: &[Vec<String>]) -> &mut Self {
        let rows: Vec<Vec<String>> = rows
            .iter()
            .map(|row| {
                row.iter().map(|cell| strip_control_characters(cell).replace('\n', " ")).collect()
            })
            .collect();
        let count = rows.iter().map(Vec::len).max().unwrap_or(0);
        let widths: Vec<usize> = (0..count)
            .map(|at| {
                rows.iter()
                    .filter_map(|row| row.get(at))
                    .map(|cell| cell.width())
                    .max()
                    .unwrap_or(0)
            })
            .collect();
        for row in &rows {
            self.text.push_str(&" ".repeat(GAP));
            let mut indent = GAP;
            let (last, others) =
                row.split_last().map_or(("", &row[..]), |(last, others)| (last.as_str(), others));
            for (cell, width) in others.iter().zip(&widths) {
                self.text.push_str(cell);
                self.text.push_str(&" ".repeat(width - cell.width() + GAP));
                indent += width + GAP;
            }
            self.hanging_indent(indent, last);
        }
        self
    }

    /// Appends text to the current line, and wraps it with a hanging indent.
    fn hanging_indent(&mut self, indent: usize, text: &str) {
        for (position, line) in
            wrap_text(&strip_control_characters(text), self.available_width(indent))
                .iter()
                .enumerate()
        {
            if position > 0 {
                self.text.push_str(&" ".repeat(indent));
            }
            self.text.push_str(line);
            self.text.push('\n');
        }
    }

    fn available_width(&self, indent: usize) -> Option<usize> {
        self.terminal.width.map(|width| width.saturating_sub(indent).max(20))
    }

    fn push_styled(&mut self, style: Style, text: &str) {
        if self.terminal.colours && style != Style::Plain {
            self.text.push_str(&style.paint(text));
        } else {
            self.text.push_str(text);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::terminal::OutputFormat;

    fn page(width: usize) -> TextPage {
        TextPage::new(Terminal {
            format: OutputFormat::Text,
            width: Some(width),
            colours: false,
            interactive: false,
        })
    }

    #[test]
    fn long_values_wrap_with_a_hanging_indent() {
        let mut page = page(40);
        page.pairs(&[
            ("where", "one two three four five six seven".into()),
            ("is", "short".into()),
        ]);
        assert_eq!(
            page.into_text(),
            "  where  one two three four five six\n         seven\n  is     short\n"
        );
    }

    #[test]
    fn columns_are_aligned_by_display_width() {
        let mut page = page(80);
        page.columns(&[vec!["記憶".into(), "a".into()], vec!["x".into(), "b".into()]]);
        assert_eq!(page.into_text(), "  記憶  a\n  x     b\n");
    }

    #[test]
    fn a_memory_cannot_move_the_cursor_or_change_the_colours() {
        let mut page = page(80);
        page.paragraph(0, Style::Plain, "safe\u{1b}[2Jtext\u{9b}31m\r\nend\u{202e}");
        let text = page.into_text();
        assert!(!text.contains(['\u{1b}', '\u{9b}', '\r', '\u{202e}']), "{text:?}");
        assert!(text.contains("safe") && text.contains("end"), "{text:?}");
    }

    #[test]
    fn colours_are_used_only_when_enabled() {
        let coloured =
            Terminal { format: OutputFormat::Text, width: None, colours: true, interactive: true };
        let mut page = TextPage::new(coloured);
        page.headline(&[(Style::Strong, "a"), (Style::Plain, ""), (Style::Plain, "b")]);
        assert_eq!(page.into_text(), "\u{1b}[1ma\u{1b}[0m  b\n");
    }
}
