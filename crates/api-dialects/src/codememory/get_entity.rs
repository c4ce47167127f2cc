//! `get_entity`: everything known under a name. The contract has one entity per name, while the
//! engine has one per name and type; namesakes are shown as one entity, under the type about which
//! most is known.

use super::render;
use crate::arguments;
use crate::tool_table::ToolDefinition;
use engine::entities::{EntityRef, EntityView, ListEntitiesRequest, RelationView};
use engine::{Caller, Engine};
use model::{Entity, Failure, JsonMap, Memory, limits};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

/// Maximum number of further entities of the same name.
const NAMESAKES_MAX: usize = 8;
/// Maximum number of observations.
const OBSERVATIONS_MAX: usize = 50;

/// Arguments of `get_entity`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Arguments {
    /// Name or alias, in any case.
    name: String,
}

pub(super) const TOOL: ToolDefinition = ToolDefinition {
    name: "get_entity",
    title: "Get an entity",
    description: "An entity with its observations, its relations and the memories that mention \
                  it. Example: {\"name\": \"auth\"}",
    input: arguments::schema::<Arguments>,
    output: "id?: integer, name?: string, entity_type?: string, created_at?: string, \
             observations?: strings, relations?: objects, memory_ids?: integers, \
             aliases?: strings, status?: string, hint?: string",
    always_load: false,
};

pub(super) async fn call(
    engine: &Engine,
    caller: &Caller,
    given: JsonMap,
) -> Result<Value, Failure> {
    let arguments: Arguments = arguments::read(given)?;
    let known = engine.graph().entity(caller, &EntityRef::Name(arguments.name)).await?;
    let named = ListEntitiesRequest {
        name: Some(known.entity.name.clone()),
        limit: Some(limits::PAGE_ITEMS),
        ..ListEntitiesRequest::default()
    };
    let same = |entity: &Entity| {
        entity.id != known.entity.id
            && entity.name.to_lowercase() == known.entity.name.to_lowercase()
    };
    // The list matches by substring and sorts by mentions, so the namesakes may come late in it:
    // hence a whole page, filtered.
    let others = engine.graph().list_entities(caller, &named).await?.items.into_iter().filter(same);
    let others: Vec<EntityRef> =
        others.map(|entity| EntityRef::Id(entity.id)).take(NAMESAKES_MAX).collect();
    let mut all = vec![known];
    for other in &others {
        all.push(engine.graph().entity(caller, other).await?);
    }
    // The entity about which most is known comes first, so that one merely mentioned in a text does
    // not hide one that was described.
    all.sort_by_key(|view| std::cmp::Reverse(view.observations.len() + view.relations.len()));
    render_result(engine, caller, &all).await
}

async fn render_result(
    engine: &Engine,
    caller: &Caller,
    all: &[EntityView],
) -> Result<Value, Failure> {
    // Never empty: the entity that was looked up is always among them.
    let first = &all[0].entity;
    let mut answer = JsonMap::new();
    answer.insert("id".into(), first.id.0.into());
    answer.insert("name".into(), first.name.as_str().into());
    answer.insert("entity_type".into(), first.kind.as_str().into());
    answer.insert("created_at".into(), first.first_seen.to_string().into());
    answer.insert("observations".into(), json!(observations(engine, caller, all).await?));
    let relations = all.iter().flat_map(|view| &view.relations).map(render_relation);
    answer.insert("relations".into(), relations.collect());
    let memories = all.iter().flat_map(|view| &view.memories.items).map(|id| id.0.into());
    render::insert_non_empty(&mut answer, "memory_ids", memories.collect());
    render::insert_non_empty(
        &mut answer,
        "aliases",
        first.aliases.iter().map(|name| name.as_str().into()).collect(),
    );
    Ok(Value::Object(answer))
}

/// Collects the stored observations, then the summaries of the memories that mention the entity,
/// without duplicates.
async fn observations(
    engine: &Engine,
    caller: &Caller,
    all: &[EntityView],
) -> Result<Vec<String>, Failure> {
    let ids: Vec<_> = all
        .iter()
        .flat_map(|view| view.memories.items.iter().copied())
        .take(OBSERVATIONS_MAX)
        .collect();
    let memories = engine.memories().get(caller, &ids).await?;
    let summary = |memory: &Memory| {
        memory.summary.clone().unwrap_or_else(|| memory.titled_text().into_owned())
    };
    let summaries = memories.iter().map(summary);
    let observed = all.iter().flat_map(|view| view.observations.iter().map(|one| one.text.clone()));
    let mut texts: Vec<String> = Vec::new();
    for text in observed.chain(summaries) {
        if texts.len() < OBSERVATIONS_MAX && !texts.contains(&text) {
            texts.push(text);
        }
    }
    Ok(texts)
}

pub(super) fn render_relation(one: &RelationView) -> Value {
    json!({"type": one.relation.kind, "source": one.source, "target": one.target})
}
