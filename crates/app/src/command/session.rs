//! `quipu session`: lists, starts and ends sessions.

use crate::command_output::CommandOutput;
use crate::exit::Problem;
use crate::input::tool_arguments;
use crate::render::{self, MemoryOutput, count_with_noun};
use crate::setup::{OpenMemory, Setup};
use crate::text_page::{Style, TextPage};
use clap::{Args, Subcommand};
use engine::sessions::SessionRef;
use model::{JsonMap, Page as PageRequest, Session as ModelSession};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

const EXAMPLES: &str = "\
Examples:
  quipu session
  quipu session start --session spring-cleaning
  quipu session end --session spring-cleaning --summary \"Tests still red.\"
  quipu session show 3";

/// Default number of sessions to list.
const LISTED: usize = 20;

/// List sessions, start one, or end one with a summary
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES, args_conflicts_with_subcommands = true)]
pub struct SessionArgs {
    #[command(subcommand)]
    action: Option<SessionAction>,
    #[command(flatten)]
    list: SessionListArgs,
}

#[derive(Debug, Subcommand)]
enum SessionAction {
    /// List sessions, newest first (the default)
    #[command(after_long_help = "Example:\n  quipu session list -n 50")]
    List(SessionListArgs),
    /// Show a session and its summary
    #[command(after_long_help = "Example:\n  quipu session show 3")]
    Show(SessionRefArgs),
    /// Start or resume a session, and show the previous one
    #[command(after_long_help = "Example:\n  quipu session start --session spring-cleaning")]
    Start(StartSessionArgs),
    /// End a session with a summary for the next one
    #[command(
        after_long_help = "Example:\n  quipu session end --session 3 --summary \"Tests are green.\""
    )]
    End(EndSessionArgs),
}

#[derive(Debug, Args)]
struct SessionListArgs {
    /// Maximum number of sessions
    #[arg(long, short = 'n', value_name = "N", default_value_t = LISTED)]
    limit: usize,
}

#[derive(Debug, Args)]
struct SessionRefArgs {
    /// Id or key of the session
    session: String,
}

#[derive(Debug, Args, Serialize)]
struct StartSessionArgs {
    /// Key of your choice, or the id of a session to resume [default: QUIPU_SESSION, or a new id]
    #[arg(long, value_name = "SESSION")]
    session: Option<String>,
    /// Project it belongs to [default: the current one]
    #[arg(long, short, value_name = "NAME")]
    project: Option<String>,
}

#[derive(Debug, Args, Serialize)]
struct EndSessionArgs {
    /// Id or key of the session [default: QUIPU_SESSION]
    #[arg(long, value_name = "SESSION")]
    session: Option<String>,
    /// What was done, decided and left open [default: generated from its memories]
    #[arg(long, value_name = "TEXT")]
    summary: Option<String>,
}

/// Result of the tool `session`.
#[derive(Debug, Deserialize)]
struct SessionOutput {
    session: SessionSummaryLine,
    previous: Option<SessionSummaryLine>,
    last_episode: Option<MemoryOutput>,
    episode: Option<MemoryOutput>,
    memories: Option<usize>,
    hint: Option<String>,
}

#[derive(Debug, Deserialize)]
struct SessionSummaryLine {
    id: i64,
    key: Option<String>,
    project: Option<String>,
    started: String,
    ended: Option<String>,
}

impl SessionArgs {
    /// Runs the action.
    ///
    /// # Errors
    /// Fails when the tool fails.
    pub async fn run(self, setup: &Setup) -> Result<CommandOutput, Problem> {
        let action = self.action.unwrap_or(SessionAction::List(self.list));
        let answer = setup.with_memory(async |memory| run_action(memory, &action).await).await?;
        let mut page = TextPage::new(setup.terminal);
        match action {
            SessionAction::List(_) => write_list(&mut page, &answer)?,
            _ => render::parse_result::<SessionOutput>(&answer)?.render(&mut page),
        }
        Ok(CommandOutput::new(answer, page))
    }
}

async fn run_action(memory: &OpenMemory, action: &SessionAction) -> Result<Value, Problem> {
    let caller = memory.caller_for("session");
    match action {
        SessionAction::Start(start) => {
            memory.call_tool("session", with_action("start", tool_arguments(start)?)).await
        }
        SessionAction::End(end) => {
            memory.call_tool("session", with_action("end", tool_arguments(end)?)).await
        }
        SessionAction::List(list) => {
            let found =
                memory.engine.sessions().list(&caller, PageRequest::first(list.limit)).await?;
            let sessions: Vec<Value> = found.items.iter().map(to_json).collect();
            let left_out = found.total.saturating_sub(found.items.len());
            Ok(json!({ "sessions": sessions, "left_out": left_out }))
        }
        SessionAction::Show(which) => {
            let found =
                memory.engine.sessions().get(&caller, &SessionRef::parse(&which.session)).await?;
            let mut answer =
                json!({ "session": to_json(&found.session), "memories": found.memories });
            if let Some(episode) = found.session.episode {
                let ids = JsonMap::from_iter([("ids".to_owned(), json!([episode.0]))]);
                answer["episode"] = memory.call_tool("recall", ids).await?["memories"][0].take();
            }
            Ok(answer)
        }
    }
}

/// Converts a session to JSON in the format of the tool.
fn to_json(session: &ModelSession) -> Value {
    let mut output = json!({
        "id": session.id.0,
        "key": session.key,
        "project": session.project,
        "by": session.agent.as_str(),
        "started": session.started_at.to_string(),
        "ended": session.ended_at.map(|end| end.to_string()),
    });
    if let Value::Object(fields) = &mut output {
        fields.retain(|_, value| !value.is_null());
    }
    output
}

fn with_action(action: &str, mut given: JsonMap) -> JsonMap {
    given.insert("action".into(), action.into());
    given
}

fn write_list(page: &mut TextPage, answer: &Value) -> Result<(), Problem> {
    let sessions: Vec<SessionSummaryLine> = render::parse_result(&answer["sessions"])?;
    if sessions.is_empty() {
        page.add_text("No sessions yet.");
    }
    page.columns(&sessions.iter().map(SessionSummaryLine::row).collect::<Vec<_>>());
    match answer["left_out"].as_u64() {
        Some(more) if more > 0 => {
            let note = format!("{more} more; use -n to show them.");
            _ = page.blank().paragraph(0, Style::Faint, &note)
        }
        _ => {}
    }
    Ok(())
}

impl SessionSummaryLine {
    fn row(&self) -> Vec<String> {
        let name = |text: &Option<String>| text.clone().unwrap_or_else(|| "-".to_owned());
        let ended =
            self.ended.as_ref().map_or_else(|| "open".to_owned(), |ended| format!("ended {ended}"));
        vec![self.id.to_string(), self.started.clone(), name(&self.key), name(&self.project), ended]
    }
}

impl SessionOutput {
    fn render(&self, page: &mut TextPage) {
        page.columns(&[self.session.row()]);
        if let Some(memories) = self.memories {
            page.add_text(&format!(
                "{} in this session.",
                count_with_noun(memories, "memory", "memories")
            ));
        }
        if let Some(hint) = &self.hint {
            page.add_text(hint);
        }
        if let Some(previous) = &self.previous {
            page.heading("Previous session").columns(&[previous.row()]);
        }
        for (name, episode) in
            [("Summary", &self.episode), ("Summary of the last session", &self.last_episode)]
        {
            if let Some(memory) = episode {
                page.heading(name);
                memory.render(page);
            }
        }
    }
}
