//! Near memories of a draft and their relation to it. A later value of the same state replaces the
//! earlier one when the comparison is sure and the source is at least as strong; otherwise both
//! stay, are linked and wait for a decision. Events replace and contradict nothing.

use super::compared::ComparedMemory;
use super::draft::MemoryDraft;
use super::request::RememberRequest;
use crate::profile;
use crate::versions::SAID_AGAIN_WEIGHT;
use engine_core::call::Call;
use engine_core::embedding::speaker;
use engine_core::plan::BatchPlan;
use model::{
    ContentHash, Failure, JsonMap, Kind, LinkKind, Memory, MemoryId, NewReview, ReviewKind,
    titles_agree,
};
use reading::{
    Certainty, LazyText, ParsedText, StatementKind, StatementRelation as R, TextComparison,
};
use store::{Change, OnDuplicate, Ref};

// Each candidate is compared sentence by sentence on the write path, which must stay fast.
const COMPARED: usize = 12;
/// Maximum number of review items that one memory raises; more of them would ask the same question.
const CONFLICTS_MAX: usize = 3;
/// Maximum number of memories reported as similar.
const SIMILAR_MAX: usize = 3;

/// Reason of a replacement that nobody asked for.
pub(super) const SAID_AGAIN: &str = "said again with another value";

/// Reason of a proposal that disagrees with nothing.
const PROPOSED: &str = "new; it counts after somebody confirms it";

/// Near memories by what they mean for the draft.
#[derive(Default)]
pub(super) struct Neighbours {
    /// Earlier values that the draft replaces.
    pub replaced: Vec<ReplacedMemory>,
    pub conflicts: Vec<ConflictingMemory>,
    pub similar: Vec<SimilarMemory>,
}

/// A memory that a later statement replaced.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReplacedMemory {
    pub memory: MemoryId,
    pub text: String,
    pub reason: String,
}

/// A memory that says nearly the same as the new one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SimilarMemory {
    pub memory: MemoryId,
    pub text: String,
    /// Name of the relation: `same`, `paraphrase` or `more_detailed`.
    pub relation: &'static str,
}

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

impl Neighbours {
    /// Compares the draft with memories that share its rare words.
    pub async fn find(
        call: &Call<'_>,
        input: &RememberRequest,
        draft: &MemoryDraft,
    ) -> Result<Self, Failure> {
        let line = speaker(&draft.memory.metadata).is_some();
        // A proposal that was asked for is compared: whoever decides sees what it would replace.
        let compares = input.row.is_none() && !line && (input.proposed || !draft.is_proposal());
        if !compares || is_duplicate(call, draft).await? {
            return Ok(Self::default());
        }
        // By words and not by vectors, which are still being computed at this point.
        let statement = draft.memory.titled_text();
        let near = call.core.sharing_rare_words(call, &statement, COMPARED).await?;
        let text = LazyText::new(&statement);
        let titled = draft.memory.title.is_some();
        let comparable = near.into_iter().filter(|other| is_comparable(draft, other));
        let mut compared: Vec<ComparedMemory> =
            comparable.map(|other| ComparedMemory::by_rules(other, &text, titled)).collect();
        ComparedMemory::read_together(call, &mut compared, &statement).await;
        let mut found = Self::default();
        for other in compared {
            let reason = other.reason(&statement);
            found.add(draft, other, text.parsed(), reason);
        }
        Ok(found)
    }

    fn add(
        &mut self,
        draft: &MemoryDraft,
        ComparedMemory { memory: other, text: earlier, comparison, .. }: ComparedMemory,
        text: &ParsedText<'_>,
        reason: String,
    ) {
        match comparison.relation {
            R::ChangedValue | R::Opposite if replaces(draft, &other, &comparison) => {
                let reason = format!("{SAID_AGAIN}: {reason}");
                self.replaced.push(ReplacedMemory { memory: other.id, text: earlier, reason });
            }
            R::ChangedValue | R::Opposite => self.add_conflict(other, reason),
            // Two events with swapped roles are two events.
            R::Reversed if text.kind() != StatementKind::Event => {
                self.add_conflict(other, reason);
            }
            R::Same | R::Paraphrase | R::MoreDetailed if self.similar.len() < SIMILAR_MAX => {
                let (memory, relation) = (other.id, comparison.relation.name());
                self.similar.push(SimilarMemory { memory, text: earlier, relation });
            }
            _ => {}
        }
    }

    /// Raises a proposal against each memory that the draft disagrees with, or one against none.
    /// Returns the indexes of the proposals.
    pub fn plan_proposals(self, plan: &mut BatchPlan, index: usize) -> Vec<usize> {
        let replaced = self.replaced.into_iter().map(|one| (one.memory, one.reason));
        let rivals = self.conflicts.into_iter().map(|one| (one.against.id, one.reason));
        let mut raise = |against: Option<MemoryId>, reason: String| {
            let item = NewReview { kind: ReviewKind::Proposal, reason, details: JsonMap::new() };
            let (subject, against) = (Some(Ref::ResultOf(index)), against.map(Ref::Id));
            plan.push(Change::RaiseReview { item, subject, against })
        };
        let raised: Vec<usize> = replaced
            .chain(rivals)
            .take(CONFLICTS_MAX)
            .map(|(old, why)| raise(Some(old), format!("would replace memory {old}: {why}")))
            .collect();
        if raised.is_empty() { vec![raise(None, PROPOSED.to_owned())] } else { raised }
    }

    fn add_conflict(&mut self, against: Memory, reason: String) {
        if self.conflicts.len() < CONFLICTS_MAX {
            self.conflicts.push(ConflictingMemory { against, reason });
        }
    }
}

/// Returns true if the draft takes the place of an earlier memory: surely, entirely, and from a
/// source at least as strong.
fn replaces(draft: &MemoryDraft, other: &Memory, comparison: &TextComparison) -> bool {
    let told = comparison.relation == R::ChangedValue || comparison.tells_change;
    let sure = comparison.certainty == Certainty::Sure && comparison.covers_earlier && told;
    let strong = draft.memory.provenance.trust >= other.provenance.trust;
    let later = draft.memory.valid_from >= other.valid_from;
    sure && strong && later && draft.memory.collection == other.collection
}

/// Returns whether the draft is a duplicate, which was compared when it was first written.
pub(super) async fn is_duplicate(call: &Call<'_>, draft: &MemoryDraft) -> Result<bool, Failure> {
    if draft.on_duplicate() == OnDuplicate::Insert {
        return Ok(false);
    }
    let same = memory_with_text(call, draft.memory.hash()).await?;
    // The same words in a transcript are not the memory itself.
    Ok(same.is_some_and(|known| {
        known.collection == draft.memory.collection
            && draft.memory.is_titled_like(known.title.as_deref())
            && has_metadata_of(draft, &known)
    }))
}

/// Returns whether the metadata leave a memory with the text of a draft its duplicate.
fn has_metadata_of(draft: &MemoryDraft, known: &Memory) -> bool {
    let mut fields = draft.memory.metadata.iter();
    draft.on_duplicate() != OnDuplicate::ReturnExistingWithMetadata
        || fields.all(|(name, value)| known.metadata.get(name) == Some(value))
}

/// Returns the newest memory with a text, if the caller may read it.
pub(super) async fn memory_with_text(
    call: &Call<'_>,
    hash: ContentHash,
) -> Result<Option<Memory>, Failure> {
    match call.store().memory_by_text(hash).await? {
        Some(id) => Ok(call.memories(&[id]).await?.pop()),
        None => Ok(None),
    }
}

/// Returns whether a memory can be compared with the draft at all. Rows are events, a line of a
/// conversation is what was said at the time, an episode sums up, the profile has rules of its own,
/// and projects and titles may differ in what is true for them.
fn is_comparable(draft: &MemoryDraft, other: &Memory) -> bool {
    other.project == draft.memory.project
        && titles_agree(draft.memory.title.as_deref(), other.title.as_deref())
        && other.table().is_none()
        && speaker(&other.metadata).is_none()
        && other.kind != Kind::episode()
        && other.collection != profile::COLLECTION
        && draft.replaces().all(|replaced| replaced != other.id)
}

impl ConflictingMemory {
    /// Links both memories and raises a review item; both stay as they are.
    pub fn plan(self, plan: &mut BatchPlan, index: usize) -> PlannedConflict {
        let Self { against, reason } = self;
        plan.link(index, against.id, LinkKind::Contradicts, 1.0);
        let item = NewReview {
            kind: ReviewKind::Contradiction,
            reason: reason.clone(),
            details: JsonMap::new(),
        };
        let review_at = plan.push(Change::RaiseReview {
            item,
            subject: Some(Ref::ResultOf(index)),
            against: Some(Ref::Id(against.id)),
        });
        PlannedConflict { against, reason, review_at }
    }
}

impl ReplacedMemory {
    /// Supersedes the earlier memory by the new one.
    pub fn plan(&self, plan: &mut BatchPlan, index: usize) {
        plan.push(Change::Supersede { old: self.memory, new: Ref::ResultOf(index) });
        // Nobody corrected the earlier one, so that forgetting it leaves the new one.
        plan.link(index, self.memory, LinkKind::Supersedes, SAID_AGAIN_WEIGHT);
    }
}
