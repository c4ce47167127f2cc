//! Test fixture: an engine with a temporary store, the bundled model and a manual clock.

use embed::Bundled;
use engine::{Caller, Clock, Engine, Parts};
use model::{Moment, OwnerId};
use std::sync::Arc;
use testkit::{FakeClock, TempStore};

/// An engine with a temporary store and a manual clock.
pub struct House {
    pub engine: Engine,
    pub clock: FakeClock,
    _home: TempStore,
}

struct Standing(FakeClock);

impl Clock for Standing {
    fn now(&self) -> Moment {
        self.0.now()
    }
}

impl House {
    /// Creates an engine with an empty store, on 3 May 2026.
    pub async fn new() -> Self {
        let home = TempStore::new().await;
        let clock = FakeClock::at(Moment::parse("2026-05-03T12:00:00Z").unwrap());
        let engine = Engine::new(Parts {
            store: Arc::new((*home).clone()),
            embedder: Arc::new(Bundled::new()),
            clock: Arc::new(Standing(clock.clone())),
            snapshots: None,
        });
        Self { engine, clock, _home: home }
    }
}

/// Returns the owner as the caller.
pub fn me() -> Caller {
    Caller::person(OwnerId::me())
}
