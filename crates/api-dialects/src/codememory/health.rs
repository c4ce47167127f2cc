//! `health`: shows that the store works, and the settings of the dialect. It reads the store, so a
//! broken one makes it fail.

use super::{CodeMemoryContext, diagnostics};
use crate::arguments;
use crate::tool_table::ToolDefinition;
use model::{Failure, JsonMap, Status};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

/// `health` takes no arguments.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Arguments {}

pub(super) const TOOL: ToolDefinition = ToolDefinition {
    name: "health",
    title: "Health",
    description: "Check that the store responds, and show its location, the model and the \
                  switches. Example: {}",
    input: arguments::schema::<Arguments>,
    output: "status: string, db_path: string, memories: integer, embedding_dim: integer, \
             model: string, tree_sitter: boolean, default_top_k: integer, default_top_p: number, \
             recency_weight: number, priority_weight: number, fts_bonus: number, \
             oversample_k: integer, flags: object, summary: object, log_file: string|null, \
             workspace?: string",
    always_load: false,
};

pub(super) async fn call(
    context: &CodeMemoryContext<'_>,
    given: JsonMap,
) -> Result<Value, Failure> {
    let CodeMemoryContext { engine, caller, state: settings } = *context;
    let Arguments {} = arguments::read(given)?;
    let status = engine.admin().status(caller).await?;
    let mut answer = json!({
        "status": "ok",
        "db_path": status.location,
        "memories": status.counts.in_status(Status::Active),
        "embedding_dim": engine.admin().embedding_dimensions(),
        "model": status.embedding.model,
        // The grammars are compiled in, so parsing is always available.
        "tree_sitter": true,
        "default_top_k": settings.top_k,
        "default_top_p": settings.top_p,
        "recency_weight": settings.recency_weight,
        "priority_weight": settings.priority_weight,
        "fts_bonus": settings.fts_bonus,
        "oversample_k": settings.oversample_k,
        "flags": settings.flags(),
        "summary": diagnostics::summary_settings(),
        "log_file": null,
    });
    if let Some(workspace) = &caller.environment.project {
        answer["workspace"] = workspace.as_str().into();
    }
    Ok(answer)
}
