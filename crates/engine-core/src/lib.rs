//! The base of every use case: the call with its policy and audit event, the batch that it
//! writes and the texts that are derived from memories, screening, embedding, the views, search and
//! the usage log. Knows no use case, no transport and no SQL.

pub mod call;
pub mod caller;
mod change_probability;
pub mod clock;
mod core;
pub mod derived;
pub mod embedding;
mod owner_store;
pub mod plan;
mod questions;
pub mod screening;
mod screening_notes;
pub mod search;
mod usage_log;
mod use_table;
mod views;

pub use crate::core::{Core, Options, Parts};
pub use call::Call;
pub use caller::{Caller, ClientEnvironment};
pub use clock::{Clock, SystemClock};
pub use owner_store::OwnerStore;
pub use questions::QUESTION_RETENTION;
pub use screening_notes::CallScreen;
pub use use_table::UseTable;
pub use views::OwnerView;

use model::Failure;
use std::pin::Pin;

/// The future of a use case.
// It is boxed because the compiler instantiates the body of an `async fn` in every crate that
// awaits it: unboxed, each use case would be compiled again for the dialects, the server, the
// dashboard and the binary, which took most of the time of a release build. Boxed, it is compiled
// once.
pub type UseCaseFuture<'e, T> = Pin<Box<dyn Future<Output = Result<T, Failure>> + Send + 'e>>;
