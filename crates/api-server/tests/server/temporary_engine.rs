//! Fixture: an engine over an empty store that is removed when the test ends.

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

/// An engine with a temporary store.
pub struct TemporaryEngine {
    engine: Arc<Engine>,
    store: SqliteStore,
    clock: Arc<AdvancedClock>,
    _home: TempDir,
}

impl TemporaryEngine {
    /// Creates an empty store with one owner.
    pub async fn new() -> Result<Self, Box<dyn Error>> {
        let directory = tempfile::tempdir()?;
        let store = SqliteStore::open(directory.path(), Options::default())?;
        store.create_owner(&OwnerId::me(), Moment(0)).await?;
        let embedder =
            Arc::new(UnavailableEmbedder(VectorModel { id: "none".to_owned(), dimensions: 1 }));
        let clock = Arc::new(AdvancedClock::default());
        let parts = Parts {
            store: Arc::new(store.clone()),
            embedder,
            clock: clock.clone(),
            snapshots: None,
        };
        Ok(Self { engine: Arc::new(Engine::new(parts)), store, clock, _home: directory })
    }

    /// Creates an owner if it does not exist.
    pub async fn create_owner(&self, owner: &OwnerId) -> Result<(), Box<dyn Error>> {
        Ok(self.store.create_owner(owner, Moment(0)).await?)
    }

    /// Returns the lookup of its owners' keys.
    pub fn credentials(&self) -> Arc<Credentials> {
        Arc::new(Credentials::new(Arc::new(self.store.clone()), Arc::clone(self.engine().core())))
    }

    /// Returns the storage of OAuth clients.
    pub fn clients(&self) -> Arc<dyn Clients> {
        Arc::new(self.store.clone())
    }

    /// Advances the clock.
    pub fn advance_seconds(&self, seconds: i64) {
        self.clock.0.fetch_add(seconds, Ordering::SeqCst);
    }

    /// Returns the engine.
    pub fn engine(&self) -> Arc<Engine> {
        Arc::clone(&self.engine)
    }
}

/// System clock plus the seconds that a test has advanced it.
#[derive(Default)]
struct AdvancedClock(AtomicI64);

impl Clock for AdvancedClock {
    fn now(&self) -> Moment {
        SystemClock.now().plus_seconds(self.0.load(Ordering::SeqCst))
    }
}

/// Embedder that always fails; the test dialect embeds nothing.
struct UnavailableEmbedder(VectorModel);

impl Embedder for UnavailableEmbedder {
    fn model(&self) -> &VectorModel {
        &self.0
    }

    fn embed(&self, _texts: &[&str]) -> Result<Vec<Embedding>, EmbedError> {
        let reason = "there is no model in this fixture".to_owned();
        Err(EmbedError::Unavailable { model: self.0.id.clone(), reason })
    }
}
