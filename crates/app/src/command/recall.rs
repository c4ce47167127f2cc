//! `quipu recall`: searches the memory, or shows the briefing that a new session gets.

mod briefing;

use crate::command_output::CommandOutput;
use crate::exit::Problem;
use crate::input::tool_arguments;
use crate::render::{self, MemoryOutput};
use crate::setup::Setup;
use crate::text_page::{Style, TextPage};
use briefing::BriefingOutput;
use clap::Args;
use serde::{Deserialize, Serialize};
use serde_json::Value;

const EXAMPLES: &str = "\
Examples:
  quipu recall which database for billing
  quipu recall \"what did we decide about retries?\" --kind decision --since 2026-01-01
  quipu recall --explain deploy
  quipu recall --as-of 2026-03-01 staging port
  quipu recall";

/// Search the memory; without a query, show the briefing for a new session
///
/// The best matches come first, without repetitions. Memories that were corrected, rejected or have
/// expired are left out; --as-of shows what was believed on an earlier date.
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub struct RecallArgs {
    /// Question or keywords, in any language
    #[arg(value_name = "QUERY")]
    query: Vec<String>,
    #[command(flatten)]
    filters: RecallFilters,
}

/// Filters and limits of a recall, under the parameter names of the tool `recall`.
#[derive(Debug, Args, Serialize)]
struct RecallFilters {
    /// Only memories of this project
    #[arg(long, short, value_name = "NAME")]
    project: Option<String>,
    /// Only memories of this session, by id or key
    #[arg(long, value_name = "SESSION")]
    session: Option<String>,
    /// Only memories of this kind; can be repeated
    #[arg(long = "kind", short, value_name = "KIND")]
    kinds: Vec<String>,
    /// Only memories with this tag; can be repeated
    #[arg(long = "tag", short, value_name = "TAG")]
    tags: Vec<String>,
    /// Only memories from this date on, such as 2026-05-03
    #[arg(long, value_name = "DATE")]
    since: Option<String>,
    /// Only memories up to this date
    #[arg(long, value_name = "DATE")]
    until: Option<String>,
    /// Show what was believed on this date
    #[arg(long, value_name = "DATE")]
    as_of: Option<String>,
    /// Maximum number of memories [default: 10]
    #[arg(long, short = 'n', value_name = "1-100")]
    limit: Option<usize>,
    /// Maximum size of the answer in tokens [default: 1500]
    #[arg(long = "budget", value_name = "TOKENS")]
    budget_tokens: Option<usize>,
    /// Explain each score
    #[arg(long)]
    explain: bool,
}

/// Result of the tool `recall`.
#[derive(Debug, Deserialize)]
struct RecallOutput {
    #[serde(default)]
    memories: Vec<MemoryOutput>,
    #[serde(default)]
    left_out: usize,
    confidence: Option<f64>,
    #[serde(default)]
    weak: bool,
    embedder: Option<String>,
    words_alone: Option<String>,
    briefing: Option<BriefingOutput>,
}

impl RecallArgs {
    /// Recalls memories, or the briefing.
    ///
    /// # Errors
    /// Fails when the tool fails.
    pub async fn run(self, setup: &Setup) -> Result<CommandOutput, Problem> {
        let mut given = tool_arguments(&self.filters)?;
        if !self.query.is_empty() {
            given.insert("query".into(), self.query.join(" ").into());
        }
        let answer =
            setup.with_memory(async |memory| memory.call_tool("recall", given).await).await?;
        let mut page = TextPage::new(setup.terminal);
        render(&mut page, &answer)?;
        Ok(CommandOutput::new(answer, page))
    }
}

/// Renders the result of the tool `recall`.
///
/// # Errors
/// Fails when the result cannot be parsed.
pub fn render(page: &mut TextPage, answer: &Value) -> Result<(), Problem> {
    let recalled: RecallOutput = render::parse_result(answer)?;
    if let Some(briefing) = recalled.briefing {
        briefing.render(page);
        return Ok(());
    }
    for (position, memory) in recalled.memories.iter().enumerate() {
        if position > 0 {
            page.blank();
        }
        memory.render(page);
    }
    if recalled.memories.is_empty() {
        page.add_text("Nothing is known about this. Try other words or fewer filters.");
    } else if let Some(confidence) = recalled.confidence.filter(|_| recalled.weak) {
        let weak = format!("Weak (confidence {confidence:.2}): these are only similar.");
        page.blank().paragraph(0, Style::Warn, &weak);
    }
    if recalled.left_out > 0 {
        let more = format!(
            "{} more matches; use -n to show more, --budget for longer texts.",
            recalled.left_out
        );
        page.blank().paragraph(0, Style::Faint, &more);
    }
    if let Some(embedder) = recalled.embedder {
        page.blank().paragraph(0, Style::Faint, &format!("embedder: {embedder}"));
    }
    if let Some(why) = recalled.words_alone {
        page.paragraph(0, Style::Faint, &format!("Searched by words only: {why}"));
    }
    Ok(())
}
