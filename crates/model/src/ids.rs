//! Typed numbers: ids that cannot be confused with each other, and the sequence number of a change.
//! An id is unique within its owner and is never given twice.

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
    /// A memory.
    MemoryId
);
id!(
    /// A session, the stretch of work a memory was made in.
    SessionId
);
id!(
    /// An entity: a person, a place, a code symbol.
    EntityId
);
id!(
    /// One thing that was said of an entity.
    ObservationId
);
id!(
    /// A typed edge between two entities.
    RelationId
);
id!(
    /// A row of a table; unique within the table.
    RecordId
);
id!(
    /// A handoff document.
    HandoffId
);
id!(
    /// A reference document.
    ReferenceId
);
id!(
    /// Something that waits for a decision.
    ReviewId
);
id!(
    /// A complaint about a memory.
    FlagId
);
id!(
    /// Several memories queried side by side.
    WorkspaceId
);
id!(
    /// A question that found nothing.
    QuestionId
);
id!(
    /// A credential of an agent.
    KeyId
);
id!(
    /// One line of the audit log.
    AuditId
);
id!(
    /// The number of a change: each committed batch of an owner gets the next one.
    Seq
);

impl Seq {
    /// Before the first change.
    pub const ZERO: Self = Self(0);

    /// The number after this one.
    #[must_use]
    pub fn next(self) -> Self {
        Self(self.0 + 1)
    }
}
