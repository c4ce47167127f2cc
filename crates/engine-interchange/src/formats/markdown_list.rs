//! Markdown files such as CLAUDE.md and MEMORY.md: each bullet with what is below it, and each
//! paragraph, is one memory, with the headings above it as its title. In plain text, each line is.

use crate::foreign::{ForeignItems, ForeignMemory, ForeignNote, ItemList};
use model::Provenance;

/// Beginning and end of the block that `quipu setup` writes into instructions.
const OWN_BLOCK: (&str, &str) = ("<!-- quipu:start", "<!-- quipu:end");

/// Memories of a Markdown file or a plain text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct MarkdownList {
    name: String,
    text: String,
    is_plain: bool,
}

/// A memory under construction.
#[derive(Debug, Default)]
struct ListBlock {
    title: Option<String>,
    lines: Vec<String>,
}

impl MarkdownList {
    pub fn new(name: &str, text: String) -> Self {
        Self { name: name.to_owned(), text, is_plain: false }
    }

    /// Makes the memories of a plain text, one on each line.
    pub fn lines(name: &str, text: String) -> Self {
        Self { name: name.to_owned(), text, is_plain: true }
    }

    /// Adds the memories to a list, as attributes of a note.
    pub fn add_to(&self, items: &mut ItemList, note: &ForeignNote) {
        let blocks = if self.is_plain { plain_lines(&self.text) } else { blocks(&self.text) };
        for (position, block) in blocks.into_iter().enumerate() {
            let name = format!("{} entry {}", self.name, position + 1);
            let text = block.lines.join("\n");
            items.add(ForeignNote { name, text, title: block.title, ..note.clone() });
        }
    }
}

impl ForeignMemory for MarkdownList {
    fn program(&self) -> &'static str {
        if self.is_plain { "a text" } else { "a Markdown list" }
    }

    fn convert(&self, from: &Provenance) -> ForeignItems {
        let mut items = ItemList::new(from);
        self.add_to(&mut items, &ForeignNote::default());
        items.finish()
    }
}

fn plain_lines(text: &str) -> Vec<ListBlock> {
    let lines = text.lines().map(|line| without_marker(line.trim()).unwrap_or(line.trim()));
    lines.map(|line| ListBlock { title: None, lines: vec![line.to_owned()] }).collect()
}

/// Splits a Markdown text into its bullets and paragraphs.
fn blocks(text: &str) -> Vec<ListBlock> {
    let mut splitter = BlockSplitter::default();
    let text = text
        .strip_prefix("---\n")
        .and_then(|rest| rest.split_once("\n---\n"))
        .map_or(text, |(_, body)| body);
    for line in text.lines() {
        splitter.read(line);
    }
    splitter.end_block();
    splitter.blocks
}

#[derive(Debug, Default)]
struct BlockSplitter {
    blocks: Vec<ListBlock>,
    /// Headings above the current line, by level.
    headings: Vec<(usize, String)>,
    current: Vec<String>,
    in_code: bool,
    in_own_block: bool,
}

impl BlockSplitter {
    fn read(&mut self, line: &str) {
        let content = line.trim();
        if self.skips_own_block(content) {
            return;
        }
        if content.starts_with("```") || content.starts_with("~~~") {
            self.in_code = !self.in_code;
            self.current.push(line.to_owned());
        } else if self.in_code {
            self.current.push(line.to_owned());
        } else if let Some(heading) = heading(content) {
            self.end_block();
            self.headings.retain(|(level, _)| *level < heading.0);
            self.headings.push(heading);
        } else if content.is_empty() || is_rule_or_comment(content) {
            self.end_block();
        } else if let Some(bullet) = without_marker(line) {
            self.end_block();
            self.current.push(bullet.to_owned());
        } else {
            // Nested bullets and wrapped lines belong to the bullet above them.
            self.current.push(line.trim_end().to_owned());
        }
    }

    fn skips_own_block(&mut self, content: &str) -> bool {
        if content.starts_with(OWN_BLOCK.0) {
            self.end_block();
            self.in_own_block = true;
        }
        let skips = self.in_own_block;
        if content.starts_with(OWN_BLOCK.1) {
            self.in_own_block = false;
        }
        skips
    }

    fn end_block(&mut self) {
        let lines = std::mem::take(&mut self.current);
        if lines.iter().any(|line| line.chars().any(char::is_alphanumeric)) {
            // The first heading is usually the name of the file.
            let above = self.headings.iter().filter(|(level, _)| *level > 1);
            let titles: Vec<&str> = above.map(|(_, title)| title.as_str()).collect();
            let title = (!titles.is_empty()).then(|| titles.join(" › "));
            self.blocks.push(ListBlock { title, lines });
        }
    }
}

fn heading(line: &str) -> Option<(usize, String)> {
    let level = line.chars().take_while(|c| *c == '#').count();
    let title = line[level..].strip_prefix(' ')?.trim().trim_end_matches('#').trim();
    ((1..=6).contains(&level) && !title.is_empty()).then(|| (level, title.to_owned()))
}

fn is_rule_or_comment(line: &str) -> bool {
    let is_rule = line.len() >= 3 && line.chars().all(|c| c == '-' || c == '*' || c == '_');
    // `@file` includes another file, which is imported by itself.
    let is_include = line.starts_with('@') && !line.contains(' ');
    is_rule || is_include || (line.starts_with("<!--") && line.ends_with("-->"))
}

/// Returns a bullet at the left margin without its marker.
fn without_marker(line: &str) -> Option<&str> {
    let bullet = ["- ", "* ", "+ "].iter().find_map(|marker| line.strip_prefix(marker));
    let number = line.find(|c: char| !c.is_ascii_digit()).filter(|at| *at > 0);
    let numbered = number.and_then(|at| line[at..].strip_prefix(". "));
    let text = bullet.or(numbered)?.trim();
    Some(["[ ] ", "[x] ", "[X] "].iter().find_map(|done| text.strip_prefix(done)).unwrap_or(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(markdown: &str) -> Vec<(Option<String>, String)> {
        blocks(markdown).into_iter().map(|block| (block.title, block.lines.join("\n"))).collect()
    }

    #[test]
    fn bullets_and_paragraphs_are_memories_under_their_headings() {
        let read = texts(
            "# CLAUDE.md\n\nUse pnpm.\n\n## Testing\n- Run `make test`.\n  - Twice.\n\
             - [x] Seed it.\n\n### Flaky\nRetry once,\nthen ask.\n\n---\n\
             @docs/more.md\n<!-- note -->\n",
        );
        let testing = || Some("Testing".to_owned());
        assert_eq!(
            read,
            [
                (None, "Use pnpm.".to_owned()),
                (testing(), "Run `make test`.\n  - Twice.".to_owned()),
                (testing(), "Seed it.".to_owned()),
                (Some("Testing › Flaky".to_owned()), "Retry once,\nthen ask.".to_owned()),
            ]
        );
    }

    #[test]
    fn code_stays_whole_and_our_own_instructions_stay_out() {
        let read = texts(
            "Build:\n```\nmake\n\n- all\n```\n<!-- quipu:start -->\nUse recall.\n\
             <!-- quipu:end -->\n1. First.\n",
        );
        let read: Vec<String> = read.into_iter().map(|(_, text)| text).collect();
        assert_eq!(read, ["Build:\n```\nmake\n\n- all\n```", "First."]);
    }
}
