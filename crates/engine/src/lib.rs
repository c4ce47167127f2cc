//! The use cases: what can be done with a memory, one file each, called by every dialect and
//! command. Rules that belong to all dialects live and are tested here. Knows no transport, no tool
//! name and no SQL.

mod activity;
mod adding;
mod aside;
mod audit;
mod backups;
mod briefing;
mod call;
mod caller;
mod choose;
mod clock;
mod correct;
mod counted;
mod credentials;
mod curate;
mod decay;
mod edit;
mod embedding;
mod entities;
mod explore;
mod facts;
mod forget;
mod get;
mod grants;
mod handoffs;
mod intake;
mod knots;
mod listing;
mod maintenance;
mod news;
mod overview;
mod periods;
mod places;
mod plan;
mod profile;
mod quality;
mod recall;
mod reembed;
mod references;
mod remember;
mod review;
mod screened;
mod screening;
mod search;
mod sessions;
mod similar;
mod spoken;
mod tables;
mod ties;
mod transfer;
mod uses;
mod verify;
mod versions;
mod views;
mod workspaces;

pub use ::guard::OnSecret;
pub use ::recall::{Part as RankingPart, Weights as Ranking};
pub use ::recall::{estimate_tokens, shorten as cut_to_tokens};
pub use activity::{Activity, AgentUse, DayOfUse};
pub use aside::{Aside, AsideHit, AsideMemory};
pub use audit::AuditVerified;
pub use backups::{BackupPlan, LastBackup};
pub use briefing::{BUDGET_TOKENS, Brief, Briefing, Exists};
pub use caller::{Caller, Surroundings};
pub use choose::{Choose, Chosen, Order};
pub use clock::{Clock, SystemClock};
pub use correct::Correct;
pub use credentials::{
    CreateKey, Credential, Credentials, Identity, KeyCreated, OVERLAP_SECONDS, RotateKey,
};
pub use curate::Curated;
pub use edit::{TagMemories, Tagged};
pub use entities::{
    EntityFound, EntityGraph, EntityPut, EntityRef, EntityView, GraphNode, GraphPattern,
    GraphStart, GraphView, ListEntities, PatternFound, Picture, Pictured, PutEntity,
    RelateEntities, Related, RelationView, SearchEntities,
};
pub use explore::{Explore, Explored, Way};
pub use facts::{AskFacts, Fact, FactSource, Facts};
pub use forget::{Forget, Forgotten};
pub use get::Whole;
pub use grants::SetGrant;
pub use guard::{Buckets, KeyForm, KeySecret, Reach, Refusal, ToolClass, Wait};
pub use handoffs::{
    CLAIM_SECONDS, CLAIM_SECONDS_MAX, ClaimHandoff, HandoffList, HandoffStored, ListHandoffs,
    SECTIONS, StoreHandoff,
};
pub use index::Edge;
pub use intake::{Incoming, IncomingLink, IncomingSession, Intake, TakenIn};
pub use maintenance::{
    AgentRestored, AgentRetired, Checkup, Prune, PruneBy, PurgeAll, PurgeSession, Removal,
    RestoreAgent, RetireAgent, StoreStatus,
};
pub use news::News;
pub use overview::Overview;
pub use periods::{Compared, Period};
pub use profile::{PROFILE_FIELD, ProfileChanged, ProfileErased, ProfilePatch, field_at, in_words};
pub use quality::{Assess, Assessment, Sighting};
pub use reading::summary as summary_of;
pub use reading::{kind_of_word, relation_named, says_the_same};
pub use recall::{Hit, Recall, Recalled, Senses};
pub use reembed::{EmbeddingProgress, Reembedded};
pub use references::{FileReference, Filed, ReferenceHit};
pub use remember::{ConflictSeen, Happened, Ignored, NewLink, NewRow, Remember, Remembered};
pub use review::{FlagMemory, Flagged, ListReviews, ResolveReview, ReviewView};
pub use sessions::{
    EndSession, Episode, LogExchange, Logged, ResumeSession, Resumed, SessionEnded, SessionRef,
    SessionStarted, SessionView, StartSession,
};
pub use similar::{Alike, Likeness, Similar};
pub use store::{
    AuditQuery, ChainReport, Counts, Health, Kept, KeptMemory, KeptRelation, Links, MemoryQuery,
    OnDuplicate, Receipt, Showing, Sort, Standing, Unanswered,
};
pub use tables::{
    QueryTable, RecordFilter, RowChanged, RowDeleted, RowOrder, Select, Selected, TableRows, Test,
    UpdateRow,
};
pub use ties::Ties;
pub use transfer::{Export, Import, ImportOptions, Imported, Item};
pub use verify::{Evidence, Verdict, Verification};
pub use versions::Versions;
pub use workspaces::{ContextAdded, NewContext, WorkspaceMade};

use embed::Embedder;
use entities::EntityShelf;
use model::OwnerId;
use references::ReferenceShelf;
use spoken::Switches;
use std::path::PathBuf;
use std::sync::Arc;
use store::Store;
use tables::Copies;
use uses::Uses;
use views::Views;

/// The memory, ready to be used.
pub struct Engine {
    store: Arc<dyn Store>,
    embedder: Arc<dyn Embedder>,
    clock: Arc<dyn Clock>,
    uses: Uses,
    views: Views,
    references: ReferenceShelf,
    cards: EntityShelf,
    copies: Copies,
    switches: Switches,
    ranking: Ranking,
    on_secret: OnSecret,
}

/// Where the snapshot of an owner's view lies.
pub type SnapshotPath = Arc<dyn Fn(&OwnerId) -> PathBuf + Send + Sync>;

/// What an engine is made of.
pub struct Parts {
    /// What keeps the memories.
    pub store: Arc<dyn Store>,
    /// What turns texts into vectors.
    pub embedder: Arc<dyn Embedder>,
    /// What tells the time.
    pub clock: Arc<dyn Clock>,
    /// Where snapshots of the view lie; without one the view is built anew in every process.
    pub snapshots: Option<SnapshotPath>,
}

impl Engine {
    /// An engine of these parts.
    #[must_use]
    pub fn new(parts: Parts) -> Self {
        let uses = Uses::new(Arc::clone(&parts.store));
        Self {
            store: parts.store,
            embedder: parts.embedder,
            clock: parts.clock,
            uses,
            views: Views::new(parts.snapshots),
            references: ReferenceShelf::default(),
            cards: EntityShelf::default(),
            copies: Copies::default(),
            switches: Switches::default(),
            ranking: Ranking::default(),
            on_secret: OnSecret::default(),
        }
    }

    /// The same engine with another ranking, to measure what a part of it is worth.
    #[must_use]
    pub fn ranking_by(mut self, ranking: Ranking) -> Self {
        self.ranking = ranking;
        self
    }

    /// What time it is, by the clock that everything here goes by.
    #[must_use]
    pub fn now(&self) -> model::Moment {
        self.clock.now()
    }

    /// Writes down the events of what was read. A process that stays does so every few seconds.
    pub async fn write_down_reads(&self) {
        self.uses.flush().await;
    }

    /// The same engine, doing this about secrets in what it is told to keep.
    #[must_use]
    pub fn on_secret(self, on_secret: OnSecret) -> Self {
        Self { on_secret, ..self }
    }

    /// Writes down what still waits in memory: use counts, read events and snapshots.
    /// To be called before the process ends.
    pub async fn flush(&self) {
        self.uses.flush().await;
        self.views.save(self).await;
    }
}
