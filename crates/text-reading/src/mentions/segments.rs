//! Splits a text into prose, inline code and lines of fenced blocks, and prose into tokens at white
//! space.

use crate::lines::{LineRole, MarkdownLine, lines};

/// A segment of text within one line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TextSegment<'t> {
    Prose {
        text: &'t str,
        start: usize,
        opens_line: bool,
    },
    InlineCode {
        code: &'t str,
        start: usize,
    },
    /// A line of a fenced block; `block` is the offset of the first line of that block.
    FencedLine {
        info: &'t str,
        block: usize,
        line: &'t str,
        start: usize,
    },
}

/// Returns the segments of `text` in order.
pub(super) fn segments(text: &str) -> Vec<TextSegment<'_>> {
    let mut found = Vec::new();
    let (mut info, mut block) = ("", 0);
    for line in lines(text) {
        match line.role {
            LineRole::Prose => push_prose(line, &mut found),
            LineRole::FenceOpen(opened) => (info, block) = (opened, line.next),
            LineRole::Code => found.push(TextSegment::FencedLine {
                info,
                block,
                line: line.text,
                start: line.start,
            }),
            LineRole::FenceClose => {}
        }
    }
    found
}

fn push_prose<'t>(line: MarkdownLine<'t>, found: &mut Vec<TextSegment<'t>>) {
    let mut at = 0;
    while let Some((open, code, next)) = inline_code(line.text, at) {
        found.push(TextSegment::Prose {
            text: &line.text[at..open],
            start: line.start + at,
            opens_line: at == 0,
        });
        found.push(TextSegment::InlineCode { code, start: line.start + open });
        at = next;
    }
    found.push(TextSegment::Prose {
        text: &line.text[at..],
        start: line.start + at,
        opens_line: at == 0,
    });
}

/// Returns the next code span, delimited by equally many backticks: its offset, its content, and
/// the offset after it.
fn inline_code(line: &str, from: usize) -> Option<(usize, &str, usize)> {
    let open = from + line[from..].find('`')?;
    let code = &line[open..];
    let ticks = code.len() - code.trim_start_matches('`').len();
    let inner = open + ticks;
    let close = inner + line[inner..].find(&line[open..inner])?;
    Some((open, &line[inner..close], close + ticks))
}

/// One token of prose, delimited by white space.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ProseToken<'t> {
    /// Token as written, with its punctuation.
    pub(super) raw: &'t str,
    /// Token without surrounding quotes, brackets and punctuation.
    pub(super) core: &'t str,
    /// Byte offset of the token in the prose.
    pub(super) start: usize,
}

/// Returns the tokens of a stretch of prose in order.
pub(super) fn prose_tokens(text: &str) -> impl Iterator<Item = ProseToken<'_>> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let start = at + text[at..].find(|c: char| !c.is_whitespace())?;
        at = text[start..].find(char::is_whitespace).map_or(text.len(), |length| start + length);
        let whole = &text[start..at];
        Some(ProseToken { raw: whole, core: core(whole), start })
    })
}

fn core(whole: &str) -> &str {
    let core =
        whole.trim_start_matches(['"', '\'', '(', '[', '{', '<', '*', '“', '‘', '«', '|', '>']);
    let ends = |c: char| "\"'.,;:!?*”’»…|]}>".contains(c);
    // A bracket opened inside the token belongs to it: `open()`.
    if core.contains('(') {
        core.trim_end_matches(ends)
    } else {
        core.trim_end_matches(|c| ends(c) || c == ')')
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn backticks_separate_code_from_prose() {
        let text = "run `cargo test` and ``a`b`` or `open\n```sh\nls\n```";
        let found = segments(text);
        let inline: Vec<_> = found
            .iter()
            .filter_map(|p| {
                if let TextSegment::InlineCode { code, .. } = p { Some(*code) } else { None }
            })
            .collect();
        assert_eq!(inline, ["cargo test", "a`b"]);
        assert!(found.contains(&TextSegment::FencedLine {
            info: "sh",
            block: text.len() - 6,
            line: "ls",
            start: text.len() - 6
        }));
    }

    #[test]
    fn tokens_lose_their_punctuation_but_not_their_brackets() {
        let cores: Vec<_> =
            prose_tokens("(see open(), “Ana”! and [x].)").map(|token| token.core).collect();
        assert_eq!(cores, ["see", "open()", "Ana", "and", "x"]);
    }
}
