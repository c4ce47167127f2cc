//! `memory_traverse`: walks along edges from a node, breadth first.

use super::extra_arguments::add_text;
use super::render;
use super::type_names::{parse_edge_type, unknown_name};
use crate::arguments;
use crate::tool_table::ToolDefinition;
use engine::explore::{ExploreRequest, LinkDirection};
use engine::{Caller, Engine};
use model::{Failure, JsonMap, LinkKind, MemoryId, limits};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

/// Default depth of a walk.
const DEFAULT_DEPTH: usize = 5;
/// Default number of nodes, including the first.
const DEFAULT_RESULTS: usize = 20;

/// Arguments of `memory_traverse`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Arguments {
    /// Id of the node to start from.
    start_id: i64,
    /// Only these edge types; default all. With supersedes, replaced nodes are shown too.
    edge_types: Option<Vec<String>>,
    /// Direction of the edges.
    #[schemars(extend("enum" = ["forward", "backward", "both"], "default" = "forward"))]
    direction: Option<String>,
    /// Maximum edges away, at most 16.
    #[schemars(extend("default" = 5))]
    max_depth: Option<usize>,
    /// Maximum nodes including the first. truncated means that there may be more.
    #[schemars(extend("default" = 20))]
    max_results: Option<usize>,
    /// Only nodes with at least this confidence.
    min_confidence: Option<f32>,
}

pub(super) const TOOL: ToolDefinition = ToolDefinition {
    name: "memory_traverse",
    title: "Traverse the graph",
    description: "Walk along edges from a node, nearest first: what led to it, what it supports, \
                  what came next. Example: {\"start_id\": 7, \"edge_types\": [\"caused_by\"], \
                  \"direction\": \"forward\"}",
    input: arguments::schema::<Arguments>,
    output: "start_id: integer, visited_count: integer, visited: objects, \
             edges_traversed: objects, truncated?: boolean",
    always_load: false,
};

pub(super) async fn call(
    engine: &Engine,
    caller: &Caller,
    given: JsonMap,
) -> Result<Value, Failure> {
    let arguments: Arguments = arguments::read(given)?;
    let mut walk = walk(&arguments)?;
    let note = cap_depth(&mut walk);
    let explored = engine.graph().explore(caller, &walk).await?;
    let visited = explored.visits.iter().map(|(memory, depth)| {
        let mut node = render::node(memory);
        node.insert("depth".into(), (*depth).into());
        Value::Object(node)
    });
    let visited: Vec<Value> = visited.collect();
    let most = walk.limit.unwrap_or(DEFAULT_RESULTS).clamp(1, limits::WALK_MEMORIES);
    let mut answer = json!({
        // The newest version of a node that was replaced.
        "start_id": explored.start.0,
        "visited_count": visited.len(),
        "edges_traversed": explored.followed.iter().map(render::edge).collect::<Vec<_>>(),
    });
    // The walk stopped at its limit, so there may be more.
    if visited.len() == most {
        answer["truncated"] = true.into();
    }
    answer["visited"] = visited.into();
    note.iter().for_each(|note| add_text(&mut answer, note));
    Ok(answer)
}

/// Caps the depth of a walk, and returns a note if it was larger.
pub(super) fn cap_depth(walk: &mut ExploreRequest) -> Option<String> {
    let asked = walk.depth.filter(|depth| *depth > limits::WALK_DEPTH)?;
    walk.depth = Some(limits::WALK_DEPTH);
    Some(format!("max_depth {asked} is past the limit; {} was used", limits::WALK_DEPTH))
}

fn walk(arguments: &Arguments) -> Result<ExploreRequest, Failure> {
    let kinds: Result<Vec<LinkKind>, Failure> =
        arguments.edge_types.iter().flatten().map(|name| parse_edge_type(name)).collect();
    let kinds = kinds?;
    Ok(ExploreRequest {
        direction: parse_direction(arguments.direction.as_deref())?,
        // Superseded nodes are hidden unless the edges that lead to them are asked for.
        with_history: kinds.contains(&LinkKind::Supersedes),
        kinds,
        depth: Some(arguments.max_depth.unwrap_or(DEFAULT_DEPTH)),
        limit: Some(arguments.max_results.unwrap_or(DEFAULT_RESULTS)),
        confidence_min: arguments.min_confidence,
        with_links_between: false,
        ..ExploreRequest::around(MemoryId(arguments.start_id))
    })
}

fn parse_direction(given: Option<&str>) -> Result<LinkDirection, Failure> {
    match given {
        None | Some("forward") => Ok(LinkDirection::Forward),
        Some("backward") => Ok(LinkDirection::Backward),
        Some("both") => Ok(LinkDirection::Both),
        Some(other) => Err(unknown_name("direction", other, &["forward", "backward", "both"])),
    }
}
