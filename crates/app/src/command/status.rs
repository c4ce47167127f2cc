//! `quipu status`: counts, size on disk, location and embedding progress.

use crate::command_output::CommandOutput;
use crate::exit::Problem;
use crate::render::{human_size, join_counts};
use crate::setup::Setup;
use crate::text_page::TextPage;
use clap::Args;
use embed_endpoint::Spending;
use engine::maintenance::StoreStatus;
use engine::reembed::EmbeddingProgress;
use model::{JsonMap, Status as MemoryStatus};
use serde_json::{Value, json};

const EXAMPLES: &str = "\
Examples:
  quipu status
  quipu status --json";

/// Show counts, size on disk, location and embedding progress
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub struct StatusArgs {}

impl StatusArgs {
    /// Shows the status.
    ///
    /// # Errors
    /// Fails when the store fails.
    pub async fn run(self, setup: &Setup) -> Result<CommandOutput, Problem> {
        let read = setup.with_memory(async |memory| {
            let caller = memory.caller_for("status");
            let status = memory.engine.admin().status(&caller).await?;
            let progress = status.embedding.clone();
            Ok((status, EmbedderStatus { progress, spending: memory.embedder.spending() }))
        });
        let (status, embedded) = read.await?;
        let mut page = TextPage::new(setup.terminal);
        render(&mut page, setup, &status, &embedded);
        Ok(CommandOutput::new(as_json(setup, &status, &embedded), page))
    }
}

/// Embedding progress, and today's spending of an endpoint.
struct EmbedderStatus {
    progress: EmbeddingProgress,
    spending: Option<Spending>,
}

fn as_json(setup: &Setup, status: &StoreStatus, embedded: &EmbedderStatus) -> Value {
    let counts = &status.counts;
    let tally = |list: &[(String, usize)]| -> JsonMap {
        list.iter().map(|(name, count)| (name.clone(), json!(count))).collect()
    };
    let memories: JsonMap =
        status_counts(status).map(|(name, count)| (name.to_owned(), json!(count))).collect();
    json!({
        "owner": setup.config.owner.as_str(),
        "home": setup.home.path().display().to_string(),
        "file": setup.memory_location(),
        "bytes": counts.bytes,
        "memories": memories,
        "kinds": tally(&counts.kinds),
        "projects": tally(&counts.projects),
        "links": counts.links,
        "entities": counts.entities,
        "sessions": counts.sessions,
        "rows": counts.records,
        "handoffs": counts.handoffs,
        "references": counts.references,
        "to_review": counts.reviews_open,
        "events": counts.events,
        "newest_change": status.seq.0,
        "embedder": embedder_as_json(embedded),
    })
}

fn embedder_as_json(embedded: &EmbedderStatus) -> Value {
    let EmbeddingProgress { model, done, total } = &embedded.progress;
    let mut output = json!({ "model": model, "done": done, "total": total });
    if let Some(Spending { day, tokens, texts, budget }) = &embedded.spending {
        output["today"] = json!({
            "day": day,
            "tokens": tokens,
            "tokens_per_day": budget.tokens_per_day,
            "texts": texts,
            "texts_per_day": budget.texts_per_day,
        });
    }
    output
}

/// Returns the number of memories in each status; active is always included.
fn status_counts(status: &StoreStatus) -> impl Iterator<Item = (&'static str, usize)> {
    MemoryStatus::ALL.into_iter().filter_map(|one| {
        let count = status.counts.in_status(one);
        (count > 0 || one == MemoryStatus::Active).then(|| (one.name(), count))
    })
}

fn render(page: &mut TextPage, setup: &Setup, status: &StoreStatus, embedded: &EmbedderStatus) {
    let counts = &status.counts;
    let tally = |list: &[(String, usize)]| {
        join_counts(list.iter().map(|(name, count)| (name.as_str(), *count)))
    };
    let mut pairs = vec![
        ("owner", setup.config.owner.to_string()),
        ("memories", join_counts(status_counts(status))),
    ];
    for (name, list) in [("kinds", &counts.kinds), ("projects", &counts.projects)] {
        if !list.is_empty() {
            pairs.push((name, tally(list)));
        }
    }
    let rest = [
        ("links", counts.links),
        ("entities", counts.entities),
        ("sessions", counts.sessions),
        ("table rows", counts.records),
        ("handoffs", counts.handoffs),
        ("references", counts.references),
        ("audit events", counts.events),
    ];
    let other = join_counts(rest.into_iter().filter(|(_, count)| *count > 0));
    if !other.is_empty() {
        pairs.push(("other", other));
    }
    if counts.reviews_open > 0 {
        pairs.push(("to review", format!("{}; see `quipu review`", counts.reviews_open)));
    }
    pairs.push(("embedder", render_embedder(&embedded.progress)));
    if let Some(spending) = &embedded.spending {
        pairs.push(("used today", render_spending(spending)));
    }
    pairs.push(("size", human_size(counts.bytes)));
    pairs.push((
        if setup.config.store.is_some() { "store" } else { "file" },
        setup.memory_location(),
    ));
    page.pairs(&pairs);
}

fn render_embedder(embedded: &EmbeddingProgress) -> String {
    if embedded.is_complete() {
        return format!("{}, all memories", embedded.model);
    }
    let EmbeddingProgress { model, done, total } = embedded;
    format!(
        "{model}, {done} of {total} memories; the others are found by words only until a running \
         `mcp` or `serve` has embedded them"
    )
}

/// Formats today's spending with the budget.
fn render_spending(spending: &Spending) -> String {
    let of = |spent: u64, limit: Option<u64>, what: &str| match limit {
        Some(limit) => format!("{spent} of {limit} {what}"),
        None => format!("{spent} {what}"),
    };
    let tokens = of(spending.tokens, spending.budget.tokens_per_day, "tokens");
    format!(
        "{tokens}, {} (since midnight UTC)",
        of(spending.texts, spending.budget.texts_per_day, "texts")
    )
}
