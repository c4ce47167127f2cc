//! `memory_workspace_xref`: which memories of a workspace speak of a topic, and which do not.

use super::Asked;
use super::compare::Spoken;
use crate::agentic::Effect;
use crate::{Tool, arguments};
use model::{Failure, JsonMap};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

/// Arguments of `memory_workspace_xref`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Arguments {
    /// The workspace, such as ws_1.
    workspace_id: String,
    /// The topic to look up.
    item: String,
}

pub(super) fn tool() -> Tool {
    crate::agentic::tool::<Arguments>(
        "memory_workspace_xref",
        "Cross-reference a workspace",
        "Which memories of a workspace speak of a topic and which do not. \
         Example: {\"workspace_id\": \"ws_1\", \"item\": \"database\"}",
        "item: string, present_in: strings, absent_from: strings, coverage: string, unreadable?: strings",
        Effect::Reads,
    )
}

pub(super) async fn call(asked: &Asked<'_>, given: JsonMap) -> Result<Value, Failure> {
    let arguments: Arguments = arguments::read(given)?;
    let workspace = asked.workspace(&arguments.workspace_id).await?;
    let spoken = Spoken::of(asked, &workspace, &arguments.item, 1).await?;
    let present = spoken.labels(true);
    let mut answer = json!({
        "item": arguments.item,
        "present_in": present,
        "absent_from": spoken.labels(false),
        "coverage": format!("{}/{}", present.len(), spoken.readable()),
    });
    spoken.note_unreadable(&mut answer);
    Ok(answer)
}
