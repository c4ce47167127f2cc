//! `memory_workspace_create`: creates an empty workspace.

use super::{WorkspaceAccess, format_id};
use crate::agentic::ToolEffect;
use crate::{ToolSpec, arguments};
use model::{Failure, JsonMap};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

/// Arguments of `memory_workspace_create`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Arguments {
    /// Name of the workspace.
    name: String,
}

pub(super) fn tool() -> ToolSpec {
    crate::agentic::tool::<Arguments>(
        "memory_workspace_create",
        "Create a workspace",
        "Create a workspace, which queries several memories at once. It is permanent; use its id \
         in the other workspace tools. Example: {\"name\": \"all projects\"}",
        "workspace_id: string, name: string, status: string, notes?: strings",
        ToolEffect::Additive,
    )
}

pub(super) async fn call(access: &WorkspaceAccess<'_>, given: JsonMap) -> Result<Value, Failure> {
    let arguments: Arguments = arguments::read(given)?;
    let created = access.engine.workspaces().create(access.caller, &arguments.name).await?;
    let mut answer =
        json!({ "workspace_id": format_id(created.id), "name": created.name, "status": "created" });
    if !created.notes.is_empty() {
        answer["notes"] = json!(created.notes);
    }
    Ok(answer)
}
