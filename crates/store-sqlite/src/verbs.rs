//! The `Store` trait, method by method: each finds the owner's memory and calls the statement that
//! does the work. Reads of a few rows run on the caller's thread, all others on a blocking thread.

use crate::apply::{erased, idempotency};
use crate::open::Database;
use crate::{SqliteStore, backup, fold, health, read};
use async_trait::async_trait;
use model::{
    AuditEvent, ContentHash, Entity, EntityId, Flag, Grant, Handoff, HandoffId, JsonMap, Listing,
    Memory, MemoryId, Mention, Moment, Observation, OwnerId, Page, ProfileVersion, Record,
    RecordId, Reference, ReferenceId, Relation, RelationId, ReviewId, ReviewItem, Seq, Session,
    SessionId, StoredVector, Table, Workspace, WorkspaceId, limits,
};
use std::path::Path;
use store::{
    AuditQuery, Batch, ChainReport, Changes, Committed, Counts, EntityCard, EntityQuery,
    HandoffQuery, Health, KeptRelation, Links, MemoryQuery, RecordChange, ReviewQuery, Served,
    Showing, Store, StoreError, StoredSection, Unanswered, Usage, Use, WriteError,
};

/// Maximum number of memories that are read on the caller's thread.
// Few enough that the read does not hold up other tasks of an async worker thread.
const POINT_IDS_MAX: usize = 64;

type Answer<T> = Result<T, StoreError>;

#[async_trait]
impl Store for SqliteStore {
    async fn write(&self, owner: &OwnerId, batch: Batch) -> Result<Committed, WriteError> {
        self.memory(owner).await?.writer.write(batch).await
    }

    async fn note_use(&self, owner: &OwnerId, uses: Vec<Use>) -> Result<(), WriteError> {
        self.memory(owner).await?.writer.note_use(uses).await
    }

    async fn note_served(&self, owner: &OwnerId, served: Vec<Served>) -> Result<(), WriteError> {
        self.memory(owner).await?.writer.note_served(served).await
    }

    async fn seq(&self, owner: &OwnerId) -> Answer<Seq> {
        match self.memory(owner).await?.seq().await {
            // Another process may have put a restored backup in its place: the first call marked
            // the old file as erased, so the second opens the new one.
            Err(error) if erased::is(&error) => self.memory(owner).await?.seq().await,
            seq => seq,
        }
    }

    async fn identity(&self, owner: &OwnerId) -> Answer<[u8; 16]> {
        Ok(self.memory(owner).await?.identity)
    }

    async fn changes(&self, owner: &OwnerId, after: Seq, limit: usize) -> Answer<Changes> {
        let memory = self.memory(owner).await?;
        let most = POINT_IDS_MAX.min(limit);
        // An index that follows the store is usually one write behind, which is read here and now.
        let few = memory.point(move |conn| read::view::few_changes(conn, after, most)).await?;
        match few {
            Some(changes) => Ok(changes),
            None => memory.scan(move |conn| read::view::changes(conn, after, limit)).await,
        }
    }

    async fn memories(&self, owner: &OwnerId, ids: &[MemoryId]) -> Answer<Vec<Memory>> {
        let (memory, ids) = (self.memory(owner).await?, ids.to_vec());
        let few = ids.len() <= POINT_IDS_MAX;
        let read = move |conn: &rusqlite::Connection| read::memory::by_ids(conn, &ids);
        if few { memory.point(read).await } else { memory.scan(read).await }
    }

    async fn list_memories(
        &self,
        owner: &OwnerId,
        query: &MemoryQuery,
        page: Page,
    ) -> Answer<Listing<Memory>> {
        let query = query.clone();
        self.memory(owner)
            .await?
            .scan(move |conn| read::listing::memories(conn, &query, page))
            .await
    }

    async fn memory_saying(&self, owner: &OwnerId, hash: ContentHash) -> Answer<Option<MemoryId>> {
        self.memory(owner).await?.glance(move |conn| read::memory::saying(conn, hash)).await
    }

    async fn forgotten(&self, owner: &OwnerId, hash: ContentHash) -> Answer<Option<Moment>> {
        self.memory(owner).await?.glance(move |conn| read::memory::forgotten(conn, hash)).await
    }

    async fn vector(&self, owner: &OwnerId, memory: MemoryId) -> Answer<Option<StoredVector>> {
        self.memory(owner).await?.glance(move |conn| read::memory::vector(conn, memory)).await
    }

    async fn memories_without_vector(
        &self,
        owner: &OwnerId,
        model: &str,
        limit: usize,
    ) -> Answer<Vec<Memory>> {
        let model = model.to_owned();
        self.memory(owner)
            .await?
            .scan(move |conn| read::memory::without_vector(conn, &model, limit))
            .await
    }

    async fn links(&self, owner: &OwnerId, memory: MemoryId) -> Answer<Links> {
        self.memory(owner).await?.point(move |conn| read::memory::links(conn, memory)).await
    }

    async fn session(&self, owner: &OwnerId, id: SessionId) -> Answer<Option<Session>> {
        self.memory(owner).await?.point(move |conn| read::session::by_id(conn, id)).await
    }

    async fn session_by_key(&self, owner: &OwnerId, key: &str) -> Answer<Option<Session>> {
        let key = key.to_owned();
        self.memory(owner).await?.point(move |conn| read::session::by_key(conn, &key)).await
    }

    async fn sessions(&self, owner: &OwnerId, page: Page) -> Answer<Listing<Session>> {
        self.memory(owner).await?.scan(move |conn| read::session::list(conn, page)).await
    }

    async fn entities(&self, owner: &OwnerId, ids: &[EntityId]) -> Answer<Vec<Entity>> {
        let ids = ids.to_vec();
        self.memory(owner).await?.scan(move |conn| read::entity::by_ids(conn, &ids)).await
    }

    async fn entity_named(&self, owner: &OwnerId, name: &str) -> Answer<Option<Entity>> {
        let folded = fold(name);
        self.memory(owner).await?.point(move |conn| read::entity::named(conn, &folded)).await
    }

    async fn list_entities(
        &self,
        owner: &OwnerId,
        query: &EntityQuery,
        page: Page,
    ) -> Answer<Listing<Entity>> {
        let query = query.clone();
        self.memory(owner).await?.scan(move |conn| read::entity::list(conn, &query, page)).await
    }

    async fn entity_cards(
        &self,
        owner: &OwnerId,
        after: EntityId,
        limit: usize,
    ) -> Answer<Vec<EntityCard>> {
        let limit = limit.min(limits::PAGE);
        self.memory(owner).await?.scan(move |conn| read::entity::cards(conn, after, limit)).await
    }

    async fn observations(
        &self,
        owner: &OwnerId,
        entity: EntityId,
        page: Page,
    ) -> Answer<Listing<Observation>> {
        self.memory(owner)
            .await?
            .scan(move |conn| read::fact::observations(conn, entity, page))
            .await
    }

    async fn relations(&self, owner: &OwnerId, entities: &[EntityId]) -> Answer<Vec<Relation>> {
        let entities = entities.to_vec();
        self.memory(owner).await?.scan(move |conn| read::fact::relations(conn, &entities)).await
    }

    async fn relations_after(
        &self,
        owner: &OwnerId,
        after: RelationId,
        limit: usize,
    ) -> Answer<Vec<KeptRelation>> {
        self.memory(owner)
            .await?
            .scan(move |conn| read::fact::relations_after(conn, after, limit))
            .await
    }

    async fn mentions(&self, owner: &OwnerId, memory: MemoryId) -> Answer<Vec<Mention>> {
        self.memory(owner).await?.point(move |conn| read::entity::mentions(conn, memory)).await
    }

    async fn mentioned_in(
        &self,
        owner: &OwnerId,
        entity: EntityId,
        page: Page,
    ) -> Answer<Listing<MemoryId>> {
        self.memory(owner)
            .await?
            .scan(move |conn| read::entity::mentioned_in(conn, entity, page))
            .await
    }

    async fn tables(&self, owner: &OwnerId) -> Answer<Vec<Table>> {
        self.memory(owner).await?.scan(read::record::tables).await
    }

    async fn records(
        &self,
        owner: &OwnerId,
        table: &str,
        after: RecordId,
        limit: usize,
    ) -> Answer<Vec<Record>> {
        let table = table.to_owned();
        self.memory(owner)
            .await?
            .scan(move |conn| read::record::records(conn, &table, after, limit))
            .await
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
        let read = move |conn: &_| read::record::changes(conn, &table, since, after, limit);
        self.memory(owner).await?.scan(read).await
    }

    async fn record(&self, owner: &OwnerId, table: &str, id: RecordId) -> Answer<Option<Record>> {
        let table = table.to_owned();
        self.memory(owner).await?.point(move |conn| read::record::record(conn, &table, id)).await
    }

    async fn records_of(&self, owner: &OwnerId, memory: MemoryId) -> Answer<Vec<Record>> {
        self.memory(owner).await?.point(move |conn| read::record::of_memory(conn, memory)).await
    }

    async fn profile(&self, owner: &OwnerId) -> Answer<Option<ProfileVersion>> {
        self.memory(owner).await?.point(read::profile::newest).await
    }

    async fn profile_history(
        &self,
        owner: &OwnerId,
        page: Page,
    ) -> Answer<Listing<ProfileVersion>> {
        self.memory(owner).await?.scan(move |conn| read::profile::history(conn, page)).await
    }

    async fn handoff(&self, owner: &OwnerId, id: HandoffId) -> Answer<Option<Handoff>> {
        self.memory(owner).await?.point(move |conn| read::handoff::by_id(conn, id)).await
    }

    async fn handoffs(
        &self,
        owner: &OwnerId,
        query: &HandoffQuery,
        page: Page,
    ) -> Answer<Listing<Handoff>> {
        let query = query.clone();
        self.memory(owner).await?.scan(move |conn| read::handoff::list(conn, &query, page)).await
    }

    async fn references(&self, owner: &OwnerId, page: Page) -> Answer<Listing<Reference>> {
        self.memory(owner).await?.scan(move |conn| read::reference::list(conn, page)).await
    }

    async fn references_seq(&self, owner: &OwnerId) -> Answer<Seq> {
        self.memory(owner).await?.glance(read::reference::seq).await
    }

    async fn sections(
        &self,
        owner: &OwnerId,
        after: Option<(ReferenceId, usize)>,
        limit: usize,
    ) -> Answer<Vec<StoredSection>> {
        self.memory(owner)
            .await?
            .scan(move |conn| read::reference::sections(conn, after, limit))
            .await
    }

    async fn review(&self, owner: &OwnerId, id: ReviewId) -> Answer<Option<ReviewItem>> {
        self.memory(owner).await?.point(move |conn| read::review::by_id(conn, id)).await
    }

    async fn reviews(
        &self,
        owner: &OwnerId,
        query: &ReviewQuery,
        page: Page,
    ) -> Answer<Listing<ReviewItem>> {
        let query = query.clone();
        self.memory(owner).await?.scan(move |conn| read::review::list(conn, &query, page)).await
    }

    async fn review_before(&self, owner: &OwnerId, id: ReviewId) -> Answer<JsonMap> {
        self.memory(owner).await?.point(move |conn| read::review::before(conn, id)).await
    }

    async fn flags(&self, owner: &OwnerId, memory: MemoryId) -> Answer<Vec<Flag>> {
        self.memory(owner).await?.point(move |conn| read::review::flags(conn, memory)).await
    }

    async fn workspace(&self, owner: &OwnerId, id: WorkspaceId) -> Answer<Option<Workspace>> {
        self.memory(owner).await?.point(move |conn| read::workspace::by_id(conn, id)).await
    }

    async fn workspaces(&self, owner: &OwnerId) -> Answer<Vec<Workspace>> {
        self.memory(owner).await?.scan(read::workspace::list).await
    }

    async fn grants(&self, owner: &OwnerId) -> Answer<Vec<Grant>> {
        self.memory(owner).await?.glance(read::access::grants).await
    }

    async fn usage(&self, owner: &OwnerId, from: Moment) -> Answer<Vec<Usage>> {
        self.memory(owner).await?.scan(move |conn| read::usage::usage(conn, from)).await
    }

    async fn showings(&self, owner: &OwnerId, memory: MemoryId) -> Answer<Vec<Showing>> {
        self.memory(owner).await?.point(move |conn| read::usage::showings(conn, memory)).await
    }

    async fn questions(&self, owner: &OwnerId, page: Page) -> Answer<Listing<Unanswered>> {
        self.memory(owner).await?.scan(move |conn| read::usage::questions(conn, page)).await
    }

    async fn audit(
        &self,
        owner: &OwnerId,
        query: &AuditQuery,
        page: Page,
    ) -> Answer<Listing<AuditEvent>> {
        let query = query.clone();
        self.memory(owner).await?.scan(move |conn| read::access::audit(conn, &query, page)).await
    }

    async fn verify_audit(&self, owner: &OwnerId) -> Answer<ChainReport> {
        let memory = self.memory(owner).await?;
        let seals = memory.seals.clone();
        memory
            .scan(move |conn| {
                Ok(seals.lines().map(|lines| read::chain::verify(conn, &seals, &lines)))
            })
            .await??
            .map_err(|error| crate::fault::store_error(&error))
    }

    async fn prune_audit(&self, owner: &OwnerId, before: Moment) -> Answer<usize> {
        self.memory(owner).await?.prune_audit(before).await
    }

    async fn setting(&self, owner: &OwnerId, name: &str) -> Answer<Option<serde_json::Value>> {
        let name = name.to_owned();
        self.memory(owner).await?.glance(move |conn| read::access::setting(conn, &name)).await
    }

    async fn location(&self, owner: &OwnerId) -> Answer<String> {
        Ok(self.memory(owner).await?.path.display().to_string())
    }

    async fn counts(&self, owner: &OwnerId) -> Answer<Counts> {
        let memory = self.memory(owner).await?;
        let counts = memory.scan(read::count::counts).await?;
        Ok(Counts { bytes: memory.bytes(), ..counts })
    }

    async fn health(&self, owner: &OwnerId) -> Answer<Health> {
        let memory = self.memory(owner).await?;
        let path = memory.path.clone();
        memory.scan(move |conn| health::look(conn, &path)).await
    }

    async fn prune_idempotency(&self, owner: &OwnerId, before: Moment) -> Answer<usize> {
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

    async fn compact(&self, owner: &OwnerId) -> Answer<()> {
        self.memory(owner).await?.compact().await
    }

    async fn backup(&self, owner: &OwnerId, to: &Path) -> Answer<()> {
        let to = to.to_owned();
        self.memory(owner).await?.scan(move |conn| Ok(backup::backup(conn, &to))).await?
    }
}
