//! `quipu handoff`: stores unfinished work for somebody else, and claims it.

mod told;

use crate::answer::Answer;
use crate::exit::Problem;
use crate::input::{arguments, read_all};
use crate::page::{Page, Style};
use crate::setup::{Opened, Setup};
use crate::shown;
use clap::{Args, Subcommand, ValueEnum};
use engine::handoffs::ListHandoffs;
use model::{HandoffId, HandoffState, JsonMap, limits};
use serde::Serialize;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use told::{Handoffs, Told, as_json};

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
/// A claim is a lease: if several agents claim a handoff, exactly one succeeds and the others are
/// told who holds it. It expires by itself.
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES, args_conflicts_with_subcommands = true)]
pub struct Handoff {
    #[command(subcommand)]
    action: Option<Action>,
    #[command(flatten)]
    list: List,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// List open handoffs (the default)
    #[command(after_long_help = "Example:\n  quipu handoff list --state claimed --all")]
    List(List),
    /// Store a handoff document
    #[command(after_long_help = "Example:\n  quipu handoff store handoff.md \
                           --title \"Move billing to PostgreSQL\"")]
    Store(Store),
    /// Show a handoff with its document
    #[command(after_long_help = "Example:\n  quipu handoff show 4")]
    Show(Which),
    /// Claim a handoff and show its document
    #[command(after_long_help = "Example:\n  quipu handoff claim 4 --hours 8")]
    Claim(Claim),
    /// Release a claimed handoff
    #[command(after_long_help = "Example:\n  quipu handoff release 4")]
    Release(Which),
    /// Mark a handoff as completed
    #[command(after_long_help = "Example:\n  quipu handoff complete 4")]
    Complete(Which),
    /// Cancel a handoff that is no longer needed
    #[command(after_long_help = "Example:\n  quipu handoff cancel 4")]
    Cancel(Which),
    /// Reopen a completed or cancelled handoff
    #[command(after_long_help = "Example:\n  quipu handoff reopen 4")]
    Reopen(Which),
}

#[derive(Debug, Args)]
struct List {
    /// Only handoffs of this project [default: the current one, if it has any]
    #[arg(long, short, value_name = "NAME", conflicts_with = "all")]
    project: Option<String>,
    /// Handoffs of all projects
    #[arg(long, short)]
    all: bool,
    /// Handoffs in this state instead of those free to claim; can be repeated
    #[arg(long = "state", value_enum, value_name = "STATE")]
    states: Vec<State>,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum State {
    Open,
    Claimed,
    Completed,
    Cancelled,
}

#[derive(Debug, Args, Serialize)]
struct Store {
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
struct Which {
    /// Id of the handoff
    id: i64,
}

#[derive(Debug, Args, Serialize)]
struct Claim {
    /// Id of the handoff
    id: i64,
    /// Duration of the claim in hours [default: 4, maximum: 168]
    #[arg(long)]
    hours: Option<f64>,
}

impl Handoff {
    /// Runs the action.
    ///
    /// # Errors
    /// When the tool fails.
    pub async fn run(self, setup: &Setup) -> Result<Answer, Problem> {
        let action = self.action.unwrap_or(Action::List(self.list));
        let answer = setup.with_memory(async |memory| act(memory, &action).await).await?;
        let mut page = Page::new(setup.screen);
        match action {
            Action::List(_) => shown::read::<Handoffs>(&answer)?.write(&mut page),
            _ => shown::read::<Told>(&answer["handoff"])?.write(&mut page),
        }
        if let Some(notes) = answer["notes"].as_array() {
            notes
                .iter()
                .filter_map(Value::as_str)
                .for_each(|note| _ = page.paragraph(0, Style::Warn, note));
        }
        Ok(Answer::new(answer, page))
    }
}

async fn act(memory: &Opened, action: &Action) -> Result<Value, Problem> {
    match action {
        Action::List(list) if list.states.is_empty() => {
            memory.ask("handoff", list.arguments()).await
        }
        Action::List(list) => in_states(memory, list).await,
        Action::Store(new) => {
            let mut given = named("store", arguments(new)?);
            given.insert("document".into(), document(&new.file)?.into());
            memory.ask("handoff", given).await
        }
        Action::Claim(claim) => memory.ask("handoff", named("claim", arguments(claim)?)).await,
        Action::Release(which) => memory.ask("handoff", named("release", arguments(which)?)).await,
        Action::Complete(which) => {
            memory.ask("handoff", named("complete", arguments(which)?)).await
        }
        Action::Cancel(which) => memory.ask("handoff", named("cancel", arguments(which)?)).await,
        Action::Show(which) => {
            let handoff =
                memory.engine.handoffs().get(&memory.using("handoff"), HandoffId(which.id)).await?;
            let mut output = as_json(&handoff);
            output["document"] = handoff.document.into();
            Ok(json!({ "handoff": output }))
        }
        Action::Reopen(which) => {
            let handoff = memory
                .engine
                .handoffs()
                .reopen(&memory.using("handoff"), HandoffId(which.id))
                .await?;
            Ok(json!({ "handoff": as_json(&handoff) }))
        }
    }
}

/// Lists handoffs by state, which the tool does not offer.
async fn in_states(memory: &Opened, list: &List) -> Result<Value, Problem> {
    let mut caller = memory.using("handoff");
    if list.all {
        caller.surroundings.project = None;
    }
    let states = list.states.iter().map(|state| state.state()).collect();
    let input = ListHandoffs { states, project: list.project.clone(), ..ListHandoffs::default() };
    let found = memory.engine.handoffs().list(&caller, &input).await?.handoffs;
    let left_out = found.total.saturating_sub(found.items.len());
    let mut answer = json!({ "handoffs": found.items.iter().map(as_json).collect::<Vec<_>>() });
    if left_out > 0 {
        answer["left_out"] = left_out.into();
    }
    Ok(answer)
}

fn document(file: &Path) -> Result<String, Problem> {
    if file == Path::new("-") {
        return read_all(std::io::stdin().lock(), DOCUMENT_BYTES_MAX, "standard input");
    }
    let opened =
        std::fs::File::open(file).map_err(|error| Problem::file("reading", file, &error))?;
    read_all(opened, DOCUMENT_BYTES_MAX, &file.display().to_string())
}

fn named(action: &str, mut given: JsonMap) -> JsonMap {
    given.insert("action".into(), action.into());
    given
}

impl List {
    fn arguments(&self) -> JsonMap {
        let project = if self.all { Some("*".to_owned()) } else { self.project.clone() };
        named(
            "list",
            project.map(|project| ("project".to_owned(), project.into())).into_iter().collect(),
        )
    }
}

impl State {
    fn state(self) -> HandoffState {
        match self {
            Self::Open => HandoffState::Open,
            Self::Claimed => HandoffState::Claimed,
            Self::Completed => HandoffState::Completed,
            Self::Cancelled => HandoffState::Cancelled,
        }
    }
}
