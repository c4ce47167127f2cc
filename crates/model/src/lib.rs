//! The vocabulary of Quipu as types: one word has one meaning in every crate.
//! It also holds the limits and the single table of error codes.
//! It knows no I/O, no clock and no wire format; a dialect or a store adds what it needs of those.

mod access;
mod audit;
mod column_type;
mod entity;
mod error;
mod field_path;
mod handoff;
mod hash;
mod ids;
mod json_merge;
pub mod limits;
mod link;
mod memory;
mod moment;
mod oauth;
mod owner;
mod page;
mod profile;
mod provenance;
mod record;
mod reference;
mod review;
mod session;
mod source;
mod title;
mod workspace;

pub use access::{Grant, KeyInfo, NewKey, Permission};
pub use audit::{AuditEvent, AuditOutcome};
pub use column_type::{ColumnType, spelled_boolean, spelled_number};
pub use entity::{Entity, Mention, NewEntity, Observation, Relation};
pub use error::{ErrorCode, Failure};
pub use field_path::{
    is_path_below, member_name, named_by, patch_at, path_by_names, path_without_places,
    paths_overlap, remove_field, value_at,
};
pub use handoff::{Claim, ConnectionId, Handoff, HandoffState, NewHandoff};
pub use hash::ContentHash;
pub use ids::{
    AuditId, EntityId, FlagId, HandoffId, KeyId, MemoryId, ObservationId, QuestionId, RecordId,
    ReferenceId, RelationId, ReviewId, Seq, SessionId, WorkspaceId,
};
pub use json_merge::{changed_fields, merge_patch, patch_between};
pub use link::{Link, LinkKind};
pub use memory::{AccessStats, Kind, Memory, NewMemory, Status, StoredVectors, VectorModel};
pub use moment::Moment;
pub use oauth::{Client, Consent, TokenFamily, TokenFamilyId, TokenInfo, TokenPair, TokenPurpose};
pub use owner::{AgentName, GroupRole, OwnerId};
pub use page::{Listing, Page};
pub use profile::ProfileVersion;
pub use provenance::{Author, Dialect, Origin, Provenance, Trust};
pub use record::{Column, Record, Table, infer_columns};
pub use reference::{NewReference, Reference, Section, SectionHit};
pub use review::{Flag, NewReview, Resolution, ReviewItem, ReviewKind, ReviewState};
pub use session::{NewSession, Session};
pub use source::{NameFilter, Source, SourceFilter};
pub use title::titles_agree;
pub use workspace::{ContextRole, ContextSource, Workspace, WorkspaceContext};

/// A JSON object, as used for metadata, records and profiles.
pub type JsonMap = serde_json::Map<String, serde_json::Value>;
