//! The graph: walking from an entity, and entities by how they are tied, as a structure or in plain
//! words.

use super::shown;
use super::source_ref::SourceRef;
use engine::entities::{
    EntityGraph, EntityRef, GraphPattern, GraphStart, PatternFound, RelationView,
};
use engine::{Caller, Engine};
use model::{Entity, EntityId, Failure, limits};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

/// How far a walk goes unless told otherwise.
const HOPS: usize = 2;
/// How far it goes at most.
const HOPS_MAX: usize = 3;
/// How many entities a walk gives.
const ENTITIES_MAX: usize = 500;

/// A question to the graph.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(super) struct Query {
    /// traverse or pattern.
    pub query_type: QueryType,
    /// traverse: the entity to start from.
    pub entity_id: Option<i64>,
    /// traverse: the relation to follow, such as works_at; default any.
    pub relation: Option<String>,
    /// traverse: how far; default 2, at most 3.
    pub max_hops: Option<i64>,
    /// pattern: a question ("what food do I like?") or criteria.
    pub pattern: Option<Pattern>,
}

/// How the graph is asked.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(super) enum QueryType {
    Traverse,
    Pattern,
}

/// What is looked for.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(untagged)]
pub(super) enum Pattern {
    /// In plain words, or as JSON in a text.
    Words(String),
    /// As criteria.
    Criteria(Criteria),
}

/// Criteria on entities and how they are tied; "*" or nothing is any.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(super) struct Criteria {
    /// person, organization, place, food, activity, media...
    entity_type: Option<String>,
    /// Part of its name.
    entity_name: Option<String>,
    /// How it is tied: likes, works_at, visited...
    relation: Option<String>,
    /// What sort of thing it is tied to.
    target_type: Option<String>,
}

/// Asks the graph.
pub(super) async fn query(
    engine: &Engine,
    caller: &Caller,
    query: &Query,
) -> Result<Value, Failure> {
    match query.query_type {
        QueryType::Traverse => traverse(engine, caller, query).await,
        QueryType::Pattern => pattern(engine, caller, query).await,
    }
}

async fn traverse(engine: &Engine, caller: &Caller, query: &Query) -> Result<Value, Failure> {
    let start = query.entity_id.ok_or_else(|| {
        Failure::invalid(
            "traverse needs entityId; recall with a topic or a pattern shows entities with their ids",
        )
    })?;
    let relation =
        query.relation.as_deref().and_then(wanted).map(|name| engine::relation_named(&name));
    let input = EntityGraph {
        start: GraphStart::Entity(EntityRef::Id(EntityId(start))),
        depth: Some(super::count("maxHops", query.max_hops, HOPS, HOPS_MAX)?),
        limit: Some(ENTITIES_MAX),
        relations: relation.into_iter().collect(),
        ..EntityGraph::default()
    };
    let walked = engine.graph().entity_graph(caller, &input).await?;
    let reached: Vec<Value> = walked
        .entities
        .iter()
        .map(|node| {
            json!({
                "id": node.entity.id.0, "name": node.entity.name, "type": node.entity.kind, "depth": node.depth,
                "pathWeight": shown::rounded(node.path_weight),
                "sourceRef": SourceRef::Entity(node.entity.id).to_string(),
            })
        })
        .collect();
    Ok(json!({
        "queryType": "traverse", "result": reached, "edges": edges(&walked.relations), "truncated": walked.cut_short,
    }))
}

async fn pattern(engine: &Engine, caller: &Caller, query: &Query) -> Result<Value, Failure> {
    let (input, words) = match &query.pattern {
        None => {
            return Err(Failure::invalid(format!("pattern needs a pattern, such as {EXAMPLES}")));
        }
        Some(Pattern::Criteria(criteria)) => (criteria.pattern()?, false),
        Some(Pattern::Words(text)) => read(text)?,
    };
    let found = engine.graph().graph_pattern(caller, &input).await?;
    let edges = edges(&found.relations);
    Ok(json!({
        "queryType": "pattern",
        "result": {
            "entities": found.entities.iter().map(entity).collect::<Vec<_>>(),
            "edges": edges,
            "explanation": explanation(&found, words),
        },
        "edges": edges,
    }))
}

const EXAMPLES: &str = "\"what food do I like?\", \"who do I run with?\", \"where do I work?\" or \
                        {\"entityType\": \"food\", \"relation\": \"likes\"}";

/// A pattern from a text: JSON, or a question. Tells also which it was.
fn read(text: &str) -> Result<(GraphPattern, bool), Failure> {
    limits::bytes("pattern", text, limits::QUERY_BYTES)?;
    if let Ok(criteria) = serde_json::from_str::<Criteria>(text) {
        return Ok((criteria.pattern()?, false));
    }
    let asked = GraphPattern::asked(text).map(|pattern| (pattern, true));
    asked.ok_or_else(|| {
        Failure::invalid(format!("this pattern cannot be read as a question; ask as in {EXAMPLES}"))
    })
}

impl Criteria {
    fn pattern(&self) -> Result<GraphPattern, Failure> {
        let any = |field: &Option<String>| field.as_deref().and_then(wanted);
        let sort = |field: &Option<String>| {
            any(field)
                .map(|name| engine::kind_of_word(&name).map_or(name.to_lowercase(), str::to_owned))
        };
        let relations =
            any(&self.relation).map(|name| engine::relation_named(&name)).into_iter().collect();
        let pattern = GraphPattern {
            kind: sort(&self.entity_type),
            name: any(&self.entity_name),
            relations,
            tied_to_kind: sort(&self.target_type),
            ..GraphPattern::default()
        };
        if pattern == GraphPattern::default() {
            return Err(Failure::invalid(format!(
                "the pattern is empty; give criteria, such as {EXAMPLES}"
            )));
        }
        Ok(pattern)
    }
}

/// What is wanted of a criterion; `None` for the star that means any.
fn wanted(text: &str) -> Option<String> {
    Some(text.trim()).filter(|text| !text.is_empty() && *text != "*").map(str::to_owned)
}

/// An entity, in the same form wherever it is shown.
pub(super) fn entity(entity: &Entity) -> Value {
    json!({
        "id": entity.id.0, "type": entity.kind, "name": entity.name, "properties": entity.properties,
        "confidence": shown::rounded(entity.confidence), "mentionCount": entity.mentions,
        "firstSeen": shown::time(entity.first_seen), "lastSeen": shown::time(entity.last_seen),
        "sourceRef": SourceRef::Entity(entity.id).to_string(),
    })
}

fn edges(relations: &[RelationView]) -> Vec<Value> {
    relations.iter().map(edge).collect()
}

fn edge(view: &RelationView) -> Value {
    let relation = &view.relation;
    json!({
        "id": relation.id.0, "sourceId": relation.source.0, "source": view.source, "targetId": relation.target.0,
        "target": view.target, "relation": relation.kind, "weight": shown::rounded(relation.weight),
        "confidence": shown::rounded(relation.confidence), "memoryId": relation.memory.map(|memory| memory.0),
        "sourceRef": SourceRef::Relation(relation.id).to_string(),
    })
}

fn explanation(found: &PatternFound, words: bool) -> String {
    let count = found.entities.len();
    let looked = &found.looked_for;
    let read = if words { "the question was read as" } else { "looked for" };
    let loose = if found.of_any_kind {
        "; none is known to be of that sort, so these are of no known sort"
    } else {
        ""
    };
    format!("{read} {looked}: {count} found{loose}")
}
