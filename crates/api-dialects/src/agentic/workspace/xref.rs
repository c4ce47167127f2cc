//! `memory_workspace_xref`: lists the memories of a workspace that mention a topic, and those that
//! do not.

use super::WorkspaceAccess;
use super::compare::TopicMentions;
use crate::arguments;
use crate::tool_table::ToolDefinition;
use model::{Failure, JsonMap};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

/// Arguments of `memory_workspace_xref`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Arguments {
    /// Id of the workspace, such as ws_1.
    workspace_id: String,
    /// Topic to look up.
    item: String,
}

pub(crate) const TOOL: ToolDefinition = ToolDefinition {
    name: "memory_workspace_xref",
    title: "Cross-reference a workspace",
    description: "List the memories of a workspace that mention a topic and those that do not. \
                  Example: {\"workspace_id\": \"ws_1\", \"item\": \"database\"}",
    input: arguments::schema::<Arguments>,
    output: "item: string, present_in: strings, absent_from: strings, coverage: string, \
             unreadable?: strings",
    always_load: false,
};

pub(crate) async fn call(access: &WorkspaceAccess<'_>, given: JsonMap) -> Result<Value, Failure> {
    let arguments: Arguments = arguments::read(given)?;
    let workspace = access.workspace(&arguments.workspace_id).await?;
    let mentions = TopicMentions::search(access, &workspace, &arguments.item, 1).await?;
    let present = mentions.present_in();
    let mut answer = json!({
        "item": arguments.item,
        "present_in": present,
        "absent_from": mentions.absent_from(),
        "coverage": format!("{}/{}", present.len(), mentions.readable()),
    });
    mentions.note_unreadable(&mut answer);
    Ok(answer)
}
