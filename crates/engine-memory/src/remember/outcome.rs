//! Result of remembering: the id, the status, and what was ignored and why.

use super::neighbours::{PlannedConflict, ReplacedMemory, SimilarMemory};
use crate::profile::{PatchProfileOutcome, ProfilePlan};
use crate::tables::SameKeyRow;
use engine_core::plan::result_at;
use model::{Memory, MemoryId, RecordId, ReviewId, SessionId};
use store::{ChangeResult, CommittedBatch, Ref};

/// Status of a remembered text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RememberStatus {
    Created,
    /// The text existed already.
    Duplicate,
    /// It waits for a decision, because it would replace what a stronger source said.
    Proposed,
    ProfileOnly,
}

/// A memory that contradicts the new one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DetectedConflict {
    pub memory: MemoryId,
    pub text: String,
    pub reason: String,
    /// Review item in which it is to be decided.
    pub review: Option<ReviewId>,
}

/// An argument that was not used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IgnoredField {
    pub field: String,
    pub why: String,
}

/// Result of [`Memories::remember`](crate::Memories::remember).
#[derive(Debug, Clone, PartialEq)]
pub struct RememberOutcome {
    /// `None` when only the profile changed.
    pub id: Option<MemoryId>,
    pub status: RememberStatus,
    /// True when an earlier call with the same idempotency key wrote it.
    pub replayed: bool,
    pub session: Option<SessionId>,
    /// Previous memory of its session.
    pub follows: Option<MemoryId>,
    /// Memories that it replaced.
    pub superseded: Vec<MemoryId>,
    /// Those of them that it replaced by itself, because it gives another value to the same state.
    pub replaced: Vec<ReplacedMemory>,
    /// Memories that say nearly the same.
    pub similar: Vec<SimilarMemory>,
    /// Memories that it contradicts.
    pub conflicts: Vec<DetectedConflict>,
    /// Proposals raised for what it would replace.
    pub proposals: Vec<ReviewId>,
    /// Table and id of the written row.
    pub row: Option<(String, RecordId)>,
    /// Row with the same key as the written one, which it may be meant to replace.
    pub same_key: Option<SameKeyRow>,
    /// Result of the profile patch.
    pub profile: Option<PatchProfileOutcome>,
    pub ignored: Vec<IgnoredField>,
    /// Sentences about what screening changed, about rows that change with a correction, and about
    /// values of the profile past a limit.
    pub notes: Vec<String>,
}

impl RememberOutcome {
    /// Returns what the answer should tell beside its fields: the notes, each memory that was
    /// replaced without being named, and those that say nearly the same.
    #[must_use]
    pub fn sentences(&self) -> Vec<String> {
        let replaced = self.replaced.iter().map(|one| {
            format!("memory {} (\"{}\") no longer holds, {}", one.memory, one.text, one.reason)
        });
        let similar = self
            .similar
            .iter()
            .map(|one| format!("memory {} says nearly the same: \"{}\"", one.memory, one.text));
        self.notes.iter().cloned().chain(replaced).chain(similar).collect()
    }

    /// Builds the result for a text that a memory has already.
    pub(crate) fn duplicate_of(known: &Memory) -> Self {
        Self {
            id: Some(known.id),
            status: RememberStatus::Duplicate,
            replayed: false,
            session: known.session,
            follows: None,
            superseded: Vec::new(),
            replaced: Vec::new(),
            similar: Vec::new(),
            conflicts: Vec::new(),
            proposals: Vec::new(),
            row: None,
            same_key: None,
            profile: None,
            ignored: Vec::new(),
            notes: Vec::new(),
        }
    }
}

/// The result while the batch is built; positions are indexes into the batch.
#[derive(Default)]
pub(super) struct PendingOutcome {
    pub memory_at: Option<usize>,
    pub session: Option<Ref<SessionId>>,
    pub follows: Option<MemoryId>,
    pub row_at: Option<(String, usize)>,
    pub same_key: Option<SameKeyRow>,
    pub row_notes: Vec<String>,
    pub proposals_at: Vec<usize>,
    pub conflicts: Vec<PlannedConflict>,
    pub superseded: Vec<MemoryId>,
    pub replaced: Vec<ReplacedMemory>,
    pub similar: Vec<SimilarMemory>,
    pub profile: Option<ProfilePlan>,
    pub ignored: Vec<IgnoredField>,
}

impl PendingOutcome {
    /// Returns a memory that says the same in other words.
    pub fn same_in_other_words(&self) -> Option<MemoryId> {
        let is_same = |one: &&SimilarMemory| matches!(one.relation, "same" | "paraphrase");
        self.similar.iter().find(is_same).map(|one| one.memory)
    }

    /// Fills in the results of the batch.
    pub fn finish(self, committed: &CommittedBatch, notes: Vec<String>) -> RememberOutcome {
        let results = &committed.results;
        let at = |index: Option<usize>| index.map(|index| result_at(results, index));
        let review = |index: usize| {
            if let ChangeResult::Review(id) = result_at(results, index) { Some(*id) } else { None }
        };
        let row = self.row_at.and_then(|(table, index)| match result_at(results, index) {
            ChangeResult::Record(id) => Some((table, *id)),
            _ => None,
        });
        let profile = self.profile.map(|plan| plan.outcome(results));
        let conflict = |planned: PlannedConflict| DetectedConflict {
            memory: planned.against.id,
            text: planned.against.text,
            reason: planned.reason,
            review: review(planned.review_at),
        };
        RememberOutcome {
            id: at(self.memory_at).and_then(ChangeResult::memory),
            status: status_of(at(self.memory_at), &self.proposals_at),
            replayed: committed.replayed,
            session: self.session.and_then(|session| match session {
                Ref::Id(id) => Some(id),
                // Started by this batch, so its id is known only now.
                Ref::ResultOf(index) => result_at(results, index).session(),
            }),
            follows: self.follows,
            superseded: self.superseded,
            replaced: self.replaced,
            similar: self.similar,
            proposals: self.proposals_at.iter().filter_map(|index| review(*index)).collect(),
            conflicts: self.conflicts.into_iter().map(conflict).collect(),
            row,
            same_key: self.same_key,
            ignored: self.ignored,
            notes: notes
                .into_iter()
                .chain(self.row_notes)
                .chain(profile.iter().flat_map(|done| done.notes.iter().cloned()))
                .collect(),
            profile,
        }
    }
}

fn status_of(memory: Option<&ChangeResult>, proposals: &[usize]) -> RememberStatus {
    match memory {
        None => RememberStatus::ProfileOnly,
        // A duplicate raises no proposal, even if the request would have.
        Some(ChangeResult::Duplicate(_)) => RememberStatus::Duplicate,
        Some(_) if !proposals.is_empty() => RememberStatus::Proposed,
        Some(_) => RememberStatus::Created,
    }
}
