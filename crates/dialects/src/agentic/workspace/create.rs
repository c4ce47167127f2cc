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
        "workspace_id: string, name: string, status: string",
        Effect::Adds,
    )
}

pub(super) async fn call(asked: &Asked<'_>, given: JsonMap) -> Result<Value, Failure> {
    let arguments: Arguments = arguments::read(given)?;
    let workspace = asked.engine.create_workspace(asked.caller, &arguments.name).await?;
    Ok(json!({ "workspace_id": name(workspace), "name": arguments.name.trim(), "status": "created" }))
}
