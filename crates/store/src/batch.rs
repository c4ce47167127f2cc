//! A batch: changes that belong together, and the audit event that tells of them.

use crate::{Change, Made};
use model::{AuditEvent, ContentHash, MemoryId, Moment, RecordId, Seq};

/// Changes that are applied whole or not at all. Every row they touch gets the batch's sequence
/// number; the event's time is the time of all of them.
#[derive(Debug, Clone)]
pub struct Batch {
    /// Who does it, when, and what about. Committed in the same transaction.
    pub event: AuditEvent,
    /// Makes a retry safe: the second batch under the same key changes nothing and answers as the
    /// first did.
    pub idempotency: Option<Idempotency>,
    /// What must still stand as the author saw it, or nothing is changed.
    pub expects: Vec<Standing>,
    /// What to change, in order. A later change may refer to what an earlier one made.
    pub changes: Vec<Change>,
}

impl Batch {
    /// A batch without an idempotency key.
    #[must_use]
    pub fn new(event: AuditEvent, changes: Vec<Change>) -> Self {
        Self { event, idempotency: None, expects: Vec::new(), changes }
    }
}

/// A version that somebody saw.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Standing {
    /// A memory, by when anything of it last changed.
    Memory(MemoryId, Moment),
    /// A row of a table, by when it last changed.
    Record(String, RecordId, Moment),
    /// The profile, by its version; 0 before the first.
    Profile(u32),
}

/// A key under which a write happens once. Keys of different agents do not meet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Idempotency {
    /// The caller's key.
    pub key: String,
    /// The hash of what was asked; the same key with another one is refused.
    pub fingerprint: ContentHash,
}

/// A batch that is on disk.
#[derive(Debug, Clone, PartialEq)]
pub struct Committed {
    /// The sequence number it got; the first one's when it was replayed.
    pub seq: Seq,
    /// What each change made, one for each, in order.
    pub made: Vec<Made>,
    /// Whether an earlier batch under the same key had done it already.
    pub replayed: bool,
}
