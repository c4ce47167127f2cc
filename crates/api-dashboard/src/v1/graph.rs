//! The graph: entities and how they relate, and beside them the memories that mention them.

use super::entities::{RelationShown, by_id};
use super::memories::{LinkShown, moment};
use super::shown::{EntityShown, time};
use crate::api::{Answer, Nothing};
use crate::desk::Desk;
use engine::entities::{EntityGraph, GraphStart, Picture};
use model::{Failure, Memory};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How much of a memory a node is called by, in characters.
const NAME_CHARS: usize = 60;

/// Which part of the graph.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Around {
    /// Around this entity; around those mentioned most when missing.
    entity: Option<i64>,
    /// Around the entities whose name contains this.
    name: Option<String>,
    /// How many relations away; 2 when missing, at most 6.
    depth: Option<u8>,
    /// How many entities; 50 when missing, at most 2,000.
    limit: Option<u16>,
    /// Only to entities of this sort.
    kind: Option<String>,
    /// How many of the newest memories that mention them; none when missing, at most 2,000.
    memories: Option<u16>,
    /// Only what was there on this day or later: `2026-05-03`.
    since: Option<String>,
    /// Only what was there at this moment or earlier.
    until: Option<String>,
}

/// A part of the graph.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct GraphShown {
    /// The entities, nearest first.
    entities: Vec<EntityShown>,
    /// The relations between them.
    relations: Vec<RelationShown>,
    /// The memories that mention them, newest first.
    memories: Vec<NodeShown>,
    /// Which memory mentions which entity.
    mentions: Vec<MentionedIn>,
    /// The links between the memories.
    links: Vec<LinkShown>,
    /// Whether a limit cut it short.
    cut_short: bool,
}

/// A memory as a node.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct NodeShown {
    id: i64,
    kind: String,
    /// Its headline, or how its text begins.
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

/// That a memory mentions an entity.
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
        let given = |text: &Option<String>| text.clone().filter(|text| !text.trim().is_empty());
        Ok(Picture {
            graph,
            memories: self.memories.map_or(0, usize::from),
            since: moment(given(&self.since).as_deref())?,
            until: moment(given(&self.until).as_deref())?,
        })
    }
}

pub(super) async fn graph(
    desk: Desk,
    _: Nothing,
    input: Around,
) -> Result<Answer<GraphShown>, Failure> {
    let pictured = desk.engine.graph().picture(&desk.caller, &input.picture()?).await?;
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
