//! Background tasks of a long-running process: writing read events every few seconds, dropping
//! views that nobody reads, removing
//! expired audit events, idempotency keys, tokens and OAuth clients, making stale extracts again,
//! verifying the audit log once a day, making scheduled backups, delivering captured turns, and
//! embedding memories that have no vector of the current embedder, a few at a time so that no
//! caller waits for it.

use crate::job_lease::JobLeases;
use crate::turn_delivery::TurnDelivery;
use client_hooks::TurnSpool;
use engine::{Caller, Engine};

use crate::store_choice::AnyStore;
use engine::reembed::ReembedOutcome;
use model::{Moment, OwnerId};
use oauth::AuthorizationServer;
use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use store::JobFiles;
use tokio_util::sync::CancellationToken;

/// Delay before the first run. A short-lived `quipu mcp` has ended by then, and the first calls of
/// others are answered without competition.
const STARTUP_DELAY: Duration = Duration::from_secs(5);
/// Pause between two batches of embedding, which leaves the processor and the write lock to
/// callers.
const EMBED_PAUSE: Duration = Duration::from_millis(50);
/// Pause before looking again when every memory is embedded.
const IDLE_PAUSE: Duration = Duration::from_secs(60);
/// Number of memories embedded in one batch, on all cores. What an embedder that fails midway has
/// done of a batch is lost, so it is not larger.
const EMBED_BATCH: usize = 128;
/// Longest time that a read event stays unwritten. A write per read would cost more than the read.
const READ_EVENT_INTERVAL: Duration = Duration::from_secs(5);
/// Interval between two looks for views that nobody has read meanwhile. Loading one again takes
/// about as long as ten recalls.
const IDLE_VIEW_INTERVAL: Duration = Duration::from_secs(5 * 60);
/// Interval between two looks at the spool of captured turns.
const DELIVERY_INTERVAL: Duration = Duration::from_secs(15);
/// Number of turns delivered at once.
const DELIVERED_MAX: usize = 500;
/// Interval between two runs of retention.
const RETENTION_INTERVAL: Duration = Duration::from_secs(6 * 3600);
/// Interval between two checks for due backups.
const BACKUP_INTERVAL: Duration = Duration::from_secs(60);
/// Length of the lease of backups, a few times as long as the longest that one takes.
const BACKUP_LEASE_SECONDS: i64 = 15 * 60;
/// Length of the lease of embedding: longer than the pause after which it is renewed.
const EMBED_LEASE_SECONDS: i64 = 3 * 60;
/// Length of the lease of retention: a little shorter than its interval, so that the next run finds
/// a server that does it whoever did it before.
const RETENTION_LEASE_SECONDS: i64 = 6 * 3600 - 60;
/// Age at which the last verification of the audit log is repeated.
const AUDIT_VERIFY_SECONDS: i64 = 24 * 3600;

/// The background tasks of one process.
pub struct BackgroundTasks {
    pub engine: Arc<Engine>,
    pub store: Arc<dyn AnyStore>,
    /// The owner whose memory the process was started for.
    pub caller: Caller,
    /// The OAuth authorization server, if the process runs one.
    pub authorization_server: Option<Arc<AuthorizationServer>>,
    /// Leases of the jobs that one server of several shall run.
    pub leases: JobLeases,
    /// Files of jobs in the database that servers share.
    pub job_files: Option<Arc<dyn JobFiles>>,
    /// Directory that backups are written to.
    pub backups_dir: PathBuf,
    /// Turns that hooks captured, and their delivery.
    pub turns: (TurnSpool, TurnDelivery),
}

impl BackgroundTasks {
    /// Adds the cleanup of an OAuth authorization server.
    pub fn with_authorization_server(self, server: Option<Arc<AuthorizationServer>>) -> Self {
        Self { authorization_server: server, ..self }
    }

    /// Starts the tasks; they run until `stop` is cancelled.
    pub fn start(self, stop: CancellationToken) {
        tokio::spawn(async move {
            tokio::select! {
                () = stop.cancelled() => {}
                () = async {
                    tokio::join!(
                        self.write_read_events(),
                        self.drop_idle_views(),
                        self.run_retention(),
                        self.run_scheduled_backups(),
                        self.deliver_turns(),
                        self.embed_missing_vectors()
                    );
                } => {}
            }
        });
    }

    /// Delivers turns that a hook captured and could not deliver itself.
    async fn deliver_turns(&self) {
        let (spool, delivery) = &self.turns;
        loop {
            tokio::time::sleep(DELIVERY_INTERVAL).await;
            if !spool.is_empty() {
                delivery.deliver(&self.engine, spool, DELIVERED_MAX).await;
            }
        }
    }

    async fn write_read_events(&self) {
        loop {
            tokio::time::sleep(READ_EVENT_INTERVAL).await;
            self.engine.flush_usage().await;
        }
    }

    async fn drop_idle_views(&self) {
        loop {
            tokio::time::sleep(IDLE_VIEW_INTERVAL).await;
            self.engine.drop_idle_views().await;
            self.engine.save_views_in_use().await;
        }
    }

    async fn run_retention(&self) {
        tokio::time::sleep(STARTUP_DELAY).await;
        loop {
            for owner in self.store.owners().await.unwrap_or_default() {
                if !self.holds_lease(&owner, "retention", RETENTION_LEASE_SECONDS).await {
                    continue;
                }
                let caller = Caller::person(owner).with_tool("upkeep");
                match self.engine.admin().prune_audit(&caller).await {
                    Ok(0) => {}
                    Ok(removed) => {
                        tracing::info!(removed, "removed expired audit events")
                    }
                    Err(failure) => {
                        tracing::warn!(%failure, "cannot remove expired audit events")
                    }
                }
                self.remove_expired_files(&caller.owner).await;
                self.refresh_extracts(&caller).await;
                self.verify_audit_daily(&caller).await;
                match self.engine.admin().prune_idempotency_keys(&caller).await {
                    Ok(0) => {}
                    Ok(removed) => {
                        tracing::info!(removed, "removed expired idempotency keys")
                    }
                    Err(failure) => {
                        tracing::warn!(%failure, "cannot remove expired idempotency keys")
                    }
                }
            }
            self.remove_expired_oauth_clients().await;
            tokio::time::sleep(RETENTION_INTERVAL).await;
        }
    }

    /// Removes files of jobs that nobody fetched.
    async fn remove_expired_files(&self, owner: &OwnerId) {
        let Some(files) = &self.job_files else { return };
        match files.remove_expired_parts(owner, self.engine.now()).await {
            Ok(0) => {}
            Ok(removed) => tracing::info!(removed, "removed parts of expired files of jobs"),
            Err(error) => tracing::warn!(%error, "cannot remove expired files of jobs"),
        }
    }

    /// Makes extracts again that an earlier version of the program left stale.
    async fn refresh_extracts(&self, caller: &Caller) {
        match self.engine.admin().refresh_extracts(caller).await {
            Ok(0) => {}
            Ok(count) => tracing::info!(count, "made stale extracts again"),
            Err(failure) => tracing::warn!(%failure, "cannot make stale extracts again"),
        }
    }

    async fn remove_expired_oauth_clients(&self) {
        let Some(server) = &self.authorization_server else { return };
        // Under a clock that jumped ahead every token has expired.
        if !self.engine.admin().is_clock_plausible(&self.caller).await.unwrap_or(false) {
            return;
        }
        match server.sweep(self.engine.now()).await {
            Ok(0) => {}
            Ok(removed) => {
                tracing::info!(removed, "removed OAuth clients that were not authorized")
            }
            Err(error) => {
                tracing::warn!(%error, "cannot remove expired OAuth clients")
            }
        }
    }

    async fn holds_lease(&self, owner: &OwnerId, job: &str, seconds: i64) -> bool {
        self.leases.hold(owner, job, seconds, self.engine.now()).await
    }

    /// Makes due backups. Several processes may check; a backup by any of them counts for all. Of
    /// several servers one makes them, so that they are in one place.
    async fn run_scheduled_backups(&self) {
        loop {
            tokio::time::sleep(BACKUP_INTERVAL).await;
            for owner in self.store.owners().await.unwrap_or_default() {
                if !self.holds_lease(&owner, "backup", BACKUP_LEASE_SECONDS).await {
                    continue;
                }
                let caller = Caller::person(owner).with_tool("upkeep");
                match self.engine.admin().back_up_when_due(&caller, &self.backups_dir).await {
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
    async fn verify_audit_daily(&self, caller: &Caller) {
        let last = self.engine.admin().last_audit_verification(caller).await.ok().flatten();
        let now = self.engine.now();
        // One in the future is from a clock that was wrong, and says nothing about today.
        let is_recent = |at: Moment| at <= now && at.plus_seconds(AUDIT_VERIFY_SECONDS) > now;
        if last.is_some_and(|last| is_recent(last.at)) {
            return;
        }
        match self.engine.admin().verify_audit(caller).await {
            Ok(report) if report.is_intact() => {}
            Ok(report) => {
                let first = report.faults.first().map(ToString::to_string).unwrap_or_default();
                tracing::error!(
                    faults = report.faults.len(),
                    first,
                    "the audit log is not intact; `quipu audit verify` lists every place"
                );
            }
            Err(failure) => tracing::warn!(%failure, "cannot verify the audit log"),
        }
    }

    /// Embeds memories without a vector of the current embedder, of every owner in turn.
    async fn embed_missing_vectors(&self) {
        tokio::time::sleep(STARTUP_DELAY).await;
        let mut failed = HashSet::new();
        loop {
            let mut pause = IDLE_PAUSE;
            let owners = self.store.owners().await.unwrap_or_default();
            for owner in owners {
                if failed.contains(&owner)
                    || !self.holds_lease(&owner, "embedding", EMBED_LEASE_SECONDS).await
                {
                    continue;
                }
                let caller = Caller::person(owner.clone()).with_tool("upkeep");
                match self.engine.admin().reembed(&caller, EMBED_BATCH).await {
                    Ok(ReembedOutcome::Embedded(count)) => {
                        tracing::info!(count, "embedded memories");
                        pause = EMBED_PAUSE;
                    }
                    // A failing embedder has logged the reason and backs off by itself.
                    Ok(ReembedOutcome::Complete | ReembedOutcome::Stopped(_)) => {}
                    // Memories without vectors are still found by their words; the next
                    // long-running process tries again.
                    Err(failure) => {
                        tracing::warn!(%failure, "stopped embedding memories");
                        failed.insert(owner);
                    }
                }
            }
            tokio::time::sleep(pause).await;
        }
    }
}
