//! `conversation_log`: records what was said, in order.

use crate::arguments;
use crate::tool_table::ToolDefinition;
use engine::sessions::LogExchangeRequest;
use engine::{Caller, Engine};
use model::{Failure, JsonMap};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

/// Confidence of a log entry: that somebody said something does not make it a fact.
const LOG_CONFIDENCE: f32 = 0.85;

/// Arguments of `conversation_log`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Arguments {
    /// The user's message or question.
    user_message: Option<String>,
    /// Summary of what you answered or did.
    agent_response: Option<String>,
    /// Topic, such as debugging.
    topic: Option<String>,
}

pub(super) const TOOL: ToolDefinition = ToolDefinition {
    name: "conversation_log",
    title: "Log a conversation",
    description: "Record what the user said, what you answered, or both; entries of a session are \
                  linked in order. Example: {\"user_message\": \"Why is CI red?\", \
                  \"agent_response\": \"A pinned action was removed.\"}",
    input: arguments::schema::<Arguments>,
    output: "node_id: integer, edges_created: integer, message: string, session_id: integer, \
             notes?: strings",
    always_load: false,
};

pub(super) async fn call(
    engine: &Engine,
    caller: &Caller,
    given: JsonMap,
) -> Result<Value, Failure> {
    let arguments: Arguments = arguments::read(given)?;
    if arguments.user_message.is_none() && arguments.agent_response.is_none() {
        return Err(Failure::invalid("give user_message, agent_response, or both"));
    }
    let input = LogExchangeRequest {
        session: Some(engine.sessions().session_to_join(caller).await?),
        user: arguments.user_message,
        agent: arguments.agent_response,
        topic: arguments.topic,
        confidence: Some(LOG_CONFIDENCE),
        ..LogExchangeRequest::default()
    };
    let logged = engine.sessions().log_exchange(caller, &input).await?;
    let mut answer = json!({
        "node_id": logged.memory.0,
        "edges_created": i64::from(logged.follows.is_some()),
        "message": format!("Logged in session {}", logged.session),
        "session_id": logged.session.0,
    });
    if !logged.notes.is_empty() {
        answer["notes"] = json!(logged.notes);
    }
    Ok(answer)
}
