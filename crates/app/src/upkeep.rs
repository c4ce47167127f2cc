//! What a process that stays does beside answering: memories without vectors of the embedder in use, because it is
//! another one than before or did not answer when they were remembered, get theirs, a few at a time, so that nobody
//! has to wait for it.

use engine::{Caller, Engine, Reembedded};
use std::sync::Arc;
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// Most processes end before this, or have answered their first calls.
const BEFORE_THE_FIRST: Duration = Duration::from_secs(5);
/// Between two rounds, for others to use the processor and the store.
const BETWEEN: Duration = Duration::from_millis(250);
/// When nothing is missing, until somebody looks again.
const WHEN_COMPLETE: Duration = Duration::from_secs(60);
/// How many memories a round takes.
const AT_ONCE: usize = 32;

/// Makes missing vectors until the process is asked to end.
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
        let pause = match engine.reembed(caller, AT_ONCE).await {
            Ok(Reembedded::Made(made)) => {
                tracing::info!(made, "memories were embedded anew");
                BETWEEN
            }
            // An embedder that fails is in the log already, and keeps its own time until it asks again.
            Ok(Reembedded::Complete | Reembedded::Stopped(_)) => WHEN_COMPLETE,
            // Words alone find what has no vectors; the next process that stays tries again.
            Err(failure) => return tracing::warn!(%failure, "embedding anew stopped"),
        };
        tokio::time::sleep(pause).await;
    }
}
