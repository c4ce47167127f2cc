//! Division of memories that an agent wants to delete: those that it may delete by itself, and
//! those that the owner decides about.

use super::authorship::wrote_all;
use super::{Erasure, ErasureMode, wrote};
use engine_core::call::Call;
use model::{Failure, Memory, MemoryId, limits};

/// A memory to delete, with everything that is deleted with it.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct ErasureChain {
    /// All versions.
    pub memories: Vec<Memory>,
    /// Profile fields that the memory was made from.
    pub fields: Vec<String>,
}

/// Memories to delete, by who decides about them.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ErasureDivision {
    /// Deleted at once.
    pub own: Vec<Memory>,
    /// Profile fields that are erased with them.
    pub own_fields: Vec<String>,
    /// Proposed to the owner.
    pub others: Vec<Memory>,
    /// Profile fields that are proposed with them.
    pub others_fields: Vec<String>,
}

impl ErasureDivision {
    /// Returns the proposal for the memories that the owner decides about.
    #[must_use]
    pub fn proposed(&self, mode: ErasureMode) -> Erasure {
        let memories: Vec<MemoryId> = self.others.iter().map(|memory| memory.id).collect();
        let profile_fields = self.others_fields.clone();
        Erasure { profile_fields, ..Erasure::of_memories(mode, memories) }
    }
}

/// Divides memories, each given with all its versions: a version of somebody else makes all of them
/// somebody else's.
pub(crate) async fn divide(
    call: &Call<'_>,
    chains: Vec<ErasureChain>,
) -> Result<ErasureDivision, Failure> {
    let mut division = ErasureDivision::default();
    let all_allowed = call.may_erase().await?;
    let too_many = chains.len() > limits::ERASED_AT_ONCE;
    for chain in chains {
        let own = all_allowed || (!too_many && wrote_all(call, &chain).await?);
        let (memories, fields) = match own {
            true => (&mut division.own, &mut division.own_fields),
            false => (&mut division.others, &mut division.others_fields),
        };
        memories.extend(chain.memories);
        fields.extend(chain.fields);
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
    Ok(ErasureDivision { own, others, ..ErasureDivision::default() })
}
