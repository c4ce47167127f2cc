//! Undoing the owner's decision on a proposed erasure. A refusal is open again; an accepted
//! retirement restores the memories that it retired, and an accepted merge parts the entities
//! again; what was removed for good stays removed.

use super::Erasure;
use engine_core::call::Call;
use engine_core::plan::BatchPlan;
use model::{
    EntityId, ErrorCode, Failure, JsonMap, Memory, MemoryId, Resolution, ReviewItem, ReviewState,
    Status,
};
use serde_json::Value;
use store::{Change, Ref};

// Keys in the stored state before a decision; must not change.
const RETIRED: &str = "retired";
const MERGED: &str = "merged";

/// Returns the state that undoing restores: the memories that are retired, and the entities that
/// are merged into others.
pub(super) fn undo_state(retired: &[Memory], changes: &[Change]) -> JsonMap {
    let merged = |change: &Change| match change {
        Change::MergeEntities { from: Ref::Id(from), .. } => Some(Value::from(from.0)),
        _ => None,
    };
    let retired = retired.iter().map(|memory| Value::from(memory.id.0)).collect();
    let merged = changes.iter().filter_map(merged).collect();
    JsonMap::from_iter([(RETIRED.to_owned(), retired), (MERGED.to_owned(), merged)])
}

/// Adds the changes that restore the state before a decision.
///
/// # Errors
/// `conflict` when the item is open, or a memory has changed since; `invalid_argument` when
/// something was removed for good.
pub(crate) async fn plan_erasure_undo(
    call: &Call<'_>,
    plan: &mut BatchPlan,
    item: &ReviewItem,
    erasure: &Erasure,
) -> Result<(), Failure> {
    match &item.state {
        ReviewState::Open => {
            let message = format!("review item {} has not been decided yet", item.id);
            Err(Failure::new(ErrorCode::Conflict, message))
        }
        ReviewState::Resolved { resolution: Resolution::Confirm, .. } => {
            if !erasure.is_reversible() {
                return Err(Failure::invalid("what was deleted cannot be brought back"));
            }
            let before = call.store().review_undo_state(item.id).await?;
            // The newest first, as the store demands.
            for entity in ids(&before, MERGED).into_iter().rev().map(EntityId) {
                plan.push(Change::UndoMerge { entity });
            }
            let retired: Vec<_> = ids(&before, RETIRED).into_iter().map(MemoryId).collect();
            plan_restoration(call, plan, &retired).await
        }
        ReviewState::Resolved { .. } => Ok(()),
    }
}

fn ids(before: &JsonMap, name: &str) -> Vec<i64> {
    let ids = before.get(name).and_then(Value::as_array).into_iter().flatten();
    ids.filter_map(Value::as_i64).collect()
}

async fn plan_restoration(
    call: &Call<'_>,
    plan: &mut BatchPlan,
    ids: &[MemoryId],
) -> Result<(), Failure> {
    let memories = call.memories(ids).await?;
    for id in ids {
        let now = memories.iter().find(|memory| memory.id == *id).map(|memory| memory.status);
        // Another status means that somebody has changed the memory since.
        if now != Some(Status::Retired) {
            let state = now.map_or("gone", Status::name);
            let message = format!("memory {id} is {state} by now; decide on its current state");
            return Err(Failure::new(ErrorCode::Conflict, message));
        }
        plan.push(Change::SetStatus { memory: Ref::Id(*id), status: Status::Active });
    }
    Ok(())
}
