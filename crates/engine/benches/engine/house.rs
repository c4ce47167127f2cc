//! A filled store with engines over it.

use embed::{Bundled, Embedder};
use engine::{Caller, Engine, Parts, SystemClock};
use model::{AgentName, Dialect, OwnerId};
use std::path::PathBuf;
use std::sync::Arc;
use testkit::TempStore;
use testkit::bench::Filled;

pub struct House {
    pub home: TempStore,
    pub engine: Arc<Engine>,
    pub caller: Caller,
    pub embedder: Arc<Bundled>,
    pub filled: Filled,
}

impl House {
    /// A store with so many memories.
    pub async fn filled(size: usize) -> Self {
        let home = TempStore::new().await;
        let filled = Filled::new();
        filled.fill(&*home, size).await;
        let embedder = Arc::new(Bundled::new());
        let caller = Caller::agent(OwnerId::me(), AgentName::new("bench"), Dialect::Quipu).using("bench");
        let engine = Arc::new(engine_on(&home, &embedder));
        Self { home, engine, caller, embedder, filled }
    }

    /// Another engine on the same files, as a new process would have it.
    pub fn fresh_engine(&self) -> Engine {
        engine_on(&self.home, &self.embedder)
    }
}

fn engine_on(home: &TempStore, embedder: &Arc<Bundled>) -> Engine {
    let directory: PathBuf = home.home().to_owned();
    Engine::new(Parts {
        store: Arc::new(home.open_again()),
        embedder: Arc::clone(embedder) as Arc<dyn Embedder>,
        clock: Arc::new(SystemClock),
        snapshots: Some(Arc::new(move |owner: &OwnerId| directory.join(format!("{owner}.snapshot")))),
    })
}
