//! The use cases: what can be done with a memory, one file each, called by every dialect and command.
//! Rules that belong to all dialects live and are tested here. Knows no transport, no tool name and no SQL.

mod call;
mod caller;
mod clock;
mod uses;

pub use caller::{Caller, Surroundings};
pub use clock::{Clock, SystemClock};

use std::sync::Arc;
use store::Store;
use uses::Uses;

/// The memory, ready to be used.
pub struct Engine {
    store: Arc<dyn Store>,
    clock: Arc<dyn Clock>,
    uses: Uses,
}

impl Engine {
    /// An engine over a store.
    #[must_use]
    pub fn new(store: Arc<dyn Store>, clock: Arc<dyn Clock>) -> Self {
        let uses = Uses::new(Arc::clone(&store));
        Self { store, clock, uses }
    }

    /// Writes down what still waits in memory: use counts and read events. To be called before the process ends.
    pub async fn flush(&self) {
        self.uses.flush().await;
    }
}
