//! `list_entities`: the entities that a memory mentions, each with the extractor that found it.

use crate::tool_table::ToolDefinition;
use crate::{arguments, schema};
use engine::{Caller, Engine};
use model::{Failure, JsonMap, MemoryId};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

/// Arguments of `list_entities`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Arguments {
    /// Id of the memory.
    memory_id: i64,
}

pub(super) const TOOL: ToolDefinition = ToolDefinition {
    name: "list_entities",
    title: "List entities",
    description: "Entities that a memory mentions: functions, types, modules, files, commands, \
                  environment variables, errors, tickets, URLs, people. Fenced code is parsed \
                  (source tree-sitter). Example: {\"memory_id\": 17}",
    input: arguments::schema::<Arguments>,
    output: schema::LIST,
    always_load: false,
};

pub(super) async fn call(
    engine: &Engine,
    caller: &Caller,
    given: JsonMap,
) -> Result<Value, Failure> {
    let arguments: Arguments = arguments::read(given)?;
    let mentions = engine.graph().entities_in(caller, MemoryId(arguments.memory_id)).await?;
    let shown = mentions.iter().map(|one| {
        json!({
            "entity_type": one.kind,
            "name": one.name,
            "source": one.source,
            "path": one.path,
        })
    });
    Ok(shown.collect())
}
