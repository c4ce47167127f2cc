//! The engine: one handle for each area over one core, called by every dialect, page and command.
//! Each use case is a module of its own with its requests and results. Knows no transport, no tool
//! name and no SQL.

pub use ::recall::{RankingPart, RankingWeights as Ranking};
pub use ::recall::{estimate_tokens, truncate_to_tokens as cut_to_tokens};
pub use engine_admin::{
    activity, audit, backups, credentials, dialect_switch, grants, jobs, maintenance, people,
    reembed,
};
pub use engine_core::search::SearchModes;
pub use engine_core::{Caller, ClientEnvironment, Clock, Core, Options, Parts, SystemClock};
pub use engine_memory::{
    briefing, correct, counted_ids, curate, decay, edit, edit_details, entities, erasure, explore,
    external_search, facts, forget, forget_candidates, get, handoffs, links, listing,
    listing_by_source, marks, overview, periods, profile, quality, query, recall, references,
    remember, review, sessions, similar, since_last_visit, statistics, suggest, tables,
    transcripts, verify, versions, workspaces,
};
pub use guard::{
    AccessRefusal, BucketKey, CallerAccess, KeyForm, KeySecret, RateLimitExceeded, RateLimiter,
    SecretPolicy, StoredBucket, TokenOutcome, ToolClass, resource_from_words, resource_in_words,
    spend_stored_tokens, take_stored_token,
};
pub use index::LinkEdge;
pub use reading::summary as summary_of;
pub use reading::{canonical_relation, entity_kind_of_word, media_use_of_word};
pub use store::{
    AttributedRelation, AuditQuery, ChainReport, Counts, ExpectedVersion, ForgetReceipt, Health,
    ImportedItem, ImportedMemory, Links, MemoryQuery, MemorySort, OnDuplicate, RecentQuestion,
    Showing, UnansweredQuestion,
};

use engine_admin::{Admin, AdminState};
use engine_memory::{
    Caches, Graph, Handoffs, Memories, Profile, References, Reviews, Sessions, Tables, Workspaces,
};
use model::Moment;
use std::fmt::Debug;
use std::sync::Arc;

/// The memory of every owner of one store.
pub struct Engine {
    core: Arc<Core>,
    caches: Caches,
    admin: AdminState,
}

impl Engine {
    /// Builds an engine with the default options.
    #[must_use]
    pub fn new(parts: Parts) -> Self {
        Self::with_options(parts, Options::default())
    }

    /// Builds an engine.
    #[must_use]
    pub fn with_options(parts: Parts, options: Options) -> Self {
        let core = Arc::new(Core::new(parts, options));
        Self { core, caches: Caches::default(), admin: AdminState::default() }
    }

    /// Returns the state that all areas share, for crates that add use cases of their own.
    #[must_use]
    pub fn core(&self) -> &Arc<Core> {
        &self.core
    }

    /// Remember, recall, correct, retire and forget, and what is derived from memories.
    #[must_use]
    pub fn memories(&self) -> Memories<'_> {
        Memories::new(&self.core, &self.caches)
    }

    /// Entities, their relations, and the links between memories.
    #[must_use]
    pub fn graph(&self) -> Graph<'_> {
        Graph::new(&self.core, &self.caches)
    }

    /// Tables and their rows.
    #[must_use]
    pub fn tables(&self) -> Tables<'_> {
        Tables::new(&self.core, &self.caches)
    }

    /// The profile of the owner.
    #[must_use]
    pub fn profile(&self) -> Profile<'_> {
        Profile::new(&self.core)
    }

    /// Sessions and their episodes.
    #[must_use]
    pub fn sessions(&self) -> Sessions<'_> {
        Sessions::new(&self.core)
    }

    /// Handoffs between agents.
    #[must_use]
    pub fn handoffs(&self) -> Handoffs<'_> {
        Handoffs::new(&self.core)
    }

    /// Long documents, searched on request.
    #[must_use]
    pub fn references(&self) -> References<'_> {
        References::new(&self.core, &self.caches)
    }

    /// Review items and flags.
    #[must_use]
    pub fn reviews(&self) -> Reviews<'_> {
        Reviews::new(&self.core)
    }

    /// Workspaces of several memories.
    #[must_use]
    pub fn workspaces(&self) -> Workspaces<'_> {
        Workspaces::new(&self.core)
    }

    /// Activity, the audit log, backups, grants, maintenance and the switches of dialects.
    #[must_use]
    pub fn admin(&self) -> Admin<'_> {
        Admin::new(&self.core, &self.caches, &self.admin)
    }

    /// Returns the current time by the clock that everything here uses.
    #[must_use]
    pub fn now(&self) -> Moment {
        self.core.now()
    }

    /// Records a tool call that failed, before it reached a use case or in one. A refusal of the
    /// policy was recorded by the policy itself, with the resource.
    pub async fn note_failed(
        &self,
        caller: &Caller,
        arguments: &(dyn Debug + Sync),
        failure: &model::Failure,
    ) {
        self.core.note_failed(caller, arguments, failure).await;
    }

    /// Logs that a client of an agent has connected, before its first call.
    pub async fn note_connected(&self, caller: &Caller) {
        self.core.note_connected(caller).await;
    }

    /// Writes the usage log down. A process that stays does so every few seconds.
    pub async fn flush_usage(&self) {
        self.core.flush_usage().await;
    }

    /// Drops the views that were not read since this was last called; the next read loads them. A
    /// process that stays does so every few minutes.
    pub async fn drop_idle_views(&self) {
        self.core.drop_idle_views().await;
    }

    /// Writes snapshots of views in use that have changed much: those that other servers read, and
    /// of large ones, which take less memory afterwards. A process that stays does so every few
    /// minutes.
    pub async fn save_views_in_use(&self) {
        self.core.save_views_in_use().await;
    }

    /// Writes down what still waits in memory: the usage log and snapshots of the views.
    /// To be called before the process ends.
    pub async fn flush(&self) {
        self.core.flush().await;
    }
}
