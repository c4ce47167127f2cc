//! The audit log: who did what, when, and how it ended. Bodies are hashed, never copied,
//! so that forgetting a memory leaves the log whole.

use crate::{AuditId, Author, ContentHash, Moment, Seq};

/// How a call ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Outcome {
    /// It was done.
    Done,
    /// It was refused: not allowed, or not acceptable.
    Refused,
    /// It failed.
    Failed,
}

impl Outcome {
    /// Every outcome.
    pub const ALL: [Self; 3] = [Self::Done, Self::Refused, Self::Failed];

    /// The name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Done => "done",
            Self::Refused => "refused",
            Self::Failed => "failed",
        }
    }

    /// The outcome of a name.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|outcome| outcome.name() == name)
    }
}

/// One line of the audit log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuditEvent {
    /// Its number; `AuditId(0)` until the store gives one.
    pub id: AuditId,
    /// The change it tells of; `Seq::ZERO` until the store gives one.
    pub seq: Seq,
    /// Who, through what.
    pub author: Author,
    /// The resource it was about: `memory`, `tables/meals`, `handoffs`.
    pub resource: String,
    /// How it ended.
    pub outcome: Outcome,
    /// When it began.
    pub at: Moment,
    /// How long it took up to the commit, in microseconds.
    pub duration_us: u64,
    /// The hash of its arguments.
    pub arguments: ContentHash,
    /// What came of it, in numbers and ids only: `created 17`, `forgot 3`.
    pub note: String,
}
