//! What a process that stays does beside answering: when the embedding model has changed, it makes the vectors of
//! the old memories anew, a few at a time, so that nobody has to wait for it.

use engine::{Caller, Engine};
use std::sync::Arc;
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// Most processes end before this, or have answered their first calls.
const BEFORE_THE_FIRST: Duration = Duration::from_secs(5);
/// Between two rounds, for others to use the processor and the store.
const BETWEEN: Duration = Duration::from_millis(250);
/// How many memories a round takes.
const AT_ONCE: usize = 32;

/// Makes missing vectors until there are none or the process is asked to end.
pub fn start(engine: Arc<Engine>, caller: Caller, stop: CancellationToken) {
    tokio::spawn(async move {
        tokio::select! {
            () = stop.cancelled() => {}
            () = embed_what_is_missing(&engine, &caller) => {}
        }
    });
}

async fn embed_what_is_missing(engine: &Engine, caller: &Caller) {
    tokio::time::sleep(BEFORE_THE_FIRST).await;
    loop {
        match engine.reembed(caller, AT_ONCE).await {
            Ok(0) => return,
            Ok(made) => tracing::info!(made, "memories were embedded anew"),
            // Words alone find what has no vectors; the next process that stays tries again.
            Err(failure) => return tracing::warn!(%failure, "embedding anew stopped"),
        }
        tokio::time::sleep(BETWEEN).await;
    }
}
