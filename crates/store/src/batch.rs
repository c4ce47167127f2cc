//! A batch: changes that belong together, and the audit event that records them.

use crate::{Change, ChangeResult};
use model::{AuditEvent, ContentHash, MemoryId, Moment, RecordId, ReviewId, Seq};

/// Changes that are applied atomically. Every row they touch gets the batch's sequence number; the
/// time of the audit event is the time of all of them.
#[derive(Debug, Clone)]
pub struct Batch {
    /// Author, time and resource of the batch. Committed in the same transaction.
    pub event: AuditEvent,
    /// Makes a retry safe: a second batch under the same key changes nothing and returns the
    /// results of the first.
    pub idempotency: Option<Idempotency>,
    /// Optimistic concurrency checks: if any of these versions is outdated, nothing is changed.
    pub expected_versions: Vec<ExpectedVersion>,
    /// The changes in order. A later change may refer to the result of an earlier one.
    pub changes: Vec<Change>,
}

impl Batch {
    /// Creates a batch without an idempotency key and without expected versions.
    #[must_use]
    pub fn new(event: AuditEvent, changes: Vec<Change>) -> Self {
        Self { event, idempotency: None, expected_versions: Vec::new(), changes }
    }
}

/// The version of something as its editor last read it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ExpectedVersion {
    /// A memory and the time of its last change.
    Memory(MemoryId, Moment),
    /// A row of a table and the time of its last change.
    Record(String, RecordId, Moment),
    /// The profile's version number; 0 when there is no profile yet.
    Profile(u32),
    /// A review item and the time of its decision; `None` while it is open.
    Review(ReviewId, Option<Moment>),
    /// The identity of the store that the batch was decided on. In another one, put in its place
    /// meanwhile, the same ids mean something else; the batch is refused as busy.
    Store([u8; 16]),
    /// A setting and its value; `None` where it was never set, or is null.
    Setting(String, Option<serde_json::Value>),
    /// Memories that a derived text was made from, none of which changed after a sequence number.
    Sources { memories: Vec<MemoryId>, read_at: Seq },
}

/// A key under which a write happens once. Each agent has its own key space.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Idempotency {
    pub key: String,
    /// Hash of the request; the same key with another fingerprint is refused.
    pub fingerprint: ContentHash,
}

/// A batch that is on disk.
#[derive(Debug, Clone, PartialEq)]
pub struct CommittedBatch {
    /// The batch's sequence number; that of the first batch when this one was a replay.
    pub seq: Seq,
    /// The result of each change, in order.
    pub results: Vec<ChangeResult>,
    /// True when an earlier batch under the same idempotency key had already done it.
    pub replayed: bool,
    /// True when text that was erased may still be in unused bytes of the store's files. They are
    /// cleared as soon as nobody reads an older state of them.
    pub traces_owed: bool,
}
