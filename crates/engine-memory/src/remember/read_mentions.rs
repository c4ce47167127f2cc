//! Mentions in a text: prose is read by `reading`, fenced code is parsed by `symbols`. Parsing has
//! a time limit, because code comes from strangers; what takes longer is read by keywords alone.

use engine_core::call::internal;
use model::Failure;
use reading::{CodeBlock, Declaration, MentionKind, ParsedBlock, TextMention};
use std::time::{Duration, Instant};
use symbols::{Language, Symbol, SymbolKind};

/// Time limit for all code blocks of one text.
const PARSE_TIMEOUT: Duration = Duration::from_millis(500);
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
        let until = Instant::now() + PARSE_TIMEOUT;
        let blocks = reading::code_blocks(&text);
        let parsed: Vec<ParsedBlock> =
            blocks.iter().take(BLOCKS_MAX).filter_map(|block| parse_block(block, until)).collect();
        reading::mentions_with(&text, &parsed)
    };
    tokio::task::spawn_blocking(read).await.map_err(internal)
}

/// Parses a code block; `None` when there is no grammar for it or the time is up, so that keywords
/// are used.
fn parse_block(block: &CodeBlock<'_>, until: Instant) -> Option<ParsedBlock> {
    let language = Language::from_name(block.language)?;
    let mut in_time = Instant::now() < until;
    if !in_time {
        return None;
    }
    let found = symbols::symbols(language, block.code, || {
        in_time = Instant::now() < until;
        in_time
    });
    let declared = found.into_iter().map(|symbol| to_declared(symbol, block.start)).collect();
    in_time.then_some(ParsedBlock { start: block.start, declarations: declared })
}

fn to_declared(symbol: Symbol, start: usize) -> Declaration {
    let kind = match symbol.kind {
        SymbolKind::Function => MentionKind::Function,
        SymbolKind::Type => MentionKind::Type,
        SymbolKind::Module => MentionKind::Module,
    };
    Declaration { kind, name: symbol.name, at: start + symbol.start }
}
