//! Contradictions found while remembering: both memories stay, are linked, and wait for a decision.

use super::draft::Draft;
use engine_core::call::Call;
use engine_core::plan::Plan;
use model::{Failure, JsonMap, LinkKind, Memory, NewReview, ReviewKind};
use store::{Change, OnDuplicate, Ref};

// Each candidate is compared sentence by sentence on the write path, which must stay fast.
const COMPARED: usize = 12;

/// A contradiction within a batch.
pub(super) struct PlannedConflict {
    pub against: Memory,
    pub reason: String,
    pub review_at: usize,
}

/// A memory that contradicts the draft.
pub(super) struct Rival {
    against: Memory,
    reason: String,
}

/// Compares the draft with memories that share its rare words.
pub(super) async fn find_rivals(call: &Call<'_>, draft: &Draft) -> Result<Vec<Rival>, Failure> {
    if draft.is_proposal() || is_repetition(call, draft).await? {
        return Ok(Vec::new());
    }
    // By words and not by vectors, which are still being computed at this point.
    let near = call.core.sharing_rare_words(call, &draft.memory.text, COMPARED).await?;
    let stated = reading::Statements::of(&draft.memory.text);
    let rival = |other: Memory| {
        let reason = stated.contradicted_by(&other.text)?.to_string();
        Some(Rival { against: other, reason })
    };
    Ok(near.into_iter().filter(|other| may_conflict(draft, other)).filter_map(rival).collect())
}

/// Returns whether the draft is a duplicate, which was compared when it was first written.
pub(super) async fn is_repetition(call: &Call<'_>, draft: &Draft) -> Result<bool, Failure> {
    if draft.on_duplicate() == OnDuplicate::Keep {
        return Ok(false);
    }
    is_known(call, draft).await
}

/// Returns whether a memory that the caller may read has the same text.
async fn is_known(call: &Call<'_>, draft: &Draft) -> Result<bool, Failure> {
    let known = call.store().memory_saying(draft.memory.hash()).await;
    match known? {
        Some(id) => Ok(!call.memories(&[id]).await?.is_empty()),
        None => Ok(false),
    }
}

// Projects may differ in what is true for them, so only memories of the same one are compared.
fn may_conflict(draft: &Draft, other: &Memory) -> bool {
    other.project == draft.memory.project && draft.replaces().all(|replaced| replaced != other.id)
}

impl Rival {
    /// Links both memories and raises a review item; both stay as they are.
    pub fn plan(self, plan: &mut Plan, place: usize) -> PlannedConflict {
        let Self { against, reason } = self;
        plan.link(place, against.id, LinkKind::Contradicts, 1.0);
        let item = NewReview {
            kind: ReviewKind::Contradiction,
            reason: reason.clone(),
            details: JsonMap::new(),
        };
        let review_at = plan.push(Change::RaiseReview {
            item,
            subject: Some(Ref::Made(place)),
            against: Some(Ref::Id(against.id)),
        });
        PlannedConflict { against, reason, review_at }
    }
}
