//! Where a rule is tried: a store with one owner in it, opened twice over the same data,
//! and short ways to write to it and look at it. A rule that is broken panics.

use super::build::{AGENT, batch_by, moment, remember};
use model::{
    Entity, EntityId, ErrorCode, Failure, Handoff, HandoffId, Memory, MemoryId, Moment, OwnerId,
    Page, Seq,
};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use store::{
    Batch, Change, Clients, Committed, Control, Links, Made, MemoryQuery, Store, WriteError,
};
use tempfile::TempDir;

/// Everything that a backend offers.
pub trait Backend: Store + Control + Clients {}

impl<S: Store + Control + Clients> Backend for S {}

/// A store with one owner, as a rule finds it.
pub struct Fixture {
    /// The store under test.
    pub store: Arc<dyn Backend>,
    /// The same data through a second handle, as another process would have it.
    pub twin: Arc<dyn Backend>,
    /// The owner, with nothing written yet.
    pub owner: OwnerId,
    home: TempDir,
}

/// Tries one rule on a fresh store.
///
/// `open` is called twice with the same empty directory and gives two handles on the same data.
///
/// # Panics
/// When the rule is broken, or no store can be made.
pub fn check<B: Backend + 'static>(open: impl AsyncFn(&Path) -> B, rule: impl AsyncFn(&Fixture)) {
    runtime().block_on(async {
        let fixture = Fixture::fresh(&open).await;
        rule(&fixture).await;
    });
}

/// The runtime the suite runs its rules on.
pub(super) fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("a runtime can be made")
}

impl Fixture {
    /// A store in a new temporary directory, with the owner `me`.
    ///
    /// # Panics
    /// When there is no room for one.
    pub async fn fresh<B: Backend + 'static>(open: &impl AsyncFn(&Path) -> B) -> Self {
        let home = tempfile::tempdir().expect("a temporary directory can be made");
        let (store, twin) = (Arc::new(open(home.path()).await), Arc::new(open(home.path()).await));
        let owner = OwnerId::me();
        store.create_owner(&owner, moment(0)).await.expect("an owner can be made");
        Self { store, twin, owner, home }
    }

    /// A second owner in the same store.
    pub async fn another_owner(&self, name: &str) -> OwnerId {
        let owner = OwnerId::new(name).expect("the name is a plain slug");
        self.store.create_owner(&owner, moment(0)).await.expect("an owner can be made");
        owner
    }

    /// A path in the store's directory at which nothing is yet.
    pub fn free_path(&self, name: &str) -> PathBuf {
        self.home.path().join(name)
    }

    /// Applies a batch.
    pub async fn commit(&self, batch: Batch) -> Committed {
        self.store.write(&self.owner, batch).await.expect("the batch is applied")
    }

    /// Applies changes as the usual author at the start of the day.
    pub async fn write(&self, changes: Vec<Change>) -> Committed {
        self.write_at(0, changes).await
    }

    /// Applies changes as the usual author, so many seconds into the day.
    pub async fn write_at(&self, seconds: i64, changes: Vec<Change>) -> Committed {
        self.commit(batch_by(AGENT, moment(seconds), changes)).await
    }

    /// Applies one change and gives what it made.
    pub async fn make(&self, change: Change) -> Made {
        self.make_at(0, change).await
    }

    /// Applies one change, so many seconds into the day, and gives what it made.
    pub async fn make_at(&self, seconds: i64, change: Change) -> Made {
        self.write_at(seconds, vec![change]).await.made.remove(0)
    }

    /// Writes a note and gives its id.
    pub async fn remember(&self, text: &str) -> MemoryId {
        self.remembered(remember(text)).await
    }

    /// Applies a change that makes a memory and gives its id.
    pub async fn remembered(&self, change: Change) -> MemoryId {
        match self.make(change).await {
            Made::Memory(id) => id,
            other => panic!("a new memory, not {other:?}"),
        }
    }

    /// Writes an entity, or finds it, and gives its id.
    pub async fn put_entity(&self, name: &str) -> EntityId {
        let made = self.make(Change::PutEntity(super::build::entity(name))).await;
        made.entity().expect("putting an entity makes an entity")
    }

    /// Tries a batch that must be refused, and checks that nothing of it is left.
    pub async fn refused(&self, batch: Batch) -> WriteError {
        let (seq, events) = (self.seq().await, self.events().await);
        let refusal = self.store.write(&self.owner, batch).await.expect_err("the batch is refused");
        assert_eq!(self.seq().await, seq, "a refused batch takes no sequence number");
        assert_eq!(self.events().await, events, "a refused batch leaves no audit event");
        refusal
    }

    /// Tries changes that must be refused, and gives the code a caller would see.
    pub async fn refused_with(&self, changes: Vec<Change>) -> ErrorCode {
        Failure::from(self.refused(super::build::batch(changes)).await).code
    }

    /// The memory of this id.
    pub async fn memory(&self, id: MemoryId) -> Memory {
        self.find_memory(id).await.expect("the memory is there")
    }

    /// The memory of this id, if it is there.
    pub async fn find_memory(&self, id: MemoryId) -> Option<Memory> {
        self.store.memories(&self.owner, &[id]).await.expect("memories can be read").pop()
    }

    /// The ids of the memories that match, in order, up to a page.
    pub async fn list(&self, query: &MemoryQuery) -> Vec<MemoryId> {
        let listing = self
            .store
            .list_memories(&self.owner, query, whole())
            .await
            .expect("memories can be listed");
        assert_eq!(listing.total, listing.items.len(), "one page holds all of them");
        listing.items.iter().map(|memory| memory.id).collect()
    }

    /// The links of a memory.
    pub async fn links(&self, id: MemoryId) -> Links {
        self.store.links(&self.owner, id).await.expect("links can be read")
    }

    /// The entity of this id.
    pub async fn entity(&self, id: EntityId) -> Entity {
        let mut found =
            self.store.entities(&self.owner, &[id]).await.expect("entities can be read");
        found.pop().expect("the entity is there")
    }

    /// The handoff of this id.
    pub async fn handoff(&self, id: HandoffId) -> Handoff {
        let found = self.store.handoff(&self.owner, id).await.expect("handoffs can be read");
        found.expect("the handoff is there")
    }

    /// The number of the newest change.
    pub async fn seq(&self) -> Seq {
        self.store.seq(&self.owner).await.expect("the sequence number can be read")
    }

    /// How many audit events there are.
    pub async fn events(&self) -> usize {
        let query = store::AuditQuery::default();
        self.store
            .audit(&self.owner, &query, Page::first(1))
            .await
            .expect("the audit log can be read")
            .total
    }

    /// When this text was forgotten.
    pub async fn forgotten(&self, text: &str) -> Option<Moment> {
        let hash = model::ContentHash::of(text);
        self.store.forgotten(&self.owner, hash).await.expect("tombstones can be read")
    }
}

/// As large a page as there is.
#[must_use]
pub fn whole() -> Page {
    Page::first(model::limits::PAGE)
}
