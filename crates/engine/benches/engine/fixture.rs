//! The benchmark fixture: a filled store with engines over it.

use crate::prepared_embedder::PreparedEmbedder;
use embed::{BundledEmbedder, Embedder};
use engine::{Caller, Engine, Parts, SystemClock};
use model::{AgentName, Dialect, OwnerId};
use std::path::PathBuf;
use std::sync::Arc;
use store_sqlite::SnapshotFiles;
use testkit::TempStore;
use testkit::bench::StoreFiller;

pub struct BenchFixture {
    pub store: TempStore,
    pub engine: Arc<Engine>,
    pub caller: Caller,
    pub embedder: Arc<BundledEmbedder>,
    pub filled: StoreFiller,
    /// An engine whose embedder has its answers prepared, and that embedder.
    pub prepared: (Engine, Arc<PreparedEmbedder>),
}

impl BenchFixture {
    /// Creates a store with a number of memories.
    pub async fn filled(size: usize) -> Self {
        let home = TempStore::new().await;
        let filled = StoreFiller::new();
        filled.fill(&*home, size).await;
        let embedder = Arc::new(BundledEmbedder::new());
        let caller = Caller::agent(OwnerId::me(), AgentName::new("bench"), Dialect::Quipu)
            .with_tool("bench");
        let engine = Arc::new(engine_on(&home, Arc::clone(&embedder) as Arc<dyn Embedder>));
        let known = Arc::new(PreparedEmbedder::new(Arc::clone(&embedder)));
        let prepared = (engine_on(&home, Arc::clone(&known) as Arc<dyn Embedder>), known);
        Self { store: home, engine, caller, embedder, filled, prepared }
    }

    /// Opens another engine on the same files, like a new process.
    pub fn fresh_engine(&self) -> Engine {
        engine_on(&self.store, Arc::clone(&self.embedder) as Arc<dyn Embedder>)
    }
}

fn engine_on(home: &TempStore, embedder: Arc<dyn Embedder>) -> Engine {
    let directory: PathBuf = home.home().to_owned();
    Engine::new(Parts {
        store: Arc::new(home.reopen()),
        embedder,
        clock: Arc::new(SystemClock),
        snapshots: Some(Arc::new(SnapshotFiles::new(move |owner| {
            directory.join(format!("{owner}.snapshot"))
        }))),
    })
}
