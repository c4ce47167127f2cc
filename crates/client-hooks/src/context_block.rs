//! The block of text that a hook gives to the model. It is fenced and carries a hash of its
//! content, so that it is recognised and dropped when it comes back in a captured turn: a memory
//! must not store what it said itself.

use sha2::{Digest, Sha256};
use std::collections::HashSet;

/// Start of the fence, before the hash.
const START: &str = "<quipu-memory id=\"";
/// End of the fence.
const END: &str = "</quipu-memory>";
/// Length in characters from which a line is recognised by itself, outside of its block.
const LINE_CHARS_MIN: usize = 24;

/// A fenced block.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ContextBlock {
    /// Hash of the content.
    pub hash: String,
    /// The whole block, as the model sees it.
    pub text: String,
    /// Hashes of its lines.
    pub lines: Vec<String>,
}

impl ContextBlock {
    /// Fences a content.
    pub fn new(content: &str) -> Self {
        let content = content.trim();
        let hash = short_hash(content);
        let text = format!("{START}{hash}\">\n{content}\n{END}");
        let lines = content.lines().filter_map(line_hash).collect();
        Self { hash, text, lines }
    }
}

/// Returns a text without the blocks that a hook injected, and without lines that were in one.
pub fn without_injected(text: &str, injected_lines: &HashSet<String>) -> String {
    let text = without_blocks(text);
    if injected_lines.is_empty() {
        return text.trim().to_owned();
    }
    let is_own = |line: &&str| line_hash(line).is_none_or(|hash| !injected_lines.contains(&hash));
    text.lines().filter(is_own).collect::<Vec<_>>().join("\n").trim().to_owned()
}

fn without_blocks(text: &str) -> String {
    let mut rest = text;
    let mut kept = String::new();
    while let Some(start) = rest.find(START) {
        let (before, block) = rest.split_at(start);
        kept.push_str(before);
        match block_length(block) {
            Some(length) => rest = &block[length..],
            None => {
                // Somebody wrote about a fence: it is text like any other.
                kept.push_str(START);
                rest = &block[START.len()..];
            }
        }
    }
    kept.push_str(rest);
    kept
}

/// Returns the length of the block at the start of a text, if its hash is right.
fn block_length(block: &str) -> Option<usize> {
    let (hash, rest) = block[START.len()..].split_once("\">")?;
    let end = rest.find(END)?;
    let is_ours = short_hash(rest[..end].trim()) == hash;
    is_ours.then(|| block.len() - rest.len() + end + END.len())
}

fn line_hash(line: &str) -> Option<String> {
    let line = line.trim().trim_start_matches(['-', '*', ' ']);
    (line.chars().count() >= LINE_CHARS_MIN).then(|| short_hash(line))
}

/// Returns the first 16 hexadecimal digits of the hash of a text.
pub(crate) fn short_hash(text: &str) -> String {
    Sha256::digest(text.as_bytes()).iter().take(8).map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_injected_block_is_removed_and_the_words_around_it_stay() {
        let block = ContextBlock::new("We deploy on Fridays, after the tests.");
        let said = format!("Before.\n{}\nAfter.", block.text);
        assert_eq!(without_injected(&said, &HashSet::new()), "Before.\n\nAfter.");
        assert_eq!(without_injected(&block.text, &HashSet::new()), "");
    }

    #[test]
    fn a_block_that_was_written_by_somebody_else_is_text() {
        let said = "It prints <quipu-memory id=\"0123\">x</quipu-memory>, and ends.";
        assert_eq!(without_injected(said, &HashSet::new()), said);
        let open = "An open fence: <quipu-memory id=\"0123";
        assert_eq!(without_injected(open, &HashSet::new()), open);
    }

    #[test]
    fn a_line_of_a_block_is_recognised_without_its_fence() {
        let block = ContextBlock::new("- [17] We deploy on Fridays, after the tests.\n- [3] Yes.");
        let lines: HashSet<String> = block.lines.into_iter().collect();
        let said = "I know:\n[17] We deploy on Fridays, after the tests.\n[3] Yes.";
        assert_eq!(without_injected(said, &lines), "I know:\n[3] Yes.");
    }
}
