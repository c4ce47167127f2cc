//! `memory_resolve`: returns the latest version of a belief.

use super::render;
use crate::arguments;
use crate::tool_table::ToolDefinition;
use engine::{Caller, Engine};
use model::{Failure, JsonMap, MemoryId};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

/// Arguments of `memory_resolve`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Arguments {
    /// Id of any version of the belief.
    node_id: i64,
}

pub(super) const TOOL: ToolDefinition = ToolDefinition {
    name: "memory_resolve",
    title: "Latest version",
    description: "Follow corrections from any version of a belief to the latest one. \
                  Example: {\"node_id\": 7}",
    input: arguments::schema::<Arguments>,
    output: "original_id: integer, resolved_id: integer, is_latest: boolean, latest: object",
    always_load: false,
};

pub(super) async fn call(
    engine: &Engine,
    caller: &Caller,
    given: JsonMap,
) -> Result<Value, Failure> {
    let arguments: Arguments = arguments::read(given)?;
    let original = MemoryId(arguments.node_id);
    let memory = engine.memories().latest_version(caller, original).await?;
    Ok(json!({
        "original_id": original.0,
        "resolved_id": memory.id.0,
        "is_latest": memory.id == original,
        "latest": render::node(&memory),
    }))
}
