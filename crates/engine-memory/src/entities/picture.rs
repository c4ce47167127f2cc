//! The picture of a memory: entities and how they relate, and beside them the memories that mention
//! them and how those hang together, within a time. What may be shown is what the graph and the
//! memories show anyway.

use super::graph::{EntityGraph, GraphNode};
use crate::Graph;
use crate::entities::RelationView;
use engine_core::call::Call;
use engine_core::caller::Caller;
use guard::Resource;
use index::Edge;
use index::{Direction, Doc, Filter, LinkKinds, View};
use model::{EntityId, Failure, Memory, MemoryId, Moment, Permission, limits};
use std::collections::HashSet;

/// How many memories are shown at most.
const MEMORIES_MAX: usize = 2_000;
/// How many links between them are shown at most.
const LINKS_MAX: usize = 4_000;

/// What to picture.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Picture {
    /// The entities, as a walk finds them.
    pub graph: EntityGraph,
    /// How many of the newest memories that mention them; none unless told otherwise, at most
    /// 2,000.
    pub memories: usize,
    /// Only what was there at this moment or later.
    pub since: Option<Moment>,
    /// Only what was there at this moment or earlier.
    pub until: Option<Moment>,
}

/// Entities and memories, and how they hang together.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Pictured {
    /// The entities, nearest first.
    pub entities: Vec<GraphNode>,
    /// The relations between them.
    pub relations: Vec<RelationView>,
    /// The memories, newest first.
    pub memories: Vec<Memory>,
    /// Which memory mentions which entity.
    pub mentions: Vec<(MemoryId, EntityId)>,
    /// The links between the memories.
    pub links: Vec<Edge>,
    /// Whether a limit cut it short.
    pub cut_short: bool,
}

impl Graph<'_> {
    /// Pictures a part of the memory.
    ///
    /// # Errors
    /// `not_found` when the entity to begin at is not there.
    pub async fn picture(self, caller: &Caller, input: &Picture) -> Result<Pictured, Failure> {
        let mut walked = self.entity_graph(caller, &input.graph).await?;
        walked.entities.retain(|node| input.meets(node.entity.first_seen, node.entity.last_seen));
        let there: HashSet<EntityId> = walked.entities.iter().map(|node| node.entity.id).collect();
        let inside = |one: &RelationView| {
            there.contains(&one.relation.source) && there.contains(&one.relation.target)
        };
        walked.relations.retain(inside);
        let mut pictured = Pictured {
            entities: walked.entities,
            relations: walked.relations,
            cut_short: walked.cut_short,
            ..Pictured::default()
        };
        if input.memories > 0 {
            self.add_memories(caller, input, &there, &mut pictured).await?;
        }
        Ok(pictured)
    }

    async fn add_memories(
        self,
        caller: &Caller,
        input: &Picture,
        entities: &HashSet<EntityId>,
        pictured: &mut Pictured,
    ) -> Result<(), Failure> {
        let call =
            Call::begin(self.core, caller, Resource::Memories(None), Permission::Read, input)
                .await?;
        let view = self.core.view(&caller.owner).await?;
        let seen = view.read(|view| mentioning(view, &call, input, entities));
        for some in seen.memories.chunks(limits::IDS) {
            pictured.memories.extend(call.memories(some).await?);
        }
        call.note_shown(format!("pictured {} memories", pictured.memories.len()), &[]).await;
        (pictured.mentions, pictured.links) = (seen.mentions, seen.links);
        pictured.cut_short |= seen.cut_short;
        Ok(())
    }
}

impl Picture {
    /// Whether something that was there from one moment to another meets the time that is asked
    /// for.
    fn meets(&self, first: Moment, last: Moment) -> bool {
        self.since.is_none_or(|since| last >= since)
            && self.until.is_none_or(|until| first <= until)
    }
}

/// What the view knows of the memories that mention the entities.
struct Seen {
    memories: Vec<MemoryId>,
    mentions: Vec<(MemoryId, EntityId)>,
    links: Vec<Edge>,
    cut_short: bool,
}

fn mentioning(view: &View, call: &Call<'_>, input: &Picture, entities: &HashSet<EntityId>) -> Seen {
    let mut within =
        view.filter(&Filter { sources: call.readable.clone(), ..Filter::default() }, call.at);
    within.retain(|doc| {
        let at = view.facts(doc).created_at;
        input.meets(at, at) && view.entities(doc).any(|entity| entities.contains(&entity))
    });
    let mut docs: Vec<Doc> = within.iter().collect();
    docs.sort_by_key(|doc| std::cmp::Reverse((view.facts(*doc).created_at, view.id(*doc))));
    let room = input.memories.min(MEMORIES_MAX);
    let cut_short = docs.len() > room;
    docs.truncate(room);
    let memories: Vec<MemoryId> = docs.iter().map(|doc| view.id(*doc)).collect();
    let shown: HashSet<MemoryId> = memories.iter().copied().collect();
    let mentions = docs
        .iter()
        .flat_map(|doc| view.entities(*doc).map(|entity| (view.id(*doc), entity)))
        .filter(|(_, entity)| entities.contains(entity))
        .collect();
    let outgoing = memories.iter().flat_map(|id| view.links(*id, Direction::Out, LinkKinds::ALL));
    let links = outgoing.filter(|edge| shown.contains(&edge.target)).take(LINKS_MAX).collect();
    Seen { memories, mentions, links, cut_short }
}
