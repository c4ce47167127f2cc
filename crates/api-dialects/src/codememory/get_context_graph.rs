//! `get_context_graph`: the entities that a query is about, or those mentioned most, with their
//! relations.

use super::CodeMemoryContext;
use super::get_entity::render_relation;
use crate::arguments;
use crate::tool_table::ToolDefinition;
use engine::entities::{ListEntitiesRequest, SearchEntitiesRequest};
use engine::{Caller, Engine, SearchModes};
use model::{Entity, EntityId, Failure, JsonMap, limits};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

/// Default number of entities.
const DEFAULT_LIMIT: i64 = 10;
/// Maximum value of `limit`.
const LIMIT_MAX: f64 = 100.0;

/// Arguments of `get_context_graph`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Arguments {
    /// Topic, matched by meaning. Omit for the entities mentioned most.
    query: Option<String>,
    /// Maximum entities, 1-100.
    #[schemars(extend("default" = 10))]
    limit: Option<i64>,
}

pub(super) const TOOL: ToolDefinition = ToolDefinition {
    name: "get_context_graph",
    title: "Get the context graph",
    description: "Entities and their relations: those a query is about, found by meaning (a \
                  lower score is better), or a snapshot of those mentioned most. \
                  Example: {\"query\": \"who checks logins?\", \"limit\": 5}",
    input: arguments::schema::<Arguments>,
    output: "entities?: objects, relations?: objects, status?: string, hint?: string",
    always_load: false,
};

pub(super) async fn call(
    context: &CodeMemoryContext<'_>,
    given: JsonMap,
) -> Result<Value, Failure> {
    let CodeMemoryContext { engine, caller, state: settings } = *context;
    let arguments: Arguments = arguments::read(given)?;
    let limit = arguments.limit.unwrap_or(DEFAULT_LIMIT);
    limits::range("limit", limit as f64, 1.0, LIMIT_MAX)?;
    let limit = limit as usize;
    let search_modes = settings.search_modes();
    let found = match arguments.query.filter(|query| !query.trim().is_empty()) {
        Some(query) if search_modes.words || search_modes.embedding => {
            search_entities(engine, caller, query, limit, search_modes).await?
        }
        // With both search modes switched off, a query cannot be answered either.
        _ => most_mentioned(engine, caller, limit).await?,
    };
    let ids: Vec<EntityId> = found.iter().map(|(entity, _)| entity.id).collect();
    let relations = engine.graph().relations(caller, &ids).await?;
    let entities = found.iter().map(|(entity, score)| render_entity(entity, *score));
    Ok(json!({
        "entities": entities.collect::<Vec<_>>(),
        "relations": relations.iter().map(render_relation).collect::<Vec<_>>(),
    }))
}

/// Searches entities. Each comes with its distance from the query, since lower scores are better
/// in this contract.
async fn search_entities(
    engine: &Engine,
    caller: &Caller,
    query: String,
    limit: usize,
    search_modes: SearchModes,
) -> Result<Vec<(Entity, Option<f32>)>, Failure> {
    let found = engine
        .graph()
        .search_entities(caller, &SearchEntitiesRequest { query, limit, search_modes })
        .await?;
    Ok(found.into_iter().map(|found| (found.entity, Some(1.0 - found.similarity))).collect())
}

async fn most_mentioned(
    engine: &Engine,
    caller: &Caller,
    limit: usize,
) -> Result<Vec<(Entity, Option<f32>)>, Failure> {
    let input = ListEntitiesRequest { limit: Some(limit), ..ListEntitiesRequest::default() };
    let listed = engine.graph().list_entities(caller, &input).await?;
    Ok(listed.items.into_iter().map(|entity| (entity, None)).collect())
}

fn render_entity(entity: &Entity, score: Option<f32>) -> Value {
    let mut node = json!({
        "id": entity.id.0,
        "name": entity.name,
        "entity_type": entity.kind,
        "created_at": entity.first_seen.to_string(),
    });
    if let Some(score) = score {
        node["score"] = json!((f64::from(score) * 1e4).round() / 1e4);
    }
    node
}
