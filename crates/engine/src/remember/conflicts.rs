//! Contradictions found on the way in: both sides stay, are linked, and wait for a decision.

use super::draft::Draft;
use crate::call::{Call, read_failure};
use crate::plan::Plan;
use crate::search::Question;
use model::{Failure, JsonMap, LinkKind, Memory, NewReview, ReviewKind};
use store::{Change, OnDuplicate, Ref};

/// How many memories that speak of the same things are held against a new one.
const COMPARED: usize = 12;

/// A contradiction on its way into a batch.
pub(super) struct PlannedConflict {
    pub against: Memory,
    pub reason: String,
    pub review_at: usize,
}

/// Holds the draft against what speaks of the same things.
pub(super) async fn plan_conflicts(
    call: &Call<'_>,
    plan: &mut Plan,
    draft: &Draft,
    place: usize,
) -> Result<Vec<PlannedConflict>, Failure> {
    if draft.is_proposal() || is_repetition(call, draft).await? {
        return Ok(Vec::new());
    }
    let question = Question::about(&draft.memory.text, draft.vector.as_ref());
    let near = call.engine.near(call, &question, COMPARED).await?;
    let mut planned = Vec::new();
    for other in near.into_iter().filter(|other| may_conflict(draft, other)) {
        if let Some(reason) = reading::contradicts(&other.text, &draft.memory.text) {
            planned.push(plan_one(plan, place, other, reason.to_string()));
        }
    }
    Ok(planned)
}

/// A text that is there already was held against the others when it came.
async fn is_repetition(call: &Call<'_>, draft: &Draft) -> Result<bool, Failure> {
    if draft.on_duplicate() == OnDuplicate::Keep {
        return Ok(false);
    }
    let known = call.engine.store.memory_saying(&call.caller.owner, draft.memory.hash()).await;
    Ok(known.map_err(read_failure)?.is_some())
}

fn may_conflict(draft: &Draft, other: &Memory) -> bool {
    other.project == draft.memory.project && draft.replaces().all(|replaced| replaced != other.id)
}

fn plan_one(plan: &mut Plan, place: usize, against: Memory, reason: String) -> PlannedConflict {
    plan.link(place, against.id, LinkKind::Contradicts, 1.0);
    let item = NewReview { kind: ReviewKind::Contradiction, reason: reason.clone(), details: JsonMap::new() };
    let review_at = plan.push(Change::RaiseReview {
        item,
        subject: Some(Ref::Made(place)),
        against: Some(Ref::Id(against.id)),
    });
    PlannedConflict { against, reason, review_at }
}
