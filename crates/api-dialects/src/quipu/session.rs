//! `session`: starts, logs, ends with an episode, and resumes sessions.

use super::render;
use crate::arguments::{self, SessionName, one_project};
use crate::tool_table::ToolDefinition;
use engine::sessions::{
    EndSessionRequest, EpisodeSource, LogExchangeRequest, ResumeResults, ResumeSessionRequest,
    StartSessionOutcome, StartSessionRequest,
};
use engine::{Caller, Engine};
use model::{Failure, JsonMap, Memory, Session};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

/// Arguments of `session`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Arguments {
    #[schemars(extend("enum" = ["start", "log", "end", "resume"], "default" = "resume"))]
    action: Option<String>,
    /// Default: yours.
    session: Option<SessionName>,
    /// Default: where you run.
    project: Option<String>,
    /// log: what the user said.
    user: Option<String>,
    /// log: what you answered.
    agent: Option<String>,
    topic: Option<String>,
    /// end: done, decided, left open; else extracted.
    summary: Option<String>,
    #[schemars(extend("default" = 15))]
    limit: Option<usize>,
}

pub(super) const TOOL: ToolDefinition = ToolDefinition {
    name: "session",
    title: "Session",
    description: "Work sessions: start one, log an exchange, end it with a summary for the \
                  next, or resume where the last one stopped. \
                  Example: {\"action\": \"end\", \
                  \"summary\": \"Moved billing to Postgres; tests still red.\"}",
    input: arguments::short_schema::<Arguments>,
    output: "session?: object, previous?: object, last_episode?: object, memory?: integer, \
             episode?: object, decisions?: objects, facts?: objects, others?: objects, \
             open_handoffs?: integer, notes?: strings, hint?: string",
    always_load: false,
};

pub(super) async fn call(
    engine: &Engine,
    caller: &Caller,
    given: JsonMap,
) -> Result<Value, Failure> {
    let arguments: Arguments = arguments::read(given)?;
    match arguments.action.as_deref().unwrap_or("resume") {
        "start" => start(engine, caller, arguments).await,
        "log" => log(engine, caller, arguments).await,
        "end" => end(engine, caller, arguments).await,
        "resume" => resume(engine, caller, arguments).await,
        other => Err(super::unknown_action("session", other, &["start", "log", "end", "resume"])),
    }
}

impl Arguments {
    fn session(&self) -> Option<engine::sessions::SessionRef> {
        self.session.as_ref().map(SessionName::session)
    }
}

async fn start(engine: &Engine, caller: &Caller, arguments: Arguments) -> Result<Value, Failure> {
    let session = arguments.session();
    let input = StartSessionRequest {
        session,
        project: one_project(arguments.project),
        metadata: JsonMap::new(),
    };
    Ok(render_started(&engine.sessions().start(caller, &input).await?))
}

fn render_started(outcome: &StartSessionOutcome) -> Value {
    let mut answer = JsonMap::from_iter([("session".to_owned(), render_session(&outcome.session))]);
    render::insert_some(&mut answer, "previous", outcome.previous.as_ref().map(render_session));
    render::insert_some(
        &mut answer,
        "last_episode",
        outcome.last_episode.as_ref().map(render_memory),
    );
    render::insert_some(
        &mut answer,
        "hint",
        outcome.resumed.then(|| "this session already exists; continue in it".into()),
    );
    render::insert_notes(&mut answer, &outcome.notes);
    Value::Object(answer)
}

async fn log(engine: &Engine, caller: &Caller, arguments: Arguments) -> Result<Value, Failure> {
    let input = LogExchangeRequest {
        session: arguments.session(),
        user: arguments.user,
        agent: arguments.agent,
        topic: arguments.topic,
        ..LogExchangeRequest::default()
    };
    let logged = engine.sessions().log_exchange(caller, &input).await?;
    let mut answer = JsonMap::from_iter([("memory".to_owned(), Value::from(logged.memory.0))]);
    answer.insert("session".into(), json!({"id": logged.session.0}));
    render::insert_notes(&mut answer, &logged.notes);
    Ok(Value::Object(answer))
}

async fn end(engine: &Engine, caller: &Caller, arguments: Arguments) -> Result<Value, Failure> {
    let session = arguments.session();
    let episode = arguments.summary.map_or(EpisodeSource::Extracted, EpisodeSource::Written);
    let ended = engine
        .sessions()
        .end(caller, &EndSessionRequest { session, episode, ..EndSessionRequest::default() })
        .await?;
    let mut answer = JsonMap::from_iter([("session".to_owned(), render_session(&ended.session))]);
    render::insert_some(&mut answer, "episode", ended.episode.as_ref().map(render_memory));
    render::insert_some(
        &mut answer,
        "hint",
        ended.already_ended.then(|| "it had already ended; nothing changed".into()),
    );
    render::insert_notes(&mut answer, &ended.notes);
    Ok(Value::Object(answer))
}

async fn resume(engine: &Engine, caller: &Caller, arguments: Arguments) -> Result<Value, Failure> {
    let session = arguments.session();
    let input =
        ResumeSessionRequest { session, project: arguments.project, limit: arguments.limit };
    Ok(render_resumed(&engine.sessions().resume(caller, &input).await?))
}

fn render_resumed(found: &ResumeResults) -> Value {
    let mut answer = JsonMap::new();
    render::insert_some(&mut answer, "session", found.current.as_ref().map(render_session));
    render::insert_some(&mut answer, "previous", found.previous.as_ref().map(render_session));
    render::insert_some(
        &mut answer,
        "last_episode",
        found.last_episode.as_ref().map(render_memory),
    );
    for (name, list) in
        [("decisions", &found.decisions), ("facts", &found.facts), ("others", &found.others)]
    {
        render::insert_non_empty(&mut answer, name, render::memories(list));
    }
    render::insert_some(
        &mut answer,
        "open_handoffs",
        (found.open_handoffs > 0).then(|| found.open_handoffs.into()),
    );
    let hint = answer.is_empty().then(|| "nothing to resume: this is the first session".into());
    render::insert_some(&mut answer, "hint", hint);
    Value::Object(answer)
}

fn render_session(session: &Session) -> Value {
    let mut shown = JsonMap::from_iter([("id".to_owned(), Value::from(session.id.0))]);
    render::insert_some(&mut shown, "key", session.key.as_deref().map(Value::from));
    render::insert_some(&mut shown, "project", session.project.as_deref().map(Value::from));
    shown.insert("started".into(), render::time(session.started_at));
    render::insert_some(&mut shown, "ended", session.ended_at.map(render::time));
    Value::Object(shown)
}

fn render_memory(memory: &Memory) -> Value {
    Value::Object(render::memory(memory))
}
