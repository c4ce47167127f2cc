//! `list_recent`: lists the newest memories of all sessions.

use super::render::SessionNames;
use crate::marks::{self, mark_listing};
use crate::tool_table::ToolDefinition;
use crate::{arguments, schema};
use engine::{Caller, Engine, MemoryQuery};
use model::{Failure, JsonMap, Page, Status, limits};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

/// Default number of memories.
const DEFAULT_LIMIT: i64 = 20;
/// Maximum value of `limit`.
const LIMIT_MAX: f64 = 100.0;

/// Arguments of `list_recent`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Arguments {
    /// Maximum memories, 1-100.
    #[schemars(extend("default" = 20))]
    limit: Option<i64>,
}

pub(super) const TOOL: ToolDefinition = ToolDefinition {
    name: "list_recent",
    title: "List recent",
    description: "The newest memories of all sessions, newest first. Example: {\"limit\": 5}",
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
    let limit = arguments.limit.unwrap_or(DEFAULT_LIMIT);
    limits::range("limit", limit as f64, 1.0, LIMIT_MAX)?;
    // Superseded and retired memories are history, not recent knowledge.
    let query = MemoryQuery { statuses: vec![Status::Active], ..MemoryQuery::default() };
    let newest = engine.memories().list(caller, &query, Page::first(limit as usize)).await?.items;
    let names = SessionNames::load(engine, caller, newest.iter()).await?;
    let mut items: Vec<Value> =
        newest.iter().map(|memory| Value::Object(names.memory(memory))).collect();
    mark_listing(engine, caller, &newest, &mut items, marks::PLAIN).await?;
    Ok(Value::Array(items))
}
