//! Contradictions found on the way in: both sides stay, are linked, and wait for a decision.

use super::draft::Draft;
use engine_core::call::Call;
use engine_core::plan::Plan;
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

/// A memory that cannot hold beside the draft.
pub(super) struct Rival {
    against: Memory,
    reason: String,
}

/// Holds the draft against what speaks of the same things.
pub(super) async fn find_rivals(call: &Call<'_>, draft: &Draft) -> Result<Vec<Rival>, Failure> {
    if draft.is_proposal() || is_repetition(call, draft).await? {
        return Ok(Vec::new());
    }
    let near = call.core.sharing_rare_words(call, &draft.memory.text, COMPARED).await?;
    let stated = reading::Statements::of(&draft.memory.text);
    let rival = |other: Memory| {
        let reason = stated.contradicted_by(&other.text)?.to_string();
        Some(Rival { against: other, reason })
    };
    Ok(near.into_iter().filter(|other| may_conflict(draft, other)).filter_map(rival).collect())
}

/// A text that is there already was held against the others when it came.
pub(super) async fn is_repetition(call: &Call<'_>, draft: &Draft) -> Result<bool, Failure> {
    if draft.on_duplicate() == OnDuplicate::Keep {
        return Ok(false);
    }
    is_known(call, draft).await
}

/// Whether a memory that exists for the caller says exactly this.
async fn is_known(call: &Call<'_>, draft: &Draft) -> Result<bool, Failure> {
    let known = call.store().memory_saying(draft.memory.hash()).await;
    match known? {
        Some(id) => Ok(!call.memories(&[id]).await?.is_empty()),
        None => Ok(false),
    }
}

fn may_conflict(draft: &Draft, other: &Memory) -> bool {
    other.project == draft.memory.project && draft.replaces().all(|replaced| replaced != other.id)
}

impl Rival {
    /// Links the two and raises the contradiction; both stay as they are.
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
