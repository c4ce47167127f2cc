//! The contract itself. Every method stands under an owner; the one that does not,
//! [`Control::key`], is how an owner is found from a credential.

use crate::{
    AuditQuery, Batch, ChainReport, Changes, Committed, Counts, EntityCard, EntityQuery,
    HandoffQuery, Health, KeptRelation, Links, MemoryQuery, RecordChange, ReviewQuery, Served,
    Showing, StoreError, StoredSection, Unanswered, Usage, Use, WriteError,
};
use async_trait::async_trait;
use model::{
    AuditEvent, ContentHash, Entity, EntityId, Flag, Grant, Handoff, HandoffId, JsonMap, KeyId,
    KeyInfo, Listing, Memory, MemoryId, Mention, Moment, NewKey, Observation, OwnerId, Page,
    ProfileVersion, Record, RecordId, Reference, ReferenceId, Relation, RelationId, ReviewId,
    ReviewItem, Seq, Session, SessionId, StoredVector, Table, Workspace, WorkspaceId,
};
use std::path::Path;

/// Keeps the memories of every owner.
///
/// An acknowledged write is on disk. A read sees every write acknowledged before it, by any
/// process. A page is never larger than `limits::PAGE`, whatever is asked.
#[async_trait]
pub trait Store: Send + Sync {
    /// Applies a batch, whole or not at all, and answers once it is on disk.
    async fn write(&self, owner: &OwnerId, batch: Batch) -> Result<Committed, WriteError>;

    /// Notes what was read: audit events and use counts. Changes nothing that the view shows,
    /// so it takes no sequence number.
    async fn note_use(&self, owner: &OwnerId, uses: Vec<Use>) -> Result<(), WriteError>;

    /// Counts what agents were given. Changes nothing that the view shows either.
    async fn note_served(&self, owner: &OwnerId, served: Vec<Served>) -> Result<(), WriteError>;

    /// The number of the newest change; cheap when nothing changed.
    async fn seq(&self, owner: &OwnerId) -> Result<Seq, StoreError>;
    /// A number that this owner's store was given at birth and that no other has.
    async fn identity(&self, owner: &OwnerId) -> Result<[u8; 16], StoreError>;
    /// What changed after a number: about `limit` memories, and never half a batch.
    async fn changes(
        &self,
        owner: &OwnerId,
        after: Seq,
        limit: usize,
    ) -> Result<Changes, StoreError>;

    /// Memories by id, in the order asked; those that are not there are left out.
    async fn memories(&self, owner: &OwnerId, ids: &[MemoryId]) -> Result<Vec<Memory>, StoreError>;
    /// Memories that match.
    async fn list_memories(
        &self,
        owner: &OwnerId,
        query: &MemoryQuery,
        page: Page,
    ) -> Result<Listing<Memory>, StoreError>;
    /// The newest active memory that says exactly this.
    async fn memory_saying(
        &self,
        owner: &OwnerId,
        hash: ContentHash,
    ) -> Result<Option<MemoryId>, StoreError>;
    /// When a text was forgotten.
    async fn forgotten(
        &self,
        owner: &OwnerId,
        hash: ContentHash,
    ) -> Result<Option<Moment>, StoreError>;
    /// The vectors of a memory.
    async fn vector(
        &self,
        owner: &OwnerId,
        memory: MemoryId,
    ) -> Result<Option<StoredVector>, StoreError>;
    /// Memories whose vectors were not made by this model, lowest ids first.
    async fn memories_without_vector(
        &self,
        owner: &OwnerId,
        model: &str,
        limit: usize,
    ) -> Result<Vec<Memory>, StoreError>;
    /// The links of a memory, both ways.
    async fn links(&self, owner: &OwnerId, memory: MemoryId) -> Result<Links, StoreError>;

    /// A session by its number.
    async fn session(&self, owner: &OwnerId, id: SessionId) -> Result<Option<Session>, StoreError>;
    /// A session by its key.
    async fn session_by_key(
        &self,
        owner: &OwnerId,
        key: &str,
    ) -> Result<Option<Session>, StoreError>;
    /// Sessions, the one begun last first.
    async fn sessions(&self, owner: &OwnerId, page: Page) -> Result<Listing<Session>, StoreError>;

    /// Entities by id, in the order asked; those that are not there are left out.
    async fn entities(&self, owner: &OwnerId, ids: &[EntityId]) -> Result<Vec<Entity>, StoreError>;
    /// The entity of this name or alias, whatever the case; of several kinds, the one mentioned
    /// most.
    async fn entity_named(&self, owner: &OwnerId, name: &str)
    -> Result<Option<Entity>, StoreError>;
    /// Entities that match, most mentioned first.
    async fn list_entities(
        &self,
        owner: &OwnerId,
        query: &EntityQuery,
        page: Page,
    ) -> Result<Listing<Entity>, StoreError>;
    /// Entities after an id with what still stands of what was said of them, in the order of their
    /// ids.
    async fn entity_cards(
        &self,
        owner: &OwnerId,
        after: EntityId,
        limit: usize,
    ) -> Result<Vec<EntityCard>, StoreError>;
    /// What was said of an entity, newest first.
    async fn observations(
        &self,
        owner: &OwnerId,
        entity: EntityId,
        page: Page,
    ) -> Result<Listing<Observation>, StoreError>;
    /// The relations that touch any of these entities.
    async fn relations(
        &self,
        owner: &OwnerId,
        entities: &[EntityId],
    ) -> Result<Vec<Relation>, StoreError>;
    /// All relations after a number, in its order, with what says them.
    async fn relations_after(
        &self,
        owner: &OwnerId,
        after: RelationId,
        limit: usize,
    ) -> Result<Vec<KeptRelation>, StoreError>;
    /// The entities a memory mentions.
    async fn mentions(&self, owner: &OwnerId, memory: MemoryId)
    -> Result<Vec<Mention>, StoreError>;
    /// The memories that mention an entity, newest first.
    async fn mentioned_in(
        &self,
        owner: &OwnerId,
        entity: EntityId,
        page: Page,
    ) -> Result<Listing<MemoryId>, StoreError>;

    /// The table catalogue, by name.
    async fn tables(&self, owner: &OwnerId) -> Result<Vec<Table>, StoreError>;
    /// Rows of a table after an id, in the order of their ids.
    async fn records(
        &self,
        owner: &OwnerId,
        table: &str,
        after: RecordId,
        limit: usize,
    ) -> Result<Vec<Record>, StoreError>;
    /// Rows of a table that changed after a number, or whose memory did, in the order of their ids
    /// after one. After [`Seq::ZERO`] these are all rows that are there.
    async fn record_changes(
        &self,
        owner: &OwnerId,
        table: &str,
        since: Seq,
        after: RecordId,
        limit: usize,
    ) -> Result<Vec<RecordChange>, StoreError>;
    /// One row.
    async fn record(
        &self,
        owner: &OwnerId,
        table: &str,
        id: RecordId,
    ) -> Result<Option<Record>, StoreError>;
    /// The rows that were written with a memory.
    async fn records_of(
        &self,
        owner: &OwnerId,
        memory: MemoryId,
    ) -> Result<Vec<Record>, StoreError>;

    /// The profile as it stands.
    async fn profile(&self, owner: &OwnerId) -> Result<Option<ProfileVersion>, StoreError>;
    /// Versions of the profile, newest first.
    async fn profile_history(
        &self,
        owner: &OwnerId,
        page: Page,
    ) -> Result<Listing<ProfileVersion>, StoreError>;

    /// One handoff.
    async fn handoff(&self, owner: &OwnerId, id: HandoffId) -> Result<Option<Handoff>, StoreError>;
    /// Handoffs that match, newest first.
    async fn handoffs(
        &self,
        owner: &OwnerId,
        query: &HandoffQuery,
        page: Page,
    ) -> Result<Listing<Handoff>, StoreError>;

    /// The documents, by path.
    async fn references(
        &self,
        owner: &OwnerId,
        page: Page,
    ) -> Result<Listing<Reference>, StoreError>;
    /// The number of the newest change to any document.
    async fn references_seq(&self, owner: &OwnerId) -> Result<Seq, StoreError>;
    /// Sections after a place, in the order of document and ordinal.
    async fn sections(
        &self,
        owner: &OwnerId,
        after: Option<(ReferenceId, usize)>,
        limit: usize,
    ) -> Result<Vec<StoredSection>, StoreError>;

    /// One review item.
    async fn review(&self, owner: &OwnerId, id: ReviewId)
    -> Result<Option<ReviewItem>, StoreError>;
    /// Review items that match, newest first.
    async fn reviews(
        &self,
        owner: &OwnerId,
        query: &ReviewQuery,
        page: Page,
    ) -> Result<Listing<ReviewItem>, StoreError>;
    /// How things stood before an item was decided; empty when it was not, or before that was kept.
    async fn review_before(&self, owner: &OwnerId, id: ReviewId) -> Result<JsonMap, StoreError>;
    /// The flags of a memory, newest first.
    async fn flags(&self, owner: &OwnerId, memory: MemoryId) -> Result<Vec<Flag>, StoreError>;

    /// One workspace.
    async fn workspace(
        &self,
        owner: &OwnerId,
        id: WorkspaceId,
    ) -> Result<Option<Workspace>, StoreError>;
    /// The workspaces, by number.
    async fn workspaces(&self, owner: &OwnerId) -> Result<Vec<Workspace>, StoreError>;

    /// The grants, by agent and resource.
    async fn grants(&self, owner: &OwnerId) -> Result<Vec<Grant>, StoreError>;
    /// How much each agent asked for and got on each day from a moment on, oldest first.
    async fn usage(&self, owner: &OwnerId, from: Moment) -> Result<Vec<Usage>, StoreError>;
    /// To whom a memory was shown lately, newest first, as far as the audit log still tells.
    async fn showings(&self, owner: &OwnerId, memory: MemoryId)
    -> Result<Vec<Showing>, StoreError>;
    /// The questions that found nothing, the one asked last first.
    async fn questions(
        &self,
        owner: &OwnerId,
        page: Page,
    ) -> Result<Listing<Unanswered>, StoreError>;
    /// Audit events that match, newest first.
    async fn audit(
        &self,
        owner: &OwnerId,
        query: &AuditQuery,
        page: Page,
    ) -> Result<Listing<AuditEvent>, StoreError>;
    /// Walks along the audit chain from end to end, and says where it does not hold. Slow, changes
    /// nothing.
    async fn verify_audit(&self, owner: &OwnerId) -> Result<ChainReport, StoreError>;
    /// Removes audit events from before a moment, oldest first, and answers how many. The rest
    /// still holds.
    async fn prune_audit(&self, owner: &OwnerId, before: Moment) -> Result<usize, StoreError>;
    /// A setting of the owner.
    async fn setting(
        &self,
        owner: &OwnerId,
        name: &str,
    ) -> Result<Option<serde_json::Value>, StoreError>;

    /// Where the owner's data is, for people.
    async fn location(&self, owner: &OwnerId) -> Result<String, StoreError>;
    /// How much there is of everything.
    async fn counts(&self, owner: &OwnerId) -> Result<Counts, StoreError>;
    /// Looks at the store: slow, thorough, changes nothing.
    async fn health(&self, owner: &OwnerId) -> Result<Health, StoreError>;
    /// Gives up the idempotency keys of batches written before a moment, and answers how many those
    /// were.
    async fn prune_idempotency(&self, owner: &OwnerId, before: Moment)
    -> Result<usize, StoreError>;
    /// Gives unused space back to the disk.
    async fn compact(&self, owner: &OwnerId) -> Result<(), StoreError>;
    /// Copies the owner's memory as it stands to a new file, which must not exist yet, and checks
    /// the copy.
    async fn backup(&self, owner: &OwnerId, to: &Path) -> Result<(), StoreError>;
}

/// Keeps what stands above the owners: who they are and which keys open what.
#[async_trait]
pub trait Control: Send + Sync {
    /// The owners, by name.
    async fn owners(&self) -> Result<Vec<OwnerId>, StoreError>;
    /// Makes an owner, or does nothing when there is one of this name.
    async fn create_owner(&self, owner: &OwnerId, at: Moment) -> Result<(), StoreError>;
    /// Removes an owner with everything that is theirs. Answers whether there was one.
    async fn erase_owner(&self, owner: &OwnerId) -> Result<bool, StoreError>;

    /// Keeps a key.
    async fn add_key(&self, key: NewKey, at: Moment) -> Result<KeyId, StoreError>;
    /// The key whose secret has this hash, good or not.
    async fn key(&self, hash: ContentHash) -> Result<Option<KeyInfo>, StoreError>;
    /// The keys of an owner, newest first.
    async fn keys(&self, owner: &OwnerId) -> Result<Vec<KeyInfo>, StoreError>;
    /// Takes a key back. Answers whether the owner had it.
    async fn revoke_key(&self, owner: &OwnerId, key: KeyId, at: Moment)
    -> Result<bool, StoreError>;
    /// Lets a key end at a moment, unless it ends before. Answers whether the owner had it.
    async fn end_key(&self, owner: &OwnerId, key: KeyId, at: Moment) -> Result<bool, StoreError>;
    /// Notes that a key was used.
    async fn touch_key(&self, key: KeyId, at: Moment) -> Result<(), StoreError>;
}
