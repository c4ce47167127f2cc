//! `memory_workspace_query`: searches every memory of a workspace.

use super::sources::SourceSearch;
use super::{WorkspaceAccess, format_context_id, format_id};
use crate::arguments;
use crate::tool_table::ToolDefinition;
use model::{Failure, JsonMap, limits};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

/// Default number of matches per memory.
const DEFAULT_PER_CONTEXT: usize = 10;
/// Minimum score of a match.
const MIN_SCORE: f32 = 0.25;

/// Arguments of `memory_workspace_query`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Arguments {
    /// Id of the workspace, such as ws_1.
    workspace_id: String,
    /// Text to look for.
    query: String,
    /// Maximum matches per memory.
    #[schemars(extend("default" = 10))]
    max_per_context: Option<usize>,
}

pub(crate) const TOOL: ToolDefinition = ToolDefinition {
    name: "memory_workspace_query",
    title: "Query a workspace",
    description: "Search every memory of a workspace. Example: {\"workspace_id\": \"ws_1\", \
                  \"query\": \"release day\"}",
    input: arguments::schema::<Arguments>,
    output: "workspace_id: string, query: string, total_matches: integer, \
             contexts_searched: integer, results: objects",
    always_load: false,
};

pub(crate) async fn call(access: &WorkspaceAccess<'_>, given: JsonMap) -> Result<Value, Failure> {
    let arguments: Arguments = arguments::read(given)?;
    limits::bytes("query", &arguments.query, limits::QUERY_BYTES)?;
    let workspace = access.workspace(&arguments.workspace_id).await?;
    let limit = arguments.max_per_context.unwrap_or(DEFAULT_PER_CONTEXT).min(limits::PAGE_ITEMS);
    let search = SourceSearch { query: &arguments.query, min_score: MIN_SCORE, limit };
    let (mut results, mut total, mut searched) = (Vec::new(), 0, 0);
    for context in &workspace.contexts {
        let mut shown = json!({
            "context_id": format_context_id(workspace.id, context),
            "context_role": context.role.name(),
            "label": context.label,
        });
        match access.state.search(access.engine, access.caller, &context.source, &search).await {
            Ok(matches) => {
                total += matches.len();
                searched += 1;
                shown["match_count"] = matches.len().into();
                shown["matches"] = matches.into();
            }
            // One unreadable source must not hide the others.
            Err(failure) => shown["unreadable"] = failure.message.into(),
        }
        results.push(shown);
    }
    Ok(json!({
        "workspace_id": format_id(workspace.id),
        "query": arguments.query,
        "total_matches": total,
        "contexts_searched": searched,
        "results": results,
    }))
}
