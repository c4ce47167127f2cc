//! Consistency of the profile with the memories of its values: a comparison, and the repair that an
//! import makes.

use super::history_of;
use super::leaves::ProfileLeaves;
use super::plan_leaves::{ProfileState, current_memories};
use super::reconcile::reconcile;
use crate::Profile;
use engine_core::UseCaseFuture;
use engine_core::call::Call;
use engine_core::caller::Caller;
use engine_core::plan::BatchPlan;
use guard::Resource;
use model::{Failure, MemoryId, Permission};
use std::collections::BTreeSet;
use store::ExpectedVersion;

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

/// Makes the memories say what the profile says, after an import. Returns a sentence about values
/// past the limit.
///
/// # Errors
/// Fails when the store cannot be read or written.
pub async fn remake_leaves(call: &Call<'_>) -> Result<Option<String>, Failure> {
    let history = history_of(call).await?;
    let Some(newest) = history.first() else { return Ok(None) };
    let mut plan = BatchPlan::default();
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
