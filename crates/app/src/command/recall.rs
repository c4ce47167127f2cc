//! `quipu recall`: searches the memory, or shows the briefing that a new session gets.

mod briefing;

use super::kind_argument::unknown_kind;
use crate::command_output::CommandOutput;
use crate::exit::Problem;
use crate::input::tool_arguments;
use crate::render::{self, EMPTY_MEMORY, MemoryOutput, count_with_noun};
use crate::setup::{OpenMemory, Setup};
use crate::text_page::{Style, TextPage};
use crate::time_argument;
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
    /// Only memories from then on: 2026-05-03, yesterday, 3d, 2w
    #[arg(long, value_name = "WHEN", value_parser = time_argument::since)]
    since: Option<String>,
    /// Only memories until then
    #[arg(long, value_name = "WHEN", value_parser = time_argument::until)]
    until: Option<String>,
    /// Show what was believed then
    #[arg(long, value_name = "WHEN", value_parser = time_argument::until)]
    as_of: Option<String>,
    /// Maximum number of memories [default: 10]
    #[arg(
        long, short = 'n', value_name = "1-100",
        value_parser = clap::value_parser!(u16).range(1..=100)
    )]
    limit: Option<u16>,
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
        let mut page = TextPage::new(setup.terminal);
        let answer = setup.with_memory(async |memory| {
            let answer = memory.call_tool("recall", given).await?;
            render(&mut page, &answer)?;
            if is_empty(&answer) && answer["left_out"].as_u64().unwrap_or(0) == 0 {
                self.explain_nothing(memory, &mut page).await?;
            }
            Ok(answer)
        });
        let answer = answer.await?;
        Ok(CommandOutput::new(answer, page))
    }

    /// Renders why nothing was found: an empty memory, a kind that no memory has, or words that
    /// nothing is near to.
    async fn explain_nothing(
        &self,
        memory: &OpenMemory,
        page: &mut TextPage,
    ) -> Result<(), Problem> {
        let caller = memory.caller_for("recall");
        let overview = memory.engine.memories().overview(&caller, 1).await?;
        let unknown = unknown_kind(memory, &self.filters.kinds).await?;
        page.add_text(match (overview.memories, &unknown) {
            (0, _) => EMPTY_MEMORY,
            (_, Some(unknown)) => unknown,
            (_, None) => "Nothing is known about this. Try other words or fewer filters.",
        });
        Ok(())
    }
}

/// Returns true for the result of a search that found nothing.
fn is_empty(answer: &Value) -> bool {
    answer.get("briefing").is_none_or(Value::is_null)
        && answer["memories"].as_array().is_none_or(Vec::is_empty)
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
    if let Some(confidence) =
        recalled.confidence.filter(|_| recalled.weak && !recalled.memories.is_empty())
    {
        let weak = format!("Weak (confidence {confidence:.2}): these may only be similar.");
        page.blank().paragraph(0, Style::Warn, &weak);
    }
    if recalled.left_out > 0 {
        let count = count_with_noun(recalled.left_out, "more match", "more matches");
        let more = if recalled.memories.is_empty() {
            let count = count_with_noun(recalled.left_out, "match", "matches");
            format!("{count}, but not one fits into the budget; raise --budget.")
        } else {
            format!("{count}; use -n to show more, --budget for longer texts.")
        };
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
