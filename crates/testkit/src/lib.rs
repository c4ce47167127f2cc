//! Shared test fixtures: a manual clock, a store with injected failures, temporary stores, raw
//! HTTP, a fake embedding endpoint, an OpenID provider, and a harness that kills a process while it
//! writes. Never part of the product.

mod bare_sqlite;
pub mod bench;
mod clock;
mod failing_store;
pub mod fake_endpoint;
pub mod fake_provider;
mod kill_harness;
pub mod raw_http;
mod temp_store;

pub use bare_sqlite::BareSqliteFile;
pub use clock::FakeClock;
pub use failing_store::{FailingStore, FailurePoint, Interruption};
pub use kill_harness::{KillPlan, KilledProcess, run_and_kill};
pub use temp_store::TempStore;
