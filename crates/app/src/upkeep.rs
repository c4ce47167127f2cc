//! Background tasks of a long-running process: writing read events every few seconds, removing
//! expired audit events, idempotency keys, tokens and OAuth clients, verifying the audit log once a
//! day, making scheduled backups, and embedding memories that have no vector of the current
//! embedder, a few at a time so that no caller waits for it.

use engine::{Caller, Engine};

use engine::reembed::Reembedded;
use oauth::Desk;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use store::Control;
use store_sqlite::SqliteStore;
use tokio_util::sync::CancellationToken;

/// Delay before the first run. A short-lived `quipu mcp` has ended by then, and the first calls of
/// others are answered without competition.
const BEFORE_THE_FIRST: Duration = Duration::from_secs(5);
/// Pause between two batches of embedding, which leaves the processor and the write lock to
/// callers.
const BETWEEN: Duration = Duration::from_millis(250);
/// Pause before looking again when every memory is embedded.
const WHEN_COMPLETE: Duration = Duration::from_secs(60);
/// Number of memories embedded in one batch.
const AT_ONCE: usize = 32;
/// Longest time that a read event stays unwritten. A write per read would cost more than the read.
const READS_WAIT: Duration = Duration::from_secs(5);
/// Interval between two runs of retention.
const RETENTION_EVERY: Duration = Duration::from_secs(6 * 3600);
/// Interval between two checks for due backups.
const BACKUPS_EVERY: Duration = Duration::from_secs(60);
/// Age at which the last verification of the audit log is repeated.
const VERIFIED_FOR_SECONDS: i64 = 24 * 3600;

/// The background tasks of one process.
pub struct Upkeep {
    pub engine: Arc<Engine>,
    pub store: SqliteStore,
    /// The owner whose memory the process was started for.
    pub caller: Caller,
    /// The OAuth authorization server, if the process runs one.
    pub desk: Option<Arc<Desk>>,
    /// Directory that backups are written to.
    pub backups: PathBuf,
}

impl Upkeep {
    /// Adds the cleanup of an OAuth authorization server.
    pub fn with_desk(self, desk: Option<Arc<Desk>>) -> Self {
        Self { desk, ..self }
    }

    /// Starts the tasks; they run until `stop` is cancelled.
    pub fn start(self, stop: CancellationToken) {
        tokio::spawn(async move {
            tokio::select! {
                () = stop.cancelled() => {}
                () = async {
                    tokio::join!(
                        self.write_down_reads(),
                        self.keep_audit(),
                        self.back_up(),
                        self.embed_what_is_missing()
                    );
                } => {}
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
                        tracing::info!(removed, "removed expired audit events")
                    }
                    Err(failure) => {
                        tracing::warn!(%failure, "cannot remove expired audit events")
                    }
                }
                self.verify(&caller).await;
                match self.engine.admin().give_up_old_keys(&caller).await {
                    Ok(0) => {}
                    Ok(removed) => {
                        tracing::info!(removed, "removed expired idempotency keys")
                    }
                    Err(failure) => {
                        tracing::warn!(%failure, "cannot remove expired idempotency keys")
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
            Ok(removed) => {
                tracing::info!(removed, "removed OAuth clients that were not authorized")
            }
            Err(error) => {
                tracing::warn!(%error, "cannot remove expired OAuth clients")
            }
        }
    }

    /// Makes due backups. Several processes may check; a backup by any of them counts for all.
    async fn back_up(&self) {
        loop {
            tokio::time::sleep(BACKUPS_EVERY).await;
            for owner in self.store.owners().await.unwrap_or_default() {
                let caller = Caller::person(owner).using("upkeep");
                match self.engine.admin().back_up_when_due(&caller, &self.backups).await {
                    Ok(None) => {}
                    Ok(Some(backup)) => tracing::info!(file = backup.file, "made a backup"),
                    Err(failure) => {
                        tracing::warn!(%failure, "cannot make a scheduled backup")
                    }
                }
            }
        }
    }

    /// Verifies the audit log, unless any process did so within a day.
    async fn verify(&self, caller: &Caller) {
        let last = self.engine.admin().audit_verified(caller).await.ok().flatten();
        if last.is_some_and(|last| last.at.plus_seconds(VERIFIED_FOR_SECONDS) > self.engine.now()) {
            return;
        }
        match self.engine.admin().verify_audit(caller).await {
            Ok(report) if report.holds() => {}
            Ok(report) => {
                tracing::error!(faults = report.faults.len(), "the audit log was tampered with")
            }
            Err(failure) => tracing::warn!(%failure, "cannot verify the audit log"),
        }
    }

    async fn embed_what_is_missing(&self) {
        tokio::time::sleep(BEFORE_THE_FIRST).await;
        loop {
            let pause = match self.engine.admin().reembed(&self.caller, AT_ONCE).await {
                Ok(Reembedded::Made(count)) => {
                    tracing::info!(count, "embedded memories");
                    BETWEEN
                }
                // A failing embedder has logged the reason and backs off by itself.
                Ok(Reembedded::Complete | Reembedded::Stopped(_)) => WHEN_COMPLETE,
                // Memories without vectors are still found by their words; the next long-running
                // process tries again.
                Err(failure) => return tracing::warn!(%failure, "stopped embedding memories"),
            };
            tokio::time::sleep(pause).await;
        }
    }
}
