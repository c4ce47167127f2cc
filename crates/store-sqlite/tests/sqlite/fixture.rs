//! The fixture of the tests: a store in a temporary directory, and shorthands for using it.

use model::{MemoryId, OwnerId, Page, Seq};
use quipu_store_sqlite::{Options, SqliteStore};
use rusqlite::Connection;
use std::path::{Path, PathBuf};
use store::{AuditQuery, Batch, Change, CommittedBatch, Control, Store};
use store_conformance::builders::{batch, moment, remember};
use tempfile::TempDir;

/// A store in a temporary directory, with the owner `me`.
pub struct SqliteFixture {
    pub home: TempDir,
    pub store: SqliteStore,
    pub owner: OwnerId,
}

impl SqliteFixture {
    pub async fn new() -> Self {
        Self::with(Options::default()).await
    }

    pub async fn with(options: Options) -> Self {
        let home = tempfile::tempdir().unwrap();
        let store = open(home.path(), options);
        let me = OwnerId::me();
        store.create_owner(&me, moment(0)).await.unwrap();
        Self { home, store, owner: me }
    }

    /// Opens a second handle on the same files, as another process would have it.
    pub fn second_handle(&self) -> SqliteStore {
        open(self.home.path(), Options::default())
    }

    /// Returns the path of the owner's memory.
    pub fn memory_file(&self) -> PathBuf {
        memory_file(self.home.path())
    }

    /// Opens a plain connection to the owner's memory.
    pub fn connection(&self) -> Connection {
        Connection::open(self.memory_file()).unwrap()
    }

    pub async fn commit(&self, changes: Vec<Change>) -> CommittedBatch {
        self.store.write(&self.owner, batch(changes)).await.unwrap()
    }

    pub async fn remember(&self, text: &str) -> MemoryId {
        self.commit(vec![remember(text)]).await.results[0].memory().unwrap()
    }
}

pub fn open(home: &Path, options: Options) -> SqliteStore {
    SqliteStore::open(home, options).unwrap()
}

pub fn memory_file(home: &Path) -> PathBuf {
    home.join("owners/me/memory.db")
}

pub fn note_batch(text: &str) -> Batch {
    batch(vec![remember(text)])
}

/// Asserts that the file is sound and has so many writes, each with its audit event.
pub async fn assert_sound(store: &SqliteStore, owner: &OwnerId, writes: usize) {
    let health = store.health(owner).await.unwrap();
    assert!(health.sound, "{:?}", health.problems);
    assert_eq!(store.seq(owner).await.unwrap(), Seq(i64::try_from(writes).unwrap()));
    let log = store.audit(owner, &AuditQuery::default(), Page::first(1)).await.unwrap();
    assert_eq!(log.total, writes, "every write has its event");
}
