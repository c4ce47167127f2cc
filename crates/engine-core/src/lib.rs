//! What every use case stands on: the call with its policy and audit event, the batch that it
//! writes, screening, embedding, the views, search and the usage log. Knows no use case, no
//! transport and no SQL.

pub mod call;
pub mod caller;
pub mod clock;
mod core;
pub mod embedding;
mod owner_store;
pub mod plan;
mod questions;
pub mod screening;
mod screening_notes;
pub mod search;
mod usage_log;
mod views;

pub use crate::core::{Core, Options, Parts, SnapshotPath};
pub use call::Call;
pub use caller::{Caller, ClientEnvironment};
pub use clock::{Clock, SystemClock};
pub use owner_store::OwnerStore;
pub use questions::KEEP_QUESTIONS;
pub use screening_notes::CallScreen;
pub use views::OwnerView;
