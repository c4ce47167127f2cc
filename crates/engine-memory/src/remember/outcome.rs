//! Result of remembering: the id, the status, and what was ignored and why.

use super::conflicts::PlannedConflict;
use crate::profile::{ProfileChanged, ProfilePlan};
use engine_core::plan::made_at;
use model::{Memory, MemoryId, RecordId, ReviewId, SessionId};
use store::{Committed, Made, Ref};

/// Status of a remembered text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Happened {
    Created,
    /// The text existed already.
    Duplicate,
    /// It waits for a decision, because it would replace what a stronger source said.
    Proposed,
    ProfileOnly,
}

/// A memory that contradicts the new one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConflictSeen {
    pub memory: MemoryId,
    pub text: String,
    pub reason: String,
    /// Review item in which it is to be decided.
    pub review: Option<ReviewId>,
}

/// An argument that was not used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ignored {
    pub field: String,
    pub why: String,
}

/// Result of [`Engine::remember`](crate::Engine::remember).
#[derive(Debug, Clone, PartialEq)]
pub struct Remembered {
    /// `None` when only the profile changed.
    pub id: Option<MemoryId>,
    pub happened: Happened,
    /// True when an earlier call with the same idempotency key wrote it.
    pub replayed: bool,
    pub session: Option<SessionId>,
    /// Previous memory of its session.
    pub follows: Option<MemoryId>,
    /// Memories that it replaced.
    pub superseded: Vec<MemoryId>,
    /// Memories that it contradicts.
    pub conflicts: Vec<ConflictSeen>,
    /// Proposals raised for what it would replace.
    pub proposals: Vec<ReviewId>,
    /// Table and id of the written row.
    pub row: Option<(String, RecordId)>,
    /// Result of the profile patch.
    pub profile: Option<ProfileChanged>,
    pub ignored: Vec<Ignored>,
    /// Sentences about what screening changed.
    pub notes: Vec<String>,
}

impl Remembered {
    /// Builds the result for a text that a memory has already.
    pub(crate) fn duplicate_of(known: &Memory) -> Self {
        Self {
            id: Some(known.id),
            happened: Happened::Duplicate,
            replayed: false,
            session: known.session,
            follows: None,
            superseded: Vec::new(),
            conflicts: Vec::new(),
            proposals: Vec::new(),
            row: None,
            profile: None,
            ignored: Vec::new(),
            notes: Vec::new(),
        }
    }
}

/// The result while the batch is built; positions are indexes into the batch.
#[derive(Default)]
pub(super) struct Outcome {
    pub memory_at: Option<usize>,
    pub session: Option<Ref<SessionId>>,
    pub follows: Option<MemoryId>,
    pub row_at: Option<(String, usize)>,
    pub proposals_at: Vec<usize>,
    pub conflicts: Vec<PlannedConflict>,
    pub superseded: Vec<MemoryId>,
    pub profile: Option<ProfilePlan>,
    pub ignored: Vec<Ignored>,
}

impl Outcome {
    /// Fills in the results of the batch.
    pub fn finish(self, committed: &Committed, notes: Vec<String>) -> Remembered {
        let made = &committed.made;
        let at = |place: Option<usize>| place.map(|place| made_at(made, place));
        let review = |place: usize| {
            if let Made::Review(id) = made_at(made, place) { Some(*id) } else { None }
        };
        let row = self.row_at.and_then(|(table, place)| match made_at(made, place) {
            Made::Record(id) => Some((table, *id)),
            _ => None,
        });
        let conflict = |planned: PlannedConflict| ConflictSeen {
            memory: planned.against.id,
            text: planned.against.text,
            reason: planned.reason,
            review: review(planned.review_at),
        };
        Remembered {
            id: at(self.memory_at).and_then(Made::memory),
            happened: happened(at(self.memory_at), &self.proposals_at),
            replayed: committed.replayed,
            session: self.session.and_then(|session| match session {
                Ref::Id(id) => Some(id),
                // Started by this batch, so its id is known only now.
                Ref::Made(place) => made_at(made, place).session(),
            }),
            follows: self.follows,
            superseded: self.superseded,
            proposals: self.proposals_at.iter().filter_map(|place| review(*place)).collect(),
            conflicts: self.conflicts.into_iter().map(conflict).collect(),
            row,
            profile: self.profile.map(|plan| plan.outcome(made)),
            ignored: self.ignored,
            notes,
        }
    }
}

fn happened(memory: Option<&Made>, proposals: &[usize]) -> Happened {
    match memory {
        None => Happened::ProfileOnly,
        // A duplicate raises no proposal, even if the request would have.
        Some(Made::Duplicate(_)) => Happened::Duplicate,
        Some(_) if !proposals.is_empty() => Happened::Proposed,
        Some(_) => Happened::Created,
    }
}
