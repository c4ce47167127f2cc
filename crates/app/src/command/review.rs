//! `quipu review`: lists and resolves open review items, and flags wrong memories.

use crate::command_output::CommandOutput;
use crate::exit::Problem;
use crate::id_argument;
use crate::input::tool_arguments;
use crate::render::{self, MemoryOutput};
use crate::setup::Setup;
use crate::text_page::{Style, TextPage};
use clap::{Args, Subcommand, ValueEnum};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::collections::BTreeMap;

const EXAMPLES: &str = "\
Examples:
  quipu review
  quipu review resolve 3 confirm
  quipu review flag 17 --reason \"this port was never right\"";

/// List and resolve contradictions, flags and proposals
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES, args_conflicts_with_subcommands = true)]
pub struct ReviewArgs {
    #[command(subcommand)]
    action: Option<ReviewAction>,
    #[command(flatten)]
    list: ReviewListArgs,
}

#[derive(Debug, Subcommand)]
enum ReviewAction {
    /// List open items with all sides (the default)
    #[command(after_long_help = "Example:\n  quipu review list -n 50")]
    List(ReviewListArgs),
    /// Resolve an item
    #[command(after_long_help = "Example:\n  quipu review resolve 3 keep-both")]
    Resolve(ResolveArgs),
    /// Flag a memory as wrong; it ranks last until the flag is resolved
    #[command(
        after_long_help = "Example:\n  quipu review flag 17 --reason \"this port was never right\""
    )]
    Flag(FlagArgs),
}

#[derive(Debug, Args, Serialize)]
struct ReviewListArgs {
    /// Maximum number of items [default: 10]
    #[arg(long, short = 'n', value_name = "N")]
    limit: Option<usize>,
}

#[derive(Debug, Args, Serialize)]
struct ResolveArgs {
    /// Id of the item, as listed
    #[arg(value_parser = id_argument::review_id)]
    id: i64,
    /// Decision on the item
    #[arg(value_enum)]
    resolution: ResolutionArg,
}

/// A decision, under the names of the tool.
#[derive(Debug, Clone, Copy, ValueEnum, Serialize)]
#[serde(rename_all = "snake_case")]
enum ResolutionArg {
    /// The memory in question is right and replaces those it contradicts; accept a deletion
    Confirm,
    /// The memory in question is wrong; refuse a deletion
    Reject,
    /// All are right
    KeepBoth,
}

#[derive(Debug, Args, Serialize)]
struct FlagArgs {
    /// Id of the wrong or misleading memory
    #[arg(value_name = "ID", value_parser = id_argument::memory_id)]
    memory: i64,
    /// Explanation of what is wrong
    #[arg(long, value_name = "WHY")]
    reason: String,
}

/// Result of the action `list` of the tool `review`.
#[derive(Debug, Deserialize)]
struct ReviewListOutput {
    #[serde(default)]
    reviews: Vec<ReviewItemOutput>,
    #[serde(default)]
    left_out: usize,
}

#[derive(Debug, Deserialize)]
struct ReviewItemOutput {
    id: i64,
    kind: String,
    why: String,
    date: String,
    by: String,
    memory: Option<MemoryOutput>,
    against: Option<MemoryOutput>,
    /// All memories that contradict each other, newest first; empty for two.
    #[serde(default)]
    rivals: Vec<MemoryOutput>,
    proposed: Option<Value>,
    erase: Option<ErasureOutput>,
    resolved: Option<ResolutionOutput>,
}

/// Items that a proposal would delete, or what was deleted once it was accepted.
#[derive(Debug, Deserialize)]
struct ErasureOutput {
    mode: String,
    #[serde(default)]
    memories: Vec<MemoryOutput>,
    #[serde(default)]
    left_out: usize,
    #[serde(default)]
    others: Vec<String>,
    receipt: Option<BTreeMap<String, usize>>,
    #[serde(default)]
    skipped: Vec<String>,
}

#[derive(Debug, Deserialize)]
struct ResolutionOutput {
    r#as: String,
}

impl ReviewArgs {
    /// Lists, resolves or flags.
    ///
    /// # Errors
    /// Fails when the tool fails.
    pub async fn run(self, setup: &Setup) -> Result<CommandOutput, Problem> {
        let (action, mut given) = match self.action.unwrap_or(ReviewAction::List(self.list)) {
            ReviewAction::List(list) => ("list", tool_arguments(&list)?),
            ReviewAction::Resolve(decision) => ("resolve", tool_arguments(&decision)?),
            ReviewAction::Flag(flag) => ("flag", tool_arguments(&flag)?),
        };
        given.insert("action".into(), json!(action));
        let answer =
            setup.with_memory(async |memory| memory.call_tool("review", given).await).await?;
        let mut page = TextPage::new(setup.terminal);
        render(&mut page, action, &answer)?;
        Ok(CommandOutput::new(answer, page))
    }
}

fn render(page: &mut TextPage, action: &str, answer: &Value) -> Result<(), Problem> {
    match action {
        "resolve" => render::parse_result::<ReviewItemOutput>(&answer["review"])?.render(page),
        "flag" => {
            let review = &answer["review"]["id"];
            page.add_text(&format!(
                "Flagged. It ranks last until you run `quipu review resolve {review} …`."
            ));
        }
        _ => {
            let listed: ReviewListOutput = render::parse_result(answer)?;
            if listed.reviews.is_empty() {
                page.add_text("Nothing to review.");
            }
            for item in &listed.reviews {
                page.blank();
                item.render(page);
            }
            if listed.left_out > 0 {
                page.blank().paragraph(
                    0,
                    Style::Faint,
                    &format!("{} more; use -n to show them.", listed.left_out),
                );
            }
        }
    }
    Ok(())
}

impl ReviewItemOutput {
    /// Returns the memories with their roles: the two sides, or all rivals.
    fn sides(&self) -> Vec<(&'static str, &MemoryOutput)> {
        match self.rivals.split_first() {
            Some((newest, others)) => {
                let others = others.iter().map(|memory| ("against", memory));
                std::iter::once(("in question", newest)).chain(others).collect()
            }
            None => {
                let subject = self.memory.iter().map(|memory| ("in question", memory));
                subject.chain(self.against.iter().map(|memory| ("against", memory))).collect()
            }
        }
    }

    fn render(&self, page: &mut TextPage) {
        let head = format!("{} {}", self.kind, self.id);
        let resolved =
            self.resolved.as_ref().map(|one| format!("resolved: {}", one.r#as)).unwrap_or_default();
        page.headline(&[
            (Style::Strong, &head),
            (Style::Faint, &self.date),
            (Style::Faint, &self.by),
            (Style::Good, &resolved),
        ]);
        page.paragraph(2, Style::Plain, &self.why);
        for (name, memory) in self.sides() {
            page.paragraph(2, Style::Faint, name);
            memory.render(page);
        }
        if let Some(erase) = &self.erase {
            erase.render(page, self.id, self.resolved.is_some());
        }
        if let Some(proposed) = &self.proposed {
            page.paragraph(2, Style::Plain, &format!("proposed: {proposed}"));
        }
    }
}

impl ErasureOutput {
    fn render(&self, page: &mut TextPage, review: i64, is_resolved: bool) {
        if let Some(receipt) = &self.receipt {
            page.paragraph(2, Style::Plain, "deleted:");
            let removed: Vec<(&str, String)> =
                receipt.iter().map(|(place, count)| (place.as_str(), count.to_string())).collect();
            page.pairs(&removed);
        }
        for one in &self.skipped {
            page.paragraph(2, Style::Warn, &format!("left alone: {one}"));
        }
        if is_resolved {
            return;
        }
        page.paragraph(2, Style::Faint, &format!("would {}", self.mode));
        for memory in &self.memories {
            memory.render(page);
        }
        for one in &self.others {
            page.paragraph(2, Style::Plain, one);
        }
        if self.left_out > 0 {
            page.paragraph(2, Style::Faint, &format!("and {} more", self.left_out));
        }
        let how = format!(
            "Accept with `quipu review resolve {review} confirm`, refuse with `reject` instead."
        );
        page.paragraph(2, Style::Faint, &how);
    }
}
