//! The traits that a backend implements. Every method is scoped to an owner; the exception is
//! [`Control::key`], which finds the owner of a credential.

use crate::{
    AttributedRelation, AuditQuery, Batch, ChainReport, Changes, CommittedBatch, Counts,
    DailyAgentUsage, EntityCard, EntityMerge, EntityQuery, ErasureState, HandoffQuery, Health,
    Links, Mac, MemoryQuery, ReadEvent, RecentQuestion, RecordChange, ReviewQuery, Showing,
    StoreError, StoredSection, UnansweredQuestion, UsageDelta, UseCounts, WriteError,
};
use async_trait::async_trait;
use model::{
    AuditEvent, AuditId, ContentHash, Entity, EntityId, Flag, Grant, Handoff, HandoffId, JsonMap,
    KeyId, KeyInfo, Listing, Memory, MemoryId, Mention, Moment, NewKey, Observation, OwnerId, Page,
    ProfileVersion, Record, RecordId, Reference, ReferenceId, Relation, RelationId, ReviewId,
    ReviewItem, Seq, Session, SessionId, StoredVectors, Table, Workspace, WorkspaceId,
};
use std::path::Path;

/// Storage of the memories of all owners.
///
/// An acknowledged write is on disk. A read sees every write acknowledged before it, by any
/// process. A page is never larger than `limits::PAGE_ITEMS`, whatever limit is requested.
#[async_trait]
pub trait Store: Send + Sync {
    /// Applies a batch atomically and returns once it is on disk.
    async fn write(&self, owner: &OwnerId, batch: Batch) -> Result<CommittedBatch, WriteError>;

    /// Logs reads: their audit events and use counts. Changes nothing that the search index
    /// contains, so it takes no sequence number.
    async fn log_reads(&self, owner: &OwnerId, uses: Vec<ReadEvent>) -> Result<(), WriteError>;

    /// Adds to the daily usage counts of agents. Takes no sequence number either.
    async fn add_usage(&self, owner: &OwnerId, served: Vec<UsageDelta>) -> Result<(), WriteError>;

    /// Returns the use counts of all memories, or `None` if no event was logged since `known`.
    async fn uses(
        &self,
        owner: &OwnerId,
        known: Option<AuditId>,
    ) -> Result<Option<UseCounts>, StoreError>;

    /// Returns the sequence number of the newest change; cheap enough to poll.
    async fn seq(&self, owner: &OwnerId) -> Result<Seq, StoreError>;
    /// Returns the random identifier that the owner's store got when it was created.
    async fn identity(&self, owner: &OwnerId) -> Result<[u8; 16], StoreError>;
    /// Returns the changes after a sequence number: about `limit` memories, and only whole batches.
    async fn changes(
        &self,
        owner: &OwnerId,
        after: Seq,
        limit: usize,
    ) -> Result<Changes, StoreError>;

    /// Returns memories by id, in the given order; unknown ids are left out.
    async fn memories(&self, owner: &OwnerId, ids: &[MemoryId]) -> Result<Vec<Memory>, StoreError>;
    /// Returns a page of the memories that match.
    async fn list_memories(
        &self,
        owner: &OwnerId,
        query: &MemoryQuery,
        page: Page,
    ) -> Result<Listing<Memory>, StoreError>;
    /// Returns the newest active memory whose text has this hash.
    async fn memory_by_text(
        &self,
        owner: &OwnerId,
        hash: ContentHash,
    ) -> Result<Option<MemoryId>, StoreError>;
    /// Returns the time when the text of this hash was last forgotten.
    async fn forgotten_at(
        &self,
        owner: &OwnerId,
        hash: ContentHash,
    ) -> Result<Option<Moment>, StoreError>;
    /// Returns the state of erasing, and which of the given memories were forgotten.
    async fn erasure(&self, owner: &OwnerId, ids: &[MemoryId]) -> Result<ErasureState, StoreError>;
    /// Returns the vectors of a memory.
    async fn vector(
        &self,
        owner: &OwnerId,
        memory: MemoryId,
    ) -> Result<Option<StoredVectors>, StoreError>;
    /// Returns memories that have no vectors of this embedding model, lowest ids first.
    async fn memories_without_vector(
        &self,
        owner: &OwnerId,
        model: &str,
        limit: usize,
    ) -> Result<Vec<Memory>, StoreError>;
    /// Returns the links of a memory in both directions.
    async fn links(&self, owner: &OwnerId, memory: MemoryId) -> Result<Links, StoreError>;

    /// Returns a session by its id.
    async fn session(&self, owner: &OwnerId, id: SessionId) -> Result<Option<Session>, StoreError>;
    /// Returns a session by its key.
    async fn session_by_key(
        &self,
        owner: &OwnerId,
        key: &str,
    ) -> Result<Option<Session>, StoreError>;
    /// Returns a page of sessions, the most recently started first.
    async fn sessions(&self, owner: &OwnerId, page: Page) -> Result<Listing<Session>, StoreError>;

    /// Returns entities by id, in the given order; unknown ids are left out.
    async fn entities(&self, owner: &OwnerId, ids: &[EntityId]) -> Result<Vec<Entity>, StoreError>;
    /// Returns the entity with this name or alias, ignoring case; of several, the one with the
    /// most mentions.
    async fn entity_by_name(
        &self,
        owner: &OwnerId,
        name: &str,
    ) -> Result<Option<Entity>, StoreError>;
    /// Returns the people whose name or alias has several words and begins with this one, ignoring
    /// case; at most 8.
    async fn people_by_first_name(
        &self,
        owner: &OwnerId,
        first: &str,
    ) -> Result<Vec<Entity>, StoreError>;
    /// Returns a page of the entities that match, those with the most mentions first.
    async fn list_entities(
        &self,
        owner: &OwnerId,
        query: &EntityQuery,
        page: Page,
    ) -> Result<Listing<Entity>, StoreError>;
    /// Returns the names and valid observations of the entities after an id, ordered by id.
    async fn entity_cards(
        &self,
        owner: &OwnerId,
        after: EntityId,
        limit: usize,
    ) -> Result<Vec<EntityCard>, StoreError>;
    /// Returns the merges into an entity that can be undone, newest first.
    async fn merges_into(
        &self,
        owner: &OwnerId,
        entity: EntityId,
    ) -> Result<Vec<EntityMerge>, StoreError>;
    /// Returns a page of the observations about an entity, newest first.
    async fn observations(
        &self,
        owner: &OwnerId,
        entity: EntityId,
        page: Page,
    ) -> Result<Listing<Observation>, StoreError>;
    /// Returns the relations that start or end at any of these entities.
    async fn relations(
        &self,
        owner: &OwnerId,
        entities: &[EntityId],
    ) -> Result<Vec<Relation>, StoreError>;
    /// Returns all relations after an id, ordered by id, with the memories that state them.
    async fn relations_after(
        &self,
        owner: &OwnerId,
        after: RelationId,
        limit: usize,
    ) -> Result<Vec<AttributedRelation>, StoreError>;
    /// Returns the mentions of entities in a memory.
    async fn mentions(&self, owner: &OwnerId, memory: MemoryId)
    -> Result<Vec<Mention>, StoreError>;
    /// Returns a page of the memories that mention an entity, newest first.
    async fn memories_mentioning(
        &self,
        owner: &OwnerId,
        entity: EntityId,
        page: Page,
    ) -> Result<Listing<MemoryId>, StoreError>;

    /// Returns the table catalogue, ordered by name.
    async fn tables(&self, owner: &OwnerId) -> Result<Vec<Table>, StoreError>;
    /// Returns rows of a table after an id, ordered by id.
    async fn records(
        &self,
        owner: &OwnerId,
        table: &str,
        after: RecordId,
        limit: usize,
    ) -> Result<Vec<Record>, StoreError>;
    /// Returns rows of a table that changed after a sequence number, or whose memory did: those
    /// with ids after `after`, ordered by id. Since [`Seq::ZERO`], these are all existing rows.
    async fn record_changes(
        &self,
        owner: &OwnerId,
        table: &str,
        since: Seq,
        after: RecordId,
        limit: usize,
    ) -> Result<Vec<RecordChange>, StoreError>;
    /// Returns a row by its id.
    async fn record(
        &self,
        owner: &OwnerId,
        table: &str,
        id: RecordId,
    ) -> Result<Option<Record>, StoreError>;
    /// Returns the rows that a memory states as they are now.
    async fn records_of_memory(
        &self,
        owner: &OwnerId,
        memory: MemoryId,
    ) -> Result<Vec<Record>, StoreError>;

    /// Returns the newest version of the profile.
    async fn profile(&self, owner: &OwnerId) -> Result<Option<ProfileVersion>, StoreError>;
    /// Returns a page of the versions of the profile, newest first.
    async fn profile_history(
        &self,
        owner: &OwnerId,
        page: Page,
    ) -> Result<Listing<ProfileVersion>, StoreError>;

    /// Returns a handoff by its id.
    async fn handoff(&self, owner: &OwnerId, id: HandoffId) -> Result<Option<Handoff>, StoreError>;
    /// Returns a page of the handoffs that match, newest first.
    async fn handoffs(
        &self,
        owner: &OwnerId,
        query: &HandoffQuery,
        page: Page,
    ) -> Result<Listing<Handoff>, StoreError>;

    /// Returns a page of the reference documents, ordered by path.
    async fn references(
        &self,
        owner: &OwnerId,
        page: Page,
    ) -> Result<Listing<Reference>, StoreError>;
    /// Returns the sequence number of the newest change to any reference document.
    async fn references_seq(&self, owner: &OwnerId) -> Result<Seq, StoreError>;
    /// Returns sections after a position, ordered by document and ordinal.
    async fn sections(
        &self,
        owner: &OwnerId,
        after: Option<(ReferenceId, usize)>,
        limit: usize,
    ) -> Result<Vec<StoredSection>, StoreError>;

    /// Returns a review item by its id.
    async fn review(&self, owner: &OwnerId, id: ReviewId)
    -> Result<Option<ReviewItem>, StoreError>;
    /// Returns a page of the review items that match, newest first.
    async fn reviews(
        &self,
        owner: &OwnerId,
        query: &ReviewQuery,
        page: Page,
    ) -> Result<Listing<ReviewItem>, StoreError>;
    /// Returns the state that undoing the decision on an item restores; empty when the item is
    /// open or no state was saved.
    async fn review_undo_state(&self, owner: &OwnerId, id: ReviewId)
    -> Result<JsonMap, StoreError>;
    /// Returns the flags of a memory, newest first.
    async fn flags(&self, owner: &OwnerId, memory: MemoryId) -> Result<Vec<Flag>, StoreError>;

    /// Returns a workspace by its id.
    async fn workspace(
        &self,
        owner: &OwnerId,
        id: WorkspaceId,
    ) -> Result<Option<Workspace>, StoreError>;
    /// Returns the workspaces, ordered by id.
    async fn workspaces(&self, owner: &OwnerId) -> Result<Vec<Workspace>, StoreError>;

    /// Returns the grants, ordered by agent and resource.
    async fn grants(&self, owner: &OwnerId) -> Result<Vec<Grant>, StoreError>;
    /// Returns the usage counts of each agent and day from a moment on, oldest first.
    async fn usage(
        &self,
        owner: &OwnerId,
        from: Moment,
    ) -> Result<Vec<DailyAgentUsage>, StoreError>;
    /// Returns the latest occasions on which a memory was shown, newest first, as far as the audit
    /// log reaches back.
    async fn showings(&self, owner: &OwnerId, memory: MemoryId)
    -> Result<Vec<Showing>, StoreError>;
    /// Returns a page of the questions that found nothing, the most recently asked first.
    async fn unanswered_questions(
        &self,
        owner: &OwnerId,
        page: Page,
    ) -> Result<Listing<UnansweredQuestion>, StoreError>;
    /// Returns the words of the newest questions, newest first. Forgetting a memory removes all of
    /// them, as each may repeat what is forgotten.
    async fn recent_questions(&self, owner: &OwnerId) -> Result<Vec<RecentQuestion>, StoreError>;
    /// Returns a page of the audit events that match, newest first.
    async fn audit(
        &self,
        owner: &OwnerId,
        query: &AuditQuery,
        page: Page,
    ) -> Result<Listing<AuditEvent>, StoreError>;
    /// Verifies the audit chain from end to end and reports where it is broken. Slow and read-only.
    async fn verify_audit(&self, owner: &OwnerId) -> Result<ChainReport, StoreError>;
    /// Returns the MAC that an audit event carries; `None` when there is no such event.
    async fn audit_mac(&self, owner: &OwnerId, id: AuditId) -> Result<Option<Mac>, StoreError>;
    /// Removes audit events older than a moment and returns their number. The rest of the chain
    /// stays verifiable.
    async fn prune_audit(&self, owner: &OwnerId, before: Moment) -> Result<usize, StoreError>;
    /// Returns a setting of the owner.
    async fn setting(
        &self,
        owner: &OwnerId,
        name: &str,
    ) -> Result<Option<serde_json::Value>, StoreError>;

    /// Returns the location of the owner's data, for display.
    async fn location(&self, owner: &OwnerId) -> Result<String, StoreError>;
    /// Returns the size on disk in bytes.
    async fn size_bytes(&self, owner: &OwnerId) -> Result<u64, StoreError>;
    /// Counts the stored items by type.
    async fn counts(&self, owner: &OwnerId) -> Result<Counts, StoreError>;
    /// Checks the consistency of the store. Slow, thorough and read-only.
    async fn health(&self, owner: &OwnerId) -> Result<Health, StoreError>;
    /// Removes the idempotency keys of batches older than a moment and returns their number.
    async fn prune_idempotency(&self, owner: &OwnerId, before: Moment)
    -> Result<usize, StoreError>;
    /// Returns unused space to the disk.
    async fn compact(&self, owner: &OwnerId) -> Result<(), StoreError>;
    /// Copies a consistent snapshot of the owner's memory to a file that must not exist yet, and
    /// verifies the copy.
    async fn backup(&self, owner: &OwnerId, to: &Path) -> Result<(), StoreError>;
}

/// Storage of the owners themselves and of the keys that give access to them.
#[async_trait]
pub trait Control: Send + Sync {
    /// Returns the owners, ordered by name.
    async fn owners(&self) -> Result<Vec<OwnerId>, StoreError>;
    /// Returns true when there is an owner of this name.
    async fn has_owner(&self, owner: &OwnerId) -> Result<bool, StoreError>;
    /// Creates an owner; does nothing when the name exists.
    async fn create_owner(&self, owner: &OwnerId, at: Moment) -> Result<(), StoreError>;
    /// Removes an owner with all their data. Returns false when there is no such owner.
    async fn erase_owner(&self, owner: &OwnerId) -> Result<bool, StoreError>;

    /// Stores a key.
    async fn add_key(&self, key: NewKey, at: Moment) -> Result<KeyId, StoreError>;
    /// Returns the key whose secret has this hash, valid or not.
    async fn key(&self, hash: ContentHash) -> Result<Option<KeyInfo>, StoreError>;
    /// Returns the keys of an owner, newest first.
    async fn keys(&self, owner: &OwnerId) -> Result<Vec<KeyInfo>, StoreError>;
    /// Revokes a key. Returns false when the owner has no such key.
    async fn revoke_key(&self, owner: &OwnerId, key: KeyId, at: Moment)
    -> Result<bool, StoreError>;
    /// Sets a key to expire at a moment, unless it expires earlier. Returns false when the owner
    /// has no such key.
    async fn expire_key(&self, owner: &OwnerId, key: KeyId, at: Moment)
    -> Result<bool, StoreError>;
    /// Records the time of a key's last use.
    async fn touch_key(&self, key: KeyId, at: Moment) -> Result<(), StoreError>;
}
