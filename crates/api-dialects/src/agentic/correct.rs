//! `memory_correct`: replaces a wrong node with a new one.

use super::render;
use crate::arguments;
use crate::tool_table::ToolDefinition;
use engine::correct::CorrectRequest;
use engine::remember::RememberStatus;
use engine::{Caller, Engine};
use model::{Failure, JsonMap, MemoryId};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

/// Default confidence of a correction, as the contract documents it.
const DEFAULT_CONFIDENCE: f32 = 0.95;

/// Arguments of `memory_correct`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Arguments {
    /// Id of the wrong node.
    old_node_id: i64,
    /// The corrected content.
    new_content: String,
    /// 0.0 to 1.0.
    #[schemars(extend("default" = 0.95))]
    confidence: Option<f32>,
    /// Reason for the correction.
    reason: Option<String>,
}

pub(super) const TOOL: ToolDefinition = ToolDefinition {
    name: "memory_correct",
    title: "Correct a memory",
    description: "Replace a wrong or outdated belief. Searches no longer return the old node; it \
                  stays in the history with its confidence. The newest correction wins. \
                  Example: {\"old_node_id\": 7, \"new_content\": \"The API runs on port 8081.\", \
                  \"reason\": \"moved in May\"}",
    input: arguments::schema::<Arguments>,
    output: "new_node_id: integer, old_node_id: integer, supersedes: boolean, reason: string|null, \
             also_superseded?: integers, conflicts?: objects, notes?: strings",
    always_load: false,
};

pub(super) async fn call(
    engine: &Engine,
    caller: &Caller,
    given: JsonMap,
) -> Result<Value, Failure> {
    let arguments: Arguments = arguments::read(given)?;
    arguments::check_text("new_content", &arguments.new_content)?;
    let old = MemoryId(arguments.old_node_id);
    let input = CorrectRequest {
        // The contract has an event type for corrections, whatever the type of the old node.
        kind: Some("correction".to_owned()),
        confidence: Some(arguments.confidence.unwrap_or(DEFAULT_CONFIDENCE)),
        reason: arguments.reason,
        session: Some(engine.sessions().session_to_join(caller).await?),
        ..CorrectRequest::new(old, arguments.new_content)
    };
    let corrected = engine.memories().correct(caller, &input).await?;
    let mut answer = json!({
        "new_node_id": corrected.id.map_or(0, |id| id.0),
        "old_node_id": old.0,
        "supersedes": corrected.superseded.contains(&old),
        "reason": input.reason,
    });
    let others: Vec<i64> =
        corrected.superseded.iter().filter(|id| **id != old).map(|id| id.0).collect();
    if !others.is_empty() {
        answer["also_superseded"] = json!(others);
    }
    if !corrected.conflicts.is_empty() {
        answer["conflicts"] = render::conflicts(&corrected.conflicts);
    }
    let mut notes = corrected.sentences();
    if corrected.status == RememberStatus::Duplicate {
        notes.push(
            "the new node already existed; its confidence and reason are unchanged".to_owned(),
        );
    }
    if !corrected.proposals.is_empty() {
        notes.push(
            "a stronger source wrote the old node; the correction waits for the owner's review"
                .to_owned(),
        );
    }
    if !notes.is_empty() {
        answer["notes"] = json!(notes);
    }
    Ok(answer)
}
