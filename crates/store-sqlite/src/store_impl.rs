//! The `Store` trait, method by method: each finds the owner's memory and calls the statement that
//! does the work. Reads of a few rows run on the caller's thread, all others on a blocking thread.

use crate::apply::{erased, idempotency};
use crate::connection::Database;
use crate::{SqliteStore, backup, fold_name, health, read};
use async_trait::async_trait;
use model::{
    AuditEvent, AuditId, ContentHash, Entity, EntityId, Flag, Grant, Handoff, HandoffId, JsonMap,
    Listing, Memory, MemoryId, Mention, Moment, Observation, OwnerId, Page, ProfileVersion, Record,
    RecordId, Reference, ReferenceId, Relation, RelationId, ReviewId, ReviewItem, Seq, Session,
    SessionId, StoredVectors, Table, Workspace, WorkspaceId, limits,
};
use std::path::Path;
use store::rules::first_name_range;
use store::{
    AttributedRelation, AuditQuery, Batch, ChainReport, Changes, CommittedBatch, Counts,
    DailyAgentUsage, EntityCard, EntityMerge, EntityQuery, ErasureState, HandoffQuery, Health,
    Links, Mac, MemoryQuery, ReadEvent, RecentQuestion, RecordChange, ReviewQuery, Showing, Store,
    StoreError, StoredSection, UnansweredQuestion, UsageDelta, UseCounts, WriteError,
};

/// Maximum number of memories that are read on the caller's thread.
// Few enough that the read does not hold up other tasks of an async worker thread.
const INLINE_IDS_MAX: usize = 64;

type StoreResult<T> = Result<T, StoreError>;

#[async_trait]
impl Store for SqliteStore {
    async fn write(&self, owner: &OwnerId, batch: Batch) -> Result<CommittedBatch, WriteError> {
        self.memory(owner).await?.writer.write(batch).await
    }

    async fn log_reads(&self, owner: &OwnerId, uses: Vec<ReadEvent>) -> Result<(), WriteError> {
        self.memory(owner).await?.writer.log_reads(uses).await
    }

    async fn add_usage(&self, owner: &OwnerId, served: Vec<UsageDelta>) -> Result<(), WriteError> {
        self.memory(owner).await?.writer.add_usage(served).await
    }

    async fn uses(
        &self,
        owner: &OwnerId,
        known: Option<AuditId>,
    ) -> StoreResult<Option<UseCounts>> {
        let memory = self.memory(owner).await?;
        let newest = memory.read_few(read::usage::newest_event).await?;
        if known == Some(newest) {
            return Ok(None);
        }
        memory.read_many(read::usage::use_counts).await.map(Some)
    }

    async fn seq(&self, owner: &OwnerId) -> StoreResult<Seq> {
        match self.memory(owner).await?.seq().await {
            // Another process may have put a restored backup in its place: the first call marked
            // the old file as erased, so the second opens the new one.
            Err(error) if erased::is_erased(&error) => self.memory(owner).await?.seq().await,
            seq => seq,
        }
    }

    async fn identity(&self, owner: &OwnerId) -> StoreResult<[u8; 16]> {
        Ok(self.memory(owner).await?.identity)
    }

    async fn changes(&self, owner: &OwnerId, after: Seq, limit: usize) -> StoreResult<Changes> {
        let memory = self.memory(owner).await?;
        let most = INLINE_IDS_MAX.min(limit);
        // An index that follows the store is usually one write behind, which is read here and now.
        let few = memory.read_few(move |conn| read::view::few_changes(conn, after, most)).await?;
        match few {
            Some(changes) => Ok(changes),
            None => memory.read_many(move |conn| read::view::changes(conn, after, limit)).await,
        }
    }

    async fn memories(&self, owner: &OwnerId, ids: &[MemoryId]) -> StoreResult<Vec<Memory>> {
        let (memory, ids) = (self.memory(owner).await?, ids.to_vec());
        let few = ids.len() <= INLINE_IDS_MAX;
        let read = move |conn: &rusqlite::Connection| read::memory::by_ids(conn, &ids);
        if few { memory.read_few(read).await } else { memory.read_many(read).await }
    }

    async fn list_memories(
        &self,
        owner: &OwnerId,
        query: &MemoryQuery,
        page: Page,
    ) -> StoreResult<Listing<Memory>> {
        let query = query.clone();
        self.memory(owner)
            .await?
            .read_many(move |conn| read::listing::memories(conn, &query, page))
            .await
    }

    async fn memory_by_text(
        &self,
        owner: &OwnerId,
        hash: ContentHash,
    ) -> StoreResult<Option<MemoryId>> {
        self.memory(owner)
            .await?
            .read_statement(move |conn| read::memory::by_text(conn, hash))
            .await
    }

    async fn forgotten_at(
        &self,
        owner: &OwnerId,
        hash: ContentHash,
    ) -> StoreResult<Option<Moment>> {
        self.memory(owner)
            .await?
            .read_statement(move |conn| read::memory::forgotten_at(conn, hash))
            .await
    }

    async fn erasure(&self, owner: &OwnerId, ids: &[MemoryId]) -> StoreResult<ErasureState> {
        let ids = ids.to_vec();
        self.memory(owner).await?.read_few(move |conn| read::memory::erasure(conn, &ids)).await
    }

    async fn vector(
        &self,
        owner: &OwnerId,
        memory: MemoryId,
    ) -> StoreResult<Option<StoredVectors>> {
        self.memory(owner)
            .await?
            .read_statement(move |conn| read::memory::vector(conn, memory))
            .await
    }

    async fn memories_without_vector(
        &self,
        owner: &OwnerId,
        model: &str,
        limit: usize,
    ) -> StoreResult<Vec<Memory>> {
        let model = model.to_owned();
        self.memory(owner)
            .await?
            .read_many(move |conn| read::memory::without_vector(conn, &model, limit))
            .await
    }

    async fn links(&self, owner: &OwnerId, memory: MemoryId) -> StoreResult<Links> {
        self.memory(owner).await?.read_few(move |conn| read::memory::links(conn, memory)).await
    }

    async fn session(&self, owner: &OwnerId, id: SessionId) -> StoreResult<Option<Session>> {
        self.memory(owner).await?.read_few(move |conn| read::session::by_id(conn, id)).await
    }

    async fn session_by_key(&self, owner: &OwnerId, key: &str) -> StoreResult<Option<Session>> {
        let key = key.to_owned();
        self.memory(owner).await?.read_few(move |conn| read::session::by_key(conn, &key)).await
    }

    async fn sessions(&self, owner: &OwnerId, page: Page) -> StoreResult<Listing<Session>> {
        let memory = self.memory(owner).await?;
        let list = move |conn: &rusqlite::Connection| read::session::list(conn, page);
        let few = page.limit <= INLINE_IDS_MAX;
        if few { memory.read_few(list).await } else { memory.read_many(list).await }
    }

    async fn entities(&self, owner: &OwnerId, ids: &[EntityId]) -> StoreResult<Vec<Entity>> {
        let ids = ids.to_vec();
        self.memory(owner).await?.read_many(move |conn| read::entity::by_ids(conn, &ids)).await
    }

    async fn entity_by_name(&self, owner: &OwnerId, name: &str) -> StoreResult<Option<Entity>> {
        let folded = fold_name(name);
        self.memory(owner).await?.read_few(move |conn| read::entity::by_name(conn, &folded)).await
    }

    async fn people_by_first_name(&self, owner: &OwnerId, first: &str) -> StoreResult<Vec<Entity>> {
        let names = first_name_range(first);
        let read = move |conn: &rusqlite::Connection| read::entity::people_in_range(conn, &names);
        self.memory(owner).await?.read_few(read).await
    }

    async fn list_entities(
        &self,
        owner: &OwnerId,
        query: &EntityQuery,
        page: Page,
    ) -> StoreResult<Listing<Entity>> {
        let query = query.clone();
        self.memory(owner)
            .await?
            .read_many(move |conn| read::entity::list(conn, &query, page))
            .await
    }

    async fn entity_cards(
        &self,
        owner: &OwnerId,
        after: EntityId,
        limit: usize,
    ) -> StoreResult<Vec<EntityCard>> {
        let limit = limit.min(limits::PAGE_ITEMS);
        self.memory(owner)
            .await?
            .read_many(move |conn| read::entity::cards(conn, after, limit))
            .await
    }

    async fn merges_into(
        &self,
        owner: &OwnerId,
        entity: EntityId,
    ) -> StoreResult<Vec<EntityMerge>> {
        self.memory(owner).await?.read_few(move |conn| read::merge::into_entity(conn, entity)).await
    }

    async fn observations(
        &self,
        owner: &OwnerId,
        entity: EntityId,
        page: Page,
    ) -> StoreResult<Listing<Observation>> {
        self.memory(owner)
            .await?
            .read_many(move |conn| read::fact::observations(conn, entity, page))
            .await
    }

    async fn relations(
        &self,
        owner: &OwnerId,
        entities: &[EntityId],
    ) -> StoreResult<Vec<Relation>> {
        let entities = entities.to_vec();
        self.memory(owner)
            .await?
            .read_many(move |conn| read::fact::relations(conn, &entities))
            .await
    }

    async fn relations_after(
        &self,
        owner: &OwnerId,
        after: RelationId,
        limit: usize,
    ) -> StoreResult<Vec<AttributedRelation>> {
        self.memory(owner)
            .await?
            .read_many(move |conn| read::fact::relations_after(conn, after, limit))
            .await
    }

    async fn mentions(&self, owner: &OwnerId, memory: MemoryId) -> StoreResult<Vec<Mention>> {
        self.memory(owner).await?.read_few(move |conn| read::entity::mentions(conn, memory)).await
    }

    async fn memories_mentioning(
        &self,
        owner: &OwnerId,
        entity: EntityId,
        page: Page,
    ) -> StoreResult<Listing<MemoryId>> {
        self.memory(owner)
            .await?
            .read_many(move |conn| read::entity::mentioned_in(conn, entity, page))
            .await
    }

    async fn tables(&self, owner: &OwnerId) -> StoreResult<Vec<Table>> {
        self.memory(owner).await?.read_many(read::record::tables).await
    }

    async fn records(
        &self,
        owner: &OwnerId,
        table: &str,
        after: RecordId,
        limit: usize,
    ) -> StoreResult<Vec<Record>> {
        let table = table.to_owned();
        self.memory(owner)
            .await?
            .read_many(move |conn| read::record::records(conn, &table, after, limit))
            .await
    }

    async fn record_changes(
        &self,
        owner: &OwnerId,
        table: &str,
        since: Seq,
        after: RecordId,
        limit: usize,
    ) -> StoreResult<Vec<RecordChange>> {
        let table = table.to_owned();
        let read = move |conn: &_| read::record::changes(conn, &table, since, after, limit);
        self.memory(owner).await?.read_many(read).await
    }

    async fn record(
        &self,
        owner: &OwnerId,
        table: &str,
        id: RecordId,
    ) -> StoreResult<Option<Record>> {
        let table = table.to_owned();
        self.memory(owner).await?.read_few(move |conn| read::record::record(conn, &table, id)).await
    }

    async fn records_of_memory(
        &self,
        owner: &OwnerId,
        memory: MemoryId,
    ) -> StoreResult<Vec<Record>> {
        self.memory(owner).await?.read_few(move |conn| read::record::by_memory(conn, memory)).await
    }

    async fn profile(&self, owner: &OwnerId) -> StoreResult<Option<ProfileVersion>> {
        self.memory(owner).await?.read_few(read::profile::newest).await
    }

    async fn profile_history(
        &self,
        owner: &OwnerId,
        page: Page,
    ) -> StoreResult<Listing<ProfileVersion>> {
        self.memory(owner).await?.read_many(move |conn| read::profile::history(conn, page)).await
    }

    async fn handoff(&self, owner: &OwnerId, id: HandoffId) -> StoreResult<Option<Handoff>> {
        self.memory(owner).await?.read_few(move |conn| read::handoff::by_id(conn, id)).await
    }

    async fn handoffs(
        &self,
        owner: &OwnerId,
        query: &HandoffQuery,
        page: Page,
    ) -> StoreResult<Listing<Handoff>> {
        let query = query.clone();
        self.memory(owner)
            .await?
            .read_many(move |conn| read::handoff::list(conn, &query, page))
            .await
    }

    async fn references(&self, owner: &OwnerId, page: Page) -> StoreResult<Listing<Reference>> {
        self.memory(owner).await?.read_many(move |conn| read::reference::list(conn, page)).await
    }

    async fn references_seq(&self, owner: &OwnerId) -> StoreResult<Seq> {
        self.memory(owner).await?.read_statement(read::reference::seq).await
    }

    async fn sections(
        &self,
        owner: &OwnerId,
        after: Option<(ReferenceId, usize)>,
        limit: usize,
    ) -> StoreResult<Vec<StoredSection>> {
        self.memory(owner)
            .await?
            .read_many(move |conn| read::reference::sections(conn, after, limit))
            .await
    }

    async fn review(&self, owner: &OwnerId, id: ReviewId) -> StoreResult<Option<ReviewItem>> {
        self.memory(owner).await?.read_few(move |conn| read::review::by_id(conn, id)).await
    }

    async fn reviews(
        &self,
        owner: &OwnerId,
        query: &ReviewQuery,
        page: Page,
    ) -> StoreResult<Listing<ReviewItem>> {
        let query = query.clone();
        self.memory(owner)
            .await?
            .read_many(move |conn| read::review::list(conn, &query, page))
            .await
    }

    async fn review_undo_state(&self, owner: &OwnerId, id: ReviewId) -> StoreResult<JsonMap> {
        self.memory(owner).await?.read_few(move |conn| read::review::undo_state(conn, id)).await
    }

    async fn flags(&self, owner: &OwnerId, memory: MemoryId) -> StoreResult<Vec<Flag>> {
        self.memory(owner).await?.read_few(move |conn| read::review::flags(conn, memory)).await
    }

    async fn workspace(&self, owner: &OwnerId, id: WorkspaceId) -> StoreResult<Option<Workspace>> {
        self.memory(owner).await?.read_few(move |conn| read::workspace::by_id(conn, id)).await
    }

    async fn workspaces(&self, owner: &OwnerId) -> StoreResult<Vec<Workspace>> {
        self.memory(owner).await?.read_many(read::workspace::list).await
    }

    async fn grants(&self, owner: &OwnerId) -> StoreResult<Vec<Grant>> {
        self.memory(owner).await?.read_statement(read::access::grants).await
    }

    async fn usage(&self, owner: &OwnerId, from: Moment) -> StoreResult<Vec<DailyAgentUsage>> {
        self.memory(owner).await?.read_many(move |conn| read::usage::usage(conn, from)).await
    }

    async fn showings(&self, owner: &OwnerId, memory: MemoryId) -> StoreResult<Vec<Showing>> {
        self.memory(owner).await?.read_few(move |conn| read::usage::showings(conn, memory)).await
    }

    async fn unanswered_questions(
        &self,
        owner: &OwnerId,
        page: Page,
    ) -> StoreResult<Listing<UnansweredQuestion>> {
        self.memory(owner).await?.read_many(move |conn| read::usage::questions(conn, page)).await
    }

    async fn recent_questions(&self, owner: &OwnerId) -> StoreResult<Vec<RecentQuestion>> {
        self.memory(owner).await?.read_statement(read::usage::recent_questions).await
    }

    async fn audit(
        &self,
        owner: &OwnerId,
        query: &AuditQuery,
        page: Page,
    ) -> StoreResult<Listing<AuditEvent>> {
        let (memory, query) = (self.memory(owner).await?, query.clone());
        memory.read_many(move |conn| read::access::audit(conn, &query, page)).await
    }

    async fn verify_audit(&self, owner: &OwnerId) -> StoreResult<ChainReport> {
        self.memory(owner).await?.verify_audit().await
    }

    async fn audit_mac(&self, owner: &OwnerId, id: AuditId) -> StoreResult<Option<Mac>> {
        self.memory(owner).await?.read_statement(move |conn| read::chain::mac(conn, id)).await
    }

    async fn prune_audit(&self, owner: &OwnerId, before: Moment) -> StoreResult<usize> {
        self.memory(owner).await?.prune_audit(before).await
    }

    async fn setting(&self, owner: &OwnerId, name: &str) -> StoreResult<Option<serde_json::Value>> {
        let name = name.to_owned();
        self.memory(owner)
            .await?
            .read_statement(move |conn| read::access::setting(conn, &name))
            .await
    }

    async fn location(&self, owner: &OwnerId) -> StoreResult<String> {
        Ok(self.memory(owner).await?.path.display().to_string())
    }

    async fn size_bytes(&self, owner: &OwnerId) -> StoreResult<u64> {
        Ok(self.memory(owner).await?.bytes())
    }

    async fn counts(&self, owner: &OwnerId) -> StoreResult<Counts> {
        let memory = self.memory(owner).await?;
        let counts = memory.read_many(read::count::counts).await?;
        Ok(Counts { bytes: memory.bytes(), ..counts })
    }

    async fn health(&self, owner: &OwnerId) -> StoreResult<Health> {
        let memory = self.memory(owner).await?;
        let path = memory.path.clone();
        memory.read_many(move |conn| health::inspect(conn, &path)).await
    }

    async fn prune_idempotency(&self, owner: &OwnerId, before: Moment) -> StoreResult<usize> {
        // A task of the writer thread returns nothing, so the count comes back through a channel.
        let (sender, receiver) = std::sync::mpsc::channel();
        let prune = move |database: &Database| {
            // The receiver is gone when the caller gave up waiting.
            let _ = sender.send(idempotency::prune(&database.conn, before)?);
            Ok(())
        };
        self.memory(owner).await?.writer.run(prune).await?;
        Ok(receiver.try_recv().unwrap_or(0))
    }

    async fn compact(&self, owner: &OwnerId) -> StoreResult<()> {
        self.memory(owner).await?.compact().await
    }

    async fn backup(&self, owner: &OwnerId, to: &Path) -> StoreResult<()> {
        let to = to.to_owned();
        self.memory(owner).await?.read_many(move |conn| Ok(backup::backup(conn, &to))).await?
    }
}
