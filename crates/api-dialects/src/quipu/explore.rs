//! `explore`: follows links and relations: the memories around one, its causes, consequences and
//! history, a path between two, or everything about an entity.

use super::{parse_link_kind, render};
use crate::arguments;
use crate::tool_table::ToolDefinition;
use engine::entities::{EntityRef, EntityView};
use engine::explore::{ExploreRequest, ExploreResults};
use engine::{Caller, Engine, LinkEdge};
use model::{Failure, JsonMap, MemoryId};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

/// Values of `what`.
const VIEWS: [&str; 6] = ["around", "causes", "consequences", "history", "path", "entity"];

/// Arguments of `explore`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Arguments {
    /// Default: entity if given, else around.
    #[schemars(extend("enum" = VIEWS))]
    what: Option<String>,
    /// Memory to start from.
    id: Option<i64>,
    /// path: the other id.
    to: Option<i64>,
    /// Its name.
    entity: Option<String>,
    /// around: only these kinds.
    links: Option<Vec<String>>,
    /// At most 16.
    #[schemars(extend("default" = 2))]
    depth: Option<usize>,
    #[schemars(extend("default" = 20))]
    limit: Option<usize>,
}

pub(super) const TOOL: ToolDefinition = ToolDefinition {
    name: "explore",
    title: "Explore",
    description: "Follow links and relations: neighbours, causes, consequences (impact), history, \
                  path between two, or everything about a person, place or code symbol (entity). \
                  Example: {\"what\": \"history\", \"id\": 17}",
    input: arguments::short_schema::<Arguments>,
    output: "memories?: objects, links?: objects, latest?: integer, entity?: object, hint?: string",
    always_load: false,
};

pub(super) async fn call(
    engine: &Engine,
    caller: &Caller,
    given: JsonMap,
) -> Result<Value, Failure> {
    let arguments: Arguments = arguments::read(given)?;
    // An entity given without `what` says what is meant.
    let usual = if arguments.entity.is_some() { "entity" } else { "around" };
    match arguments.what.as_deref().unwrap_or(usual) {
        "around" => walk(engine, caller, &arguments, ExploreRequest::around).await,
        "causes" => walk(engine, caller, &arguments, ExploreRequest::causes).await,
        "consequences" => walk(engine, caller, &arguments, ExploreRequest::consequences).await,
        "history" => history(engine, caller, &arguments).await,
        "path" => path(engine, caller, &arguments).await,
        "entity" => entity(engine, caller, &arguments).await,
        other => Err(super::unknown_action("explore", other, &VIEWS)),
    }
}

impl Arguments {
    fn start_id(&self) -> Result<MemoryId, Failure> {
        self.id
            .map(MemoryId)
            .ok_or_else(|| Failure::invalid("give the id of a memory; recall shows them"))
    }
}

async fn walk(
    engine: &Engine,
    caller: &Caller,
    arguments: &Arguments,
    from: impl Fn(MemoryId) -> ExploreRequest,
) -> Result<Value, Failure> {
    let asked = arguments.start_id()?;
    let mut input = from(asked);
    for name in arguments.links.iter().flatten() {
        input.kinds.push(parse_link_kind(name)?);
    }
    input.depth = arguments.depth;
    input.limit = arguments.limit;
    Ok(render_walk(asked, &engine.graph().explore(caller, &input).await?))
}

fn render_walk(asked: MemoryId, explored: &ExploreResults) -> Value {
    let memories = explored.visits.iter().map(|(memory, depth)| {
        let mut shown = render::memory(memory);
        shown.insert("depth".into(), (*depth).into());
        Value::Object(shown)
    });
    let mut answer = json!({
        "memories": memories.collect::<Vec<_>>(),
        "links": render_links(&explored.between),
    });
    if let Some(hint) = successor_hint(asked, explored.start) {
        answer["hint"] = hint.into();
    }
    answer
}

/// Says that a walk began at another memory than the one that was asked for.
fn successor_hint(asked: MemoryId, start: MemoryId) -> Option<String> {
    (asked != start)
        .then(|| format!("memory {asked} was replaced; this starts at its newest version, {start}"))
}

fn render_links(edges: &[LinkEdge]) -> Vec<Value> {
    edges
        .iter()
        .map(|edge| json!({"from": edge.source.0, "kind": edge.kind.name(), "to": edge.target.0}))
        .collect()
}

async fn history(
    engine: &Engine,
    caller: &Caller,
    arguments: &Arguments,
) -> Result<Value, Failure> {
    let versions = engine.memories().versions(caller, arguments.start_id()?).await?;
    let memories = versions.all.iter().map(|memory| {
        let mut shown = render::memory(memory);
        let reason = memory.metadata.get("reason").cloned();
        render::insert_some(&mut shown, "reason", reason);
        shown.insert("written".into(), memory.provenance.at.date().into());
        Value::Object(shown)
    });
    Ok(json!({ "memories": memories.collect::<Vec<_>>(), "latest": versions.latest.0 }))
}

async fn path(engine: &Engine, caller: &Caller, arguments: &Arguments) -> Result<Value, Failure> {
    let to = arguments
        .to
        .map(MemoryId)
        .ok_or_else(|| Failure::invalid("path needs the other memory in `to`"))?;
    let from = arguments.start_id()?;
    Ok(match engine.graph().path(caller, from, to).await? {
        Some((memories, edges)) => {
            let mut answer =
                json!({ "memories": render::memories(&memories), "links": render_links(&edges) });
            let ends = [(from, memories.first()), (to, memories.last())];
            let hints = ends.into_iter().filter_map(|(asked, end)| moved_end_hint(asked, end?.id));
            let hints: Vec<String> = hints.collect();
            if !hints.is_empty() {
                answer["hint"] = hints.join("; ").into();
            }
            answer
        }
        None => json!({ "memories": [], "hint": "no links connect the two memories" }),
    })
}

/// Says that a path ends at another memory than the one that was asked for.
fn moved_end_hint(asked: MemoryId, end: MemoryId) -> Option<String> {
    (asked != end).then(|| format!("memory {asked} was replaced; its newest version is {end}"))
}

async fn entity(engine: &Engine, caller: &Caller, arguments: &Arguments) -> Result<Value, Failure> {
    let name = arguments
        .entity
        .clone()
        .ok_or_else(|| Failure::invalid("entity needs a name in `entity`"))?;
    let view = engine.graph().entity(caller, &EntityRef::Name(name)).await?;
    // An entity may be mentioned thousands of times; only the shown memories are loaded.
    let ids: Vec<MemoryId> =
        view.memories.items.iter().copied().take(arguments.limit.unwrap_or(10)).collect();
    let memories = engine.memories().get(caller, &ids).await?;
    Ok(json!({ "entity": render_entity(&view), "memories": render::memories(&memories) }))
}

fn render_entity(view: &EntityView) -> Value {
    let entity = &view.entity;
    let mut shown = JsonMap::new();
    shown.insert("id".into(), entity.id.0.into());
    shown.insert("name".into(), entity.name.as_str().into());
    shown.insert("kind".into(), entity.kind.as_str().into());
    shown.insert("mentions".into(), entity.mentions.into());
    render::insert_non_empty(
        &mut shown,
        "aliases",
        entity.aliases.iter().map(|name| name.as_str().into()).collect(),
    );
    render::insert_some(
        &mut shown,
        "properties",
        (!entity.properties.is_empty()).then(|| json!(entity.properties)),
    );
    let observations = view.observations.iter().map(|observation| observation.text.as_str().into());
    render::insert_non_empty(&mut shown, "observations", observations.collect());
    let relations = view
        .relations
        .iter()
        .map(|one| json!({"from": one.source, "kind": one.relation.kind, "to": one.target}));
    render::insert_non_empty(&mut shown, "relations", relations.collect());
    Value::Object(shown)
}
