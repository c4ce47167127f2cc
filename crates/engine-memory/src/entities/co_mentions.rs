//! Pairs of entities that memories mention together, counted over the memories that the caller may
//! read, and the first mention of each entity.

use super::memory_map::MemoryMapRequest;
use engine_core::call::Call;
use index::{Filter, View};
use model::{Entity, EntityId, Moment};
use std::collections::{HashMap, HashSet};

/// Largest number of pairs in a result.
const PAIRS_MAX: usize = 20_000;
/// Largest number of entities of one memory that are paired: a dump connects everything with
/// everything and says nothing.
const ENTITIES_PER_MEMORY: usize = 24;

/// Two entities that memories mention together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CoMention {
    /// The entity with the lower id.
    pub source: EntityId,
    pub target: EntityId,
    /// Number of memories that mention both.
    pub memories: u32,
    /// Time of the first of these memories.
    pub first_seen: Moment,
}

/// Counts over all memories that the caller may read.
pub(super) struct CoMentionCounts {
    pairs: HashMap<(EntityId, EntityId), (u32, Moment)>,
    first: HashMap<EntityId, Moment>,
}

impl CoMentionCounts {
    pub(super) fn of(
        view: &View,
        call: &Call<'_>,
        input: &MemoryMapRequest,
        entities: &HashSet<EntityId>,
    ) -> Self {
        let mut counts = Self { pairs: HashMap::new(), first: HashMap::new() };
        let filter = Filter { sources: call.readable.clone(), ..Filter::default() };
        for doc in view.filter(&filter, call.at).iter() {
            let at = view.facts(doc).created_at;
            if input.overlaps(at, at) {
                let mut named: Vec<EntityId> =
                    view.entities(doc).filter(|entity| entities.contains(entity)).collect();
                named.sort_unstable();
                named.dedup();
                counts.count(&named, at);
            }
        }
        counts
    }

    fn count(&mut self, named: &[EntityId], at: Moment) {
        for entity in named {
            let first = self.first.entry(*entity).or_insert(at);
            *first = at.min(*first);
        }
        if named.len() > ENTITIES_PER_MEMORY {
            return;
        }
        for (index, source) in named.iter().enumerate() {
            for target in &named[index + 1..] {
                let pair = self.pairs.entry((*source, *target)).or_insert((0, at));
                *pair = (pair.0 + 1, at.min(pair.1));
            }
        }
    }

    /// Gives an entity the time of its first mention, where that is before the entity was written:
    /// imported memories are older than their import.
    pub(super) fn predate(&self, entity: &mut Entity) {
        if let Some(first) = self.first.get(&entity.id) {
            entity.first_seen = entity.first_seen.min(*first);
        }
    }

    /// Returns the pairs that most memories mention, at most this many.
    pub(super) fn strongest(self, limit: usize) -> Vec<CoMention> {
        let pair = |((source, target), (memories, first_seen))| CoMention {
            source,
            target,
            memories,
            first_seen,
        };
        let mut pairs: Vec<CoMention> = self.pairs.into_iter().map(pair).collect();
        pairs.sort_unstable_by_key(|one| (std::cmp::Reverse(one.memories), one.source, one.target));
        pairs.truncate(limit.min(PAIRS_MAX));
        pairs
    }
}
