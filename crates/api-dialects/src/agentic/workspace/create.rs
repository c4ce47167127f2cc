//! `memory_workspace_create`: creates an empty workspace.

use super::{WorkspaceAccess, format_id};
use crate::arguments;
use crate::tool_table::ToolDefinition;
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

pub(crate) const TOOL: ToolDefinition = ToolDefinition {
    name: "memory_workspace_create",
    title: "Create a workspace",
    description: "Create a workspace, which queries several memories at once. It is permanent; use \
                  its id in the other workspace tools. Example: {\"name\": \"all projects\"}",
    input: arguments::schema::<Arguments>,
    output: "workspace_id: string, name: string, status: string, notes?: strings",
    always_load: false,
};

pub(crate) async fn call(access: &WorkspaceAccess<'_>, given: JsonMap) -> Result<Value, Failure> {
    let arguments: Arguments = arguments::read(given)?;
    let created = access.engine.workspaces().create(access.caller, &arguments.name).await?;
    let mut answer =
        json!({ "workspace_id": format_id(created.id), "name": created.name, "status": "created" });
    if !created.notes.is_empty() {
        answer["notes"] = json!(created.notes);
    }
    Ok(answer)
}
