//! `quipu session`: lists, starts and ends sessions.

use crate::answer::Answer;
use crate::exit::Problem;
use crate::input::arguments;
use crate::page::{Page, Style};
use crate::setup::{Opened, Setup};
use crate::shown::{self, Memory, counted};
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
pub struct Session {
    #[command(subcommand)]
    action: Option<Action>,
    #[command(flatten)]
    list: List,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// List sessions, newest first (the default)
    #[command(after_long_help = "Example:\n  quipu session list -n 50")]
    List(List),
    /// Show a session and its summary
    #[command(after_long_help = "Example:\n  quipu session show 3")]
    Show(Which),
    /// Start or resume a session, and show the previous one
    #[command(after_long_help = "Example:\n  quipu session start --session spring-cleaning")]
    Start(Start),
    /// End a session with a summary for the next one
    #[command(
        after_long_help = "Example:\n  quipu session end --session 3 --summary \"Tests are green.\""
    )]
    End(End),
}

#[derive(Debug, Args)]
struct List {
    /// Maximum number of sessions
    #[arg(long, short = 'n', value_name = "N", default_value_t = LISTED)]
    limit: usize,
}

#[derive(Debug, Args)]
struct Which {
    /// Id or key of the session
    session: String,
}

#[derive(Debug, Args, Serialize)]
struct Start {
    /// Key of your choice, or the id of a session to resume [default: QUIPU_SESSION, or a new id]
    #[arg(long, value_name = "SESSION")]
    session: Option<String>,
    /// Project it belongs to [default: the current one]
    #[arg(long, short, value_name = "NAME")]
    project: Option<String>,
}

#[derive(Debug, Args, Serialize)]
struct End {
    /// Id or key of the session [default: QUIPU_SESSION]
    #[arg(long, value_name = "SESSION")]
    session: Option<String>,
    /// What was done, decided and left open [default: generated from its memories]
    #[arg(long, value_name = "TEXT")]
    summary: Option<String>,
}

/// Result of the tool `session`.
#[derive(Debug, Deserialize)]
struct Told {
    session: Line,
    previous: Option<Line>,
    last_episode: Option<Memory>,
    episode: Option<Memory>,
    memories: Option<usize>,
    hint: Option<String>,
}

#[derive(Debug, Deserialize)]
struct Line {
    id: i64,
    key: Option<String>,
    project: Option<String>,
    started: String,
    ended: Option<String>,
}

impl Session {
    /// Runs the action.
    ///
    /// # Errors
    /// When the tool fails.
    pub async fn run(self, setup: &Setup) -> Result<Answer, Problem> {
        let action = self.action.unwrap_or(Action::List(self.list));
        let answer = setup.with_memory(async |memory| act(memory, &action).await).await?;
        let mut page = Page::new(setup.screen);
        match action {
            Action::List(_) => write_list(&mut page, &answer)?,
            _ => shown::read::<Told>(&answer)?.write(&mut page),
        }
        Ok(Answer::new(answer, page))
    }
}

async fn act(memory: &Opened, action: &Action) -> Result<Value, Problem> {
    let caller = memory.using("session");
    match action {
        Action::Start(start) => memory.ask("session", named("start", arguments(start)?)).await,
        Action::End(end) => memory.ask("session", named("end", arguments(end)?)).await,
        Action::List(list) => {
            let found =
                memory.engine.sessions().list(&caller, PageRequest::first(list.limit)).await?;
            let sessions: Vec<Value> = found.items.iter().map(as_json).collect();
            let left_out = found.total.saturating_sub(found.items.len());
            Ok(json!({ "sessions": sessions, "left_out": left_out }))
        }
        Action::Show(which) => {
            let found =
                memory.engine.sessions().get(&caller, &SessionRef::parse(&which.session)).await?;
            let mut answer =
                json!({ "session": as_json(&found.session), "memories": found.memories });
            if let Some(episode) = found.session.episode {
                let ids = JsonMap::from_iter([("ids".to_owned(), json!([episode.0]))]);
                answer["episode"] = memory.ask("recall", ids).await?["memories"][0].take();
            }
            Ok(answer)
        }
    }
}

/// Converts a session to JSON in the format of the tool.
fn as_json(session: &ModelSession) -> Value {
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

fn named(action: &str, mut given: JsonMap) -> JsonMap {
    given.insert("action".into(), action.into());
    given
}

fn write_list(page: &mut Page, answer: &Value) -> Result<(), Problem> {
    let sessions: Vec<Line> = shown::read(&answer["sessions"])?;
    if sessions.is_empty() {
        page.say("No sessions yet.");
    }
    page.columns(&sessions.iter().map(Line::row).collect::<Vec<_>>());
    match answer["left_out"].as_u64() {
        Some(more) if more > 0 => {
            let note = format!("{more} more; use -n to show them.");
            _ = page.blank().paragraph(0, Style::Faint, &note)
        }
        _ => {}
    }
    Ok(())
}

impl Line {
    fn row(&self) -> Vec<String> {
        let name = |text: &Option<String>| text.clone().unwrap_or_else(|| "-".to_owned());
        let ended =
            self.ended.as_ref().map_or_else(|| "open".to_owned(), |ended| format!("ended {ended}"));
        vec![self.id.to_string(), self.started.clone(), name(&self.key), name(&self.project), ended]
    }
}

impl Told {
    fn write(&self, page: &mut Page) {
        page.columns(&[self.session.row()]);
        if let Some(memories) = self.memories {
            page.say(&format!("{} in this session.", counted(memories, "memory", "memories")));
        }
        if let Some(hint) = &self.hint {
            page.say(hint);
        }
        if let Some(previous) = &self.previous {
            page.heading("Previous session").columns(&[previous.row()]);
        }
        for (name, episode) in
            [("Summary", &self.episode), ("Summary of the last session", &self.last_episode)]
        {
            if let Some(memory) = episode {
                page.heading(name);
                memory.write(page);
            }
        }
    }
}
