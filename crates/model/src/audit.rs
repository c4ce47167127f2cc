//! Events of the audit log: author, resource, time and outcome of a call.
//! Arguments are hashed, never copied, so that forgetting a memory leaves no text in the log and
//! no gap in its chain.

use crate::{AuditId, Author, ContentHash, Moment, Seq};

/// Outcome of an audited call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum AuditOutcome {
    Done,
    /// The call was not permitted, or its arguments were not acceptable.
    Refused,
    Failed,
}

impl AuditOutcome {
    /// All outcomes.
    pub const ALL: [Self; 3] = [Self::Done, Self::Refused, Self::Failed];

    /// Returns the stored name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Done => "done",
            Self::Refused => "refused",
            Self::Failed => "failed",
        }
    }

    /// Returns the outcome with this name.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|outcome| outcome.name() == name)
    }
}

/// One event of the audit log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuditEvent {
    /// Event number; `AuditId(0)` until the store assigns one.
    pub id: AuditId,
    /// Sequence number of the recorded change; `Seq::ZERO` until the store assigns one.
    pub seq: Seq,
    pub author: Author,
    /// Affected resource: `memory`, `tables/meals`, `handoffs`.
    pub resource: String,
    pub outcome: AuditOutcome,
    /// Start of the call.
    pub at: Moment,
    /// Time from the start of the call to the commit, in microseconds.
    pub duration_us: u64,
    /// Hash of the arguments.
    pub arguments: ContentHash,
    /// Result as counts and ids only: `created 17`, `forgot 3`.
    pub note: String,
}
