//! Fenced code blocks of a text, to be read by a real parser, and the declarations that the parser
//! found in them. This crate contains no grammar itself.

use super::MentionKind;
use crate::lines::{LineRole, lines};

/// A fenced block of code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CodeBlock<'t> {
    /// Language named by the opening fence; empty when it names none.
    pub language: &'t str,
    pub code: &'t str,
    /// Byte offset of the code in the whole text.
    pub start: usize,
}

/// A block that was read by a parser.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParsedBlock {
    /// Byte offset of the block, as returned by [`code_blocks`].
    pub start: usize,
    pub declarations: Vec<Declaration>,
}

/// A declaration in code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Declaration {
    pub kind: MentionKind,
    pub name: String,
    /// Byte offset in the whole text.
    pub at: usize,
}

/// Returns the fenced blocks of `text` in order; one that is never closed ends with the text.
pub fn code_blocks(text: &str) -> Vec<CodeBlock<'_>> {
    let mut found: Vec<CodeBlock<'_>> = Vec::new();
    for line in lines(text) {
        match line.role {
            LineRole::FenceOpen(info) => {
                found.push(CodeBlock {
                    language: language_of_fence(info),
                    code: "",
                    start: line.next,
                });
            }
            LineRole::Code => {
                if let Some(block) = found.last_mut() {
                    block.code = &text[block.start..line.next];
                }
            }
            LineRole::Prose | LineRole::FenceClose => {}
        }
    }
    found.retain(|block| !block.code.trim().is_empty());
    found
}

/// Returns the first word of a fence's info string: `rust,ignore`, `python:app.py`, `c++ title=x`.
fn language_of_fence(info: &str) -> &str {
    let end = info
        .find(|c: char| !c.is_ascii_alphanumeric() && c != '+' && c != '#')
        .unwrap_or(info.len());
    &info[..end]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mentions_with;

    #[test]
    fn blocks_are_found_with_language_and_offset() {
        let text = "a\n```rust,ignore\nfn f() {}\n```\nb\n~~~ c++ title=x\nint x;\n";
        let found = code_blocks(text);
        let blocks: Vec<_> = found.iter().map(|block| (block.language, block.code)).collect();
        assert_eq!(blocks, [("rust", "fn f() {}\n"), ("c++", "int x;\n")]);
        assert!(found.iter().all(|block| text[block.start..].starts_with(block.code)));
    }

    #[test]
    fn parsed_declarations_replace_those_found_by_keyword() {
        let text = "See:\n```rust src/a.rs\nfn seen() {}\nraise TimeoutError\n```";
        let start = code_blocks(text)[0].start;
        let declared =
            vec![Declaration { kind: MentionKind::Function, name: "parsed".into(), at: start + 3 }];
        let found = mentions_with(text, &[ParsedBlock { start, declarations: declared }]);
        let mentions: Vec<_> = found
            .iter()
            .map(|one| (one.name.as_str(), one.source.as_str(), one.path.as_deref()))
            .collect();
        assert_eq!(
            mentions,
            [
                ("parsed", "tree-sitter", Some("src/a.rs")),
                ("TimeoutError", "fence", Some("src/a.rs"))
            ]
        );
    }
}
