//! Two stores as one, for the differential test: every call goes to a store on SQLite and to one on
//! PostgreSQL, and both answers must be equal, ids and order included. Owners of all tests share
//! the tables, without row-level security, so that a statement that leaves its owner out shows.

use crate::fixture::{address, schema_name};
use async_trait::async_trait;
use model::{
    AuditEvent, AuditId, Client, Consent, ContentHash, Entity, EntityId, Flag, Grant, Handoff,
    HandoffId, JsonMap, KeyId, KeyInfo, Listing, Memory, MemoryId, Mention, Moment, NewKey,
    Observation, OwnerId, Page, ProfileVersion, Record, RecordId, Reference, ReferenceId, Relation,
    RelationId, ReviewId, ReviewItem, Seq, Session, SessionId, StoredVectors, Table, TokenFamily,
    TokenFamilyId, TokenInfo, TokenPair, Workspace, WorkspaceId,
};
use quipu_store_postgres::{Options, PostgresStore};
use std::fmt::Debug;
use std::path::Path;
use store::{
    AttributedRelation, AuditQuery, Batch, ChainReport, Changes, Clients, CommittedBatch, Control,
    Counts, DailyAgentUsage, EntityCard, EntityQuery, ErasureState, ExpectedVersion, HandoffQuery,
    Health, Links, MemoryQuery, ReadEvent, RecordChange, ReviewQuery, RotationResult, Showing,
    Store, StoreError, StoredSection, UnansweredQuestion, UsageDelta, UseCounts, WriteError,
};
use store_sqlite::SqliteStore;
use tokio::sync::Mutex;

/// Held during each call, so that racing calls reach both stores in the same order.
static TURN: Mutex<()> = Mutex::const_new(());

/// A store on SQLite and one on PostgreSQL with the same content.
pub(crate) struct StorePair {
    sqlite: SqliteStore,
    postgres: PostgresStore,
    /// What the names of owners end in on PostgreSQL, where other tests have the same owners.
    suffix: String,
}

/// Opens both stores of a directory.
pub(crate) async fn open_pair(home: &Path) -> StorePair {
    let address = address().expect("tests without a database end before they open it");
    let options = Options {
        schema: "pairs".to_owned(),
        connections_max: 4,
        row_security: false,
        ..Options::new([7; 32])
    };
    let postgres = PostgresStore::open(&address, &options).await.expect("PostgreSQL opens");
    let sqlite = SqliteStore::open(home, Default::default()).expect("SQLite opens");
    StorePair { sqlite, postgres, suffix: format!("-{}", schema_name(home)) }
}

/// Compares two answers, and returns the first.
fn agree<T: Debug, E: Debug>(call: &str, left: Result<T, E>, right: Result<T, E>) -> Result<T, E> {
    let (shown, other) = (format!("{left:?}"), format!("{right:?}"));
    assert_eq!(shown, other, "{call}: SQLite and PostgreSQL differ");
    left
}

impl StorePair {
    fn renamed(&self, owner: &OwnerId) -> OwnerId {
        OwnerId::new(&format!("{owner}{}", self.suffix)).expect("the name is a plain slug")
    }

    async fn write_of_both(
        &self,
        owner: &OwnerId,
        batch: Batch,
    ) -> Result<CommittedBatch, WriteError> {
        let (_turn, renamed) = (TURN.lock().await, self.renamed(owner));
        let mut other = batch.clone();
        for version in &mut other.expected_versions {
            // The identity is random, so each store has its own.
            if let ExpectedVersion::Store(identity) = version
                && *identity == self.sqlite.identity(owner).await?
            {
                *identity = self.postgres.identity(&renamed).await?;
            }
        }
        // What is left in files differs, because PostgreSQL clears its own.
        let settled =
            |committed: CommittedBatch| CommittedBatch { traces_owed: false, ..committed };
        let left = self.sqlite.write(owner, batch).await.map(settled);
        agree("write", left, self.postgres.write(&renamed, other).await)
    }

    async fn identity_of_both(&self, owner: &OwnerId) -> Result<[u8; 16], StoreError> {
        self.postgres.identity(&self.renamed(owner)).await?;
        self.sqlite.identity(owner).await
    }

    async fn location_of_both(&self, owner: &OwnerId) -> Result<String, StoreError> {
        self.sqlite.location(owner).await
    }

    async fn size_bytes_of_both(&self, owner: &OwnerId) -> Result<u64, StoreError> {
        self.sqlite.size_bytes(owner).await
    }

    async fn counts_of_both(&self, owner: &OwnerId) -> Result<Counts, StoreError> {
        let _turn = TURN.lock().await;
        let left = self.sqlite.counts(owner).await?;
        let right = self.postgres.counts(&self.renamed(owner)).await?;
        agree("counts", Ok(left.clone()), Ok(Counts { bytes: left.bytes, ..right }))
    }

    async fn health_of_both(&self, owner: &OwnerId) -> Result<Health, StoreError> {
        let _turn = TURN.lock().await;
        let left = self.sqlite.health(owner).await?;
        let right = self.postgres.health(&self.renamed(owner)).await?;
        agree::<_, StoreError>("health", Ok(&left.problems), Ok(&right.problems))?;
        Ok(left)
    }

    async fn verify_audit_of_both(&self, owner: &OwnerId) -> Result<ChainReport, StoreError> {
        let _turn = TURN.lock().await;
        let left = self.sqlite.verify_audit(owner).await;
        agree("verify_audit", left, self.postgres.verify_audit(&self.renamed(owner)).await)
    }

    async fn backup_of_both(&self, owner: &OwnerId, to: &Path) -> Result<(), StoreError> {
        let copy = to.with_extension("postgres");
        let left = self.sqlite.backup(owner, to).await;
        agree("backup", left, self.postgres.backup(&self.renamed(owner), &copy).await)
    }

    async fn erasure_of_both(
        &self,
        owner: &OwnerId,
        ids: &[MemoryId],
    ) -> Result<ErasureState, StoreError> {
        let _turn = TURN.lock().await;
        let left = self.sqlite.erasure(owner, ids).await?;
        let left = ErasureState { traces_owed: false, ..left };
        agree("erasure", Ok(left), self.postgres.erasure(&self.renamed(owner), ids).await)
    }

    async fn owners_of_both(&self) -> Result<Vec<OwnerId>, StoreError> {
        let left = self.sqlite.owners().await;
        let right = self.postgres.owners().await?;
        let own = right.iter().filter_map(|owner| owner.as_str().strip_suffix(&self.suffix));
        let own = own.map(|name| OwnerId::new(name).expect("the name is a plain slug"));
        agree("owners", left, Ok(own.collect()))
    }

    async fn create_owner_of_both(&self, owner: &OwnerId, at: Moment) -> Result<(), StoreError> {
        let left = self.sqlite.create_owner(owner, at).await;
        agree("create_owner", left, self.postgres.create_owner(&self.renamed(owner), at).await)
    }

    async fn erase_owner_of_both(&self, owner: &OwnerId) -> Result<bool, StoreError> {
        let left = self.sqlite.erase_owner(owner).await;
        agree("erase_owner", left, self.postgres.erase_owner(&self.renamed(owner)).await)
    }
}

#[async_trait]
impl Store for StorePair {
    async fn write(&self, owner: &OwnerId, batch: Batch) -> Result<CommittedBatch, WriteError> {
        self.write_of_both(owner, batch).await
    }

    async fn log_reads(&self, owner: &OwnerId, uses: Vec<ReadEvent>) -> Result<(), WriteError> {
        let _turn = TURN.lock().await;
        let left = self.sqlite.log_reads(owner, uses.clone()).await;
        agree("log_reads", left, self.postgres.log_reads(&self.renamed(owner), uses.clone()).await)
    }

    async fn add_usage(&self, owner: &OwnerId, served: Vec<UsageDelta>) -> Result<(), WriteError> {
        let _turn = TURN.lock().await;
        let left = self.sqlite.add_usage(owner, served.clone()).await;
        agree(
            "add_usage",
            left,
            self.postgres.add_usage(&self.renamed(owner), served.clone()).await,
        )
    }

    async fn uses(
        &self,
        owner: &OwnerId,
        known: Option<AuditId>,
    ) -> Result<Option<UseCounts>, StoreError> {
        let _turn = TURN.lock().await;
        let left = self.sqlite.uses(owner, known).await;
        agree("uses", left, self.postgres.uses(&self.renamed(owner), known).await)
    }

    async fn seq(&self, owner: &OwnerId) -> Result<Seq, StoreError> {
        let _turn = TURN.lock().await;
        let left = self.sqlite.seq(owner).await;
        agree("seq", left, self.postgres.seq(&self.renamed(owner)).await)
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
        let _turn = TURN.lock().await;
        let left = self.sqlite.changes(owner, after, limit).await;
        agree("changes", left, self.postgres.changes(&self.renamed(owner), after, limit).await)
    }

    async fn memories(&self, owner: &OwnerId, ids: &[MemoryId]) -> Result<Vec<Memory>, StoreError> {
        let _turn = TURN.lock().await;
        let left = self.sqlite.memories(owner, ids).await;
        agree("memories", left, self.postgres.memories(&self.renamed(owner), ids).await)
    }

    async fn list_memories(
        &self,
        owner: &OwnerId,
        query: &MemoryQuery,
        page: Page,
    ) -> Result<Listing<Memory>, StoreError> {
        let _turn = TURN.lock().await;
        let left = self.sqlite.list_memories(owner, query, page).await;
        agree(
            "list_memories",
            left,
            self.postgres.list_memories(&self.renamed(owner), query, page).await,
        )
    }

    async fn memory_by_text(
        &self,
        owner: &OwnerId,
        hash: ContentHash,
    ) -> Result<Option<MemoryId>, StoreError> {
        let _turn = TURN.lock().await;
        let left = self.sqlite.memory_by_text(owner, hash).await;
        agree(
            "memory_by_text",
            left,
            self.postgres.memory_by_text(&self.renamed(owner), hash).await,
        )
    }

    async fn forgotten_at(
        &self,
        owner: &OwnerId,
        hash: ContentHash,
    ) -> Result<Option<Moment>, StoreError> {
        let _turn = TURN.lock().await;
        let left = self.sqlite.forgotten_at(owner, hash).await;
        agree("forgotten_at", left, self.postgres.forgotten_at(&self.renamed(owner), hash).await)
    }

    async fn erasure(&self, owner: &OwnerId, ids: &[MemoryId]) -> Result<ErasureState, StoreError> {
        self.erasure_of_both(owner, ids).await
    }

    async fn vector(
        &self,
        owner: &OwnerId,
        memory: MemoryId,
    ) -> Result<Option<StoredVectors>, StoreError> {
        let _turn = TURN.lock().await;
        let left = self.sqlite.vector(owner, memory).await;
        agree("vector", left, self.postgres.vector(&self.renamed(owner), memory).await)
    }

    async fn memories_without_vector(
        &self,
        owner: &OwnerId,
        model: &str,
        limit: usize,
    ) -> Result<Vec<Memory>, StoreError> {
        let _turn = TURN.lock().await;
        let left = self.sqlite.memories_without_vector(owner, model, limit).await;
        agree(
            "memories_without_vector",
            left,
            self.postgres.memories_without_vector(&self.renamed(owner), model, limit).await,
        )
    }

    async fn links(&self, owner: &OwnerId, memory: MemoryId) -> Result<Links, StoreError> {
        let _turn = TURN.lock().await;
        let left = self.sqlite.links(owner, memory).await;
        agree("links", left, self.postgres.links(&self.renamed(owner), memory).await)
    }

    async fn session(&self, owner: &OwnerId, id: SessionId) -> Result<Option<Session>, StoreError> {
        let _turn = TURN.lock().await;
        let left = self.sqlite.session(owner, id).await;
        agree("session", left, self.postgres.session(&self.renamed(owner), id).await)
    }

    async fn session_by_key(
        &self,
        owner: &OwnerId,
        key: &str,
    ) -> Result<Option<Session>, StoreError> {
        let _turn = TURN.lock().await;
        let left = self.sqlite.session_by_key(owner, key).await;
        agree("session_by_key", left, self.postgres.session_by_key(&self.renamed(owner), key).await)
    }

    async fn sessions(&self, owner: &OwnerId, page: Page) -> Result<Listing<Session>, StoreError> {
        let _turn = TURN.lock().await;
        let left = self.sqlite.sessions(owner, page).await;
        agree("sessions", left, self.postgres.sessions(&self.renamed(owner), page).await)
    }

    async fn entities(&self, owner: &OwnerId, ids: &[EntityId]) -> Result<Vec<Entity>, StoreError> {
        let _turn = TURN.lock().await;
        let left = self.sqlite.entities(owner, ids).await;
        agree("entities", left, self.postgres.entities(&self.renamed(owner), ids).await)
    }

    async fn entity_by_name(
        &self,
        owner: &OwnerId,
        name: &str,
    ) -> Result<Option<Entity>, StoreError> {
        let _turn = TURN.lock().await;
        let left = self.sqlite.entity_by_name(owner, name).await;
        agree(
            "entity_by_name",
            left,
            self.postgres.entity_by_name(&self.renamed(owner), name).await,
        )
    }

    async fn list_entities(
        &self,
        owner: &OwnerId,
        query: &EntityQuery,
        page: Page,
    ) -> Result<Listing<Entity>, StoreError> {
        let _turn = TURN.lock().await;
        let left = self.sqlite.list_entities(owner, query, page).await;
        agree(
            "list_entities",
            left,
            self.postgres.list_entities(&self.renamed(owner), query, page).await,
        )
    }

    async fn entity_cards(
        &self,
        owner: &OwnerId,
        after: EntityId,
        limit: usize,
    ) -> Result<Vec<EntityCard>, StoreError> {
        let _turn = TURN.lock().await;
        let left = self.sqlite.entity_cards(owner, after, limit).await;
        agree(
            "entity_cards",
            left,
            self.postgres.entity_cards(&self.renamed(owner), after, limit).await,
        )
    }

    async fn observations(
        &self,
        owner: &OwnerId,
        entity: EntityId,
        page: Page,
    ) -> Result<Listing<Observation>, StoreError> {
        let _turn = TURN.lock().await;
        let left = self.sqlite.observations(owner, entity, page).await;
        agree(
            "observations",
            left,
            self.postgres.observations(&self.renamed(owner), entity, page).await,
        )
    }

    async fn relations(
        &self,
        owner: &OwnerId,
        entities: &[EntityId],
    ) -> Result<Vec<Relation>, StoreError> {
        let _turn = TURN.lock().await;
        let left = self.sqlite.relations(owner, entities).await;
        agree("relations", left, self.postgres.relations(&self.renamed(owner), entities).await)
    }

    async fn relations_after(
        &self,
        owner: &OwnerId,
        after: RelationId,
        limit: usize,
    ) -> Result<Vec<AttributedRelation>, StoreError> {
        let _turn = TURN.lock().await;
        let left = self.sqlite.relations_after(owner, after, limit).await;
        agree(
            "relations_after",
            left,
            self.postgres.relations_after(&self.renamed(owner), after, limit).await,
        )
    }

    async fn mentions(
        &self,
        owner: &OwnerId,
        memory: MemoryId,
    ) -> Result<Vec<Mention>, StoreError> {
        let _turn = TURN.lock().await;
        let left = self.sqlite.mentions(owner, memory).await;
        agree("mentions", left, self.postgres.mentions(&self.renamed(owner), memory).await)
    }

    async fn memories_mentioning(
        &self,
        owner: &OwnerId,
        entity: EntityId,
        page: Page,
    ) -> Result<Listing<MemoryId>, StoreError> {
        let _turn = TURN.lock().await;
        let left = self.sqlite.memories_mentioning(owner, entity, page).await;
        agree(
            "memories_mentioning",
            left,
            self.postgres.memories_mentioning(&self.renamed(owner), entity, page).await,
        )
    }

    async fn tables(&self, owner: &OwnerId) -> Result<Vec<Table>, StoreError> {
        let _turn = TURN.lock().await;
        let left = self.sqlite.tables(owner).await;
        agree("tables", left, self.postgres.tables(&self.renamed(owner)).await)
    }

    async fn records(
        &self,
        owner: &OwnerId,
        table: &str,
        after: RecordId,
        limit: usize,
    ) -> Result<Vec<Record>, StoreError> {
        let _turn = TURN.lock().await;
        let left = self.sqlite.records(owner, table, after, limit).await;
        agree(
            "records",
            left,
            self.postgres.records(&self.renamed(owner), table, after, limit).await,
        )
    }

    async fn record_changes(
        &self,
        owner: &OwnerId,
        table: &str,
        since: Seq,
        after: RecordId,
        limit: usize,
    ) -> Result<Vec<RecordChange>, StoreError> {
        let _turn = TURN.lock().await;
        let left = self.sqlite.record_changes(owner, table, since, after, limit).await;
        agree(
            "record_changes",
            left,
            self.postgres.record_changes(&self.renamed(owner), table, since, after, limit).await,
        )
    }

    async fn record(
        &self,
        owner: &OwnerId,
        table: &str,
        id: RecordId,
    ) -> Result<Option<Record>, StoreError> {
        let _turn = TURN.lock().await;
        let left = self.sqlite.record(owner, table, id).await;
        agree("record", left, self.postgres.record(&self.renamed(owner), table, id).await)
    }

    async fn records_of_memory(
        &self,
        owner: &OwnerId,
        memory: MemoryId,
    ) -> Result<Vec<Record>, StoreError> {
        let _turn = TURN.lock().await;
        let left = self.sqlite.records_of_memory(owner, memory).await;
        agree(
            "records_of_memory",
            left,
            self.postgres.records_of_memory(&self.renamed(owner), memory).await,
        )
    }

    async fn profile(&self, owner: &OwnerId) -> Result<Option<ProfileVersion>, StoreError> {
        let _turn = TURN.lock().await;
        let left = self.sqlite.profile(owner).await;
        agree("profile", left, self.postgres.profile(&self.renamed(owner)).await)
    }

    async fn profile_history(
        &self,
        owner: &OwnerId,
        page: Page,
    ) -> Result<Listing<ProfileVersion>, StoreError> {
        let _turn = TURN.lock().await;
        let left = self.sqlite.profile_history(owner, page).await;
        agree(
            "profile_history",
            left,
            self.postgres.profile_history(&self.renamed(owner), page).await,
        )
    }

    async fn handoff(&self, owner: &OwnerId, id: HandoffId) -> Result<Option<Handoff>, StoreError> {
        let _turn = TURN.lock().await;
        let left = self.sqlite.handoff(owner, id).await;
        agree("handoff", left, self.postgres.handoff(&self.renamed(owner), id).await)
    }

    async fn handoffs(
        &self,
        owner: &OwnerId,
        query: &HandoffQuery,
        page: Page,
    ) -> Result<Listing<Handoff>, StoreError> {
        let _turn = TURN.lock().await;
        let left = self.sqlite.handoffs(owner, query, page).await;
        agree("handoffs", left, self.postgres.handoffs(&self.renamed(owner), query, page).await)
    }

    async fn references(
        &self,
        owner: &OwnerId,
        page: Page,
    ) -> Result<Listing<Reference>, StoreError> {
        let _turn = TURN.lock().await;
        let left = self.sqlite.references(owner, page).await;
        agree("references", left, self.postgres.references(&self.renamed(owner), page).await)
    }

    async fn references_seq(&self, owner: &OwnerId) -> Result<Seq, StoreError> {
        let _turn = TURN.lock().await;
        let left = self.sqlite.references_seq(owner).await;
        agree("references_seq", left, self.postgres.references_seq(&self.renamed(owner)).await)
    }

    async fn sections(
        &self,
        owner: &OwnerId,
        after: Option<(ReferenceId, usize)>,
        limit: usize,
    ) -> Result<Vec<StoredSection>, StoreError> {
        let _turn = TURN.lock().await;
        let left = self.sqlite.sections(owner, after, limit).await;
        agree("sections", left, self.postgres.sections(&self.renamed(owner), after, limit).await)
    }

    async fn review(
        &self,
        owner: &OwnerId,
        id: ReviewId,
    ) -> Result<Option<ReviewItem>, StoreError> {
        let _turn = TURN.lock().await;
        let left = self.sqlite.review(owner, id).await;
        agree("review", left, self.postgres.review(&self.renamed(owner), id).await)
    }

    async fn reviews(
        &self,
        owner: &OwnerId,
        query: &ReviewQuery,
        page: Page,
    ) -> Result<Listing<ReviewItem>, StoreError> {
        let _turn = TURN.lock().await;
        let left = self.sqlite.reviews(owner, query, page).await;
        agree("reviews", left, self.postgres.reviews(&self.renamed(owner), query, page).await)
    }

    async fn review_undo_state(
        &self,
        owner: &OwnerId,
        id: ReviewId,
    ) -> Result<JsonMap, StoreError> {
        let _turn = TURN.lock().await;
        let left = self.sqlite.review_undo_state(owner, id).await;
        agree(
            "review_undo_state",
            left,
            self.postgres.review_undo_state(&self.renamed(owner), id).await,
        )
    }

    async fn flags(&self, owner: &OwnerId, memory: MemoryId) -> Result<Vec<Flag>, StoreError> {
        let _turn = TURN.lock().await;
        let left = self.sqlite.flags(owner, memory).await;
        agree("flags", left, self.postgres.flags(&self.renamed(owner), memory).await)
    }

    async fn workspace(
        &self,
        owner: &OwnerId,
        id: WorkspaceId,
    ) -> Result<Option<Workspace>, StoreError> {
        let _turn = TURN.lock().await;
        let left = self.sqlite.workspace(owner, id).await;
        agree("workspace", left, self.postgres.workspace(&self.renamed(owner), id).await)
    }

    async fn workspaces(&self, owner: &OwnerId) -> Result<Vec<Workspace>, StoreError> {
        let _turn = TURN.lock().await;
        let left = self.sqlite.workspaces(owner).await;
        agree("workspaces", left, self.postgres.workspaces(&self.renamed(owner)).await)
    }

    async fn grants(&self, owner: &OwnerId) -> Result<Vec<Grant>, StoreError> {
        let _turn = TURN.lock().await;
        let left = self.sqlite.grants(owner).await;
        agree("grants", left, self.postgres.grants(&self.renamed(owner)).await)
    }

    async fn usage(
        &self,
        owner: &OwnerId,
        from: Moment,
    ) -> Result<Vec<DailyAgentUsage>, StoreError> {
        let _turn = TURN.lock().await;
        let left = self.sqlite.usage(owner, from).await;
        agree("usage", left, self.postgres.usage(&self.renamed(owner), from).await)
    }

    async fn showings(
        &self,
        owner: &OwnerId,
        memory: MemoryId,
    ) -> Result<Vec<Showing>, StoreError> {
        let _turn = TURN.lock().await;
        let left = self.sqlite.showings(owner, memory).await;
        agree("showings", left, self.postgres.showings(&self.renamed(owner), memory).await)
    }

    async fn unanswered_questions(
        &self,
        owner: &OwnerId,
        page: Page,
    ) -> Result<Listing<UnansweredQuestion>, StoreError> {
        let _turn = TURN.lock().await;
        let left = self.sqlite.unanswered_questions(owner, page).await;
        agree(
            "unanswered_questions",
            left,
            self.postgres.unanswered_questions(&self.renamed(owner), page).await,
        )
    }

    async fn audit(
        &self,
        owner: &OwnerId,
        query: &AuditQuery,
        page: Page,
    ) -> Result<Listing<AuditEvent>, StoreError> {
        let _turn = TURN.lock().await;
        let left = self.sqlite.audit(owner, query, page).await;
        agree("audit", left, self.postgres.audit(&self.renamed(owner), query, page).await)
    }

    async fn verify_audit(&self, owner: &OwnerId) -> Result<ChainReport, StoreError> {
        self.verify_audit_of_both(owner).await
    }

    async fn prune_audit(&self, owner: &OwnerId, before: Moment) -> Result<usize, StoreError> {
        let _turn = TURN.lock().await;
        let left = self.sqlite.prune_audit(owner, before).await;
        agree("prune_audit", left, self.postgres.prune_audit(&self.renamed(owner), before).await)
    }

    async fn setting(
        &self,
        owner: &OwnerId,
        name: &str,
    ) -> Result<Option<serde_json::Value>, StoreError> {
        let _turn = TURN.lock().await;
        let left = self.sqlite.setting(owner, name).await;
        agree("setting", left, self.postgres.setting(&self.renamed(owner), name).await)
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
        let _turn = TURN.lock().await;
        let left = self.sqlite.prune_idempotency(owner, before).await;
        agree(
            "prune_idempotency",
            left,
            self.postgres.prune_idempotency(&self.renamed(owner), before).await,
        )
    }

    async fn compact(&self, owner: &OwnerId) -> Result<(), StoreError> {
        let _turn = TURN.lock().await;
        let left = self.sqlite.compact(owner).await;
        agree("compact", left, self.postgres.compact(&self.renamed(owner)).await)
    }

    async fn backup(&self, owner: &OwnerId, to: &Path) -> Result<(), StoreError> {
        self.backup_of_both(owner, to).await
    }
}

#[async_trait]
impl Control for StorePair {
    async fn owners(&self) -> Result<Vec<OwnerId>, StoreError> {
        self.owners_of_both().await
    }

    async fn create_owner(&self, owner: &OwnerId, at: Moment) -> Result<(), StoreError> {
        self.create_owner_of_both(owner, at).await
    }

    async fn erase_owner(&self, owner: &OwnerId) -> Result<bool, StoreError> {
        self.erase_owner_of_both(owner).await
    }

    async fn add_key(&self, key: NewKey, at: Moment) -> Result<KeyId, StoreError> {
        self.sqlite.add_key(key, at).await
    }

    async fn key(&self, hash: ContentHash) -> Result<Option<KeyInfo>, StoreError> {
        self.sqlite.key(hash).await
    }

    async fn keys(&self, owner: &OwnerId) -> Result<Vec<KeyInfo>, StoreError> {
        self.sqlite.keys(owner).await
    }

    async fn revoke_key(
        &self,
        owner: &OwnerId,
        key: KeyId,
        at: Moment,
    ) -> Result<bool, StoreError> {
        self.sqlite.revoke_key(owner, key, at).await
    }

    async fn expire_key(
        &self,
        owner: &OwnerId,
        key: KeyId,
        at: Moment,
    ) -> Result<bool, StoreError> {
        self.sqlite.expire_key(owner, key, at).await
    }

    async fn touch_key(&self, key: KeyId, at: Moment) -> Result<(), StoreError> {
        self.sqlite.touch_key(key, at).await
    }
}

#[async_trait]
impl Clients for StorePair {
    async fn add_client(&self, client: Client, most: usize) -> Result<bool, StoreError> {
        self.sqlite.add_client(client, most).await
    }

    async fn client(&self, id: &str) -> Result<Option<Client>, StoreError> {
        self.sqlite.client(id).await
    }

    async fn create_family(
        &self,
        consent: Consent,
        tokens: TokenPair,
        at: Moment,
    ) -> Result<TokenFamilyId, StoreError> {
        self.sqlite.create_family(consent, tokens, at).await
    }

    async fn rotate(
        &self,
        client: &str,
        refresh: ContentHash,
        tokens: TokenPair,
        at: Moment,
    ) -> Result<RotationResult, StoreError> {
        self.sqlite.rotate(client, refresh, tokens, at).await
    }

    async fn token(&self, hash: ContentHash) -> Result<Option<TokenInfo>, StoreError> {
        self.sqlite.token(hash).await
    }

    async fn families(&self, owner: &OwnerId) -> Result<Vec<TokenFamily>, StoreError> {
        self.sqlite.families(owner).await
    }

    async fn revoke_family(
        &self,
        owner: &OwnerId,
        family: TokenFamilyId,
        at: Moment,
    ) -> Result<bool, StoreError> {
        self.sqlite.revoke_family(owner, family, at).await
    }

    async fn remove_expired(&self, before: Moment) -> Result<usize, StoreError> {
        self.sqlite.remove_expired(before).await
    }
}
