//! What came of remembering: the id, what happened, and what was ignored and why.

use super::conflicts::PlannedConflict;
use crate::profile::{ProfileChanged, ProfilePlan};
use engine_core::plan::made_at;
use model::{Memory, MemoryId, RecordId, ReviewId, SessionId};
use store::{Committed, Made, Ref};

/// What happened to the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Happened {
    /// It was written.
    Created,
    /// It was there already.
    Duplicate,
    /// It waits for the owner, because a stronger source said what it wants to replace.
    Proposed,
    /// Only the profile changed.
    ProfileOnly,
}

/// A memory that cannot hold beside the new one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConflictSeen {
    /// Which.
    pub memory: MemoryId,
    /// What it says.
    pub text: String,
    /// Why they cannot both hold.
    pub reason: String,
    /// Where it is to be decided.
    pub review: Option<ReviewId>,
}

/// Something that was said and not used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ignored {
    /// The field.
    pub field: String,
    /// Why.
    pub why: String,
}

/// What came of remembering.
#[derive(Debug, Clone, PartialEq)]
pub struct Remembered {
    /// The memory; `None` when only the profile changed.
    pub id: Option<MemoryId>,
    /// What happened.
    pub happened: Happened,
    /// Whether an earlier call under the same idempotency key had done it.
    pub replayed: bool,
    /// The session it was made in.
    pub session: Option<SessionId>,
    /// The memory of its session that it comes after.
    pub follows: Option<MemoryId>,
    /// The memories it replaced.
    pub superseded: Vec<MemoryId>,
    /// The memories it contradicts.
    pub conflicts: Vec<ConflictSeen>,
    /// The proposals that wait because of it.
    pub proposals: Vec<ReviewId>,
    /// The row that was written.
    pub row: Option<(String, RecordId)>,
    /// What came of the profile patch.
    pub profile: Option<ProfileChanged>,
    /// What was said and not used.
    pub ignored: Vec<Ignored>,
    /// What was changed on the way in, in sentences.
    pub notes: Vec<String>,
}

impl Remembered {
    /// What is answered for a text that a memory says already.
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

/// What is known while the batch is gathered.
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
    /// Puts what the batch made in its place.
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
        Some(Made::Duplicate(_)) => Happened::Duplicate,
        Some(_) if !proposals.is_empty() => Happened::Proposed,
        Some(_) => Happened::Created,
    }
}
