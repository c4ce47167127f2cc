//! Contradictions found while remembering: both memories stay, are linked, and wait for a decision.

use super::draft::MemoryDraft;
use engine_core::call::Call;
use engine_core::plan::BatchPlan;
use model::{Failure, JsonMap, LinkKind, Memory, NewMemory, NewReview, ReviewKind, Source};
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
pub(super) struct ConflictingMemory {
    against: Memory,
    reason: String,
}

/// Compares the draft with memories that share its rare words.
pub(super) async fn find_conflicts(
    call: &Call<'_>,
    draft: &MemoryDraft,
) -> Result<Vec<ConflictingMemory>, Failure> {
    let event = describes_event_row(draft.memory.source());
    if event || draft.is_proposal() || is_duplicate(call, draft).await? {
        return Ok(Vec::new());
    }
    // By words and not by vectors, which are still being computed at this point.
    let near = call.core.sharing_rare_words(call, &draft.memory.text, COMPARED).await?;
    let stated = reading::Statements::parse(&draft.memory.text);
    let rival = |other: Memory| {
        let reason = stated.contradicted_by(&other.text)?.to_string();
        Some(ConflictingMemory { against: other, reason })
    };
    Ok(near.into_iter().filter(|other| may_conflict(draft, other)).filter_map(rival).collect())
}

/// Returns whether the draft is a duplicate, which was compared when it was first written.
pub(super) async fn is_duplicate(call: &Call<'_>, draft: &MemoryDraft) -> Result<bool, Failure> {
    if draft.on_duplicate() == OnDuplicate::Insert {
        return Ok(false);
    }
    has_same_text(call, draft).await
}

/// Returns whether a memory that the caller may read has the same text.
async fn has_same_text(call: &Call<'_>, draft: &MemoryDraft) -> Result<bool, Failure> {
    let known = call.store().memory_by_text(draft.memory.hash()).await;
    match known? {
        Some(id) => Ok(call.memories(&[id]).await?.iter().any(|known| counts(draft, known))),
        None => Ok(false),
    }
}

fn counts(draft: &MemoryDraft, known: &Memory) -> bool {
    let mut fields = draft.memory.metadata.iter();
    draft.on_duplicate() != OnDuplicate::ReturnExistingWithMetadata
        || fields.all(|(name, value)| known.metadata.get(name) == Some(value))
}

// Projects may differ in what is true for them, so only memories of the same one are compared.
fn may_conflict(draft: &MemoryDraft, other: &Memory) -> bool {
    other.project == draft.memory.project
        && !describes_event_row(other.source())
        && draft.replaces().all(|replaced| replaced != other.id)
}

/// Returns whether a memory of this source states an event: a row of a table, of which there may be
/// many alike. The table that has the name of the default collection has sentences instead.
pub(super) fn describes_event_row(source: Source<'_>) -> bool {
    matches!(source, Source::Table(table) if table != NewMemory::DEFAULT_COLLECTION)
}

impl ConflictingMemory {
    /// Links both memories and raises a review item; both stay as they are.
    pub fn plan(self, plan: &mut BatchPlan, place: usize) -> PlannedConflict {
        let Self { against, reason } = self;
        plan.link(place, against.id, LinkKind::Contradicts, 1.0);
        let item = NewReview {
            kind: ReviewKind::Contradiction,
            reason: reason.clone(),
            details: JsonMap::new(),
        };
        let review_at = plan.push(Change::RaiseReview {
            item,
            subject: Some(Ref::ResultOf(place)),
            against: Some(Ref::Id(against.id)),
        });
        PlannedConflict { against, reason, review_at }
    }
}
