//! Shared test fixtures: a manual clock, a store with injected failures, temporary stores, raw
//! HTTP, a fake embedding endpoint, and a harness that kills a process while it writes.
//! Never part of the product.

mod bare;
pub mod bench;
mod clock;
mod doomed;
pub mod endpoint;
mod failing;
mod temporary;
pub mod wire;

pub use bare::BareFile;
pub use clock::FakeClock;
pub use doomed::{Doom, Doomed, run_doomed};
pub use failing::{FailingStore, When};
pub use temporary::TempStore;
