//! Graph queries: traversal from an entity, and patterns of entities and relations, given as
//! criteria or as a question in plain words.

use super::render;
use super::source_ref::SourceRef;
use engine::entities::{
    EntityGraphRequest, EntityRef, GraphPatternRequest, GraphPatternResults, GraphStart,
    RelationView,
};
use engine::{Caller, Engine};
use model::{Entity, EntityId, Failure, JsonMap, Relation, limits};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::HashSet;

/// Default depth of a traversal.
const DEFAULT_HOPS: usize = 2;
/// Maximum depth of a traversal.
const HOPS_MAX: usize = 3;
/// Maximum number of entities of a traversal.
const ENTITIES_MAX: usize = 500;

/// Graph query.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(super) struct EpitomeGraphQuery {
    /// traverse or pattern.
    pub query_type: GraphQueryType,
    /// traverse: id of the entity to start from.
    pub entity_id: Option<i64>,
    /// traverse: the relation to follow, such as works_at; default any.
    pub relation: Option<String>,
    /// traverse: maximum depth, at most 3.
    #[schemars(extend("default" = 2))]
    pub max_hops: Option<i64>,
    /// pattern: question ("what food do I like?") or criteria.
    pub pattern: Option<PatternArgument>,
}

/// Type of a graph query.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(super) enum GraphQueryType {
    Traverse,
    Pattern,
}

/// Pattern to look for.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(untagged)]
pub(super) enum PatternArgument {
    /// Question in plain words, or JSON.
    Words(String),
    /// Criteria for entities.
    Criteria(PatternCriteria),
}

/// Criteria for entities and their relations; "*" or a missing value matches any.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(super) struct PatternCriteria {
    /// person, organization, place, food, activity, media...
    entity_type: Option<String>,
    /// Part of its name.
    entity_name: Option<String>,
    /// Its relation: likes, works_at, visited...
    relation: Option<String>,
    /// Type of the related entity.
    target_type: Option<String>,
}

/// Runs a graph query.
pub(super) async fn query(
    engine: &Engine,
    caller: &Caller,
    query: &EpitomeGraphQuery,
) -> Result<Value, Failure> {
    match query.query_type {
        GraphQueryType::Traverse => traverse(engine, caller, query).await,
        GraphQueryType::Pattern => pattern(engine, caller, query).await,
    }
}

async fn traverse(
    engine: &Engine,
    caller: &Caller,
    query: &EpitomeGraphQuery,
) -> Result<Value, Failure> {
    let start = query.entity_id.ok_or_else(|| {
        Failure::invalid(
            "traverse needs entityId; recall with a topic or a pattern shows entity ids",
        )
    })?;
    let relation =
        query.relation.as_deref().and_then(specified).map(|name| engine::canonical_relation(&name));
    let input = EntityGraphRequest {
        start: GraphStart::Entity(EntityRef::Id(EntityId(start))),
        depth: Some(super::parse_count("maxHops", query.max_hops, DEFAULT_HOPS, HOPS_MAX)?),
        limit: Some(ENTITIES_MAX),
        relations: relation.into_iter().collect(),
        ..EntityGraphRequest::default()
    };
    let walked = engine.graph().entity_graph(caller, &input).await?;
    let reached: Vec<Value> = walked
        .entities
        .iter()
        .map(|node| {
            json!({
                "id": node.entity.id.0, "name": node.entity.name, "type": node.entity.kind,
                "depth": node.depth,
                "pathWeight": render::rounded(node.path_weight),
                "sourceRef": SourceRef::Entity(node.entity.id).to_string(),
            })
        })
        .collect();
    Ok(json!({
        "queryType": "traverse", "result": reached,
        "edges": edges(engine, caller, &walked.relations).await?,
        "truncated": walked.cut_short,
    }))
}

async fn pattern(
    engine: &Engine,
    caller: &Caller,
    query: &EpitomeGraphQuery,
) -> Result<Value, Failure> {
    let (input, words) = match &query.pattern {
        None => {
            return Err(Failure::invalid(format!(
                "queryType pattern needs a pattern such as {EXAMPLES}"
            )));
        }
        Some(PatternArgument::Criteria(criteria)) => (criteria.pattern()?, false),
        Some(PatternArgument::Words(text)) => parse_pattern(text)?,
    };
    let found = engine.graph().graph_pattern(caller, &input).await?;
    let edges = edges(engine, caller, &found.relations).await?;
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

/// Parses a pattern from a text, and returns true with it if the text was a question, not JSON.
fn parse_pattern(text: &str) -> Result<(GraphPatternRequest, bool), Failure> {
    limits::bytes("pattern", text, limits::QUERY_BYTES)?;
    if let Ok(criteria) = serde_json::from_str::<PatternCriteria>(text) {
        return Ok((criteria.pattern()?, false));
    }
    let parsed = GraphPatternRequest::from_question(text).map(|pattern| (pattern, true));
    parsed.ok_or_else(|| {
        Failure::invalid(format!("the pattern is not a question that can be read; try {EXAMPLES}"))
    })
}

impl PatternCriteria {
    fn pattern(&self) -> Result<GraphPatternRequest, Failure> {
        let any = |field: &Option<String>| field.as_deref().and_then(specified);
        let kind = |field: &Option<String>| {
            any(field).map(|name| {
                engine::entity_kind_of_word(&name).map_or(name.to_lowercase(), str::to_owned)
            })
        };
        let relations =
            any(&self.relation).map(|name| engine::canonical_relation(&name)).into_iter().collect();
        let pattern = GraphPatternRequest {
            kind: kind(&self.entity_type),
            name: any(&self.entity_name),
            relations,
            related_to_kind: kind(&self.target_type),
            media_use: any(&self.entity_type).and_then(|name| engine::media_use_of_word(&name)),
            ..GraphPatternRequest::default()
        };
        let given = [&self.entity_type, &self.entity_name, &self.relation, &self.target_type];
        // `{"relation": "*"}` asks for any relation; `{}` asks for nothing.
        if given.iter().all(|field| field.as_deref().is_none_or(|text| text.trim().is_empty())) {
            return Err(Failure::invalid(format!(
                "the pattern is empty; give criteria such as {EXAMPLES}"
            )));
        }
        Ok(pattern)
    }
}

/// Returns the value of a criterion; `None` if it matches any.
fn specified(text: &str) -> Option<String> {
    Some(text.trim()).filter(|text| !text.is_empty() && *text != "*").map(str::to_owned)
}

/// Renders an entity.
pub(super) fn entity(entity: &Entity) -> Value {
    json!({
        "id": entity.id.0, "type": entity.kind, "name": entity.name,
        "properties": entity.properties,
        "confidence": render::rounded(entity.confidence), "mentionCount": entity.mentions,
        "firstSeen": render::time(entity.first_seen), "lastSeen": render::time(entity.last_seen),
        "sourceRef": SourceRef::Entity(entity.id).to_string(),
    })
}

/// Renders relations, each once, with the fields of the row or profile that states them.
async fn edges(
    engine: &Engine,
    caller: &Caller,
    relations: &[RelationView],
) -> Result<Vec<Value>, Failure> {
    let mut seen = HashSet::new();
    let mut unique: Vec<&RelationView> = relations.iter().collect();
    unique.retain(|view| seen.insert(view.relation.id));
    let plain: Vec<&Relation> = unique.iter().map(|view| &view.relation).collect();
    let details = engine.graph().relation_details(caller, &plain).await?;
    Ok(unique.iter().zip(details).map(|(view, details)| edge(view, details)).collect())
}

fn edge(view: &RelationView, properties: JsonMap) -> Value {
    let relation = &view.relation;
    json!({
        "id": relation.id.0, "sourceId": relation.source.0, "source": view.source,
        "targetId": relation.target.0, "target": view.target, "relation": relation.kind,
        "weight": render::rounded(relation.weight),
        "confidence": render::rounded(relation.confidence),
        "memoryId": relation.memory.map(|memory| memory.0),
        "properties": properties,
        "sourceRef": SourceRef::Relation(relation.id).to_string(),
    })
}

fn explanation(found: &GraphPatternResults, words: bool) -> String {
    let count = found.entities.len();
    let looked = &found.description;
    let read = if words { "the question was read as" } else { "looked for" };
    let loose = if found.kind_ignored {
        "; none is known to be of that type, so these are of unknown type"
    } else {
        ""
    };
    format!("{read} {looked}: {count} found{loose}")
}
