//! A page of text for a person: headlines, paragraphs, aligned pairs and columns, wrapped to the
//! screen. Whatever is put on it is shown and never obeyed: control characters in a memory do not
//! reach the terminal.

mod wrap;

use crate::screen::Screen;
use unicode_width::UnicodeWidthStr;
use wrap::{harmless, wrapped};

/// How far what belongs to a headline is set in.
pub const INDENT: usize = 4;
/// The space between columns.
const GAP: usize = 2;

/// How a piece of text stands out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Style {
    /// Not at all.
    Plain,
    /// What to look at first.
    Strong,
    /// What can be skipped.
    Faint,
    /// What is well.
    Good,
    /// What wants attention.
    Warn,
    /// What is wrong.
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
}

/// A page in the making.
#[derive(Debug)]
pub struct Page {
    screen: Screen,
    text: String,
}

impl Page {
    /// An empty page for this screen.
    pub fn new(screen: Screen) -> Self {
        Self { screen, text: String::new() }
    }

    /// What was written so far.
    pub fn into_text(self) -> String {
        self.text
    }

    /// An empty line, unless there is one or the page is empty.
    pub fn blank(&mut self) -> &mut Self {
        if !self.text.is_empty() && !self.text.ends_with("\n\n") {
            self.text.push('\n');
        }
        self
    }

    /// A line of pieces with two spaces between them; empty pieces are left out. It is not wrapped.
    pub fn headline(&mut self, pieces: &[(Style, &str)]) -> &mut Self {
        let pieces = pieces.iter().filter(|(_, piece)| !piece.is_empty());
        for (position, (style, piece)) in pieces.enumerate() {
            if position > 0 {
                self.text.push_str("  ");
            }
            self.styled(*style, &harmless(piece).replace('\n', " "));
        }
        self.text.push('\n');
        self
    }

    /// A heading over what follows.
    pub fn heading(&mut self, text: &str) -> &mut Self {
        self.blank().headline(&[(Style::Strong, text)])
    }

    /// A sentence or more, from the left edge.
    pub fn say(&mut self, text: &str) -> &mut Self {
        self.paragraph(0, Style::Plain, text)
    }

    /// Text set in and wrapped; its own line ends are kept.
    pub fn paragraph(&mut self, indent: usize, style: Style, text: &str) -> &mut Self {
        for line in wrapped(&harmless(text), self.room(indent)) {
            if !line.is_empty() {
                self.text.push_str(&" ".repeat(indent));
                self.styled(style, &line);
            }
            self.text.push('\n');
        }
        self
    }

    /// Names and what they stand for, one a line, aligned; a long value goes on below itself.
    pub fn pairs(&mut self, pairs: &[(&str, String)]) -> &mut Self {
        let widest = pairs.iter().map(|(name, _)| name.width()).max().unwrap_or(0);
        let indent = GAP + widest + GAP;
        for (name, value) in pairs {
            self.text.push_str(&" ".repeat(GAP));
            self.styled(Style::Faint, name);
            self.text.push_str(&" ".repeat(indent - GAP - name.width()));
            self.hanging(indent, value);
        }
        self
    }

    /// Rows in aligned columns; the last column is wrapped below itself.
    pub fn columns(&mut self, rows: &[Vec<String>]) -> &mut Self {
        let rows: Vec<Vec<String>> = rows
            .iter()
            .map(|row| row.iter().map(|cell| harmless(cell).replace('\n', " ")).collect())
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
            self.hanging(indent, last);
        }
        self
    }

    /// Text that goes on where the line stands, and wraps below itself.
    fn hanging(&mut self, indent: usize, text: &str) {
        for (position, line) in wrapped(&harmless(text), self.room(indent)).iter().enumerate() {
            if position > 0 {
                self.text.push_str(&" ".repeat(indent));
            }
            self.text.push_str(line);
            self.text.push('\n');
        }
    }

    fn room(&self, indent: usize) -> Option<usize> {
        self.screen.width.map(|width| width.saturating_sub(indent).max(20))
    }

    fn styled(&mut self, style: Style, text: &str) {
        if self.screen.colours && style != Style::Plain {
            self.text.push_str(style.code());
            self.text.push_str(text);
            self.text.push_str("\u{1b}[0m");
        } else {
            self.text.push_str(text);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::screen::Form;

    fn page(width: usize) -> Page {
        Page::new(Screen { form: Form::Text, width: Some(width), colours: false })
    }

    #[test]
    fn long_values_go_on_below_themselves() {
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
    fn columns_are_aligned_by_what_is_seen() {
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
    fn colours_are_only_there_when_they_are_wanted() {
        let coloured = Screen { form: Form::Text, width: None, colours: true };
        let mut page = Page::new(coloured);
        page.headline(&[(Style::Strong, "a"), (Style::Plain, ""), (Style::Plain, "b")]);
        assert_eq!(page.into_text(), "\u{1b}[1ma\u{1b}[0m  b\n");
    }
}
