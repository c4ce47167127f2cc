//! `session_start`: a new session, with what the last one left.

use super::{Effect, shown};
use crate::{Tool, arguments};
use engine::sessions::{SessionRef, StartSession};
use engine::{Caller, Engine};
use model::{Failure, JsonMap, Memory, SessionId};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

/// Arguments of `session_start`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Arguments {
    /// A number of your choice; one that is there is taken up again. Default: the next.
    session_id: Option<i64>,
    /// Whatever should be kept with the session.
    metadata: Option<JsonMap>,
}

pub(super) fn tool() -> Tool {
    super::tool::<Arguments>(
        "session_start",
        "Start a session",
        "Begin a session; what you add from now on belongs to it. Answers with what the last one left. \
         Example: {\"metadata\": {\"task\": \"billing\"}}",
        "session_id: integer, message: string, total_sessions: integer, previous_session: integer|null, \
         last_episode: object|null, metadata?: object",
        Effect::Adds,
    )
}

pub(super) async fn call(
    engine: &Engine,
    caller: &Caller,
    given: JsonMap,
) -> Result<Value, Failure> {
    let arguments: Arguments = arguments::read(given)?;
    let input = StartSession {
        session: arguments.session_id.map(|id| SessionRef::Id(SessionId(id))),
        project: None,
        metadata: arguments.metadata.unwrap_or_default(),
    };
    let begun = engine.sessions().enter(caller, &input).await?;
    let verb = if begun.taken_up { "taken up again" } else { "started" };
    let mut answer = json!({
        "session_id": begun.session.id.0,
        "message": format!("Session {} {verb}", begun.session.id),
        "total_sessions": begun.total,
        "previous_session": shown::session(begun.previous.map(|session| session.id)),
        "last_episode": begun.last_episode.as_ref().map(episode),
    });
    if !begun.session.metadata.is_empty() {
        answer["metadata"] = json!(begun.session.metadata);
    }
    Ok(answer)
}

/// What sums a session up.
pub(super) fn episode(memory: &Memory) -> Value {
    json!({
        "session_id": shown::session(memory.session),
        "summary": memory.text,
        "created_at": memory.valid_from.0,
        "node_id": memory.id.0,
    })
}
