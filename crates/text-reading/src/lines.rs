//! Lines of a markdown text, each classified as prose or fenced code. Fences are the only markdown
//! construct known here.

/// One line, without its line ending.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct MarkdownLine<'t> {
    pub(crate) text: &'t str,
    /// Byte offset in the whole text.
    pub(crate) start: usize,
    /// Byte offset of the next line, past the line ending.
    pub(crate) next: usize,
    pub(crate) role: LineRole<'t>,
}

/// Role of a line in its document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LineRole<'t> {
    Prose,
    /// The opening fence with its info string (`rust`, `python title="a.py"`).
    FenceOpen(&'t str),
    Code,
    FenceClose,
}

/// Returns the lines of `text` in order; together they cover it without a gap.
pub(crate) fn lines(text: &str) -> impl Iterator<Item = MarkdownLine<'_>> {
    let mut open: Option<Fence> = None;
    let mut start = 0;
    text.split_inclusive('\n').map(move |whole| {
        let bare = whole.strip_suffix('\n').unwrap_or(whole);
        let bare = bare.strip_suffix('\r').unwrap_or(bare);
        let line = MarkdownLine {
            text: bare,
            start,
            next: start + whole.len(),
            role: line_role(bare, &mut open),
        };
        start = line.next;
        line
    })
}

/// Marker that opened a block. A block ends only at the same marker, at least as long.
#[derive(Clone, Copy)]
struct Fence {
    marker: char,
    length: usize,
}

fn line_role<'t>(line: &'t str, open: &mut Option<Fence>) -> LineRole<'t> {
    let found = fence(line);
    match (*open, found) {
        // Three backticks around inline code (```code```) open no block: an info string of a
        // backtick fence may not contain backticks (CommonMark).
        (None, Some((fence, info))) if !(fence.marker == '`' && info.contains('`')) => {
            *open = Some(fence);
            LineRole::FenceOpen(info)
        }
        (None, _) => LineRole::Prose,
        (Some(opened), Some((fence, "")))
            if fence.marker == opened.marker && fence.length >= opened.length =>
        {
            *open = None;
            LineRole::FenceClose
        }
        (Some(_), _) => LineRole::Code,
    }
}

fn fence(line: &str) -> Option<(Fence, &str)> {
    let line = line.trim_start();
    let marker = line.chars().next().filter(|c| matches!(c, '`' | '~'))?;
    let rest = line.trim_start_matches(marker);
    let length = line.len() - rest.len();
    (length >= 3).then_some((Fence { marker, length }, rest.trim()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn roles(text: &str) -> Vec<LineRole<'_>> {
        lines(text).map(|line| line.role).collect()
    }

    #[test]
    fn a_block_ends_only_at_the_marker_that_opened_it() {
        use LineRole::{Code, FenceClose, FenceOpen, Prose};
        assert_eq!(
            roles("a\n````rust\n```\n~~~~\n````\nb"),
            [Prose, FenceOpen("rust"), Code, Code, FenceClose, Prose]
        );
    }

    #[test]
    fn inline_code_written_with_three_backticks_opens_nothing() {
        assert_eq!(roles("```code``` and prose\nmore"), [LineRole::Prose, LineRole::Prose]);
    }

    #[test]
    fn lines_cover_the_text_and_lose_their_endings() {
        let all: Vec<_> = lines("one\r\ntwo\n\nend").collect();
        assert_eq!(all.iter().map(|line| line.text).collect::<Vec<_>>(), ["one", "two", "", "end"]);
        assert_eq!(all.iter().map(|line| line.next).collect::<Vec<_>>(), [5, 9, 10, 13]);
    }
}
