//! Operation for the graph: entities and relations, and the memories that mention them.

use super::entities::{RelationJson, entity_ref};
use super::json::{EntityJson, format_time};
use super::memories::{LinkJson, parse_moment};
use crate::api::{ApiResponse, NoFields};
use crate::request_context::RequestContext;
use engine::entities::{CoMention, EntityGraphRequest, GraphStart, MemoryMapRequest};
use model::{Failure, Memory};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Maximum number of characters in the name of a memory node.
const NAME_CHARS: usize = 60;

/// Part of the graph to return.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct GraphQuery {
    /// Id of the entity to start from; default: the most mentioned ones.
    entity: Option<i64>,
    /// Text that the names of the starting entities contain.
    name: Option<String>,
    /// Maximum number of relations away; default 2, at most 6.
    depth: Option<u8>,
    /// Maximum number of entities; default 50, at most 10,000.
    limit: Option<u16>,
    /// Kind of the entities.
    kind: Option<String>,
    /// Maximum number of mentioning memories, newest first; default 0, at most 2,000.
    memories: Option<u16>,
    /// Maximum number of pairs that memories mention together, strongest first; default 0, at most
    /// 20,000.
    co_mentions: Option<u16>,
    /// Start of the period: `2026-05-03`.
    since: Option<String>,
    /// End of the period.
    until: Option<String>,
}

/// A part of the graph.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct GraphJson {
    /// Entities, nearest first.
    entities: Vec<EntityJson>,
    /// Relations between the entities.
    relations: Vec<RelationJson>,
    /// Mentioning memories, newest first.
    memories: Vec<MemoryNodeJson>,
    /// Mentions of the entities in the memories.
    mentions: Vec<MentionEdgeJson>,
    /// Links between the memories.
    links: Vec<LinkJson>,
    /// Pairs of the entities that memories mention together, strongest first.
    co_mentions: Vec<CoMentionJson>,
    /// True when a limit was reached.
    cut_short: bool,
}

/// A memory as a node of the graph.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct MemoryNodeJson {
    id: i64,
    kind: String,
    /// Title, or the beginning of the text.
    name: String,
    created_at: String,
}

impl From<Memory> for MemoryNodeJson {
    fn from(memory: Memory) -> Self {
        let name = memory.title.unwrap_or(memory.text);
        Self {
            id: memory.id.0,
            kind: memory.kind.to_string(),
            name: name.chars().take(NAME_CHARS).collect(),
            created_at: format_time(memory.provenance.at),
        }
    }
}

/// A mention of an entity in a memory.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct MentionEdgeJson {
    memory: i64,
    entity: i64,
}

/// Two entities that memories mention together.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct CoMentionJson {
    /// Id of the first entity.
    source: i64,
    /// Id of the second entity.
    target: i64,
    /// Number of memories that mention both.
    mentions: u32,
    /// Time of the first of these memories.
    first_seen: String,
}

impl From<CoMention> for CoMentionJson {
    fn from(pair: CoMention) -> Self {
        Self {
            source: pair.source.0,
            target: pair.target.0,
            mentions: pair.memories,
            first_seen: format_time(pair.first_seen),
        }
    }
}

impl GraphQuery {
    fn engine_query(self) -> Result<MemoryMapRequest, Failure> {
        let start = match (self.entity, self.name) {
            (Some(id), _) => GraphStart::Entity(entity_ref(id)),
            (None, Some(name)) => GraphStart::NameContains(name),
            (None, None) => GraphStart::MostMentioned,
        };
        let graph = EntityGraphRequest {
            start,
            depth: self.depth.map(usize::from),
            limit: self.limit.map(usize::from),
            kinds: self.kind.into_iter().collect(),
            ..EntityGraphRequest::default()
        };
        let non_empty = |text: &Option<String>| text.clone().filter(|text| !text.trim().is_empty());
        Ok(MemoryMapRequest {
            graph,
            memories: self.memories.map_or(0, usize::from),
            co_mentions: self.co_mentions.map_or(0, usize::from),
            since: parse_moment(non_empty(&self.since).as_deref())?,
            until: parse_moment(non_empty(&self.until).as_deref())?,
        })
    }
}

pub(super) async fn graph(
    context: RequestContext,
    _: NoFields,
    input: GraphQuery,
) -> Result<ApiResponse<GraphJson>, Failure> {
    let map = context.engine.graph().memory_map(&context.caller, &input.engine_query()?).await?;
    let mentions = map.mentions.into_iter();
    let links = map.links.into_iter().map(|link| LinkJson {
        source: link.source.0,
        target: link.target.0,
        kind: link.kind.name(),
        label: link.kind.words(),
        weight: link.weight,
    });
    ApiResponse::new(GraphJson {
        entities: map.entities.into_iter().map(|node| node.entity.into()).collect(),
        relations: map.relations.into_iter().map(RelationJson::from).collect(),
        memories: map.memories.into_iter().map(MemoryNodeJson::from).collect(),
        mentions: mentions
            .map(|(memory, entity)| MentionEdgeJson { memory: memory.0, entity: entity.0 })
            .collect(),
        links: links.collect(),
        co_mentions: map.co_mentions.into_iter().map(CoMentionJson::from).collect(),
        cut_short: map.cut_short,
    })
}
