//! Queries of a store and the results that `model` has no type for.

use model::{
    AgentName, AuditOutcome, Dialect, EntityId, HandoffState, Kind, Link, Memory, MemoryId, Moment,
    Record, RecordId, ReviewKind, SectionHit, Seq, SessionId, SourceFilter, Status, StoredVectors,
};

/// Filters and order of a memory listing. An empty list and `None` match everything.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct MemoryQuery {
    /// The sources that the caller is allowed to read.
    pub sources: SourceFilter,
    pub kinds: Vec<Kind>,
    pub statuses: Vec<Status>,
    pub sessions: Vec<SessionId>,
    pub project: Option<String>,
    pub collection: Option<String>,
    /// The agent that wrote the memory.
    pub agent: Option<AgentName>,
    /// The tool contract through which the memory was written.
    pub dialect: Option<Dialect>,
    /// Labels of which a memory has at least one.
    pub tags: Vec<String>,
    /// Only memories with a larger id, which were stored later.
    pub after: Option<MemoryId>,
    /// Earliest time of writing, inclusive.
    pub created_from: Option<Moment>,
    /// Latest time of writing, inclusive.
    pub created_until: Option<Moment>,
    pub confidence_min: Option<f32>,
    pub confidence_max: Option<f32>,
    pub sort: MemorySort,
}

/// Order of a memory listing; ties are broken by id.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum MemorySort {
    #[default]
    Newest,
    Oldest,
    MostConfident,
    MostUsed,
    /// Smallest priority number first, then newest.
    MostImportant,
}

/// A memory with everything that the search index needs of it.
#[derive(Debug, Clone, PartialEq)]
pub struct ViewEntry {
    pub memory: Memory,
    /// The links that start at the memory.
    pub links_out: Vec<Link>,
    /// The entities that the memory mentions.
    pub entities: Vec<EntityId>,
    pub vector: Option<StoredVectors>,
}

/// A page of changes after a sequence number.
#[derive(Debug, Clone, PartialEq)]
pub struct Changes {
    /// Memories that were written or touched.
    pub entries: Vec<ViewEntry>,
    /// Memories that were removed.
    pub removed: Vec<MemoryId>,
    /// The sequence number up to which this page is complete.
    pub upto: Seq,
    /// True when there are changes after `upto`.
    pub more: bool,
}

/// The links of a memory in both directions.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Links {
    /// Links that start at the memory.
    pub outgoing: Vec<Link>,
    /// Links that end at the memory.
    pub incoming: Vec<Link>,
}

/// Filters of an entity listing, which is ordered by number of mentions.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct EntityQuery {
    /// Part of a name or alias, in any case.
    pub name: Option<String>,
    pub kind: Option<String>,
}

/// The names and newest observations of an entity: the text that entity search embeds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EntityCard {
    pub entity: EntityId,
    /// The name, followed by the aliases.
    pub names: Vec<String>,
    /// Observations that are not tied to an inactive memory, newest first; at most 8.
    pub observations: Vec<String>,
}

/// A merge of an entity into another one that can be undone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EntityMerge {
    /// The entity that was removed.
    pub entity: EntityId,
    pub kind: String,
    pub name: String,
    /// The time of the merge.
    pub at: Moment,
}

/// Filters of a handoff listing, which is ordered newest first.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct HandoffQuery {
    pub states: Vec<HandoffState>,
    /// Limits the listing to handoffs that can be claimed at this moment.
    pub free_at: Option<Moment>,
    pub project: Option<String>,
    /// The working directory in which the handoff was written.
    pub cwd: Option<String>,
    /// The program in which the handoff was written.
    pub harness: Option<String>,
}

/// Filters of a review listing, which is ordered newest first.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ReviewQuery {
    /// Limits the listing to items without a decision.
    pub open_only: bool,
    pub kind: Option<ReviewKind>,
    /// Memories of which one is on a side of the item.
    pub memories: Option<Vec<MemoryId>>,
}

/// Filters of an audit listing, which is ordered newest first.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct AuditQuery {
    pub agent: Option<AgentName>,
    pub tool: Option<String>,
    /// A resource; resources below it match too.
    pub resource: Option<String>,
    pub outcome: Option<AuditOutcome>,
    /// Earliest time, inclusive.
    pub from: Option<Moment>,
    /// Latest time, exclusive.
    pub until: Option<Moment>,
}

/// A row that changed, or whose memory changed.
#[derive(Debug, Clone, PartialEq)]
pub struct RecordChange {
    pub id: RecordId,
    /// The current row; `None` when it was deleted.
    pub record: Option<Record>,
    /// Status of the memory that states the row; `None` without such a memory.
    pub memory: Option<Status>,
}

/// A section of a reference document with its vectors.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredSection {
    /// The section's text and its position in the document.
    pub hit: SectionHit,
    pub vector: Option<StoredVectors>,
}

/// Numbers of stored items, by type.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Counts {
    /// Memories by status.
    pub memories: Vec<(Status, usize)>,
    /// Active memories by kind, largest count first.
    pub kinds: Vec<(String, usize)>,
    /// Active memories by collection, largest count first.
    pub collections: Vec<(String, usize)>,
    /// Active memories by project, largest count first.
    pub projects: Vec<(String, usize)>,
    pub links: usize,
    pub sessions: usize,
    pub entities: usize,
    pub observations: usize,
    pub relations: usize,
    /// Current rows of all tables.
    pub records: usize,
    pub handoffs: usize,
    pub references: usize,
    pub reviews_open: usize,
    /// Audit events.
    pub events: usize,
    /// Memories with vectors, by embedding model.
    pub vectors: Vec<(String, usize)>,
    /// Size on disk.
    pub bytes: u64,
}

impl Counts {
    /// Returns the number of memories in one status.
    #[must_use]
    pub fn in_status(&self, status: Status) -> usize {
        self.memories.iter().find(|(stored, _)| *stored == status).map_or(0, |(_, count)| *count)
    }
}

/// Result of a consistency check of the store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Health {
    /// Name and version of the database engine.
    pub engine: String,
    /// Version of the store's file format.
    pub format: u32,
    /// True when no problem was found.
    pub sound: bool,
    /// The problems found, as sentences for people.
    pub problems: Vec<String>,
    /// The path or address of the data.
    pub location: String,
}
