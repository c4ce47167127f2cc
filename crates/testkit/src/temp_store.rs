//! A store in a temporary directory, deleted after the test.

use model::{Moment, OwnerId};
use std::ops::Deref;
use std::path::Path;
use store::Control;
use store_sqlite::{Options, SqliteStore};
use tempfile::TempDir;

/// A SQLite store in a temporary directory, with the owner `me`.
#[derive(Debug)]
pub struct TempStore {
    store: SqliteStore,
    home: TempDir,
}

#[expect(clippy::expect_used, reason = "a test without a store cannot continue")]
impl TempStore {
    /// Creates an empty store.
    ///
    /// # Panics
    /// The temporary directory cannot be written.
    pub async fn new() -> Self {
        Self::with_options(Options::default()).await
    }

    /// Creates an empty store with these options.
    ///
    /// # Panics
    /// The temporary directory cannot be written.
    pub async fn with_options(options: Options) -> Self {
        let home = tempfile::tempdir().expect("a temporary directory can be created");
        let store = SqliteStore::open(home.path(), options).expect("a store can be created in it");
        store.create_owner(&OwnerId::me(), Moment(0)).await.expect("an owner can be created in it");
        Self { store, home }
    }

    /// Opens a second store on the same files, as another process would.
    ///
    /// # Panics
    /// The store cannot be opened a second time.
    #[must_use]
    pub fn reopen(&self) -> SqliteStore {
        SqliteStore::open(self.home.path(), Options::default())
            .expect("a store can be opened twice")
    }

    /// Returns the directory, for tests that damage its files.
    #[must_use]
    pub fn home(&self) -> &Path {
        self.home.path()
    }
}

impl Deref for TempStore {
    type Target = SqliteStore;

    fn deref(&self) -> &SqliteStore {
        &self.store
    }
}
