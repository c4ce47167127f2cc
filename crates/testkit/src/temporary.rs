//! A store that is gone when the test is over.

use model::{Moment, OwnerId};
use std::ops::Deref;
use std::path::Path;
use store::Control;
use store_sqlite::{Options, SqliteStore};
use tempfile::TempDir;

/// A SQLite store in a temporary directory, with the owner `me` in it.
#[derive(Debug)]
pub struct TempStore {
    store: SqliteStore,
    home: TempDir,
}

#[expect(clippy::expect_used, reason = "a test that has no place to write to cannot go on")]
impl TempStore {
    /// A new, empty store.
    ///
    /// # Panics
    /// When the temporary directory cannot be written.
    pub async fn new() -> Self {
        Self::with(Options::default()).await
    }

    /// A new, empty store that is opened this way.
    ///
    /// # Panics
    /// When the temporary directory cannot be written.
    pub async fn with(options: Options) -> Self {
        let home = tempfile::tempdir().expect("a temporary directory can be made");
        let store = SqliteStore::open(home.path(), options).expect("a store can be made in it");
        store.create_owner(&OwnerId::me(), Moment(0)).await.expect("an owner can be made in it");
        Self { store, home }
    }

    /// Another handle on the same files, as another process would have it.
    ///
    /// # Panics
    /// When the store cannot be opened a second time.
    #[must_use]
    pub fn open_again(&self) -> SqliteStore {
        SqliteStore::open(self.home.path(), Options::default())
            .expect("a store can be opened twice")
    }

    /// The directory, for whoever wants to spoil a file.
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
