//! Consistency of the profile with the memories of its values: a comparison, and the repair that an
//! import makes.

use super::leaves::ProfileLeaves;
use super::plan_leaves::{ProfileState, current_memories};
use super::reconcile::{is_leaf, reconcile};
use super::{history_of, profile_fields};
use crate::Profile;
use engine_core::UseCaseFuture;
use engine_core::call::Call;
use engine_core::caller::Caller;
use engine_core::plan::BatchPlan;
use guard::Resource;
use model::{Failure, Memory, MemoryId, Permission, Status, limits, paths_overlap};
use std::collections::BTreeSet;
use store::{Change, ExpectedVersion, Ref};

/// Result of comparing the profile with the memories of its values.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ProfileCheck {
    /// Memories that speak of what the profile does not say.
    pub stale: Vec<MemoryId>,
    /// Paths of values that no memory states.
    pub missing: Vec<String>,
    /// Number of values past the limit, which have no memory.
    pub omitted: usize,
}

impl ProfileCheck {
    /// Returns whether the memories say exactly what the profile says.
    #[must_use]
    pub fn is_consistent(&self) -> bool {
        self.stale.is_empty() && self.missing.is_empty()
    }
}

impl<'e> Profile<'e> {
    /// Compares the profile with the memories of its values; changes nothing.
    ///
    /// # Errors
    /// Fails when the store cannot be read.
    pub fn check(self, caller: &'e Caller) -> UseCaseFuture<'e, ProfileCheck> {
        Box::pin(async move {
            let call =
                Call::begin(self.core, caller, Resource::Profile, Permission::Read, &()).await?;
            let profile = call.store().profile().await?.map(|version| version.data);
            let profile = profile.unwrap_or_default();
            let leaves = ProfileLeaves::read(&profile);
            let stored = current_memories(&call, &BatchPlan::default()).await?;
            let changes = reconcile(&stored, &leaves.leaves, &profile, &[]);
            let missing = changes.added.iter().map(|(leaf, _)| leaf.path.clone()).collect();
            call.note_shown("compared the profile with its memories", &[]).await;
            Ok(ProfileCheck { stale: changes.stale(), missing, omitted: leaves.omitted })
        })
    }
}

/// Makes the memories say what the profile says, after an import that added these memories and
/// differs in these fields: a sentence about such a field was about the profile of the file.
/// Returns a sentence about values past the limit.
///
/// # Errors
/// Fails when the store cannot be read or written.
pub async fn remake_leaves(
    call: &Call<'_>,
    imported: &[MemoryId],
    differing: &[String],
) -> Result<Option<String>, Failure> {
    let history = history_of(call).await?;
    let Some(newest) = history.first() else { return Ok(None) };
    let mut plan = BatchPlan::default();
    for sentence in outdated_sentences(call, imported, differing).await? {
        plan.push(Change::SetStatus { memory: Ref::Id(sentence), status: Status::Retired });
    }
    plan.expected_versions.push(ExpectedVersion::Profile(newest.version));
    let state = ProfileState {
        profile: &newest.data,
        changed: &[],
        history: &history,
        forgotten: &BTreeSet::new(),
    };
    let leaves = state.plan(call, &mut plan).await?;
    if !plan.changes.is_empty() {
        call.write_plan("made the memories of the profile", plan).await?;
    }
    Ok(leaves.note())
}

/// Returns the active ones of these memories that are sentences about one of these fields.
async fn outdated_sentences(
    call: &Call<'_>,
    memories: &[MemoryId],
    fields: &[String],
) -> Result<Vec<MemoryId>, Failure> {
    let mut outdated = Vec::new();
    for some in memories.chunks(limits::IDS_PER_CALL).filter(|_| !fields.is_empty()) {
        let about = |memory: &Memory| {
            profile_fields(memory).any(|field| fields.iter().any(|one| paths_overlap(field, one)))
        };
        let found = call.memories_unchecked(some).await?;
        let active = found.iter().filter(|memory| memory.status == Status::Active);
        let sentences = active.filter(|memory| !is_leaf(memory) && about(memory));
        outdated.extend(sentences.map(|memory| memory.id));
    }
    Ok(outdated)
}
