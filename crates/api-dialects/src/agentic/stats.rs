//! `memory_stats`: counts nodes, edges and sessions.

use super::render;
use super::type_names::EVENT_TYPES;
use crate::arguments;
use crate::tool_table::ToolDefinition;
use engine::{Caller, Engine};
use model::{Failure, JsonMap};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

/// `memory_stats` takes no arguments.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Arguments {}

pub(super) const TOOL: ToolDefinition = ToolDefinition {
    name: "memory_stats",
    title: "Statistics",
    description: "Show the number of nodes, edges and sessions, the nodes per type, and the \
                  dimension of the vectors. Example: {}",
    input: arguments::schema::<Arguments>,
    output: "node_count: integer, edge_count: integer, dimension: integer, session_count: integer, \
             type_counts: object, file_size_bytes: integer, current_session: integer|null, \
             superseded_count: integer",
    always_load: false,
};

pub(super) async fn call(
    engine: &Engine,
    caller: &Caller,
    given: JsonMap,
) -> Result<Value, Failure> {
    let Arguments {} = arguments::read(given)?;
    statistics(engine, caller).await
}

/// Returns the statistics, for the tool and for the resource.
pub(super) async fn statistics(engine: &Engine, caller: &Caller) -> Result<Value, Failure> {
    let counts = engine.memories().statistics(caller).await?;
    let current =
        engine.sessions().current(caller).await?.filter(|session| session.ended_at.is_none());
    // The contract lists its six types even if they have no nodes.
    let mut types: JsonMap =
        EVENT_TYPES.iter().map(|name| ((*name).to_owned(), 0.into())).collect();
    types.extend(counts.kinds.iter().map(|(kind, count)| (kind.clone(), Value::from(*count))));
    Ok(json!({
        "node_count": counts.active,
        "edge_count": counts.links,
        "dimension": engine.memories().dimensions(),
        "session_count": counts.sessions,
        "type_counts": types,
        "file_size_bytes": counts.bytes,
        "current_session": render::session(current.map(|session| session.id)),
        "superseded_count": counts.superseded,
    }))
}
