//! Review items: contradictions, flags and proposals that wait for a decision.

use crate::{AgentName, FlagId, JsonMap, MemoryId, Moment, ReviewId};

/// Reason for a review.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ReviewKind {
    Contradiction,
    /// An agent or the owner reported a memory as wrong.
    Flag,
    /// A less trusted source wants to change what a more trusted one wrote.
    Proposal,
}

impl ReviewKind {
    /// All kinds.
    pub const ALL: [Self; 3] = [Self::Contradiction, Self::Flag, Self::Proposal];

    /// Returns the stored name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Contradiction => "contradiction",
            Self::Flag => "flag",
            Self::Proposal => "proposal",
        }
    }

    /// Returns the kind with this name.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }
}

/// Decision on a review item.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Resolution {
    /// The subject is right and replaces what it disagrees with. For a flag: the complaint is
    /// right, and the subject is rejected.
    Confirm,
    /// The subject is wrong, and what it disagrees with stays. For a flag: the complaint is wrong,
    /// and the subject stays.
    Reject,
    /// Both are right.
    KeepBoth,
}

impl Resolution {
    /// All resolutions.
    pub const ALL: [Self; 3] = [Self::Confirm, Self::Reject, Self::KeepBoth];

    /// Returns the stored name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Confirm => "confirm",
            Self::Reject => "reject",
            Self::KeepBoth => "keep_both",
        }
    }

    /// Returns the resolution with this name.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|resolution| resolution.name() == name)
    }
}

/// State of a review item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ReviewState {
    Open,
    Resolved { resolution: Resolution, by: AgentName, at: Moment },
}

/// An item of the review list, open or resolved.
#[derive(Debug, Clone, PartialEq)]
pub struct ReviewItem {
    pub id: ReviewId,
    pub kind: ReviewKind,
    /// Memory under review: the newer side of a contradiction, the flagged memory or the proposal.
    pub subject: Option<MemoryId>,
    /// Memory that the subject disagrees with.
    pub against: Option<MemoryId>,
    /// Explanation in one sentence.
    pub reason: String,
    /// Changes that a proposal would make.
    pub details: JsonMap,
    pub raised_by: AgentName,
    pub raised_at: Moment,
    pub state: ReviewState,
}

/// A review item to be raised.
#[derive(Debug, Clone, PartialEq)]
pub struct NewReview {
    pub kind: ReviewKind,
    /// Explanation in one sentence.
    pub reason: String,
    /// Changes that a proposal would make.
    pub details: JsonMap,
}

/// A report that a memory is wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Flag {
    pub id: FlagId,
    pub memory: MemoryId,
    pub reason: String,
    /// Author of the report.
    pub by: AgentName,
    pub at: Moment,
    /// Set once the review is resolved.
    pub settled: bool,
}
