//! `memory_context`: returns the subgraph around a node.

use super::extra_arguments::add_text;
use super::render;
use crate::arguments;
use crate::tool_table::ToolDefinition;
use engine::explore::ExploreRequest;
use engine::{Caller, Engine};
use model::{Failure, JsonMap, MemoryId, limits};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

/// Default depth.
const DEFAULT_DEPTH: usize = 2;
/// Maximum depth. The contract bounds it more tightly than the engine.
const DEPTH_MAX: usize = 5;

/// Arguments of `memory_context`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Arguments {
    /// Id of the node in the center.
    node_id: i64,
    /// Maximum edges away, 1 to 5.
    #[schemars(extend("default" = 2))]
    depth: Option<usize>,
}

pub(super) const TOOL: ToolDefinition = ToolDefinition {
    name: "memory_context",
    title: "Context of a memory",
    description: "Everything around a node, with every edge between the nodes shown. \
                  Example: {\"node_id\": 7, \"depth\": 1}",
    input: arguments::schema::<Arguments>,
    output: "center_id: integer, depth: integer, node_count: integer, edge_count: integer, \
             nodes: objects, edges: objects, truncated?: boolean",
    always_load: false,
};

pub(super) async fn call(
    engine: &Engine,
    caller: &Caller,
    given: JsonMap,
) -> Result<Value, Failure> {
    let arguments: Arguments = arguments::read(given)?;
    let asked = arguments.depth.unwrap_or(DEFAULT_DEPTH);
    let depth = asked.clamp(1, DEPTH_MAX);
    let limit = limits::WALK_MEMORIES;
    let around = ExploreRequest {
        depth: Some(depth),
        limit: Some(limit),
        ..ExploreRequest::around(MemoryId(arguments.node_id))
    };
    let explored = engine.graph().explore(caller, &around).await?;
    let nodes: Vec<Value> =
        explored.visits.iter().map(|(memory, _)| Value::Object(render::node(memory))).collect();
    let mut answer = json!({
        // The newest version of a node that was replaced.
        "center_id": explored.start.0,
        "depth": depth,
        "node_count": nodes.len(),
        "edge_count": explored.between.len(),
        "edges": explored.between.iter().map(render::edge).collect::<Vec<_>>(),
    });
    // The walk stopped at its limit, so there may be more.
    if nodes.len() == limit {
        answer["truncated"] = true.into();
    }
    answer["nodes"] = nodes.into();
    if asked != depth {
        let note = format!("depth is 1 to {DEPTH_MAX}; {depth} was used instead of {asked}");
        add_text(&mut answer, &note);
    }
    Ok(answer)
}
