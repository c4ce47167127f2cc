//! The store bound to one owner, with its errors turned into failures that a caller may see.
//! Use cases read through it, so that none repeats the owner or forgets to log a cause.

use crate::call::read_failure;
use metrics::TRACE_TARGET;
use model::{
    AuditEvent, AuditId, ContentHash, Entity, EntityId, Failure, Flag, Grant, Handoff, HandoffId,
    JsonMap, Listing, Memory, MemoryId, Mention, Moment, Observation, OwnerId, Page,
    ProfileVersion, Record, RecordId, Reference, ReferenceId, Relation, RelationId, ReviewId,
    ReviewItem, Seq, Session, SessionId, StoredVectors, Table, Workspace, WorkspaceId,
};
use std::path::Path;
use store::{
    AttributedRelation, AuditQuery, ChainReport, Changes, Counts, DailyAgentUsage, EntityCard,
    EntityMerge, EntityQuery, ErasureState, HandoffQuery, Health, Links, Mac, MemoryQuery,
    RecentQuestion, RecordChange, ReviewQuery, Showing, Store, StoredSection, UnansweredQuestion,
    UseCounts,
};
use tracing::Instrument;

/// The reads of one owner's store.
#[derive(Clone, Copy)]
pub struct OwnerStore<'e> {
    store: &'e dyn Store,
    owner: &'e OwnerId,
}

impl<'e> OwnerStore<'e> {
    pub(crate) fn new(store: &'e dyn Store, owner: &'e OwnerId) -> Self {
        Self { store, owner }
    }
}

/// Declares methods that pass a read on to the method of the same name in [`Store`].
macro_rules! forward {
    ($($name:ident($($argument:ident: $type:ty),*) -> $answer:ty;)*) => {
        impl OwnerStore<'_> {
            $(
                #[doc = concat!("[`Store::", stringify!($name), "`] of this owner.")]
                ///
                /// # Errors
                /// Fails when the store cannot answer; the cause is in the log.
                pub async fn $name(self $(, $argument: $type)*) -> Result<$answer, Failure> {
                    let span = tracing::info_span!(
                        target: TRACE_TARGET, "store.read", operation = stringify!($name),
                    );
                    let read = self.store.$name(self.owner $(, $argument)*);
                    read.instrument(span).await.map_err(read_failure)
                }
            )*
        }
    };
}

forward! {
    uses(known: Option<AuditId>) -> Option<UseCounts>;
    seq() -> Seq;
    identity() -> [u8; 16];
    changes(after: Seq, limit: usize) -> Changes;
    memories(ids: &[MemoryId]) -> Vec<Memory>;
    list_memories(query: &MemoryQuery, page: Page) -> Listing<Memory>;
    memory_by_text(hash: ContentHash) -> Option<MemoryId>;
    forgotten_at(hash: ContentHash) -> Option<Moment>;
    erasure(ids: &[MemoryId]) -> ErasureState;
    vector(memory: MemoryId) -> Option<StoredVectors>;
    memories_without_vector(model: &str, limit: usize) -> Vec<Memory>;
    links(memory: MemoryId) -> Links;
    session(id: SessionId) -> Option<Session>;
    session_by_key(key: &str) -> Option<Session>;
    sessions(page: Page) -> Listing<Session>;
    entities(ids: &[EntityId]) -> Vec<Entity>;
    entity_by_name(name: &str) -> Option<Entity>;
    people_by_first_name(first: &str) -> Vec<Entity>;
    list_entities(query: &EntityQuery, page: Page) -> Listing<Entity>;
    entity_cards(after: EntityId, limit: usize) -> Vec<EntityCard>;
    merges_into(entity: EntityId) -> Vec<EntityMerge>;
    observations(entity: EntityId, page: Page) -> Listing<Observation>;
    relations(entities: &[EntityId]) -> Vec<Relation>;
    relations_after(after: RelationId, limit: usize) -> Vec<AttributedRelation>;
    mentions(memory: MemoryId) -> Vec<Mention>;
    memories_mentioning(entity: EntityId, page: Page) -> Listing<MemoryId>;
    tables() -> Vec<Table>;
    records(table: &str, after: RecordId, limit: usize) -> Vec<Record>;
    record_changes(table: &str, since: Seq, after: RecordId, limit: usize) -> Vec<RecordChange>;
    record(table: &str, id: RecordId) -> Option<Record>;
    records_of_memory(memory: MemoryId) -> Vec<Record>;
    profile() -> Option<ProfileVersion>;
    profile_history(page: Page) -> Listing<ProfileVersion>;
    handoff(id: HandoffId) -> Option<Handoff>;
    handoffs(query: &HandoffQuery, page: Page) -> Listing<Handoff>;
    references(page: Page) -> Listing<Reference>;
    references_seq() -> Seq;
    sections(after: Option<(ReferenceId, usize)>, limit: usize) -> Vec<StoredSection>;
    review(id: ReviewId) -> Option<ReviewItem>;
    reviews(query: &ReviewQuery, page: Page) -> Listing<ReviewItem>;
    review_undo_state(id: ReviewId) -> JsonMap;
    flags(memory: MemoryId) -> Vec<Flag>;
    workspace(id: WorkspaceId) -> Option<Workspace>;
    workspaces() -> Vec<Workspace>;
    grants() -> Vec<Grant>;
    usage(from: Moment) -> Vec<DailyAgentUsage>;
    showings(memory: MemoryId) -> Vec<Showing>;
    unanswered_questions(page: Page) -> Listing<UnansweredQuestion>;
    recent_questions() -> Vec<RecentQuestion>;
    audit(query: &AuditQuery, page: Page) -> Listing<AuditEvent>;
    verify_audit() -> ChainReport;
    audit_mac(id: AuditId) -> Option<Mac>;
    prune_audit(before: Moment) -> usize;
    setting(name: &str) -> Option<serde_json::Value>;
    location() -> String;
    size_bytes() -> u64;
    counts() -> Counts;
    health() -> Health;
    prune_idempotency(before: Moment) -> usize;
    compact() -> ();
    backup(to: &Path) -> ();
}
