//! `upsert_entity`: an entity of the graph with what is said of it. A known one keeps its type
//! unless a new one is said, and what was said of it before is not said twice.

use super::shown;
use crate::{Annotations, Tool, arguments, schema};
use engine::entities::PutEntity;
use engine::{Caller, Engine};
use model::{Failure, JsonMap, MemoryId};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

/// What the contract calls an entity of no type; it says nothing.
const NO_TYPE: &str = "entity";

/// Arguments of `upsert_entity`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Arguments {
    /// Its name.
    name: String,
    /// service, table, person... Default entity.
    entity_type: Option<String>,
    /// A JSON list of texts as text: ["runs on port 8080"].
    observations_json: Option<String>,
    /// The memory in which it is said.
    memory_id: Option<i64>,
}

pub(super) fn tool() -> Tool {
    Tool {
        name: "upsert_entity",
        title: "Upsert an entity",
        description: "Create or update an entity of the graph and say something of it. Example: {\"name\": \"auth\", \
                      \"entity_type\": \"service\", \"observations_json\": \"[\\\"issues JWTs\\\"]\"}",
        input: arguments::schema::<Arguments>(),
        output: schema::result(
            "status: string, entity_id?: integer, notes?: strings, hint?: string",
        ),
        annotations: Annotations {
            read_only: false,
            destructive: false,
            idempotent: true,
            open_world: false,
        },
        always_load: false,
    }
}

pub(super) async fn call(
    engine: &Engine,
    caller: &Caller,
    given: JsonMap,
) -> Result<Value, Failure> {
    let arguments: Arguments = arguments::read(given)?;
    let input = PutEntity {
        observations: observations(arguments.observations_json.as_deref())?,
        kind: arguments.entity_type.filter(|kind| !kind.trim().eq_ignore_ascii_case(NO_TYPE)),
        name: arguments.name,
        memory: arguments.memory_id.map(MemoryId),
        ..PutEntity::default()
    };
    let put = engine.graph().put_entity(caller, &input).await?;
    let mut answer = JsonMap::from_iter([("status".to_owned(), "ok".into())]);
    answer.insert("entity_id".into(), put.entity.id.0.into());
    shown::notes(&mut answer, &put.notes);
    Ok(Value::Object(answer))
}

/// The texts of the list; one text alone is a list of one.
fn observations(given: Option<&str>) -> Result<Vec<String>, Failure> {
    let Some(text) = given.filter(|text| !text.trim().is_empty()) else { return Ok(Vec::new()) };
    let told = |why: &str| {
        Failure::invalid(format!("observations_json {why}; give texts: [\"issues JWTs\"]"))
    };
    let wrong = || told("must hold a list of texts");
    let parsed: Value =
        serde_json::from_str(text).map_err(|error| told(&format!("is not JSON ({error})")))?;
    let one = |value: &Value| value.as_str().map(str::to_owned).ok_or_else(wrong);
    match &parsed {
        Value::Array(items) => items.iter().map(one).collect(),
        other => Ok(vec![one(other)?]),
    }
}
