//! What waits for a decision: contradictions, flags and proposals.

use crate::{AgentName, FlagId, JsonMap, MemoryId, Moment, ReviewId};

/// Why something waits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ReviewKind {
    /// Two memories cannot both be true.
    Contradiction,
    /// Somebody says that a memory is wrong.
    Flag,
    /// A weaker source wants to change what a stronger one said.
    Proposal,
}

impl ReviewKind {
    /// Every kind.
    pub const ALL: [Self; 3] = [Self::Contradiction, Self::Flag, Self::Proposal];

    /// The name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Contradiction => "contradiction",
            Self::Flag => "flag",
            Self::Proposal => "proposal",
        }
    }

    /// The kind of a name.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }
}

/// What was decided.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Resolution {
    /// The subject holds; what it disagrees with gives way.
    Confirm,
    /// The subject is wrong; what it disagrees with stays.
    Reject,
    /// Both hold.
    KeepBoth,
}

impl Resolution {
    /// Every resolution.
    pub const ALL: [Self; 3] = [Self::Confirm, Self::Reject, Self::KeepBoth];

    /// The name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Confirm => "confirm",
            Self::Reject => "reject",
            Self::KeepBoth => "keep_both",
        }
    }

    /// The resolution of a name.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|resolution| resolution.name() == name)
    }
}

/// Whether it still waits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ReviewState {
    /// It waits.
    Open,
    /// It was decided.
    Resolved {
        /// How.
        resolution: Resolution,
        /// By whom.
        by: AgentName,
        /// When.
        at: Moment,
    },
}

/// Something that waits for a decision, or waited.
#[derive(Debug, Clone, PartialEq)]
pub struct ReviewItem {
    /// Its number.
    pub id: ReviewId,
    /// Why it waits.
    pub kind: ReviewKind,
    /// The memory in question: the newer side of a contradiction, the flagged one, the proposal.
    pub subject: Option<MemoryId>,
    /// What it disagrees with.
    pub against: Option<MemoryId>,
    /// What is wrong, in a sentence.
    pub reason: String,
    /// What a proposal would change.
    pub details: JsonMap,
    /// Who raised it.
    pub raised_by: AgentName,
    /// When.
    pub raised_at: Moment,
    /// Whether it still waits.
    pub state: ReviewState,
}

/// A review item that is about to be raised.
#[derive(Debug, Clone, PartialEq)]
pub struct NewReview {
    /// Why it waits.
    pub kind: ReviewKind,
    /// What is wrong, in a sentence.
    pub reason: String,
    /// What a proposal would change.
    pub details: JsonMap,
}

/// A complaint about a memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Flag {
    /// Its number.
    pub id: FlagId,
    /// About which memory.
    pub memory: MemoryId,
    /// What is wrong with it.
    pub reason: String,
    /// Who complains.
    pub by: AgentName,
    /// When.
    pub at: Moment,
    /// Whether it was dealt with.
    pub settled: bool,
}
