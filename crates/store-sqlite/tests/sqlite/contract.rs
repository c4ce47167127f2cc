//! The conformance suite of the storage contract.

use quipu_store_sqlite::{Options, SqliteStore};
use std::path::Path;

async fn open(home: &Path) -> SqliteStore {
    SqliteStore::open(home, Options::default())
        .expect("a store can be opened in an empty directory")
}

store_conformance::conformance_suite!(open);
store_conformance::snapshot_suite!(open, SqliteStore::snapshot_files);
