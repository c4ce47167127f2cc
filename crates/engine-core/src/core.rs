//! The parts that every use case shares: the store, the embedder, the clock, the views and the
//! usage log.

use crate::clock::Clock;
use crate::owner_store::OwnerStore;
use crate::usage_log::UsageLog;
use crate::use_table::UseTables;
use crate::views::{OwnerView, Views};
use embed::{CrossEncoder, Embedder};
use guard::SecretPolicy;
use model::{AgentName, Failure, Moment, OwnerId};
use recall::RankingWeights;
use std::sync::Arc;
use store::{Store, ViewSnapshots};

/// The parts that an engine is built from.
pub struct Parts {
    /// Store of the memories.
    pub store: Arc<dyn Store>,
    /// Embedder of texts and questions.
    pub embedder: Arc<dyn Embedder>,
    /// Source of the time.
    pub clock: Arc<dyn Clock>,
    /// Storage of view snapshots; without it every process builds its views from the store.
    pub snapshots: Option<Arc<dyn ViewSnapshots>>,
}

/// Settings of an engine that have a default.
#[derive(Debug, Clone, Copy, Default)]
pub struct Options {
    /// Weights of the ranking; others only to measure the worth of a part.
    pub ranking: RankingWeights,
    /// Rule for secrets in texts that are to be stored.
    pub on_secret: SecretPolicy,
    /// Bytes that the views of all owners together may take; no bound when missing.
    pub view_memory: Option<usize>,
}

/// The state that every use case shares.
pub struct Core {
    pub(crate) store: Arc<dyn Store>,
    pub(crate) embedder: Arc<dyn Embedder>,
    pub(crate) cross_encoder: CrossEncoder,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) uses: UsageLog,
    pub(crate) use_tables: UseTables,
    pub(crate) views: Views,
    pub(crate) ranking: RankingWeights,
    pub(crate) on_secret: SecretPolicy,
}

impl Core {
    /// Builds a core from its parts.
    #[must_use]
    pub fn new(parts: Parts, options: Options) -> Self {
        Self {
            uses: UsageLog::new(Arc::clone(&parts.store)),
            use_tables: UseTables::default(),
            store: parts.store,
            embedder: parts.embedder,
            cross_encoder: CrossEncoder::new(),
            clock: parts.clock,
            views: Views::new(parts.snapshots, options.view_memory),
            ranking: options.ranking,
            on_secret: options.on_secret,
        }
    }

    /// Returns the current time by the clock that everything here uses.
    #[must_use]
    pub fn now(&self) -> Moment {
        self.clock.now()
    }

    /// Returns the embedder.
    #[must_use]
    pub fn embedder(&self) -> &Arc<dyn Embedder> {
        &self.embedder
    }

    /// Returns the weights of the ranking.
    #[must_use]
    pub fn ranking(&self) -> &RankingWeights {
        &self.ranking
    }

    /// Returns the reads of one owner's store, past the policy: only for what no caller is shown.
    /// A use case reads through [`crate::Call::store`].
    #[must_use]
    pub fn store_of<'e>(&'e self, owner: &'e OwnerId) -> OwnerStore<'e> {
        OwnerStore::new(&*self.store, owner)
    }

    /// Returns the owner's view, caught up with the store.
    ///
    /// # Errors
    /// Fails when the store cannot answer.
    pub async fn view(&self, owner: &OwnerId) -> Result<Arc<OwnerView>, Failure> {
        self.views.current(self, owner).await
    }

    /// Returns the number of owners whose view is in memory.
    #[must_use]
    pub fn view_count(&self) -> usize {
        self.views.count()
    }

    /// Removes forgotten memories from the view and its snapshot. Returns whether there was a
    /// snapshot.
    ///
    /// # Errors
    /// Fails when the store cannot answer.
    pub async fn forget_in_view(&self, owner: &OwnerId) -> Result<bool, Failure> {
        self.views.forget(self, owner).await
    }

    /// Returns the size in bytes of the stored snapshot of a view; `None` if there is none.
    pub async fn snapshot_bytes(&self, owner: &OwnerId) -> Option<u64> {
        self.views.snapshot_bytes(self, owner).await
    }

    /// Removes the stored snapshot of a view, and returns whether there was one.
    pub async fn remove_snapshot(&self, owner: &OwnerId) -> bool {
        self.views.remove_snapshot(owner).await
    }

    /// Counts an answer of about so many tokens for an agent.
    pub fn note_served(&self, owner: &OwnerId, agent: &AgentName, tokens: usize) {
        self.uses.add_served(owner, agent, self.clock.now(), tokens);
    }

    /// Drops the views that were not read since this was last called.
    pub async fn drop_idle_views(&self) {
        self.views.drop_idle(self).await;
    }

    /// Writes snapshots of views in use that have changed much: those that other servers read, and
    /// of large ones, which take less memory afterwards.
    pub async fn save_views_in_use(&self) {
        self.views.save_in_use(self).await;
    }

    /// Writes the usage log down. A process that stays does so every few seconds.
    pub async fn flush_usage(&self) {
        self.uses.flush().await;
    }

    /// Writes down what still waits in memory: the usage log and snapshots of the views.
    pub async fn flush(&self) {
        self.uses.flush().await;
        self.views.save(self).await;
    }
}
