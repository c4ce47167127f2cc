//! `session_start`: starts or reopens a session, and returns what the last one left.

use super::render;
use crate::arguments;
use crate::tool_table::ToolDefinition;
use engine::sessions::{SessionRef, StartSessionRequest};
use engine::{Caller, Engine};
use model::{Failure, JsonMap, Memory, SessionId};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

/// Arguments of `session_start`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Arguments {
    /// Id of your choice; an existing one is reopened. Default: the next.
    session_id: Option<i64>,
    /// Data to store with the session.
    metadata: Option<JsonMap>,
}

pub(super) const TOOL: ToolDefinition = ToolDefinition {
    name: "session_start",
    title: "Start a session",
    description: "Start a session; what you add from now on belongs to it. Returns what the last \
                  one left. Example: {\"metadata\": {\"task\": \"billing\"}}",
    input: arguments::schema::<Arguments>,
    output: "session_id: integer, message: string, total_sessions: integer, \
             previous_session: integer|null, last_episode: object|null, metadata?: object",
    always_load: false,
};

pub(super) async fn call(
    engine: &Engine,
    caller: &Caller,
    given: JsonMap,
) -> Result<Value, Failure> {
    let arguments: Arguments = arguments::read(given)?;
    let input = StartSessionRequest {
        session: arguments.session_id.map(|id| SessionRef::Id(SessionId(id))),
        project: None,
        metadata: arguments.metadata.unwrap_or_default(),
    };
    let started = engine.sessions().enter(caller, &input).await?;
    let verb = if started.resumed { "reopened" } else { "started" };
    let mut answer = json!({
        "session_id": started.session.id.0,
        "message": format!("Session {} {verb}", started.session.id),
        "total_sessions": started.total,
        "previous_session": render::session(started.previous.map(|session| session.id)),
        "last_episode": started.last_episode.as_ref().map(render_episode),
    });
    if !started.session.metadata.is_empty() {
        answer["metadata"] = json!(started.session.metadata);
    }
    Ok(answer)
}

/// Renders the episode of a session.
pub(super) fn render_episode(memory: &Memory) -> Value {
    json!({
        "session_id": render::session(memory.session),
        "summary": memory.text,
        "created_at": memory.valid_from.0,
        "node_id": memory.id.0,
    })
}
