//! The contract on two stores at once: each method calls both and compares their answers.

use crate::pair::{StorePair, TURN, agree};
use async_trait::async_trait;
use model::{
    AuditEvent, AuditId, ContentHash, Entity, EntityId, Flag, Grant, Handoff, HandoffId, JsonMap,
    Listing, Memory, MemoryId, Mention, Moment, Observation, OwnerId, Page, ProfileVersion, Record,
    RecordId, Reference, ReferenceId, Relation, RelationId, ReviewId, ReviewItem, Seq, Session,
    SessionId, StoredVectors, Table, Workspace, WorkspaceId,
};
use std::path::Path;
use store::{
    AttributedRelation, AuditQuery, Batch, ChainReport, Changes, CommittedBatch, Counts,
    DailyAgentUsage, EntityCard, EntityMerge, EntityQuery, ErasureState, HandoffQuery, Health,
    Links, Mac, MemoryQuery, ReadEvent, RecentQuestion, RecordChange, ReviewQuery, Showing, Store,
    StoreError, StoredSection, UnansweredQuestion, UsageDelta, UseCounts, WriteError,
};

/// Calls a method of both stores, one after the other, and compares the answers.
macro_rules! both {
    ($pair:ident.$call:ident($owner:ident $(, $argument:expr)* $(,)?)) => {{
        let _turn = TURN.lock().await;
        let left = $pair.sqlite.$call($owner $(, $argument)*).await;
        let right = $pair.postgres.$call(&$pair.renamed($owner) $(, $argument)*).await;
        agree(stringify!($call), left, right)
    }};
}

#[async_trait]
impl Store for StorePair {
    async fn write(&self, owner: &OwnerId, batch: Batch) -> Result<CommittedBatch, WriteError> {
        self.write_of_both(owner, batch).await
    }

    async fn log_reads(&self, owner: &OwnerId, uses: Vec<ReadEvent>) -> Result<(), WriteError> {
        both!(self.log_reads(owner, uses.clone()))
    }

    async fn add_usage(&self, owner: &OwnerId, served: Vec<UsageDelta>) -> Result<(), WriteError> {
        both!(self.add_usage(owner, served.clone()))
    }

    async fn uses(
        &self,
        owner: &OwnerId,
        known: Option<AuditId>,
    ) -> Result<Option<UseCounts>, StoreError> {
        both!(self.uses(owner, known))
    }

    async fn seq(&self, owner: &OwnerId) -> Result<Seq, StoreError> {
        both!(self.seq(owner))
    }

    async fn identity(&self, owner: &OwnerId) -> Result<[u8; 16], StoreError> {
        self.identity_of_both(owner).await
    }

    async fn changes(
        &self,
        owner: &OwnerId,
        after: Seq,
        limit: usize,
    ) -> Result<Changes, StoreError> {
        both!(self.changes(owner, after, limit))
    }

    async fn memories(&self, owner: &OwnerId, ids: &[MemoryId]) -> Result<Vec<Memory>, StoreError> {
        both!(self.memories(owner, ids))
    }

    async fn list_memories(
        &self,
        owner: &OwnerId,
        query: &MemoryQuery,
        page: Page,
    ) -> Result<Listing<Memory>, StoreError> {
        both!(self.list_memories(owner, query, page))
    }

    async fn memory_by_text(
        &self,
        owner: &OwnerId,
        hash: ContentHash,
    ) -> Result<Option<MemoryId>, StoreError> {
        both!(self.memory_by_text(owner, hash))
    }

    async fn forgotten_at(
        &self,
        owner: &OwnerId,
        hash: ContentHash,
    ) -> Result<Option<Moment>, StoreError> {
        both!(self.forgotten_at(owner, hash))
    }

    async fn erasure(&self, owner: &OwnerId, ids: &[MemoryId]) -> Result<ErasureState, StoreError> {
        self.erasure_of_both(owner, ids).await
    }

    async fn vector(
        &self,
        owner: &OwnerId,
        memory: MemoryId,
    ) -> Result<Option<StoredVectors>, StoreError> {
        both!(self.vector(owner, memory))
    }

    async fn memories_without_vector(
        &self,
        owner: &OwnerId,
        model: &str,
        limit: usize,
    ) -> Result<Vec<Memory>, StoreError> {
        both!(self.memories_without_vector(owner, model, limit))
    }

    async fn links(&self, owner: &OwnerId, memory: MemoryId) -> Result<Links, StoreError> {
        both!(self.links(owner, memory))
    }

    async fn session(&self, owner: &OwnerId, id: SessionId) -> Result<Option<Session>, StoreError> {
        both!(self.session(owner, id))
    }

    async fn session_by_key(
        &self,
        owner: &OwnerId,
        key: &str,
    ) -> Result<Option<Session>, StoreError> {
        both!(self.session_by_key(owner, key))
    }

    async fn sessions(&self, owner: &OwnerId, page: Page) -> Result<Listing<Session>, StoreError> {
        both!(self.sessions(owner, page))
    }

    async fn entities(&self, owner: &OwnerId, ids: &[EntityId]) -> Result<Vec<Entity>, StoreError> {
        both!(self.entities(owner, ids))
    }

    async fn entity_by_name(
        &self,
        owner: &OwnerId,
        name: &str,
    ) -> Result<Option<Entity>, StoreError> {
        both!(self.entity_by_name(owner, name))
    }

    async fn people_by_first_name(
        &self,
        owner: &OwnerId,
        first: &str,
    ) -> Result<Vec<Entity>, StoreError> {
        both!(self.people_by_first_name(owner, first))
    }

    async fn list_entities(
        &self,
        owner: &OwnerId,
        query: &EntityQuery,
        page: Page,
    ) -> Result<Listing<Entity>, StoreError> {
        both!(self.list_entities(owner, query, page))
    }

    async fn entity_cards(
        &self,
        owner: &OwnerId,
        after: EntityId,
        limit: usize,
    ) -> Result<Vec<EntityCard>, StoreError> {
        both!(self.entity_cards(owner, after, limit))
    }

    async fn merges_into(
        &self,
        owner: &OwnerId,
        entity: EntityId,
    ) -> Result<Vec<EntityMerge>, StoreError> {
        both!(self.merges_into(owner, entity))
    }

    async fn observations(
        &self,
        owner: &OwnerId,
        entity: EntityId,
        page: Page,
    ) -> Result<Listing<Observation>, StoreError> {
        both!(self.observations(owner, entity, page))
    }

    async fn relations(
        &self,
        owner: &OwnerId,
        entities: &[EntityId],
    ) -> Result<Vec<Relation>, StoreError> {
        both!(self.relations(owner, entities))
    }

    async fn relations_after(
        &self,
        owner: &OwnerId,
        after: RelationId,
        limit: usize,
    ) -> Result<Vec<AttributedRelation>, StoreError> {
        both!(self.relations_after(owner, after, limit))
    }

    async fn mentions(
        &self,
        owner: &OwnerId,
        memory: MemoryId,
    ) -> Result<Vec<Mention>, StoreError> {
        both!(self.mentions(owner, memory))
    }

    async fn memories_mentioning(
        &self,
        owner: &OwnerId,
        entity: EntityId,
        page: Page,
    ) -> Result<Listing<MemoryId>, StoreError> {
        both!(self.memories_mentioning(owner, entity, page))
    }

    async fn tables(&self, owner: &OwnerId) -> Result<Vec<Table>, StoreError> {
        both!(self.tables(owner))
    }

    async fn records(
        &self,
        owner: &OwnerId,
        table: &str,
        after: RecordId,
        limit: usize,
    ) -> Result<Vec<Record>, StoreError> {
        both!(self.records(owner, table, after, limit))
    }

    async fn record_changes(
        &self,
        owner: &OwnerId,
        table: &str,
        since: Seq,
        after: RecordId,
        limit: usize,
    ) -> Result<Vec<RecordChange>, StoreError> {
        both!(self.record_changes(owner, table, since, after, limit))
    }

    async fn record(
        &self,
        owner: &OwnerId,
        table: &str,
        id: RecordId,
    ) -> Result<Option<Record>, StoreError> {
        both!(self.record(owner, table, id))
    }

    async fn records_of_memory(
        &self,
        owner: &OwnerId,
        memory: MemoryId,
    ) -> Result<Vec<Record>, StoreError> {
        both!(self.records_of_memory(owner, memory))
    }

    async fn profile(&self, owner: &OwnerId) -> Result<Option<ProfileVersion>, StoreError> {
        both!(self.profile(owner))
    }

    async fn profile_history(
        &self,
        owner: &OwnerId,
        page: Page,
    ) -> Result<Listing<ProfileVersion>, StoreError> {
        both!(self.profile_history(owner, page))
    }

    async fn handoff(&self, owner: &OwnerId, id: HandoffId) -> Result<Option<Handoff>, StoreError> {
        both!(self.handoff(owner, id))
    }

    async fn handoffs(
        &self,
        owner: &OwnerId,
        query: &HandoffQuery,
        page: Page,
    ) -> Result<Listing<Handoff>, StoreError> {
        both!(self.handoffs(owner, query, page))
    }

    async fn references(
        &self,
        owner: &OwnerId,
        page: Page,
    ) -> Result<Listing<Reference>, StoreError> {
        both!(self.references(owner, page))
    }

    async fn references_seq(&self, owner: &OwnerId) -> Result<Seq, StoreError> {
        both!(self.references_seq(owner))
    }

    async fn sections(
        &self,
        owner: &OwnerId,
        after: Option<(ReferenceId, usize)>,
        limit: usize,
    ) -> Result<Vec<StoredSection>, StoreError> {
        both!(self.sections(owner, after, limit))
    }

    async fn review(
        &self,
        owner: &OwnerId,
        id: ReviewId,
    ) -> Result<Option<ReviewItem>, StoreError> {
        both!(self.review(owner, id))
    }

    async fn reviews(
        &self,
        owner: &OwnerId,
        query: &ReviewQuery,
        page: Page,
    ) -> Result<Listing<ReviewItem>, StoreError> {
        both!(self.reviews(owner, query, page))
    }

    async fn review_undo_state(
        &self,
        owner: &OwnerId,
        id: ReviewId,
    ) -> Result<JsonMap, StoreError> {
        both!(self.review_undo_state(owner, id))
    }

    async fn flags(&self, owner: &OwnerId, memory: MemoryId) -> Result<Vec<Flag>, StoreError> {
        both!(self.flags(owner, memory))
    }

    async fn workspace(
        &self,
        owner: &OwnerId,
        id: WorkspaceId,
    ) -> Result<Option<Workspace>, StoreError> {
        both!(self.workspace(owner, id))
    }

    async fn workspaces(&self, owner: &OwnerId) -> Result<Vec<Workspace>, StoreError> {
        both!(self.workspaces(owner))
    }

    async fn grants(&self, owner: &OwnerId) -> Result<Vec<Grant>, StoreError> {
        both!(self.grants(owner))
    }

    async fn usage(
        &self,
        owner: &OwnerId,
        from: Moment,
    ) -> Result<Vec<DailyAgentUsage>, StoreError> {
        both!(self.usage(owner, from))
    }

    async fn showings(
        &self,
        owner: &OwnerId,
        memory: MemoryId,
    ) -> Result<Vec<Showing>, StoreError> {
        both!(self.showings(owner, memory))
    }

    async fn unanswered_questions(
        &self,
        owner: &OwnerId,
        page: Page,
    ) -> Result<Listing<UnansweredQuestion>, StoreError> {
        both!(self.unanswered_questions(owner, page))
    }

    async fn recent_questions(&self, owner: &OwnerId) -> Result<Vec<RecentQuestion>, StoreError> {
        both!(self.recent_questions(owner))
    }

    async fn audit(
        &self,
        owner: &OwnerId,
        query: &AuditQuery,
        page: Page,
    ) -> Result<Listing<AuditEvent>, StoreError> {
        both!(self.audit(owner, query, page))
    }

    async fn verify_audit(&self, owner: &OwnerId) -> Result<ChainReport, StoreError> {
        self.verify_audit_of_both(owner).await
    }

    // Each store has a key of its own, so that the MACs differ.
    async fn audit_mac(&self, owner: &OwnerId, id: AuditId) -> Result<Option<Mac>, StoreError> {
        let right = self.postgres.audit_mac(&self.renamed(owner), id).await?;
        let left = self.sqlite.audit_mac(owner, id).await?;
        assert_eq!(left.is_some(), right.is_some(), "audit_mac of {id:?}");
        Ok(left)
    }

    async fn prune_audit(&self, owner: &OwnerId, before: Moment) -> Result<usize, StoreError> {
        both!(self.prune_audit(owner, before))
    }

    async fn setting(
        &self,
        owner: &OwnerId,
        name: &str,
    ) -> Result<Option<serde_json::Value>, StoreError> {
        both!(self.setting(owner, name))
    }

    async fn location(&self, owner: &OwnerId) -> Result<String, StoreError> {
        self.location_of_both(owner).await
    }

    async fn size_bytes(&self, owner: &OwnerId) -> Result<u64, StoreError> {
        self.size_bytes_of_both(owner).await
    }

    async fn counts(&self, owner: &OwnerId) -> Result<Counts, StoreError> {
        self.counts_of_both(owner).await
    }

    async fn health(&self, owner: &OwnerId) -> Result<Health, StoreError> {
        self.health_of_both(owner).await
    }

    async fn prune_idempotency(
        &self,
        owner: &OwnerId,
        before: Moment,
    ) -> Result<usize, StoreError> {
        both!(self.prune_idempotency(owner, before))
    }

    async fn compact(&self, owner: &OwnerId) -> Result<(), StoreError> {
        both!(self.compact(owner))
    }

    async fn backup(&self, owner: &OwnerId, to: &Path) -> Result<(), StoreError> {
        self.backup_of_both(owner, to).await
    }
}
