//! The storage contract, as domain operations. A write is a [`Batch`] of [`Change`]s that is
//! applied atomically, under one owner, together with the audit event that records it. Reads are
//! methods of [`Store`]. No SQL and no driver type appears here; a backend is correct when it
//! passes the tests of the crate `store-conformance`.

mod batch;
mod chain;
mod change;
mod change_result;
mod clients;
mod contract;
mod erasure;
mod error;
mod expiring;
mod imported;
mod job_files;
mod query;
pub mod rules;
mod snapshots;
mod usage;

pub use batch::{Batch, CommittedBatch, ExpectedVersion, Idempotency};
pub use chain::{
    CHAIN_START, ChainAnchor, ChainFault, ChainHead, ChainKey, ChainOrigin, ChainReport,
    ChainVerifier, Checkpoint, CheckpointKind, KeptHead, Mac,
};
pub use change::{
    AddMemory, Change, EntityEdit, HandoffStep, MemoryEdit, NewMention, NewObservation,
    NewRelation, OnDuplicate, OnForgotten, Ref,
};
pub use change_result::{ChangeResult, ForgetReceipt};
pub use clients::{Clients, RotationResult};
pub use contract::{Control, Store};
pub use erasure::ErasureState;
pub use error::{Conflict, StoreError, WriteError};
pub use expiring::{ExpiringValue, ExpiringValues, LocalValues, OwnerValues, ValueKey, ValueKind};
pub use imported::{AttributedRelation, ImportedItem, ImportedMemory};
pub use job_files::{
    FilePart, FilePartKey, JOB_FILES_MAX, JobFileKind, JobFiles, LocalJobFiles, surplus_files,
};
pub use query::{
    AuditQuery, Changes, Counts, EntityCard, EntityMerge, EntityQuery, HandoffQuery, Health, Links,
    MemoryQuery, MemorySort, RecordChange, ReviewQuery, StoredSection, ViewEntry,
};
pub use snapshots::{
    SnapshotContent, SnapshotLabel, SnapshotMedium, SnapshotWriter, ViewSnapshots,
};
pub use usage::{
    DailyAgentUsage, LoggedQuestion, ReadEvent, RecentQuestion, Showing, UnansweredQuestion,
    UsageDelta, UseCounts,
};
