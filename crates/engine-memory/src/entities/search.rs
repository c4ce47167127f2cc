//! Entity search: by what was said about an entity, by the words of its name, and by the memories
//! that answer the question and mention it.

mod cards;

pub(crate) use cards::EntityCardCache;

use super::visibility::EntityVisibility;
use crate::Graph;
use engine_core::UseCaseFuture;
use engine_core::call::Call;
use engine_core::caller::Caller;
use engine_core::search::{SearchModes, SearchRequest};
use guard::Resource;
use index::StatusFilter;
use model::{Entity, EntityId, Failure, MemoryId, Permission, limits};
use std::collections::HashMap;

/// Number of answering memories whose mentions are read.
const MEMORIES: usize = 20;
// Being mentioned in an answer is weaker evidence than matching the question itself.
const MENTION_WEIGHT: f32 = 0.7;

/// Input of [`Graph::search_entities`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SearchEntitiesRequest {
    pub query: String,
    /// At most 1,000.
    pub limit: usize,
    pub search_modes: SearchModes,
}

/// An entity found by a search.
#[derive(Debug, Clone, PartialEq)]
pub struct EntityHit {
    pub entity: Entity,
    /// Similarity to the question, 0 to 1.
    pub similarity: f32,
}

impl<'e> Graph<'e> {
    /// Returns the entities that a question is about, best first.
    ///
    /// # Errors
    /// Fails when the query is too long or the store cannot be read.
    pub fn search_entities(
        self,
        caller: &'e Caller,
        input: &'e SearchEntitiesRequest,
    ) -> UseCaseFuture<'e, Vec<EntityHit>> {
        Box::pin(async move {
            let call =
                Call::begin(self.core, caller, Resource::Graph, Permission::Read, input).await?;
            let request = SearchRequest::new(&call, &input.query, input.search_modes)?;
            let question = request.question(&call).await?;
            let mut near = HashMap::new();
            // A card contains observations of all memories, so it is only for callers who may read
            // them all.
            if call.readable.is_all() {
                for (entity, score) in
                    self.caches.cards.current(&call).await?.ranked(&request, &question)
                {
                    keep_best(&mut near, entity, score);
                }
            }
            for (memory, score) in answering_memories(&call, &request, &question).await? {
                let mentions = call.store().mentions(memory).await?;
                mentions.iter().for_each(|mention| {
                    keep_best(&mut near, mention.entity, score * MENTION_WEIGHT)
                });
            }
            let found = nearest(&call, near, input.limit.clamp(1, limits::IDS_PER_CALL)).await?;
            call.note_shown(format!("found {} entities", found.len()), &[]).await;
            Ok(found)
        })
    }
}

fn keep_best(near: &mut HashMap<EntityId, f32>, entity: EntityId, score: f32) {
    let best = near.entry(entity).or_insert(score);
    *best = best.max(score);
}

/// Returns the memories that answer the question and that the caller may read, with their scores.
async fn answering_memories(
    call: &Call<'_>,
    request: &SearchRequest,
    question: &recall::RecallQuery,
) -> Result<Vec<(MemoryId, f32)>, Failure> {
    let view = call.view().await?;
    let mut ranked = view.read(|view| request.rank(view, question, &call.filter()));
    ranked.truncate(MEMORIES);
    let ids: Vec<MemoryId> = ranked.iter().map(|one| one.id).collect();
    let current = call.core.still_current(call, &ids, &StatusFilter::Current).await?;
    let is_current = |id: MemoryId| current.iter().any(|memory| memory.id == id);
    Ok(ranked
        .iter()
        .filter(|one| is_current(one.id))
        .map(|one| (one.id, one.parts.own_score()))
        .collect())
}

async fn nearest(
    call: &Call<'_>,
    near: HashMap<EntityId, f32>,
    limit: usize,
) -> Result<Vec<EntityHit>, Failure> {
    let mut near: Vec<(EntityId, f32)> = near.into_iter().collect();
    near.sort_by(|(a, m), (b, n)| n.total_cmp(m).then(a.cmp(b)));
    near.truncate(limit);
    let ids: Vec<EntityId> = near.iter().map(|(id, _)| *id).collect();
    let entities = call.store().entities(&ids).await?;
    let entities = EntityVisibility::for_call(call).await?.visible_of(call, entities).await?;
    let scores: HashMap<EntityId, f32> = near.into_iter().collect();
    let found = |entity: Entity| EntityHit {
        similarity: scores.get(&entity.id).copied().unwrap_or(0.0).clamp(0.0, 1.0),
        entity,
    };
    Ok(entities.into_iter().map(found).collect())
}
