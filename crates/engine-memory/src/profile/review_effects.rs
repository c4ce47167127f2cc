//! Effects of a decision on the profile. A decision that ends the memory of a value removes the
//! value too, since the next change of the profile would make the memory again; and no decision
//! brings back the memory of a value that the profile no longer has.

use super::leaves::ProfileLeaves;
use super::plan_leaves::ProfileState;
use super::reconcile::is_leaf;
use super::{history_of, profile_fields};
use engine_core::call::Call;
use engine_core::plan::BatchPlan;
use model::{
    Failure, JsonMap, Memory, MemoryId, Status, changed_fields, patch_between, path_by_names,
    remove_field,
};
use std::collections::BTreeSet;
use store::{Change, ExpectedVersion, Ref};

/// Adds the changes of a decision to a batch, with what they mean for the profile.
pub(crate) async fn plan_with_profile(
    call: &Call<'_>,
    plan: &mut BatchPlan,
    mut changes: Vec<Change>,
) -> Result<(), Failure> {
    let ids: Vec<MemoryId> = changes.iter().filter_map(|one| Some(status_of(one)?.0)).collect();
    let mut leaves = call.memories_unchecked(&ids).await?;
    leaves.retain(is_leaf);
    if leaves.is_empty() {
        plan.changes.extend(changes);
        return Ok(());
    }
    let history = history_of(call).await?;
    let profile = history.first().map(|version| version.data.clone()).unwrap_or_default();
    let stated = ProfileLeaves::read(&profile).leaves;
    let leaf = |id: MemoryId| leaves.iter().find(|memory| memory.id == id);
    let holds = |memory: &Memory| {
        let path = profile_fields(memory).next();
        stated.iter().any(|leaf| leaf.text == memory.text && Some(leaf.path.as_str()) == path)
    };
    changes.retain(|change| match status_of(change) {
        Some((id, Status::Active)) => leaf(id).is_none_or(holds),
        _ => true,
    });
    let ended = changes.iter().filter_map(status_of).filter(|(_, to)| *to != Status::Active);
    let paths: Vec<String> = ended
        .filter_map(|(id, _)| leaf(id))
        .filter(|memory| memory.status == Status::Active && holds(memory))
        .flat_map(|memory| profile_fields(memory).map(|path| path_by_names(&profile, path)))
        .collect();
    plan.changes.extend(changes);
    let after = without(&profile, &paths);
    let changed = changed_fields(&profile, &after);
    if changed.is_empty() {
        return Ok(());
    }
    plan.expected_versions
        .extend(history.first().map(|version| ExpectedVersion::Profile(version.version)));
    plan.push(Change::PatchProfile {
        patch: patch_between(&profile, &after),
        reason: Some("a decision ended what it said".to_owned()),
        provenance: call.provenance(call.caller.origin()),
    });
    ProfileState {
        profile: &after,
        changed: &changed,
        history: &history,
        forgotten: &BTreeSet::new(),
    }
    .plan(call, plan)
    .await
    .map(drop)
}

/// Returns the status that a change gives to an existing memory.
fn status_of(change: &Change) -> Option<(MemoryId, Status)> {
    match change {
        Change::SetStatus { memory: Ref::Id(id), status } => Some((*id, *status)),
        Change::Supersede { old, .. } => Some((*old, Status::Superseded)),
        _ => None,
    }
}

fn without(profile: &JsonMap, paths: &[String]) -> JsonMap {
    let mut after = profile.clone();
    paths.iter().for_each(|path| _ = remove_field(&mut after, path));
    after
}
