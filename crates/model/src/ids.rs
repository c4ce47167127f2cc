//! Typed ids that cannot be confused with each other, and the sequence number of a change.
//! An id is unique within its owner and is never reused.

use std::fmt;
use std::str::FromStr;

macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub i64);

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }

        impl FromStr for $name {
            type Err = std::num::ParseIntError;

            fn from_str(text: &str) -> Result<Self, Self::Err> {
                text.trim().parse().map(Self)
            }
        }
    };
}

id!(
    /// Id of a memory.
    MemoryId
);
id!(
    /// Id of a session.
    SessionId
);
id!(
    /// Id of an entity.
    EntityId
);
id!(
    /// Id of an observation about an entity.
    ObservationId
);
id!(
    /// Id of a relation between two entities.
    RelationId
);
id!(
    /// Id of a row, unique within its table.
    RecordId
);
id!(
    /// Id of a handoff.
    HandoffId
);
id!(
    /// Id of a reference document.
    ReferenceId
);
id!(
    /// Id of a review item.
    ReviewId
);
id!(
    /// Id of a flag on a memory.
    FlagId
);
id!(
    /// Id of a workspace.
    WorkspaceId
);
id!(
    /// Id of an unanswered question.
    QuestionId
);
id!(
    /// Id of an API key.
    KeyId
);
id!(
    /// Id of an event of the audit log.
    AuditId
);
id!(
    /// Sequence number of a change: each committed batch of an owner gets the next one.
    Seq
);

impl Seq {
    /// Sequence number before the first change.
    pub const ZERO: Self = Self(0);

    /// Returns the next sequence number.
    #[must_use]
    pub fn next(self) -> Self {
        Self(self.0 + 1)
    }
}
