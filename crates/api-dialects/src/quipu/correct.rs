//! `correct`: supersedes a memory with a corrected text.

use super::remember::render_outcome;
use crate::arguments::{self, SessionName};
use crate::tool_table::ToolDefinition;
use engine::correct::CorrectRequest;
use engine::{Caller, Engine};
use model::{Failure, JsonMap, MemoryId};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

/// Arguments of `correct`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Arguments {
    id: i64,
    /// The full new text.
    text: String,
    reason: Option<String>,
    /// Default: the old one.
    title: Option<String>,
    /// 0 to 1.
    #[schemars(extend("default" = 0.9))]
    confidence: Option<f32>,
    /// Default: yours.
    session: Option<SessionName>,
    /// The same key writes once.
    idempotency_key: Option<String>,
}

pub(super) const TOOL: ToolDefinition = ToolDefinition {
    name: "correct",
    title: "Correct",
    description: "Update, fix, edit or supersede a text that is wrong or outdated. recall no \
                  longer returns the old one; its history keeps it. Example: {\"id\": 17, \
                  \"text\": \"The API runs on port 8081.\", \"reason\": \"moved in May\"}",
    input: arguments::short_schema::<Arguments>,
    output: "id?: integer, happened: string, session?: integer, superseded?: integers, \
             conflicts?: objects, profile?: object, proposals?: integers, notes?: strings, \
             hint?: string",
    always_load: false,
};

pub(super) async fn call(
    engine: &Engine,
    caller: &Caller,
    given: JsonMap,
) -> Result<Value, Failure> {
    let arguments: Arguments = arguments::read(given)?;
    let input = CorrectRequest {
        reason: arguments.reason,
        title: arguments.title,
        confidence: arguments.confidence,
        session: arguments.session.as_ref().map(SessionName::session),
        idempotency_key: arguments.idempotency_key,
        ..CorrectRequest::new(MemoryId(arguments.id), arguments.text)
    };
    Ok(render_outcome(&engine.memories().correct(caller, &input).await?))
}
