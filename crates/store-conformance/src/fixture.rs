//! The fixture of a rule: a store with one owner, opened twice on the same data, and shorthands for
//! writing to it and reading from it. They panic when a rule is broken.

use super::builders::{DEFAULT_AGENT, batch_by, moment, remember};
use model::{
    Entity, EntityId, ErrorCode, Failure, Handoff, HandoffId, Memory, MemoryId, Moment, OwnerId,
    Page, Seq,
};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use store::{
    Batch, Change, ChangeResult, Clients, CommittedBatch, Control, Links, MemoryQuery, Store,
    WriteError,
};
use tempfile::TempDir;

/// All traits of a backend together.
pub trait StoreBackend: Store + Control + Clients {}

impl<S: Store + Control + Clients> StoreBackend for S {}

/// A fresh store with one owner.
pub struct StoreFixture {
    pub store: Arc<dyn StoreBackend>,
    /// A second handle on the same data, as another process would have it.
    pub second_handle: Arc<dyn StoreBackend>,
    /// The owner, with nothing written yet.
    pub owner: OwnerId,
    home: TempDir,
}

/// Runs one rule on a fresh store.
///
/// `open` is called twice with the same empty directory and must return two handles on the same
/// data.
///
/// # Panics
/// Panics when the rule is broken, or no store can be created.
pub fn check<B: StoreBackend + 'static>(
    open: impl AsyncFn(&Path) -> B,
    rule: impl AsyncFn(&StoreFixture),
) {
    runtime().block_on(async {
        let fixture = StoreFixture::fresh(&open).await;
        rule(&fixture).await;
    });
}

/// Builds the runtime that the suite runs its rules on.
pub(super) fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("a runtime can be built")
}

impl StoreFixture {
    /// Creates a store in a new temporary directory, with the owner `me`.
    ///
    /// # Panics
    /// Panics when the directory or the store cannot be created.
    pub async fn fresh<B: StoreBackend + 'static>(open: &impl AsyncFn(&Path) -> B) -> Self {
        let home = tempfile::tempdir().expect("a temporary directory can be created");
        let (store, second_handle) =
            (Arc::new(open(home.path()).await), Arc::new(open(home.path()).await));
        let owner = OwnerId::me();
        store.create_owner(&owner, moment(0)).await.expect("an owner can be created");
        Self { store, second_handle, owner, home }
    }

    /// Creates a second owner in the same store.
    pub async fn another_owner(&self, name: &str) -> OwnerId {
        let owner = OwnerId::new(name).expect("the name is a plain slug");
        self.store.create_owner(&owner, moment(0)).await.expect("an owner can be created");
        owner
    }

    /// Returns an unused path in the store's directory.
    pub fn free_path(&self, name: &str) -> PathBuf {
        self.home.path().join(name)
    }

    /// Applies a batch.
    pub async fn commit(&self, batch: Batch) -> CommittedBatch {
        self.store.write(&self.owner, batch).await.expect("the batch is applied")
    }

    /// Applies changes as the usual author at the start of the day.
    pub async fn write(&self, changes: Vec<Change>) -> CommittedBatch {
        self.write_at(0, changes).await
    }

    /// Applies changes as the usual author, so many seconds into the day.
    pub async fn write_at(&self, seconds: i64, changes: Vec<Change>) -> CommittedBatch {
        self.commit(batch_by(DEFAULT_AGENT, moment(seconds), changes)).await
    }

    /// Applies one change and returns its result.
    pub async fn apply(&self, change: Change) -> ChangeResult {
        self.apply_at(0, change).await
    }

    /// Applies one change, so many seconds into the day, and returns its result.
    pub async fn apply_at(&self, seconds: i64, change: Change) -> ChangeResult {
        self.write_at(seconds, vec![change]).await.results.remove(0)
    }

    /// Writes a note and returns its id.
    pub async fn remember(&self, text: &str) -> MemoryId {
        self.add_memory(remember(text)).await
    }

    /// Applies a change that creates a memory and returns its id.
    pub async fn add_memory(&self, change: Change) -> MemoryId {
        match self.apply(change).await {
            ChangeResult::Memory(id) => id,
            other => panic!("expected a new memory, got {other:?}"),
        }
    }

    /// Writes or finds an entity and returns its id.
    pub async fn put_entity(&self, name: &str) -> EntityId {
        let result = self.apply(Change::PutEntity(super::builders::entity(name))).await;
        result.entity().expect("putting an entity results in an entity")
    }

    /// Writes a batch that must be refused, checks that nothing of it is left, and returns the
    /// error.
    pub async fn expect_refused(&self, batch: Batch) -> WriteError {
        let (seq, events) = (self.seq().await, self.event_count().await);
        let refusal = self.store.write(&self.owner, batch).await.expect_err("the batch is refused");
        assert_eq!(self.seq().await, seq, "a refused batch takes no sequence number");
        assert_eq!(self.event_count().await, events, "a refused batch leaves no audit event");
        refusal
    }

    /// Writes changes that must be refused, and returns the code that a caller would see.
    pub async fn refusal_code(&self, changes: Vec<Change>) -> ErrorCode {
        Failure::from(self.expect_refused(super::builders::batch(changes)).await).code
    }

    /// Returns a memory that must exist.
    pub async fn memory(&self, id: MemoryId) -> Memory {
        self.find_memory(id).await.expect("the memory exists")
    }

    /// Returns a memory if it exists.
    pub async fn find_memory(&self, id: MemoryId) -> Option<Memory> {
        self.store.memories(&self.owner, &[id]).await.expect("memories can be read").pop()
    }

    /// Returns the ids of the memories that match, in order; there must be no more than a page.
    pub async fn list_ids(&self, query: &MemoryQuery) -> Vec<MemoryId> {
        let listing = self
            .store
            .list_memories(&self.owner, query, full_page())
            .await
            .expect("memories can be listed");
        assert_eq!(listing.total, listing.items.len(), "one page holds all of them");
        listing.items.iter().map(|memory| memory.id).collect()
    }

    /// Returns the links of a memory.
    pub async fn links(&self, id: MemoryId) -> Links {
        self.store.links(&self.owner, id).await.expect("links can be read")
    }

    /// Returns an entity that must exist.
    pub async fn entity(&self, id: EntityId) -> Entity {
        let mut found =
            self.store.entities(&self.owner, &[id]).await.expect("entities can be read");
        found.pop().expect("the entity exists")
    }

    /// Returns a handoff that must exist.
    pub async fn handoff(&self, id: HandoffId) -> Handoff {
        let found = self.store.handoff(&self.owner, id).await.expect("handoffs can be read");
        found.expect("the handoff exists")
    }

    /// Returns the sequence number of the newest change.
    pub async fn seq(&self) -> Seq {
        self.store.seq(&self.owner).await.expect("the sequence number can be read")
    }

    /// Returns the number of audit events.
    pub async fn event_count(&self) -> usize {
        let query = store::AuditQuery::default();
        self.store
            .audit(&self.owner, &query, Page::first(1))
            .await
            .expect("the audit log can be read")
            .total
    }

    /// Returns the time when this text was forgotten.
    pub async fn forgotten_at(&self, text: &str) -> Option<Moment> {
        let hash = model::ContentHash::of_text(text);
        self.store.forgotten_at(&self.owner, hash).await.expect("tombstones can be read")
    }
}

/// Returns a page of the maximum size.
#[must_use]
pub fn full_page() -> Page {
    Page::first(model::limits::PAGE_ITEMS)
}
