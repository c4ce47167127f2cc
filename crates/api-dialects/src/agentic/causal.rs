//! `memory_causal`: lists the nodes that depend on a node.

use super::extra_arguments::add_text;
use super::render;
use super::traverse::cap_depth;
use crate::arguments;
use crate::tool_table::ToolDefinition;
use engine::explore::{ExploreRequest, LinkDirection};
use engine::{Caller, Engine};
use model::{Failure, JsonMap, LinkKind, Memory, MemoryId, limits};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

/// Default depth of the analysis.
const DEFAULT_DEPTH: usize = 5;

/// Arguments of `memory_causal`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Arguments {
    /// Id of the node to analyze.
    node_id: i64,
    /// Maximum edges away, at most 16.
    #[schemars(extend("default" = 5))]
    max_depth: Option<usize>,
}

pub(super) const TOOL: ToolDefinition = ToolDefinition {
    name: "memory_causal",
    title: "Impact of a memory",
    description: "Impact analysis: every node caused by this one, derived from it or supporting \
                  it, directly or indirectly. Check it before you correct something. \
                  Example: {\"node_id\": 7}",
    input: arguments::schema::<Arguments>,
    output: "root_id: integer, dependent_count: integer, affected_decisions: integer, \
             affected_inferences: integer, dependents: objects, truncated?: boolean",
    always_load: false,
};

pub(super) async fn call(
    engine: &Engine,
    caller: &Caller,
    given: JsonMap,
) -> Result<Value, Failure> {
    let arguments: Arguments = arguments::read(given)?;
    let mut impact = impact(MemoryId(arguments.node_id), arguments.max_depth);
    let note = cap_depth(&mut impact);
    let explored = engine.graph().explore(caller, &impact).await?;
    // The newest version of a node that was replaced.
    let root = explored.start;
    let dependents: Vec<&Memory> = explored
        .visits
        .iter()
        .map(|(memory, _)| memory)
        .filter(|memory| memory.id != root)
        .collect();
    let count =
        |kind: &str| dependents.iter().filter(|memory| memory.kind.as_str() == kind).count();
    let mut answer = json!({
        "root_id": root.0,
        "dependent_count": dependents.len(),
        "affected_decisions": count("decision"),
        "affected_inferences": count("inference"),
        "dependents": dependents
            .iter()
            .map(|memory| Value::Object(render::node(memory)))
            .collect::<Vec<_>>(),
    });
    // The walk stopped at its limit, so there may be more.
    if explored.visits.len() == limits::WALK_MEMORIES {
        answer["truncated"] = true.into();
    }
    note.iter().for_each(|note| add_text(&mut answer, note));
    Ok(answer)
}

fn impact(root: MemoryId, depth: Option<usize>) -> ExploreRequest {
    ExploreRequest {
        direction: LinkDirection::Backward,
        kinds: vec![LinkKind::CausedBy, LinkKind::DerivedFrom, LinkKind::Supports],
        depth: Some(depth.unwrap_or(DEFAULT_DEPTH)),
        limit: Some(limits::WALK_MEMORIES),
        with_links_between: false,
        ..ExploreRequest::around(root)
    }
}
