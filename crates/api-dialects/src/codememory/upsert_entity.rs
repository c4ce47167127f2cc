//! `upsert_entity`: creates or updates an entity and adds observations. A known entity keeps its
//! type unless a new one is given, and a known observation is not added twice.

use super::render;
use crate::arguments;
use crate::tool_table::ToolDefinition;
use engine::entities::PutEntityRequest;
use engine::{Caller, Engine};
use model::{Failure, JsonMap, MemoryId};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

/// Type that the contract gives to an untyped entity. It counts as no type, so that it does not
/// overwrite a real one.
const UNTYPED: &str = "entity";

/// Arguments of `upsert_entity`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Arguments {
    /// Name of the entity.
    name: String,
    /// service, table, person...
    #[schemars(extend("default" = "entity"))]
    entity_type: Option<String>,
    /// JSON list of strings as text: ["runs on port 8080"].
    observations_json: Option<String>,
    /// Id of the memory that says so.
    memory_id: Option<i64>,
}

pub(super) const TOOL: ToolDefinition = ToolDefinition {
    name: "upsert_entity",
    title: "Upsert an entity",
    description: "Create or update an entity of the graph and add observations. \
                  Example: {\"name\": \"auth\", \"entity_type\": \"service\", \
                  \"observations_json\": \"[\\\"issues JWTs\\\"]\"}",
    input: arguments::schema::<Arguments>,
    output: "status: string, entity_id?: integer, notes?: strings, hint?: string",
    always_load: false,
};

pub(super) async fn call(
    engine: &Engine,
    caller: &Caller,
    given: JsonMap,
) -> Result<Value, Failure> {
    let arguments: Arguments = arguments::read(given)?;
    let input = PutEntityRequest {
        observations: parse_observations(arguments.observations_json.as_deref())?,
        kind: arguments.entity_type.filter(|kind| !kind.trim().eq_ignore_ascii_case(UNTYPED)),
        name: arguments.name,
        memory: arguments.memory_id.map(MemoryId),
        ..PutEntityRequest::default()
    };
    let put = engine.graph().put_entity(caller, &input).await?;
    let mut answer = JsonMap::from_iter([("status".to_owned(), "ok".into())]);
    answer.insert("entity_id".into(), put.entity.id.0.into());
    render::insert_notes(&mut answer, &put.notes);
    Ok(Value::Object(answer))
}

/// Parses the list of observations; a single string counts as a list of one.
fn parse_observations(given: Option<&str>) -> Result<Vec<String>, Failure> {
    let Some(text) = given.filter(|text| !text.trim().is_empty()) else { return Ok(Vec::new()) };
    let failure = |why: &str| {
        Failure::invalid(format!("observations_json {why}; example: [\"issues JWTs\"]"))
    };
    let wrong = || failure("must be a list of strings");
    let parsed: Value =
        serde_json::from_str(text).map_err(|error| failure(&format!("is not JSON ({error})")))?;
    let one = |value: &Value| value.as_str().map(str::to_owned).ok_or_else(wrong);
    match &parsed {
        Value::Array(items) => items.iter().map(one).collect(),
        other => Ok(vec![one(other)?]),
    }
}
