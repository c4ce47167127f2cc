//! `memory_workspace_create`: a workspace with nothing in it yet.

use super::{Asked, name};
use crate::agentic::Effect;
use crate::{Tool, arguments};
use model::{Failure, JsonMap};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

/// Arguments of `memory_workspace_create`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Arguments {
    /// What to call it.
    name: String,
}

pub(super) fn tool() -> Tool {
    crate::agentic::tool::<Arguments>(
        "memory_workspace_create",
        "Create a workspace",
        "A workspace asks several memories at once. It is kept; use its id in the other workspace tools. \
         Example: {\"name\": \"all projects\"}",
        "workspace_id: string, name: string, status: string, notes?: strings",
        Effect::Adds,
    )
}

pub(super) async fn call(asked: &Asked<'_>, given: JsonMap) -> Result<Value, Failure> {
    let arguments: Arguments = arguments::read(given)?;
    let made = asked.engine.workspaces().create(asked.caller, &arguments.name).await?;
    let mut answer =
        json!({ "workspace_id": name(made.id), "name": made.name, "status": "created" });
    if !made.notes.is_empty() {
        answer["notes"] = json!(made.notes);
    }
    Ok(answer)
}
