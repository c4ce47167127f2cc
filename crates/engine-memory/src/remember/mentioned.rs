//! Mentions in a text: prose is read by `reading`, fenced code is parsed by `symbols`. Parsing has
//! a time limit, because code comes from strangers; what takes longer is read by keywords alone.

use engine_core::call::internal;
use model::Failure;
use reading::{CodeBlock, Declared, Mention, MentionKind, ParsedBlock};
use std::time::{Duration, Instant};
use symbols::{Language, Symbol, SymbolKind};

/// Time limit for all code blocks of one text.
const PATIENCE: Duration = Duration::from_millis(500);
/// Number of code blocks that are parsed.
const BLOCKS_MAX: usize = 16;

/// Returns what a text mentions.
pub(super) async fn mentioned(text: &str) -> Result<Vec<Mention>, Failure> {
    // Reading prose is quick; only parsing is worth a blocking thread.
    if !reading::code_blocks(text).iter().any(|block| Language::named(block.language).is_some()) {
        return Ok(reading::mentions(text));
    }
    let text = text.to_owned();
    let read = move || {
        let until = Instant::now() + PATIENCE;
        let blocks = reading::code_blocks(&text);
        let parsed: Vec<ParsedBlock> =
            blocks.iter().take(BLOCKS_MAX).filter_map(|block| parsed(block, until)).collect();
        reading::mentions_with(&text, &parsed)
    };
    tokio::task::spawn_blocking(read).await.map_err(internal)
}

/// Parses a code block; `None` when there is no grammar for it or the time is up, so that keywords
/// are used.
fn parsed(block: &CodeBlock<'_>, until: Instant) -> Option<ParsedBlock> {
    let language = Language::named(block.language)?;
    let mut in_time = Instant::now() < until;
    if !in_time {
        return None;
    }
    let found = symbols::symbols(language, block.code, || {
        in_time = Instant::now() < until;
        in_time
    });
    let declared = found.into_iter().map(|symbol| declared(symbol, block.start)).collect();
    in_time.then_some(ParsedBlock { start: block.start, declared })
}

fn declared(symbol: Symbol, start: usize) -> Declared {
    let kind = match symbol.kind {
        SymbolKind::Function => MentionKind::Function,
        SymbolKind::Type => MentionKind::Type,
        SymbolKind::Module => MentionKind::Module,
    };
    Declared { kind, name: symbol.name, at: start + symbol.start }
}
