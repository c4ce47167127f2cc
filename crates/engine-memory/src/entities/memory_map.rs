//! The memory map: entities and their relations, with the memories that mention them and the links
//! among those, within a time range. It shows nothing that the graph and the memories would not
//! show.

use super::co_mentions::{CoMention, CoMentionCounts};
use super::graph::{EntityGraphRequest, GraphNode};
use crate::Graph;
use crate::entities::RelationView;
use crate::versions::readable;
use engine_core::UseCaseFuture;
use engine_core::call::Call;
use engine_core::caller::Caller;
use guard::Resource;
use index::LinkEdge;
use index::{Direction, DocId, Filter, LinkKinds, View};
use model::{EntityId, Failure, Memory, MemoryId, Moment, Permission, limits};
use std::collections::HashSet;

/// Largest number of memories in the result.
const MEMORIES_MAX: usize = 2_000;
/// Largest number of links in the result.
const LINKS_MAX: usize = 4_000;

/// Input of [`Graph::memory_map`].
#[derive(Debug, Clone, PartialEq, Default)]
pub struct MemoryMapRequest {
    /// Selects the entities.
    pub graph: EntityGraphRequest,
    /// Number of the newest memories that mention the entities, at most 2,000; none when 0.
    pub memories: usize,
    /// Number of pairs of entities that memories mention together, strongest first, at most 20,000;
    /// none when 0.
    pub co_mentions: usize,
    /// Excludes what was last seen before this moment.
    pub since: Option<Moment>,
    /// Excludes what was first seen after this moment.
    pub until: Option<Moment>,
}

/// Entities and memories with the edges between them.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct MemoryMap {
    /// Nearest first.
    pub entities: Vec<GraphNode>,
    pub relations: Vec<RelationView>,
    /// Newest first.
    pub memories: Vec<Memory>,
    /// Pairs of a memory and an entity that it mentions.
    pub mentions: Vec<(MemoryId, EntityId)>,
    pub links: Vec<LinkEdge>,
    /// Pairs of the entities that memories mention together, strongest first.
    pub co_mentions: Vec<CoMention>,
    /// True when a limit cut the result short.
    pub cut_short: bool,
}

impl<'e> Graph<'e> {
    /// Returns a map of a part of the memory.
    ///
    /// # Errors
    /// `not_found` when the start entity does not exist.
    pub fn memory_map(
        self,
        caller: &'e Caller,
        input: &'e MemoryMapRequest,
    ) -> UseCaseFuture<'e, MemoryMap> {
        Box::pin(async move {
            let mut graph = self.entity_graph(caller, &input.graph).await?;
            graph
                .entities
                .retain(|node| input.overlaps(node.entity.first_seen, node.entity.last_seen));
            let entity_ids: HashSet<EntityId> =
                graph.entities.iter().map(|node| node.entity.id).collect();
            let inside = |one: &RelationView| {
                entity_ids.contains(&one.relation.source)
                    && entity_ids.contains(&one.relation.target)
            };
            // Filtering by time removed entities, so relations may have lost an end.
            graph.relations.retain(inside);
            let mut map = MemoryMap {
                entities: graph.entities,
                relations: graph.relations,
                cut_short: graph.cut_short,
                ..MemoryMap::default()
            };
            if input.memories > 0 {
                self.add_memories(caller, input, &entity_ids, &mut map).await?;
            }
            if input.co_mentions > 0 {
                self.add_co_mentions(caller, input, &entity_ids, &mut map).await?;
            }
            Ok(map)
        })
    }

    async fn add_memories(
        self,
        caller: &Caller,
        input: &MemoryMapRequest,
        entities: &HashSet<EntityId>,
        map: &mut MemoryMap,
    ) -> Result<(), Failure> {
        let call =
            Call::begin(self.core, caller, Resource::Memories(None), Permission::Read, input)
                .await?;
        let view = self.core.view(&caller.owner).await?;
        let seen = view.read(|view| mentioning(view, &call, input, entities));
        for some in seen.memories.chunks(limits::IDS_PER_CALL) {
            map.memories.extend(call.memories(some).await?);
        }
        call.note_shown(format!("pictured {} memories", map.memories.len()), &[]).await;
        (map.mentions, map.links) = (seen.mentions, seen.links);
        map.cut_short |= seen.cut_short;
        Ok(())
    }

    async fn add_co_mentions(
        self,
        caller: &Caller,
        input: &MemoryMapRequest,
        entities: &HashSet<EntityId>,
        map: &mut MemoryMap,
    ) -> Result<(), Failure> {
        let call =
            Call::begin(self.core, caller, Resource::Memories(None), Permission::Read, input)
                .await?;
        let view = self.core.view(&caller.owner).await?;
        let counts = view.read(|view| CoMentionCounts::of(view, &call, input, entities));
        for node in &mut map.entities {
            counts.predate(&mut node.entity);
        }
        map.co_mentions = counts.strongest(input.co_mentions);
        call.note_shown(format!("paired {} entities", map.entities.len()), &[]).await;
        Ok(())
    }
}

impl MemoryMapRequest {
    /// Returns whether the span from `first` to `last` overlaps the requested time range.
    pub(super) fn overlaps(&self, first: Moment, last: Moment) -> bool {
        self.since.is_none_or(|since| last >= since)
            && self.until.is_none_or(|until| first <= until)
    }
}

/// The memories that mention the entities, as the view knows them.
struct MentioningMemories {
    memories: Vec<MemoryId>,
    mentions: Vec<(MemoryId, EntityId)>,
    links: Vec<LinkEdge>,
    cut_short: bool,
}

fn mentioning(
    view: &View,
    call: &Call<'_>,
    input: &MemoryMapRequest,
    entities: &HashSet<EntityId>,
) -> MentioningMemories {
    let mut within =
        view.filter(&Filter { sources: call.readable.clone(), ..Filter::default() }, call.at);
    within.retain(|doc| {
        let at = view.facts(doc).created_at;
        input.overlaps(at, at) && view.entities(doc).any(|entity| entities.contains(&entity))
    });
    let mut docs: Vec<DocId> = within.iter().collect();
    docs.sort_by_key(|doc| std::cmp::Reverse((view.facts(*doc).created_at, view.id(*doc))));
    let limit = input.memories.min(MEMORIES_MAX);
    let cut_short = docs.len() > limit;
    docs.truncate(limit);
    let memories: Vec<MemoryId> = docs.iter().map(|doc| view.id(*doc)).collect();
    let shown: HashSet<MemoryId> = memories.iter().copied().collect();
    let mentions = docs
        .iter()
        .flat_map(|doc| view.entities(*doc).map(|entity| (view.id(*doc), entity)))
        .filter(|(_, entity)| entities.contains(entity))
        .collect();
    let readable = readable(view, call);
    let out =
        |id: &MemoryId| view.current_links(*id, Direction::Out, LinkKinds::ALL, Some(&readable));
    let outgoing = memories.iter().flat_map(out);
    // Each link is counted once, from its source.
    let links = outgoing.filter(|edge| shown.contains(&edge.target)).take(LINKS_MAX).collect();
    MentioningMemories { memories, mentions, links, cut_short }
}
