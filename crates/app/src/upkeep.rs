//! What a process that stays does beside answering: it writes the events of what was read down
//! every few seconds, removes audit events that are older than their owner keeps them and
//! idempotency keys that no retry will come with any more, tokens and programs that are over, walks
//! along the audit log once a day, makes the backups that owners scheduled, and gives memories that
//! have no vectors of the embedder in use theirs, a few at a time, so that nobody has to wait for
//! it.

use engine::{Caller, Engine};

use engine::reembed::Reembedded;
use oauth::Desk;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use store::Control;
use store_sqlite::SqliteStore;
use tokio_util::sync::CancellationToken;

/// Most processes end before this, or have answered their first calls.
const BEFORE_THE_FIRST: Duration = Duration::from_secs(5);
/// Between two rounds of embedding, for others to use the processor and the store.
const BETWEEN: Duration = Duration::from_millis(250);
/// When nothing is missing, until somebody looks again.
const WHEN_COMPLETE: Duration = Duration::from_secs(60);
/// How many memories a round takes.
const AT_ONCE: usize = 32;
/// How long the event of a read waits to be written down at most.
const READS_WAIT: Duration = Duration::from_secs(5);
/// How often the audit log is looked through for what is too old.
const RETENTION_EVERY: Duration = Duration::from_secs(6 * 3600);

/// How often it is looked whether a backup is due.
const BACKUPS_EVERY: Duration = Duration::from_secs(60);
/// For how long it is enough that the audit log was walked along.
const VERIFIED_FOR_SECONDS: i64 = 24 * 3600;

/// A process that stays.
pub struct Upkeep {
    /// What answers.
    pub engine: Arc<Engine>,
    /// What knows the owners.
    pub store: SqliteStore,
    /// The owner in person, whose memory the process was started for.
    pub caller: Caller,
    /// The desk that programs come to, where there is one.
    pub desk: Option<Arc<Desk>>,
    /// The directory that backups are written to.
    pub backups: PathBuf,
}

impl Upkeep {
    /// The same for a process that programs come to over OAuth.
    pub fn with_desk(self, desk: Option<Arc<Desk>>) -> Self {
        Self { desk, ..self }
    }

    /// Keeps up until the process is asked to end.
    pub fn start(self, stop: CancellationToken) {
        tokio::spawn(async move {
            tokio::select! {
                () = stop.cancelled() => {}
                () = async { tokio::join!(self.write_down_reads(), self.keep_audit(), self.back_up(), self.embed_what_is_missing()); } => {}
            }
        });
    }

    async fn write_down_reads(&self) {
        loop {
            tokio::time::sleep(READS_WAIT).await;
            self.engine.flush_usage().await;
        }
    }

    async fn keep_audit(&self) {
        tokio::time::sleep(BEFORE_THE_FIRST).await;
        loop {
            for owner in self.store.owners().await.unwrap_or_default() {
                let caller = Caller::person(owner).using("upkeep");
                match self.engine.admin().prune_audit(&caller).await {
                    Ok(0) => {}
                    Ok(removed) => {
                        tracing::info!(removed, "audit events were older than they are kept")
                    }
                    Err(failure) => {
                        tracing::warn!(%failure, "the audit log could not be looked through")
                    }
                }
                self.verify(&caller).await;
                match self.engine.admin().give_up_old_keys(&caller).await {
                    Ok(0) => {}
                    Ok(removed) => {
                        tracing::info!(removed, "idempotency keys were older than they are kept")
                    }
                    Err(failure) => {
                        tracing::warn!(%failure, "old idempotency keys could not be removed")
                    }
                }
            }
            self.tidy_desk().await;
            tokio::time::sleep(RETENTION_EVERY).await;
        }
    }

    async fn tidy_desk(&self) {
        let Some(desk) = &self.desk else { return };
        match desk.tidy(self.engine.now()).await {
            Ok(0) => {}
            Ok(removed) => tracing::info!(removed, "programs that nobody let in were forgotten"),
            Err(error) => {
                tracing::warn!(%error, "the programs that ask could not be looked through")
            }
        }
    }

    /// Makes the backups that are due. Several processes may look at once; whoever comes first
    /// makes it.
    async fn back_up(&self) {
        loop {
            tokio::time::sleep(BACKUPS_EVERY).await;
            for owner in self.store.owners().await.unwrap_or_default() {
                let caller = Caller::person(owner).using("upkeep");
                match self.engine.admin().back_up_when_due(&caller, &self.backups).await {
                    Ok(None) => {}
                    Ok(Some(made)) => tracing::info!(file = made.file, "a backup was made"),
                    Err(failure) => {
                        tracing::warn!(%failure, "a backup that was due could not be made")
                    }
                }
            }
        }
    }

    /// Walks along the audit log, unless somebody did within a day.
    async fn verify(&self, caller: &Caller) {
        let last = self.engine.admin().audit_verified(caller).await.ok().flatten();
        if last.is_some_and(|last| last.at.plus_seconds(VERIFIED_FOR_SECONDS) > self.engine.now()) {
            return;
        }
        match self.engine.admin().verify_audit(caller).await {
            Ok(report) if report.holds() => {}
            Ok(report) => {
                tracing::error!(faults = report.faults.len(), "the audit log does not hold")
            }
            Err(failure) => tracing::warn!(%failure, "the audit log could not be verified"),
        }
    }

    async fn embed_what_is_missing(&self) {
        tokio::time::sleep(BEFORE_THE_FIRST).await;
        loop {
            let pause = match self.engine.admin().reembed(&self.caller, AT_ONCE).await {
                Ok(Reembedded::Made(made)) => {
                    tracing::info!(made, "memories were embedded anew");
                    BETWEEN
                }
                // An embedder that fails is in the log already, and keeps its own time until it
                // asks again.
                Ok(Reembedded::Complete | Reembedded::Stopped(_)) => WHEN_COMPLETE,
                // Words alone find what has no vectors; the next process that stays tries again.
                Err(failure) => return tracing::warn!(%failure, "embedding anew stopped"),
            };
            tokio::time::sleep(pause).await;
        }
    }
}
