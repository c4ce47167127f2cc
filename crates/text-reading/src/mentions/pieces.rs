//! Splits a text into prose, inline code and lines of fenced blocks, and prose into tokens at white
//! space.

use crate::lines::{Line, Role, lines};

/// A segment of text within one line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Piece<'t> {
    Prose {
        text: &'t str,
        start: usize,
        opens_line: bool,
    },
    Inline {
        code: &'t str,
        start: usize,
    },
    /// A line of a fenced block; `block` is the offset of the first line of that block.
    Fenced {
        info: &'t str,
        block: usize,
        line: &'t str,
        start: usize,
    },
}

/// Returns the segments of `text` in order.
pub(super) fn pieces(text: &str) -> Vec<Piece<'_>> {
    let mut found = Vec::new();
    let (mut info, mut block) = ("", 0);
    for line in lines(text) {
        match line.role {
            Role::Prose => prose(line, &mut found),
            Role::FenceOpen(opened) => (info, block) = (opened, line.next),
            Role::Code => {
                found.push(Piece::Fenced { info, block, line: line.text, start: line.start })
            }
            Role::FenceClose => {}
        }
    }
    found
}

fn prose<'t>(line: Line<'t>, found: &mut Vec<Piece<'t>>) {
    let mut at = 0;
    while let Some((open, code, next)) = inline_code(line.text, at) {
        found.push(Piece::Prose {
            text: &line.text[at..open],
            start: line.start + at,
            opens_line: at == 0,
        });
        found.push(Piece::Inline { code, start: line.start + open });
        at = next;
    }
    found.push(Piece::Prose {
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
pub(super) struct Chunk<'t> {
    /// Token as written, with its punctuation.
    pub(super) whole: &'t str,
    /// Token without surrounding quotes, brackets and punctuation.
    pub(super) core: &'t str,
    /// Byte offset of the token in the prose.
    pub(super) start: usize,
}

/// Returns the tokens of a stretch of prose in order.
pub(super) fn chunks(text: &str) -> impl Iterator<Item = Chunk<'_>> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let start = at + text[at..].find(|c: char| !c.is_whitespace())?;
        at = text[start..].find(char::is_whitespace).map_or(text.len(), |length| start + length);
        let whole = &text[start..at];
        Some(Chunk { whole, core: core(whole), start })
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
    fn backticks_part_code_from_prose() {
        let text = "run `cargo test` and ``a`b`` or `open\n```sh\nls\n```";
        let found = pieces(text);
        let inline: Vec<_> = found
            .iter()
            .filter_map(|p| if let Piece::Inline { code, .. } = p { Some(*code) } else { None })
            .collect();
        assert_eq!(inline, ["cargo test", "a`b"]);
        assert!(found.contains(&Piece::Fenced {
            info: "sh",
            block: text.len() - 6,
            line: "ls",
            start: text.len() - 6
        }));
    }

    #[test]
    fn chunks_lose_their_punctuation_but_not_their_brackets() {
        let cores: Vec<_> =
            chunks("(see open(), “Ana”! and [x].)").map(|token| token.core).collect();
        assert_eq!(cores, ["see", "open()", "Ana", "and", "x"]);
    }
}
