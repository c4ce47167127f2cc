//! What can be asked of a store, and what it answers with beside the vocabulary itself.

use model::{
    AgentName, EntityId, HandoffState, Kind, Link, Memory, MemoryId, Moment, Outcome, Record,
    RecordId, ReviewKind, SectionHit, Seq, SessionId, Sources, Status, StoredVector,
};

/// Which memories to list. An empty list of a kind means "any".
#[derive(Debug, Clone, PartialEq, Default)]
pub struct MemoryQuery {
    /// From sources that are open to whoever asks.
    pub sources: Sources,
    /// Of these kinds.
    pub kinds: Vec<Kind>,
    /// In these states; any when empty.
    pub statuses: Vec<Status>,
    /// Of these sessions.
    pub sessions: Vec<SessionId>,
    /// Of this project.
    pub project: Option<String>,
    /// In this collection.
    pub collection: Option<String>,
    /// Written by this agent.
    pub agent: Option<AgentName>,
    /// Carrying any of these labels.
    pub tags: Vec<String>,
    /// Written at or after this moment.
    pub created_from: Option<Moment>,
    /// Written at or before this moment.
    pub created_until: Option<Moment>,
    /// Of at least this confidence.
    pub confidence_min: Option<f32>,
    /// Of at most this confidence.
    pub confidence_max: Option<f32>,
    /// In which order.
    pub sort: Sort,
}

/// The order of a listing; the id decides between equals.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Sort {
    /// Newest first.
    #[default]
    Newest,
    /// Oldest first.
    Oldest,
    /// Most confident first.
    MostConfident,
    /// Most used first.
    MostUsed,
    /// Smallest priority number first, then newest.
    MostImportant,
}

/// A memory as the view needs it.
#[derive(Debug, Clone, PartialEq)]
pub struct ViewEntry {
    /// The memory.
    pub memory: Memory,
    /// The links that start at it.
    pub links_out: Vec<Link>,
    /// The entities it mentions.
    pub entities: Vec<EntityId>,
    /// Its vectors.
    pub vector: Option<StoredVector>,
}

/// What changed after a sequence number.
#[derive(Debug, Clone, PartialEq)]
pub struct Changes {
    /// Memories that were written or touched.
    pub entries: Vec<ViewEntry>,
    /// Memories that are gone.
    pub removed: Vec<MemoryId>,
    /// The number up to which this tells everything.
    pub upto: Seq,
    /// Whether there is more after it.
    pub more: bool,
}

/// The links of a memory, both ways.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Links {
    /// Those that start at it.
    pub outgoing: Vec<Link>,
    /// Those that end at it.
    pub incoming: Vec<Link>,
}

/// Which entities to list, those with most mentions first.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct EntityQuery {
    /// Whose name or alias contains this, whatever the case.
    pub name: Option<String>,
    /// Of this sort.
    pub kind: Option<String>,
}

/// An entity as a search by meaning reads it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EntityCard {
    /// Which.
    pub entity: EntityId,
    /// Its name, then its other names.
    pub names: Vec<String>,
    /// What was said of it and still stands, newest first; at most 8.
    pub said: Vec<String>,
}

/// Which handoffs to list, newest first.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct HandoffQuery {
    /// In these states; any when empty.
    pub states: Vec<HandoffState>,
    /// Only those that are free at this moment.
    pub free_at: Option<Moment>,
    /// Of this project.
    pub project: Option<String>,
    /// Written in this directory.
    pub cwd: Option<String>,
    /// Written in this program.
    pub harness: Option<String>,
}

/// Which review items to list, newest first.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ReviewQuery {
    /// Only those that wait.
    pub open_only: bool,
    /// Of this kind.
    pub kind: Option<ReviewKind>,
    /// About this memory, on either side.
    pub memory: Option<MemoryId>,
}

/// Which audit events to list, newest first.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct AuditQuery {
    /// By this agent.
    pub agent: Option<AgentName>,
    /// Through this tool.
    pub tool: Option<String>,
    /// About this resource or one below it.
    pub resource: Option<String>,
    /// That ended so.
    pub outcome: Option<Outcome>,
    /// At or after this moment.
    pub from: Option<Moment>,
    /// Before this moment.
    pub until: Option<Moment>,
}

/// A row that changed, or whose memory did.
#[derive(Debug, Clone, PartialEq)]
pub struct RecordChange {
    /// Its number.
    pub id: RecordId,
    /// The row as it stands; `None` when it is gone.
    pub record: Option<Record>,
    /// The state of the memory it was written with; `None` when there is no such memory.
    pub memory: Option<Status>,
}

/// A section of a reference with its vectors.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredSection {
    /// Where it stands and what it says.
    pub hit: SectionHit,
    /// Its vectors.
    pub vector: Option<StoredVector>,
}

/// How much there is of everything.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Counts {
    /// Memories in each state.
    pub memories: Vec<(Status, usize)>,
    /// Active memories of each kind, most first.
    pub kinds: Vec<(String, usize)>,
    /// Active memories in each collection, most first.
    pub collections: Vec<(String, usize)>,
    /// Active memories of each project, most first.
    pub projects: Vec<(String, usize)>,
    /// Links.
    pub links: usize,
    /// Sessions.
    pub sessions: usize,
    /// Entities.
    pub entities: usize,
    /// What was said of entities.
    pub observations: usize,
    /// Relations between entities.
    pub relations: usize,
    /// Rows of all tables.
    pub records: usize,
    /// Handoffs.
    pub handoffs: usize,
    /// Documents.
    pub references: usize,
    /// Review items that wait.
    pub reviews_open: usize,
    /// Audit events.
    pub events: usize,
    /// Memories with vectors, by the model that made them.
    pub vectors: Vec<(String, usize)>,
    /// Bytes on disk.
    pub bytes: u64,
}

impl Counts {
    /// Memories in one state.
    #[must_use]
    pub fn in_status(&self, status: Status) -> usize {
        self.memories.iter().find(|(kept, _)| *kept == status).map_or(0, |(_, count)| *count)
    }
}

/// What a look at the store found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Health {
    /// The name and version of what keeps the data.
    pub engine: String,
    /// The format of the store.
    pub format: u32,
    /// Whether everything holds together.
    pub sound: bool,
    /// What does not, in sentences.
    pub problems: Vec<String>,
    /// Where the data is.
    pub location: String,
}
