//! Division of memories that an agent wants to delete: those that it may delete by itself, and
//! those that the owner decides about.

use super::authorship::wrote_all;
use super::{Erasure, ErasureMode, wrote};
use engine_core::call::Call;
use model::{Failure, Memory, MemoryId, limits};

/// Memories to delete, by who decides about them.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ErasureDivision {
    /// Deleted at once.
    pub own: Vec<Memory>,
    /// Proposed to the owner.
    pub others: Vec<Memory>,
}

impl ErasureDivision {
    /// Returns the proposal for the memories that the owner decides about, with the profile fields
    /// that they describe.
    #[must_use]
    pub fn proposed(&self, mode: ErasureMode) -> Erasure {
        let memories: Vec<MemoryId> = self.others.iter().map(|memory| memory.id).collect();
        let fields = self.others.iter().flat_map(crate::profile::profile_fields);
        let profile_fields = match mode {
            ErasureMode::Forget => fields.map(str::to_owned).collect(),
            ErasureMode::Retire => Vec::new(),
        };
        Erasure { profile_fields, ..Erasure::of_memories(mode, memories) }
    }
}

/// Divides memories, each given with all its versions: a version of somebody else makes all of them
/// somebody else's.
pub(crate) async fn divide(
    call: &Call<'_>,
    chains: Vec<Vec<Memory>>,
) -> Result<ErasureDivision, Failure> {
    let mut division = ErasureDivision::default();
    let all_allowed = call.may_erase().await?;
    let too_many = chains.len() > limits::ERASED_AT_ONCE;
    for chain in chains {
        let own = all_allowed || (!too_many && wrote_all(call, &chain).await?);
        let part = if own { &mut division.own } else { &mut division.others };
        part.extend(chain);
    }
    Ok(division)
}

/// Divides memories that are deleted without their other versions.
pub async fn divide_single(
    call: &Call<'_>,
    memories: Vec<Memory>,
) -> Result<ErasureDivision, Failure> {
    let too_many = memories.len() > limits::ERASED_AT_ONCE;
    let all_allowed = call.may_erase().await?;
    let own = |memory: &Memory| all_allowed || (!too_many && wrote(call, &memory.provenance));
    let (own, others) = memories.into_iter().partition(own);
    Ok(ErasureDivision { own, others })
}
