//! An engine over an empty store that is gone when the test is over.

use embed::{EmbedError, Embedder, Embedding};
use engine::credentials::Credentials;
use engine::{Clock, Engine, Parts, SystemClock};
use model::{Moment, OwnerId, VectorModel};
use std::error::Error;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use store::{Clients, Control};
use store_sqlite::{Options, SqliteStore};
use tempfile::TempDir;

/// A memory for as long as it is held.
pub struct Memory {
    engine: Arc<Engine>,
    store: SqliteStore,
    clock: Arc<Ahead>,
    _home: TempDir,
}

impl Memory {
    /// An empty one.
    pub async fn new() -> Result<Self, Box<dyn Error>> {
        let home = tempfile::tempdir()?;
        let store = SqliteStore::open(home.path(), Options::default())?;
        store.create_owner(&OwnerId::me(), Moment(0)).await?;
        let embedder = Arc::new(NoVectors(VectorModel { id: "none".to_owned(), dimensions: 1 }));
        let clock = Arc::new(Ahead::default());
        let parts = Parts {
            store: Arc::new(store.clone()),
            embedder,
            clock: clock.clone(),
            snapshots: None,
        };
        Ok(Self { engine: Arc::new(Engine::new(parts)), store, clock, _home: home })
    }

    /// Makes one more owner, or leaves the one that is there.
    pub async fn make_owner(&self, owner: &OwnerId) -> Result<(), Box<dyn Error>> {
        Ok(self.store.create_owner(owner, Moment(0)).await?)
    }

    /// Who stands behind the keys of its owners.
    pub fn credentials(&self) -> Arc<Credentials> {
        Arc::new(Credentials::new(Arc::new(self.store.clone()), Arc::clone(self.engine().core())))
    }

    /// What OAuth keeps in it.
    pub fn clients(&self) -> Arc<dyn Clients> {
        Arc::new(self.store.clone())
    }

    /// Lets time go by.
    pub fn pass(&self, seconds: i64) {
        self.clock.0.fetch_add(seconds, Ordering::SeqCst);
    }

    /// The engine over it.
    pub fn engine(&self) -> Arc<Engine> {
        Arc::clone(&self.engine)
    }
}

/// The time of this machine, and so many seconds that a test let go by.
#[derive(Default)]
struct Ahead(AtomicI64);

impl Clock for Ahead {
    fn now(&self) -> Moment {
        SystemClock.now().plus_seconds(self.0.load(Ordering::SeqCst))
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
