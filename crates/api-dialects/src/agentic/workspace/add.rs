//! `memory_workspace_add`: adds a memory to a workspace.

use super::{WorkspaceAccess, format_context_id};
use crate::agentic::type_names::unknown_name;
use crate::arguments;
use crate::tool_table::ToolDefinition;
use engine::workspaces::{AddContextOutcome, AddContextRequest};
use model::{ContextRole, ContextSource, Failure, JsonMap};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use std::path::Path;

/// Values of `role`; the first is the default.
const ROLES: [&str; 4] = ["primary", "secondary", "reference", "archive"];

/// Arguments of `memory_workspace_add`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Arguments {
    /// Id of the workspace, such as ws_1.
    workspace_id: String,
    /// .amem file in a directory that the owner allowed, or quipu:OWNER for a memory of this
    /// installation.
    path: String,
    /// Role of the memory in the workspace.
    #[schemars(extend("enum" = ROLES, "default" = ROLES[0]))]
    role: Option<String>,
    /// Display name; default: the file name.
    label: Option<String>,
}

pub(crate) const TOOL: ToolDefinition = ToolDefinition {
    name: "memory_workspace_add",
    title: "Add to a workspace",
    description: "Add a memory to a workspace: an .amem file, or quipu:me for the owner's own. \
                  Example: {\"workspace_id\": \"ws_1\", \"path\": \"old/brain.amem\", \
                  \"role\": \"archive\"}",
    input: arguments::schema::<Arguments>,
    output: "context_id: string, workspace_id: string, path: string, role: string, label: string, \
             status: string, notes?: strings",
    always_load: false,
};

pub(crate) async fn call(access: &WorkspaceAccess<'_>, given: JsonMap) -> Result<Value, Failure> {
    let arguments: Arguments = arguments::read(given)?;
    let workspace = access.workspace(&arguments.workspace_id).await?;
    let role = parse_role(arguments.role.as_deref())?;
    let source = access.state.resolve(access.caller, &arguments.path)?;
    // Opens the source, so that an unreadable file is refused now and not at the first query.
    access.state.size(access.engine, access.caller, &source).await?;
    let label = arguments::non_empty(arguments.label).unwrap_or_else(|| default_label(&source));
    let input = AddContextRequest { workspace: workspace.id, source, role, label };
    let AddContextOutcome { context, notes } =
        access.engine.workspaces().add_context(access.caller, &input).await?;
    let mut answer = json!({
        "context_id": format_context_id(workspace.id, &context),
        "workspace_id": super::format_id(workspace.id),
        "path": arguments.path,
        "role": role.name(),
        "label": context.label,
        "status": "added",
    });
    if !notes.is_empty() {
        answer["notes"] = json!(notes);
    }
    Ok(answer)
}

fn parse_role(given: Option<&str>) -> Result<ContextRole, Failure> {
    let Some(given) = given else { return Ok(ContextRole::Primary) };
    let known = ContextRole::ALL.map(ContextRole::name);
    ContextRole::parse(&given.trim().to_lowercase())
        .ok_or_else(|| unknown_name("role", given, &known))
}

fn default_label(source: &ContextSource) -> String {
    match source {
        ContextSource::Owner(owner) => owner.to_string(),
        ContextSource::File(path) => {
            let stem = Path::new(path).file_stem();
            stem.map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default()
        }
    }
}
