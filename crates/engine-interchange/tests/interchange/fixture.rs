//! Test fixture: an engine with a temporary store, the bundled model and a manual clock.

use embed::BundledEmbedder;
use engine::{Caller, Clock, Engine, Parts};
use model::{Moment, OwnerId};
use std::sync::Arc;
use testkit::{FakeClock, TempStore};

/// An engine with a temporary store and a manual clock.
pub struct InterchangeFixture {
    pub engine: Engine,
    pub clock: FakeClock,
    _home: TempStore,
}

struct ManualClock(FakeClock);

impl Clock for ManualClock {
    fn now(&self) -> Moment {
        self.0.now()
    }
}

impl InterchangeFixture {
    /// Creates an engine with an empty store, on 3 May 2026.
    pub async fn new() -> Self {
        let home = TempStore::new().await;
        let clock = FakeClock::at(Moment::parse("2026-05-03T12:00:00Z").unwrap());
        let engine = Engine::new(Parts {
            store: Arc::new((*home).clone()),
            embedder: Arc::new(BundledEmbedder::new()),
            clock: Arc::new(ManualClock(clock.clone())),
            snapshots: None,
        });
        Self { engine, clock, _home: home }
    }
}

/// Returns the owner as the caller.
pub fn me() -> Caller {
    Caller::person(OwnerId::me())
}
