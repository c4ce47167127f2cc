//! An engine over an empty store that is gone when the test is over.

use embed::{EmbedError, Embedder, Embedding};
use engine::{Credentials, Engine, Parts, SystemClock};
use model::{Moment, OwnerId, VectorModel};
use std::error::Error;
use std::sync::Arc;
use store::Control;
use store_sqlite::{Options, SqliteStore};
use tempfile::TempDir;

/// A memory for as long as it is held.
pub struct Memory {
    engine: Arc<Engine>,
    store: SqliteStore,
    _home: TempDir,
}

impl Memory {
    /// An empty one.
    pub async fn new() -> Result<Self, Box<dyn Error>> {
        let home = tempfile::tempdir()?;
        let store = SqliteStore::open(home.path(), Options::default())?;
        store.create_owner(&OwnerId::me(), Moment(0)).await?;
        let embedder = Arc::new(NoVectors(VectorModel { id: "none".to_owned(), dimensions: 1 }));
        let parts =
            Parts { store: Arc::new(store.clone()), embedder, clock: Arc::new(SystemClock), snapshots: None };
        Ok(Self { engine: Arc::new(Engine::new(parts)), store, _home: home })
    }

    /// Makes one more owner, or leaves the one that is there.
    pub async fn make_owner(&self, owner: &OwnerId) -> Result<(), Box<dyn Error>> {
        Ok(self.store.create_owner(owner, Moment(0)).await?)
    }

    /// Who stands behind the keys of its owners.
    pub fn credentials(&self) -> Arc<Credentials> {
        Arc::new(Credentials::new(Arc::new(self.store.clone()), self.engine()))
    }

    /// The engine over it.
    pub fn engine(&self) -> Arc<Engine> {
        Arc::clone(&self.engine)
    }
}

/// The test dialect asks for none.
struct NoVectors(VectorModel);

impl Embedder for NoVectors {
    fn model(&self) -> &VectorModel {
        &self.0
    }

    fn embed(&self, _texts: &[&str]) -> Result<Vec<Embedding>, EmbedError> {
        let reason = "there is no model in the testbed".to_owned();
        Err(EmbedError::Unavailable { model: self.0.id.clone(), reason })
    }
}
