//! `memory_workspace_list`: lists the memories of a workspace.

use super::{WorkspaceAccess, format_context_id, format_id};
use crate::arguments;
use crate::tool_table::ToolDefinition;
use model::{ContextSource, Failure, JsonMap};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

/// Arguments of `memory_workspace_list`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Arguments {
    /// Id of the workspace, such as ws_1.
    workspace_id: String,
}

pub(crate) const TOOL: ToolDefinition = ToolDefinition {
    name: "memory_workspace_list",
    title: "List a workspace",
    description: "List the memories of a workspace with their sizes. \
                  Example: {\"workspace_id\": \"ws_1\"}",
    input: arguments::schema::<Arguments>,
    output: "workspace_id: string, count: integer, contexts: objects",
    always_load: false,
};

pub(crate) async fn call(access: &WorkspaceAccess<'_>, given: JsonMap) -> Result<Value, Failure> {
    let arguments: Arguments = arguments::read(given)?;
    let workspace = access.workspace(&arguments.workspace_id).await?;
    let mut contexts = Vec::with_capacity(workspace.contexts.len());
    for context in &workspace.contexts {
        let path = match &context.source {
            ContextSource::File(path) => path.clone(),
            ContextSource::Owner(owner) => format!("quipu:{owner}"),
        };
        let mut shown = json!({
            "context_id": format_context_id(workspace.id, context),
            "role": context.role.name(),
            "path": path,
            "label": context.label,
        });
        match access.state.size(access.engine, access.caller, &context.source).await {
            Ok((nodes, edges)) => {
                shown["node_count"] = nodes.into();
                shown["edge_count"] = edges.into();
            }
            // One unreadable source must not hide the others.
            Err(failure) => shown["unreadable"] = failure.message.into(),
        }
        contexts.push(shown);
    }
    let id = format_id(workspace.id);
    Ok(json!({ "workspace_id": id, "count": contexts.len(), "contexts": contexts }))
}
