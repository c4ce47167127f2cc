//! Undoing the owner's decision on a proposed erasure. A refusal is open again; an accepted
//! retirement restores the memories that it retired; what was removed for good stays removed.

use super::{Erasure, ErasureMode};
use engine_core::call::Call;
use engine_core::plan::BatchPlan;
use model::{
    ErrorCode, Failure, JsonMap, Memory, MemoryId, Resolution, ReviewItem, ReviewState, Status,
};
use serde_json::Value;
use store::{Change, Ref};

// Key in the stored state before a decision; must not change.
const RETIRED: &str = "retired";

/// Returns the state that undoing restores: the memories that were retired.
pub(super) fn undo_state(retired: &[Memory]) -> JsonMap {
    let ids = retired.iter().map(|memory| Value::from(memory.id.0)).collect();
    JsonMap::from_iter([(RETIRED.to_owned(), Value::Array(ids))])
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
            if erasure.mode != ErasureMode::Retire || !erasure.is_reversible() {
                return Err(Failure::invalid("what was deleted cannot be brought back"));
            }
            let before = call.store().review_undo_state(item.id).await?;
            plan_restoration(call, plan, &retired_ids(&before)).await
        }
        ReviewState::Resolved { .. } => Ok(()),
    }
}

fn retired_ids(before: &JsonMap) -> Vec<MemoryId> {
    let ids = before.get(RETIRED).and_then(Value::as_array).into_iter().flatten();
    ids.filter_map(Value::as_i64).map(MemoryId).collect()
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
