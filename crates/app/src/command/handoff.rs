//! `quipu handoff`: stores unfinished work for somebody else, and claims it.

mod handoff_output;

use crate::command_output::CommandOutput;
use crate::exit::Problem;
use crate::id_argument;
use crate::input::{read_to_text, tool_arguments};
use crate::render;
use crate::setup::{OpenMemory, Setup};
use crate::text_page::{Style, TextPage};
use clap::{Args, Subcommand, ValueEnum};
use engine::handoffs::ListHandoffsRequest;
use handoff_output::{HandoffOutput, HandoffsOutput, to_json};
use model::{HandoffId, HandoffState, JsonMap, limits};
use serde::Serialize;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

const EXAMPLES: &str = "\
Examples:
  quipu handoff
  quipu handoff store handoff.md --title \"Move billing to PostgreSQL\"
  quipu handoff claim 4 --hours 8
  quipu handoff complete 4

The document has five headings: Start & intent, Journey, Current state, What's left,
Open questions.";

/// Maximum size of a document: the limit counts characters, and UTF-8 needs up to four bytes each.
const DOCUMENT_BYTES_MAX: usize = limits::HANDOFF_CHARS * 4;

/// Hand over unfinished work, and claim or complete it
///
/// A claim is a lease: if several agents claim a handoff, exactly one succeeds and the others learn
/// who holds it. A claim expires by itself.
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES, args_conflicts_with_subcommands = true)]
pub struct HandoffArgs {
    #[command(subcommand)]
    action: Option<HandoffAction>,
    #[command(flatten)]
    list: HandoffListArgs,
}

#[derive(Debug, Subcommand)]
enum HandoffAction {
    /// List open handoffs (the default)
    #[command(after_long_help = "Example:\n  quipu handoff list --state claimed --all")]
    List(HandoffListArgs),
    /// Store a handoff document
    #[command(after_long_help = "Example:\n  quipu handoff store handoff.md \
                           --title \"Move billing to PostgreSQL\"")]
    Store(StoreHandoffArgs),
    /// Show a handoff with its document
    #[command(after_long_help = "Example:\n  quipu handoff show 4")]
    Show(HandoffIdArgs),
    /// Claim a handoff and show its document
    #[command(after_long_help = "Example:\n  quipu handoff claim 4 --hours 8")]
    Claim(ClaimArgs),
    /// Release a claimed handoff
    #[command(after_long_help = "Example:\n  quipu handoff release 4")]
    Release(HandoffIdArgs),
    /// Mark a handoff as completed
    #[command(after_long_help = "Example:\n  quipu handoff complete 4")]
    Complete(HandoffIdArgs),
    /// Cancel a handoff that is no longer needed
    #[command(after_long_help = "Example:\n  quipu handoff cancel 4")]
    Cancel(HandoffIdArgs),
    /// Reopen a completed or cancelled handoff
    #[command(after_long_help = "Example:\n  quipu handoff reopen 4")]
    Reopen(HandoffIdArgs),
}

#[derive(Debug, Args)]
struct HandoffListArgs {
    /// Only handoffs of this project [default: the current one, if it has any]
    #[arg(long, short, value_name = "NAME", conflicts_with = "all")]
    project: Option<String>,
    /// Handoffs of all projects
    #[arg(long, short)]
    all: bool,
    /// Handoffs in this state instead of those free to claim; can be repeated
    #[arg(long = "state", value_enum, value_name = "STATE")]
    states: Vec<HandoffStateArg>,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum HandoffStateArg {
    Open,
    Claimed,
    Completed,
    Cancelled,
}

#[derive(Debug, Args, Serialize)]
struct StoreHandoffArgs {
    /// Document, or - for standard input
    #[serde(skip)]
    file: PathBuf,
    /// Short title
    #[arg(long)]
    title: String,
    /// Project it belongs to [default: the current one]
    #[arg(long, short, value_name = "NAME")]
    project: Option<String>,
    /// Location of the work, such as a branch
    #[arg(long, value_name = "WHERE")]
    source_ref: Option<String>,
    /// Tag; can be repeated
    #[arg(long = "tag", short, value_name = "TAG")]
    tags: Vec<String>,
}

#[derive(Debug, Args, Serialize)]
struct HandoffIdArgs {
    /// Id of the handoff
    #[arg(value_parser = id_argument::handoff_id)]
    id: i64,
}

#[derive(Debug, Args, Serialize)]
struct ClaimArgs {
    /// Id of the handoff
    #[arg(value_parser = id_argument::handoff_id)]
    id: i64,
    /// Duration of the claim in hours [default: 4, maximum: 168]
    #[arg(long)]
    hours: Option<f64>,
}

impl HandoffArgs {
    /// Runs the action.
    ///
    /// # Errors
    /// Fails when the tool fails.
    pub async fn run(self, setup: &Setup) -> Result<CommandOutput, Problem> {
        let action = self.action.unwrap_or(HandoffAction::List(self.list));
        let answer = setup.with_memory(async |memory| run_action(memory, &action).await).await?;
        let mut page = TextPage::new(setup.terminal);
        match action {
            HandoffAction::List(_) => {
                render::parse_result::<HandoffsOutput>(&answer)?.render(&mut page)
            }
            _ => render::parse_result::<HandoffOutput>(&answer["handoff"])?.render(&mut page),
        }
        if let Some(notes) = answer["notes"].as_array() {
            notes
                .iter()
                .filter_map(Value::as_str)
                .for_each(|note| _ = page.paragraph(0, Style::Warn, note));
        }
        Ok(CommandOutput::new(answer, page))
    }
}

async fn run_action(memory: &OpenMemory, action: &HandoffAction) -> Result<Value, Problem> {
    match action {
        HandoffAction::List(list) if list.states.is_empty() => {
            memory.call_tool("handoff", list.arguments()).await
        }
        HandoffAction::List(list) => list_by_state(memory, list).await,
        HandoffAction::Store(new) => {
            let mut given = with_action("store", tool_arguments(new)?);
            given.insert("document".into(), read_document(&new.file)?.into());
            memory.call_tool("handoff", given).await
        }
        HandoffAction::Claim(claim) => {
            memory.call_tool("handoff", with_action("claim", tool_arguments(claim)?)).await
        }
        HandoffAction::Release(which) => {
            memory.call_tool("handoff", with_action("release", tool_arguments(which)?)).await
        }
        HandoffAction::Complete(which) => {
            memory.call_tool("handoff", with_action("complete", tool_arguments(which)?)).await
        }
        HandoffAction::Cancel(which) => {
            memory.call_tool("handoff", with_action("cancel", tool_arguments(which)?)).await
        }
        HandoffAction::Show(which) => {
            let handoff = memory
                .engine
                .handoffs()
                .get(&memory.caller_for("handoff"), HandoffId(which.id))
                .await?;
            let mut output = to_json(&handoff);
            output["document"] = handoff.document.into();
            Ok(json!({ "handoff": output }))
        }
        HandoffAction::Reopen(which) => {
            let handoff = memory
                .engine
                .handoffs()
                .reopen(&memory.caller_for("handoff"), HandoffId(which.id))
                .await?;
            Ok(json!({ "handoff": to_json(&handoff) }))
        }
    }
}

/// Lists handoffs by state, which the tool does not offer.
async fn list_by_state(memory: &OpenMemory, list: &HandoffListArgs) -> Result<Value, Problem> {
    let mut caller = memory.caller_for("handoff");
    if list.all {
        caller.environment.project = None;
    }
    let states = list.states.iter().map(|state| state.to_model()).collect();
    let input = ListHandoffsRequest {
        states,
        project: list.project.clone(),
        ..ListHandoffsRequest::default()
    };
    let found = memory.engine.handoffs().list(&caller, &input).await?.handoffs;
    let left_out = found.total.saturating_sub(found.items.len());
    let mut answer = json!({ "handoffs": found.items.iter().map(to_json).collect::<Vec<_>>() });
    if left_out > 0 {
        answer["left_out"] = left_out.into();
    }
    Ok(answer)
}

fn read_document(file: &Path) -> Result<String, Problem> {
    if file == Path::new("-") {
        return read_to_text(std::io::stdin().lock(), DOCUMENT_BYTES_MAX, "standard input");
    }
    let opened =
        std::fs::File::open(file).map_err(|error| Problem::file("reading", file, &error))?;
    read_to_text(opened, DOCUMENT_BYTES_MAX, &file.display().to_string())
}

fn with_action(action: &str, mut given: JsonMap) -> JsonMap {
    given.insert("action".into(), action.into());
    given
}

impl HandoffListArgs {
    fn arguments(&self) -> JsonMap {
        let project = if self.all { Some("*".to_owned()) } else { self.project.clone() };
        with_action(
            "list",
            project.map(|project| ("project".to_owned(), project.into())).into_iter().collect(),
        )
    }
}

impl HandoffStateArg {
    fn to_model(self) -> HandoffState {
        match self {
            Self::Open => HandoffState::Open,
            Self::Claimed => HandoffState::Claimed,
            Self::Completed => HandoffState::Completed,
            Self::Cancelled => HandoffState::Cancelled,
        }
    }
}
