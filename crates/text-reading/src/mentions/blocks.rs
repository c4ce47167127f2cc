//! The fenced blocks of a text, for a parser of real grammars to read, and what it found in them.
//! This room knows no grammar itself.

use super::MentionKind;
use crate::lines::{Role, lines};

/// A fenced block of code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CodeBlock<'t> {
    /// The language that stands behind the opening fence; empty when none does.
    pub language: &'t str,
    /// The lines between the fences.
    pub code: &'t str,
    /// Where they start in the whole text.
    pub start: usize,
}

/// A block that a parser read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParsedBlock {
    /// Where the block starts, as [`code_blocks`] told.
    pub start: usize,
    /// What it declares.
    pub declared: Vec<Declared>,
}

/// What code declares.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Declared {
    /// What it is.
    pub kind: MentionKind,
    /// Its name.
    pub name: String,
    /// Where it stands in the whole text.
    pub at: usize,
}

/// The fenced blocks of `text` in order; one that is never closed ends with the text.
pub fn code_blocks(text: &str) -> Vec<CodeBlock<'_>> {
    let mut found: Vec<CodeBlock<'_>> = Vec::new();
    for line in lines(text) {
        match line.role {
            Role::FenceOpen(info) => {
                found.push(CodeBlock { language: language(info), code: "", start: line.next });
            }
            Role::Code => {
                if let Some(block) = found.last_mut() {
                    block.code = &text[block.start..line.next];
                }
            }
            Role::Prose | Role::FenceClose => {}
        }
    }
    found.retain(|block| !block.code.trim().is_empty());
    found
}

/// The first word of what stands behind a fence: `rust,ignore`, `python:app.py`, `c++
/// title="a.cc"`.
fn language(info: &str) -> &str {
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
    fn blocks_are_found_with_their_language_and_place() {
        let text = "a\n```rust,ignore\nfn f() {}\n```\nb\n~~~ c++ title=x\nint x;\n";
        let found = code_blocks(text);
        let told: Vec<_> = found.iter().map(|block| (block.language, block.code)).collect();
        assert_eq!(told, [("rust", "fn f() {}\n"), ("c++", "int x;\n")]);
        assert!(found.iter().all(|block| text[block.start..].starts_with(block.code)));
    }

    #[test]
    fn what_a_parser_found_stands_in_place_of_what_keywords_tell() {
        let text = "See:\n```rust src/a.rs\nfn seen() {}\nraise TimeoutError\n```";
        let start = code_blocks(text)[0].start;
        let declared =
            vec![Declared { kind: MentionKind::Function, name: "told".into(), at: start + 3 }];
        let found = mentions_with(text, &[ParsedBlock { start, declared }]);
        let told: Vec<_> = found
            .iter()
            .map(|one| (one.name.as_str(), one.source.as_str(), one.path.as_deref()))
            .collect();
        assert_eq!(
            told,
            [
                ("told", "tree-sitter", Some("src/a.rs")),
                ("TimeoutError", "fence", Some("src/a.rs"))
            ]
        );
    }
}
