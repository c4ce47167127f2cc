//! What a memory mentions: its prose as `reading` finds it, its fenced code as `symbols` parses it.
//! Parsing gets a moment and no more: code comes from strangers, and what takes longer is read
//! without grammars.

use engine_core::call::internal;
use model::Failure;
use reading::{CodeBlock, Declared, Mention, MentionKind, ParsedBlock};
use std::time::{Duration, Instant};
use symbols::{Language, Symbol, SymbolKind};

/// How long the blocks of one text may take together.
const PATIENCE: Duration = Duration::from_millis(500);
/// How many blocks of one text are parsed.
const BLOCKS_MAX: usize = 16;

/// What a text mentions.
pub(super) async fn mentioned(text: &str) -> Result<Vec<Mention>, Failure> {
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

/// What a block declares; `None` when no grammar reads it or time is up, so that keywords are
/// asked.
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
