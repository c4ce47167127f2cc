//! `memory_query`: lists nodes by conditions, without a text search.

use super::render;
use super::type_names::{parse_event_types, unknown_name};
use crate::arguments;
use crate::marks::mark_listing;
use crate::tool_table::ToolDefinition;
use engine::query::{QueryMemoriesRequest, QueryOrder};
use engine::sessions::SessionRef;
use engine::{Caller, Engine};
use model::{Failure, JsonMap, Moment, SessionId, limits};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

/// Default number of nodes.
const DEFAULT_RESULTS: usize = 20;

/// Values of `sort_by`; the first is the default.
const ORDERS: [&str; 4] = ["most_recent", "highest_confidence", "most_accessed", "most_important"];

/// Arguments of `memory_query`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Arguments {
    /// Only these types, such as ["fact", "decision"].
    event_types: Option<Vec<String>>,
    /// Minimum confidence, 0.0 to 1.0.
    min_confidence: Option<f32>,
    /// Maximum confidence, 0.0 to 1.0.
    max_confidence: Option<f32>,
    /// Only these sessions.
    session_ids: Option<Vec<i64>>,
    /// From this time on, Unix microseconds.
    created_after: Option<i64>,
    /// Up to this time, Unix microseconds.
    created_before: Option<i64>,
    /// Maximum nodes.
    #[schemars(extend("default" = 20))]
    max_results: Option<usize>,
    /// Order of the nodes.
    #[schemars(extend("enum" = ORDERS, "default" = ORDERS[0]))]
    sort_by: Option<String>,
}

pub(super) const TOOL: ToolDefinition = ToolDefinition {
    name: "memory_query",
    title: "Query memories",
    description: "List nodes by type, confidence, session or time. For text search use \
                  memory_similar. Example: {\"event_types\": [\"decision\"], \
                  \"min_confidence\": 0.7, \"sort_by\": \"highest_confidence\"}",
    input: arguments::schema::<Arguments>,
    output: "count: integer, nodes: objects, total: integer",
    always_load: false,
};

pub(super) async fn call(
    engine: &Engine,
    caller: &Caller,
    given: JsonMap,
) -> Result<Value, Failure> {
    let arguments: Arguments = arguments::read(given)?;
    let input = conditions(engine, caller, arguments).await?;
    let chosen = engine.memories().query_memories(caller, &input).await?;
    let mut nodes: Vec<Value> = chosen
        .memories
        .iter()
        .map(|memory| Value::Object(render::node_with_usage(engine, memory)))
        .collect();
    mark_listing(engine, caller, &chosen.memories, &mut nodes, render::MARKS).await?;
    Ok(json!({ "count": nodes.len(), "nodes": nodes, "total": chosen.total }))
}

async fn conditions(
    engine: &Engine,
    caller: &Caller,
    arguments: Arguments,
) -> Result<QueryMemoriesRequest, Failure> {
    let (low, high) = (arguments.min_confidence, arguments.max_confidence);
    // A missing bound counts as 0 here, which is in range.
    for (field, value) in [("min_confidence", low), ("max_confidence", high)] {
        limits::range(field, f64::from(value.unwrap_or_default()), 0.0, 1.0)?;
    }
    let sessions = arguments.session_ids.unwrap_or_default();
    limits::count("session_ids", sessions.len(), limits::IDS_PER_CALL)?;
    Ok(QueryMemoriesRequest {
        kinds: parse_event_types(engine, caller, arguments.event_types).await?,
        sessions: sessions.into_iter().map(|id| SessionRef::Id(SessionId(id))).collect(),
        since: arguments.created_after.map(Moment),
        until: arguments.created_before.map(Moment),
        confidence_min: low,
        confidence_max: high,
        order: parse_order(arguments.sort_by.as_deref())?,
        limit: arguments.max_results.unwrap_or(DEFAULT_RESULTS),
    })
}

fn parse_order(given: Option<&str>) -> Result<QueryOrder, Failure> {
    Ok(match given {
        None | Some("most_recent") => QueryOrder::Newest,
        Some("highest_confidence") => QueryOrder::MostConfident,
        Some("most_accessed") => QueryOrder::MostUsed,
        Some("most_important") => QueryOrder::MostImportant,
        Some(other) => {
            return Err(unknown_name("sort_by", other, &ORDERS));
        }
    })
}
