//! Observations and relations that are still current. One that was said in a memory is current as
//! long as that memory is, so that a correction reaches the graph too; one that was stated directly
//! is always current.

use engine_core::call::Call;
use model::{Failure, MemoryId, Observation, Relation, Status, limits};
use std::collections::HashSet;

/// Returns the current observations, in the given order.
pub(super) async fn current_observations(
    call: &Call<'_>,
    observations: Vec<Observation>,
) -> Result<Vec<Observation>, Failure> {
    let current = current_memories(call, observations.iter().filter_map(|one| one.memory)).await?;
    let is_current = |one: &Observation| one.memory.is_none_or(|memory| current.contains(&memory));
    Ok(observations.into_iter().filter(is_current).collect())
}

/// Returns the current relations, in the given order.
pub(super) async fn current_relations(
    call: &Call<'_>,
    relations: Vec<Relation>,
) -> Result<Vec<Relation>, Failure> {
    let current = current_memories(call, relations.iter().filter_map(|one| one.memory)).await?;
    let is_current = |one: &Relation| one.memory.is_none_or(|memory| current.contains(&memory));
    Ok(relations.into_iter().filter(is_current).collect())
}

/// Returns those of these memories that are active and that the caller may read.
pub(super) async fn current_memories(
    call: &Call<'_>,
    memories: impl Iterator<Item = MemoryId>,
) -> Result<HashSet<MemoryId>, Failure> {
    let mut ids: Vec<MemoryId> = memories.collect();
    ids.sort_unstable();
    ids.dedup();
    let mut current = HashSet::new();
    for some in ids.chunks(limits::IDS_PER_CALL) {
        let memories = call.memories(some).await?;
        let active = memories.iter().filter(|memory| memory.status == Status::Active);
        current.extend(active.map(|memory| memory.id));
    }
    Ok(current)
}
