//! Operation for the graph: entities and relations, and the memories that mention them.

use super::entities::{RelationShown, by_id};
use super::memories::{LinkShown, moment};
use super::shown::{EntityShown, time};
use crate::api::{Answer, Nothing};
use crate::desk::Desk;
use engine::entities::{EntityGraph, GraphStart, Picture};
use model::{Failure, Memory};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Maximum number of characters in the name of a memory node.
const NAME_CHARS: usize = 60;

/// Part of the graph to return.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Around {
    /// Id of the entity to start from; default: the most mentioned ones.
    entity: Option<i64>,
    /// Text that the names of the starting entities contain.
    name: Option<String>,
    /// Maximum number of relations away; default 2, at most 6.
    depth: Option<u8>,
    /// Maximum number of entities; default 50, at most 2,000.
    limit: Option<u16>,
    /// Kind of the entities.
    kind: Option<String>,
    /// Maximum number of mentioning memories, newest first; default 0, at most 2,000.
    memories: Option<u16>,
    /// Start of the period: `2026-05-03`.
    since: Option<String>,
    /// End of the period.
    until: Option<String>,
}

/// A part of the graph.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct GraphShown {
    /// Entities, nearest first.
    entities: Vec<EntityShown>,
    /// Relations between the entities.
    relations: Vec<RelationShown>,
    /// Mentioning memories, newest first.
    memories: Vec<NodeShown>,
    /// Mentions of the entities in the memories.
    mentions: Vec<MentionedIn>,
    /// Links between the memories.
    links: Vec<LinkShown>,
    /// True when a limit was reached.
    cut_short: bool,
}

/// A memory as a node of the graph.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct NodeShown {
    id: i64,
    kind: String,
    /// Title, or the beginning of the text.
    name: String,
    created_at: String,
}

impl From<Memory> for NodeShown {
    fn from(memory: Memory) -> Self {
        let name = memory.title.unwrap_or(memory.text);
        Self {
            id: memory.id.0,
            kind: memory.kind.to_string(),
            name: name.chars().take(NAME_CHARS).collect(),
            created_at: time(memory.provenance.at),
        }
    }
}

/// A mention of an entity in a memory.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct MentionedIn {
    memory: i64,
    entity: i64,
}

impl Around {
    fn picture(self) -> Result<Picture, Failure> {
        let start = match (self.entity, self.name) {
            (Some(id), _) => GraphStart::Entity(by_id(id)),
            (None, Some(name)) => GraphStart::Named(name),
            (None, None) => GraphStart::MostMentioned,
        };
        let graph = EntityGraph {
            start,
            depth: self.depth.map(usize::from),
            limit: self.limit.map(usize::from),
            kinds: self.kind.into_iter().collect(),
            ..EntityGraph::default()
        };
        let non_empty = |text: &Option<String>| text.clone().filter(|text| !text.trim().is_empty());
        Ok(Picture {
            graph,
            memories: self.memories.map_or(0, usize::from),
            since: moment(non_empty(&self.since).as_deref())?,
            until: moment(non_empty(&self.until).as_deref())?,
        })
    }
}

pub(super) async fn graph(
    context: Desk,
    _: Nothing,
    input: Around,
) -> Result<Answer<GraphShown>, Failure> {
    let pictured = context.engine.graph().picture(&context.caller, &input.picture()?).await?;
    let mentions = pictured.mentions.into_iter();
    let links = pictured.links.into_iter().map(|link| LinkShown {
        source: link.source.0,
        target: link.target.0,
        kind: link.kind.name(),
        weight: link.weight,
    });
    Answer::of(GraphShown {
        entities: pictured.entities.into_iter().map(|node| node.entity.into()).collect(),
        relations: pictured.relations.into_iter().map(RelationShown::from).collect(),
        memories: pictured.memories.into_iter().map(NodeShown::from).collect(),
        mentions: mentions
            .map(|(memory, entity)| MentionedIn { memory: memory.0, entity: entity.0 })
            .collect(),
        links: links.collect(),
        cut_short: pictured.cut_short,
    })
}
