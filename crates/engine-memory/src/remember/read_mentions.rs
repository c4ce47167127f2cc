//! Mentions in a text: prose is read by `reading`, fenced code is parsed by `symbols`. The work
//! of parsing is limited, because code comes from strangers; code beyond the limit is read by
//! keywords alone.

use engine_core::call::internal;
use model::Failure;
use reading::{CodeBlock, Declaration, MentionKind, ParsedBlock, TextMention};
use symbols::{Language, ParseBudget, Symbol, SymbolKind};

/// Number of code blocks that are parsed.
const BLOCKS_MAX: usize = 16;

/// Returns what a text mentions.
pub(super) async fn read_mentions(text: &str) -> Result<Vec<TextMention>, Failure> {
    // Reading prose is quick; only parsing is worth a blocking thread.
    if !reading::code_blocks(text).iter().any(|block| Language::from_name(block.language).is_some())
    {
        return Ok(reading::mentions(text));
    }
    let text = text.to_owned();
    let read = move || {
        let mut budget = ParseBudget::default();
        let blocks = reading::code_blocks(&text);
        let parsed: Vec<ParsedBlock> = blocks
            .iter()
            .take(BLOCKS_MAX)
            .filter_map(|block| parse_block(block, &mut budget))
            .collect();
        reading::mentions_with(&text, &parsed)
    };
    tokio::task::spawn_blocking(read).await.map_err(internal)
}

/// Parses a code block; `None` when there is no grammar for it or it exceeds the budget, so that
/// keywords are used.
fn parse_block(block: &CodeBlock<'_>, budget: &mut ParseBudget) -> Option<ParsedBlock> {
    let language = Language::from_name(block.language)?;
    let found = symbols::symbols(language, block.code, budget)?;
    let declarations = found.into_iter().map(|symbol| to_declared(symbol, block.start)).collect();
    Some(ParsedBlock { start: block.start, declarations })
}

fn to_declared(symbol: Symbol, start: usize) -> Declaration {
    let kind = match symbol.kind {
        SymbolKind::Function => MentionKind::Function,
        SymbolKind::Type => MentionKind::Type,
        SymbolKind::Module => MentionKind::Module,
    };
    Declaration { kind, name: symbol.name, at: start + symbol.start }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn the_same_text_has_the_same_mentions_under_load() {
        let hostile = "a::<".repeat(200);
        let text = format!(
            "The parser:\n```rust\npub fn parse_row() {{}}\nstruct Row;\n```\n\
             ```cpp\n{hostile}\nvoid lost() {{}}\n```\n```c\nint last_one(void);\n```\n"
        );
        let alone = read_mentions(&text).await.unwrap();
        let named = |name: &str| alone.iter().any(|mention| mention.name == name);
        assert!(named("parse_row") && named("Row") && named("last_one"), "{alone:?}");
        let mut crowd = Vec::new();
        for _ in 0..8 {
            let text = text.clone();
            crowd.push(tokio::spawn(async move { read_mentions(&text).await }));
        }
        for one in crowd {
            assert_eq!(one.await.unwrap().unwrap(), alone);
        }
    }
}
