//! The storage contract, as domain operations. A write is a [`Batch`] of [`Change`]s that is
//! applied atomically, under one owner, together with the audit event that records it. Reads are
//! methods of [`Store`]. No SQL and no driver type appears here; a backend is correct when it
//! passes [`conformance`].

mod batch;
mod chain;
mod change;
mod clients;
mod contract;
mod error;
mod kept;
mod made;
mod query;
mod usage;

pub use batch::{Batch, Committed, Idempotency, Standing};
pub use chain::{
    CHAIN_START, ChainFault, ChainKey, ChainReport, Head, Mac, Mark, MarkKind, Verifier,
};
pub use change::{
    AddMemory, Change, EntityEdit, HandoffStep, MemoryEdit, NewMention, NewObservation,
    NewRelation, OnDuplicate, OnForgotten, Ref,
};
pub use clients::{Clients, Rotated};
pub use contract::{Control, Store};
pub use error::{Conflict, StoreError, WriteError};
pub use kept::{Kept, KeptMemory, KeptRelation};
pub use made::{Made, Receipt};
pub use query::{
    AuditQuery, Changes, Counts, EntityCard, EntityQuery, HandoffQuery, Health, Links, MemoryQuery,
    RecordChange, ReviewQuery, Sort, StoredSection, ViewEntry,
};
pub use usage::{Asked, Served, Showing, Unanswered, Usage, Use};
