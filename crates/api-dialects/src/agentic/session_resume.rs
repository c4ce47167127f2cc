//! `memory_session_resume`: returns what earlier sessions left, and starts a session if none is
//! open.

use super::render;
use super::session_start::render_episode;
use crate::arguments;
use crate::tool_table::ToolDefinition;
use engine::sessions::{ResumeResults, ResumeSessionRequest, SessionRef, StartSessionRequest};
use engine::{Caller, Engine};
use model::{Failure, JsonMap, Memory, Session};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

/// Arguments of `memory_session_resume`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Arguments {
    /// Maximum memories including the episode.
    #[schemars(extend("default" = 15))]
    limit: Option<usize>,
}

pub(super) const TOOL: ToolDefinition = ToolDefinition {
    name: "memory_session_resume",
    title: "Resume",
    description: "Load what the last sessions left: the newest episode, decisions, facts and other \
                  memories. Call it at the start of every conversation. Example: {\"limit\": 10}",
    input: arguments::schema::<Arguments>,
    output: "current_session: integer, previous_session: integer|null, last_episode: object|null, \
             recent_decisions: objects, recent_facts: objects, recent_other: objects, \
             total_loaded: integer, message: string",
    always_load: true,
};

pub(super) async fn call(
    engine: &Engine,
    caller: &Caller,
    given: JsonMap,
) -> Result<Value, Failure> {
    let arguments: Arguments = arguments::read(given)?;
    let current = current_or_new_session(engine, caller).await?;
    let session = Some(SessionRef::Id(current.id));
    let input = ResumeSessionRequest { session, project: None, limit: arguments.limit };
    Ok(render_result(&current, &engine.sessions().resume(caller, &input).await?))
}

/// Returns the caller's open session, or starts one: at the start of a conversation, and after an
/// earlier session has ended.
async fn current_or_new_session(engine: &Engine, caller: &Caller) -> Result<Session, Failure> {
    match engine.sessions().current(caller).await?.filter(|session| session.ended_at.is_none()) {
        Some(session) => Ok(session),
        None => Ok(engine.sessions().enter(caller, &StartSessionRequest::default()).await?.session),
    }
}

fn render_result(current: &Session, found: &ResumeResults) -> Value {
    let nodes = |memories: &[Memory]| -> Vec<Value> {
        memories.iter().map(|memory| Value::Object(render::node(memory))).collect()
    };
    let total = found.memories().count();
    let message = match total {
        0 => "Nothing to resume: there are no memories of earlier sessions".to_owned(),
        1 => "Resumed with 1 memory of earlier sessions".to_owned(),
        _ => format!("Resumed with {total} memories of earlier sessions"),
    };
    json!({
        "current_session": current.id.0,
        "previous_session": render::session(found.previous.as_ref().map(|session| session.id)),
        "last_episode": found.last_episode.as_ref().map(render_episode),
        "recent_decisions": nodes(&found.decisions),
        "recent_facts": nodes(&found.facts),
        "recent_other": nodes(&found.others),
        "total_loaded": total,
        "message": message,
    })
}
