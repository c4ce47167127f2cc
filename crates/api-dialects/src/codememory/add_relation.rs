//! `add_relation`: relates two entities. Unknown entities are created, known ones keep their types,
//! and a relation that exists already is not added again.

use super::render;
use crate::arguments;
use crate::tool_table::ToolDefinition;
use engine::entities::RelateEntitiesRequest;
use engine::{Caller, Engine};
use model::{Failure, JsonMap, MemoryId};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

/// Arguments of `add_relation`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Arguments {
    /// Name of the entity where it starts.
    source: String,
    /// Name of the entity where it ends.
    target: String,
    /// Active voice: depends_on, implements.
    relation_type: String,
    /// Id of the memory that says so.
    memory_id: Option<i64>,
}

pub(super) const TOOL: ToolDefinition = ToolDefinition {
    name: "add_relation",
    title: "Add a relation",
    description: "Record how two entities relate. Example: {\"source\": \"auth\", \
                  \"target\": \"postgres\", \"relation_type\": \"depends_on\"}",
    input: arguments::schema::<Arguments>,
    output: "status: string, relation_id?: integer, notes?: strings, hint?: string",
    always_load: false,
};

pub(super) async fn call(
    engine: &Engine,
    caller: &Caller,
    given: JsonMap,
) -> Result<Value, Failure> {
    let arguments: Arguments = arguments::read(given)?;
    let input = RelateEntitiesRequest {
        source: arguments.source,
        target: arguments.target,
        kind: arguments.relation_type,
        memory: arguments.memory_id.map(MemoryId),
        ..RelateEntitiesRequest::default()
    };
    let related = engine.graph().relate(caller, &input).await?;
    let mut answer = JsonMap::from_iter([("status".to_owned(), "ok".into())]);
    answer.insert("relation_id".into(), related.relation.0.into());
    render::insert_notes(&mut answer, &related.notes);
    Ok(Value::Object(answer))
}
