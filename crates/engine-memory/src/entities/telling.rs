//! Which observations and relations still stand. One that was said in a memory stands as long as
//! that memory holds, so that a correction or a retirement reaches the graph too; one that was said
//! outright stands.

use engine_core::call::Call;
use model::{Failure, MemoryId, Observation, Relation, Status, limits};
use std::collections::HashSet;

/// The observations that still stand, in the order given.
pub(super) async fn standing_observations(
    call: &Call<'_>,
    observations: Vec<Observation>,
) -> Result<Vec<Observation>, Failure> {
    let standing = standing(call, observations.iter().filter_map(|one| one.memory)).await?;
    let stands = |one: &Observation| one.memory.is_none_or(|memory| standing.contains(&memory));
    Ok(observations.into_iter().filter(stands).collect())
}

/// The relations that still stand, in the order given.
pub(super) async fn standing_relations(
    call: &Call<'_>,
    relations: Vec<Relation>,
) -> Result<Vec<Relation>, Failure> {
    let standing = standing(call, relations.iter().filter_map(|one| one.memory)).await?;
    let stands = |one: &Relation| one.memory.is_none_or(|memory| standing.contains(&memory));
    Ok(relations.into_iter().filter(stands).collect())
}

/// Those of some memories that hold and exist for the caller.
pub(super) async fn standing(
    call: &Call<'_>,
    memories: impl Iterator<Item = MemoryId>,
) -> Result<HashSet<MemoryId>, Failure> {
    let mut ids: Vec<MemoryId> = memories.collect();
    ids.sort_unstable();
    ids.dedup();
    let mut standing = HashSet::new();
    for some in ids.chunks(limits::IDS) {
        let memories = call.memories(some).await?;
        let active = memories.iter().filter(|memory| memory.status == Status::Active);
        standing.extend(active.map(|memory| memory.id));
    }
    Ok(standing)
}
