//! The `Store` trait, method by method: each runs the statement that does the work in a transaction
//! of the owner.

use crate::apply::idempotency;
use crate::migrate::SCHEMA_VERSION;
use crate::owner_transaction::OwnerTransaction;
use crate::postgres_store::PostgresStore;
use crate::write_queue::WriteJob;
use crate::{backup, health, read, retention, size};
use async_trait::async_trait;
use model::{
    AuditEvent, AuditId, ContentHash, Entity, EntityId, Flag, Grant, Handoff, HandoffId, JsonMap,
    Listing, Memory, MemoryId, Mention, Moment, Observation, OwnerId, Page, ProfileVersion, Record,
    RecordId, Reference, ReferenceId, Relation, RelationId, ReviewId, ReviewItem, Seq, Session,
    SessionId, StoredVectors, Table, Workspace, WorkspaceId, limits,
};
use std::path::Path;
use store::rules::{first_name_range, fold_name};
use store::{
    AttributedRelation, AuditQuery, Batch, ChainReport, Changes, CommittedBatch, Counts,
    DailyAgentUsage, EntityCard, EntityMerge, EntityQuery, ErasureState, HandoffQuery, Health,
    Links, Mac, MemoryQuery, ReadEvent, RecentQuestion, RecordChange, ReviewQuery, Showing, Store,
    StoreError, StoredSection, UnansweredQuestion, UsageDelta, UseCounts, WriteError,
};

type Answer<T> = Result<T, StoreError>;

#[async_trait]
impl Store for PostgresStore {
    async fn write(&self, owner: &OwnerId, batch: Batch) -> Result<CommittedBatch, WriteError> {
        let committed = self.enqueue(owner, WriteJob::Batch(Box::new(batch))).await?;
        committed.ok_or_else(|| {
            let cause = "a batch was applied without a result".to_owned();
            WriteError::Store(StoreError::Failed { cause })
        })
    }

    async fn log_reads(&self, owner: &OwnerId, uses: Vec<ReadEvent>) -> Result<(), WriteError> {
        self.enqueue(owner, WriteJob::Reads(uses)).await.map(|_| ())
    }

    async fn add_usage(&self, owner: &OwnerId, served: Vec<UsageDelta>) -> Result<(), WriteError> {
        self.enqueue(owner, WriteJob::Usage(served)).await.map(|_| ())
    }

    async fn uses(&self, owner: &OwnerId, known: Option<AuditId>) -> Answer<Option<UseCounts>> {
        self.read(owner, move |conn| {
            if known == Some(read::usage::newest_event(conn)?) {
                return Ok(None);
            }
            read::usage::use_counts(conn).map(Some)
        })
        .await
    }

    async fn seq(&self, owner: &OwnerId) -> Answer<Seq> {
        self.read(owner, read::seq).await
    }

    async fn identity(&self, owner: &OwnerId) -> Answer<[u8; 16]> {
        self.read(owner, read::identity).await
    }

    async fn changes(&self, owner: &OwnerId, after: Seq, limit: usize) -> Answer<Changes> {
        self.read(owner, move |conn| read::view::changes(conn, after, limit)).await
    }

    async fn memories(&self, owner: &OwnerId, ids: &[MemoryId]) -> Answer<Vec<Memory>> {
        let ids = ids.to_vec();
        self.read(owner, move |conn| read::memory::by_ids(conn, &ids)).await
    }

    async fn list_memories(
        &self,
        owner: &OwnerId,
        query: &MemoryQuery,
        page: Page,
    ) -> Answer<Listing<Memory>> {
        let query = query.clone();
        self.read(owner, move |conn| read::listing::memories(conn, &query, page)).await
    }

    async fn memory_by_text(&self, owner: &OwnerId, hash: ContentHash) -> Answer<Option<MemoryId>> {
        self.read(owner, move |conn| read::memory::by_text(conn, hash)).await
    }

    async fn forgotten_at(&self, owner: &OwnerId, hash: ContentHash) -> Answer<Option<Moment>> {
        self.read(owner, move |conn| read::memory::forgotten_at(conn, hash)).await
    }

    async fn erasure(&self, owner: &OwnerId, ids: &[MemoryId]) -> Answer<ErasureState> {
        let ids = ids.to_vec();
        self.read(owner, move |conn| read::memory::erasure(conn, &ids)).await
    }

    async fn vector(&self, owner: &OwnerId, memory: MemoryId) -> Answer<Option<StoredVectors>> {
        self.read(owner, move |conn| read::memory::vector(conn, memory)).await
    }

    async fn memories_without_vector(
        &self,
        owner: &OwnerId,
        model: &str,
        limit: usize,
    ) -> Answer<Vec<Memory>> {
        let model = model.to_owned();
        self.read(owner, move |conn| read::memory::without_vector(conn, &model, limit)).await
    }

    async fn links(&self, owner: &OwnerId, memory: MemoryId) -> Answer<Links> {
        self.read(owner, move |conn| read::memory::links(conn, memory)).await
    }

    async fn session(&self, owner: &OwnerId, id: SessionId) -> Answer<Option<Session>> {
        self.read(owner, move |conn| read::session::by_id(conn, id)).await
    }

    async fn session_by_key(&self, owner: &OwnerId, key: &str) -> Answer<Option<Session>> {
        let key = key.to_owned();
        self.read(owner, move |conn| read::session::by_key(conn, &key)).await
    }

    async fn sessions(&self, owner: &OwnerId, page: Page) -> Answer<Listing<Session>> {
        self.read(owner, move |conn| read::session::list(conn, page)).await
    }

    async fn entities(&self, owner: &OwnerId, ids: &[EntityId]) -> Answer<Vec<Entity>> {
        let ids = ids.to_vec();
        self.read(owner, move |conn| read::entity::by_ids(conn, &ids)).await
    }

    async fn entity_by_name(&self, owner: &OwnerId, name: &str) -> Answer<Option<Entity>> {
        let folded = fold_name(name);
        self.read(owner, move |conn| read::entity::by_name(conn, &folded)).await
    }

    async fn people_by_first_name(&self, owner: &OwnerId, first: &str) -> Answer<Vec<Entity>> {
        let names = first_name_range(first);
        self.read(owner, move |conn| read::entity::people_in_range(conn, &names)).await
    }

    async fn list_entities(
        &self,
        owner: &OwnerId,
        query: &EntityQuery,
        page: Page,
    ) -> Answer<Listing<Entity>> {
        let query = query.clone();
        self.read(owner, move |conn| read::entity::list(conn, &query, page)).await
    }

    async fn entity_cards(
        &self,
        owner: &OwnerId,
        after: EntityId,
        limit: usize,
    ) -> Answer<Vec<EntityCard>> {
        let limit = limit.min(limits::PAGE_ITEMS);
        self.read(owner, move |conn| read::entity::cards(conn, after, limit)).await
    }

    async fn merges_into(&self, owner: &OwnerId, entity: EntityId) -> Answer<Vec<EntityMerge>> {
        self.read(owner, move |conn| read::merge::into_entity(conn, entity)).await
    }

    async fn observations(
        &self,
        owner: &OwnerId,
        entity: EntityId,
        page: Page,
    ) -> Answer<Listing<Observation>> {
        self.read(owner, move |conn| read::fact::observations(conn, entity, page)).await
    }

    async fn relations(&self, owner: &OwnerId, entities: &[EntityId]) -> Answer<Vec<Relation>> {
        let entities = entities.to_vec();
        self.read(owner, move |conn| read::fact::relations(conn, &entities)).await
    }

    async fn relations_after(
        &self,
        owner: &OwnerId,
        after: RelationId,
        limit: usize,
    ) -> Answer<Vec<AttributedRelation>> {
        self.read(owner, move |conn| read::fact::relations_after(conn, after, limit)).await
    }

    async fn mentions(&self, owner: &OwnerId, memory: MemoryId) -> Answer<Vec<Mention>> {
        self.read(owner, move |conn| read::entity::mentions(conn, memory)).await
    }

    async fn memories_mentioning(
        &self,
        owner: &OwnerId,
        entity: EntityId,
        page: Page,
    ) -> Answer<Listing<MemoryId>> {
        self.read(owner, move |conn| read::entity::mentioned_in(conn, entity, page)).await
    }

    async fn tables(&self, owner: &OwnerId) -> Answer<Vec<Table>> {
        self.read(owner, read::record::tables).await
    }

    async fn records(
        &self,
        owner: &OwnerId,
        table: &str,
        after: RecordId,
        limit: usize,
    ) -> Answer<Vec<Record>> {
        let table = table.to_owned();
        self.read(owner, move |conn| read::record::records(conn, &table, after, limit)).await
    }

    async fn record_changes(
        &self,
        owner: &OwnerId,
        table: &str,
        since: Seq,
        after: RecordId,
        limit: usize,
    ) -> Answer<Vec<RecordChange>> {
        let table = table.to_owned();
        let read =
            move |conn: &OwnerTransaction| read::record::changes(conn, &table, since, after, limit);
        self.read(owner, read).await
    }

    async fn record(&self, owner: &OwnerId, table: &str, id: RecordId) -> Answer<Option<Record>> {
        let table = table.to_owned();
        self.read(owner, move |conn| read::record::record(conn, &table, id)).await
    }

    async fn records_of_memory(&self, owner: &OwnerId, memory: MemoryId) -> Answer<Vec<Record>> {
        self.read(owner, move |conn| read::record::by_memory(conn, memory)).await
    }

    async fn profile(&self, owner: &OwnerId) -> Answer<Option<ProfileVersion>> {
        self.read(owner, read::profile::newest).await
    }

    async fn profile_history(
        &self,
        owner: &OwnerId,
        page: Page,
    ) -> Answer<Listing<ProfileVersion>> {
        self.read(owner, move |conn| read::profile::history(conn, page)).await
    }

    async fn handoff(&self, owner: &OwnerId, id: HandoffId) -> Answer<Option<Handoff>> {
        self.read(owner, move |conn| read::handoff::by_id(conn, id)).await
    }

    async fn handoffs(
        &self,
        owner: &OwnerId,
        query: &HandoffQuery,
        page: Page,
    ) -> Answer<Listing<Handoff>> {
        let query = query.clone();
        self.read(owner, move |conn| read::handoff::list(conn, &query, page)).await
    }

    async fn references(&self, owner: &OwnerId, page: Page) -> Answer<Listing<Reference>> {
        self.read(owner, move |conn| read::reference::list(conn, page)).await
    }

    async fn references_seq(&self, owner: &OwnerId) -> Answer<Seq> {
        self.read(owner, read::reference::seq).await
    }

    async fn sections(
        &self,
        owner: &OwnerId,
        after: Option<(ReferenceId, usize)>,
        limit: usize,
    ) -> Answer<Vec<StoredSection>> {
        self.read(owner, move |conn| read::reference::sections(conn, after, limit)).await
    }

    async fn review(&self, owner: &OwnerId, id: ReviewId) -> Answer<Option<ReviewItem>> {
        self.read(owner, move |conn| read::review::by_id(conn, id)).await
    }

    async fn reviews(
        &self,
        owner: &OwnerId,
        query: &ReviewQuery,
        page: Page,
    ) -> Answer<Listing<ReviewItem>> {
        let query = query.clone();
        self.read(owner, move |conn| read::review::list(conn, &query, page)).await
    }

    async fn review_undo_state(&self, owner: &OwnerId, id: ReviewId) -> Answer<JsonMap> {
        self.read(owner, move |conn| read::review::undo_state(conn, id)).await
    }

    async fn flags(&self, owner: &OwnerId, memory: MemoryId) -> Answer<Vec<Flag>> {
        self.read(owner, move |conn| read::review::flags(conn, memory)).await
    }

    async fn workspace(&self, owner: &OwnerId, id: WorkspaceId) -> Answer<Option<Workspace>> {
        self.read(owner, move |conn| read::workspace::by_id(conn, id)).await
    }

    async fn workspaces(&self, owner: &OwnerId) -> Answer<Vec<Workspace>> {
        self.read(owner, read::workspace::list).await
    }

    async fn grants(&self, owner: &OwnerId) -> Answer<Vec<Grant>> {
        self.read(owner, read::access::grants).await
    }

    async fn usage(&self, owner: &OwnerId, from: Moment) -> Answer<Vec<DailyAgentUsage>> {
        self.read(owner, move |conn| read::usage::usage(conn, from)).await
    }

    async fn showings(&self, owner: &OwnerId, memory: MemoryId) -> Answer<Vec<Showing>> {
        self.read(owner, move |conn| read::usage::showings(conn, memory)).await
    }

    async fn unanswered_questions(
        &self,
        owner: &OwnerId,
        page: Page,
    ) -> Answer<Listing<UnansweredQuestion>> {
        self.read(owner, move |conn| read::usage::questions(conn, page)).await
    }

    async fn recent_questions(&self, owner: &OwnerId) -> Answer<Vec<RecentQuestion>> {
        self.read(owner, read::usage::recent_questions).await
    }

    async fn audit(
        &self,
        owner: &OwnerId,
        query: &AuditQuery,
        page: Page,
    ) -> Answer<Listing<AuditEvent>> {
        let query = query.clone();
        self.read(owner, move |conn| read::access::audit(conn, &query, page)).await
    }

    async fn verify_audit(&self, owner: &OwnerId) -> Answer<ChainReport> {
        let master_key = self.inner.master_key.clone();
        self.read(owner, move |conn| {
            let key = master_key.of_owner(&read::identity(conn)?);
            read::chain::verify(conn, &key)
        })
        .await
    }

    async fn audit_mac(&self, owner: &OwnerId, id: AuditId) -> Answer<Option<Mac>> {
        self.read(owner, move |conn| read::chain::mac(conn, id)).await
    }

    async fn prune_audit(&self, owner: &OwnerId, before: Moment) -> Answer<usize> {
        let master_key = self.inner.master_key.clone();
        self.change(owner, move |conn| {
            let key = master_key.of_owner(&read::identity(conn)?);
            retention::remove_before(conn, &key, before)
        })
        .await
    }

    async fn setting(&self, owner: &OwnerId, name: &str) -> Answer<Option<serde_json::Value>> {
        let name = name.to_owned();
        self.read(owner, move |conn| read::access::setting(conn, &name)).await
    }

    async fn location(&self, owner: &OwnerId) -> Answer<String> {
        Ok(format!("{} (owner {owner})", self.inner.shown))
    }

    async fn size_bytes(&self, owner: &OwnerId) -> Answer<u64> {
        self.read(owner, size::bytes).await
    }

    async fn counts(&self, owner: &OwnerId) -> Answer<Counts> {
        self.read(owner, |conn| {
            let counts = read::count::counts(conn)?;
            Ok(Counts { bytes: size::bytes(conn)?, ..counts })
        })
        .await
    }

    async fn health(&self, owner: &OwnerId) -> Answer<Health> {
        let location = self.location(owner).await?;
        self.read(owner, move |conn| {
            let problems = health::problems(conn)?;
            Ok(Health {
                engine: size::engine(conn)?,
                format: SCHEMA_VERSION,
                sound: problems.is_empty(),
                problems,
                location: location.clone(),
            })
        })
        .await
    }

    async fn prune_idempotency(&self, owner: &OwnerId, before: Moment) -> Answer<usize> {
        self.change(owner, move |conn| idempotency::prune(conn, before)).await
    }

    async fn compact(&self, owner: &OwnerId) -> Answer<()> {
        // Unused space is the database server's own to reuse, by its autovacuum.
        self.read(owner, |conn| read::seq(conn).map(drop)).await
    }

    async fn backup(&self, owner: &OwnerId, to: &Path) -> Answer<()> {
        backup::backup(self, owner, to).await
    }
}
