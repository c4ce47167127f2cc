//! What the view is told about a memory. Borrowed: the view keeps terms, numbers and vectors, never
//! the texts.

use model::{EntityId, LinkKind, MemoryId, Moment, SessionId, Status, StoredVector, Trust};

/// Where a text stands in a memory; the ranking weighs each apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Field {
    /// The headline.
    Title = 0,
    /// The text itself, and its summary.
    Text = 1,
    /// The tags.
    Tags = 2,
    /// What stands around it: the speaker, the date in words, neighbouring lines.
    Context = 3,
}

impl Field {
    /// How many fields there are.
    pub const COUNT: usize = 4;
}

/// What is known of a memory beside its words, as filters and rankings use it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Facts<'a> {
    /// Its number.
    pub id: MemoryId,
    /// What sort of thing it is.
    pub kind: &'a str,
    /// The drawer it lies in.
    pub collection: &'a str,
    /// The table whose row it tells of.
    pub table: Option<&'a str>,
    /// The project it belongs to.
    pub project: Option<&'a str>,
    /// The stretch of work it was made in.
    pub session: Option<SessionId>,
    /// Who wrote it.
    pub agent: &'a str,
    /// Who said it, in a conversation.
    pub speaker: Option<&'a str>,
    /// Where it stands.
    pub status: Status,
    /// When it was written.
    pub created_at: Moment,
    /// From when on it holds.
    pub valid_from: Moment,
    /// Until when it holds.
    pub valid_to: Option<Moment>,
    /// When it left `active`.
    pub ended_at: Option<Moment>,
    /// 1 (most important) to 5.
    pub priority: u8,
    /// 0 to 1, as its writer said.
    pub confidence: f32,
    /// How far it is believed.
    pub trust: Trust,
    /// How much of its text only asks, 0 to 1.
    pub asking: f32,
    /// How many open flags complain about it.
    pub flags: u32,
    /// How often it was recalled.
    pub accesses: u32,
}

impl Facts<'_> {
    /// An active note without anything special about it.
    #[must_use]
    pub fn note(id: MemoryId, at: Moment) -> Self {
        Self {
            id,
            kind: "note",
            collection: "memories",
            table: None,
            project: None,
            session: None,
            agent: "",
            speaker: None,
            status: Status::Active,
            created_at: at,
            valid_from: at,
            valid_to: None,
            ended_at: None,
            priority: 3,
            confidence: 0.9,
            trust: Trust(70),
            asking: 0.0,
            flags: 0,
            accesses: 0,
        }
    }
}

/// A link out of a memory.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LinkOut {
    /// Where it ends.
    pub target: MemoryId,
    /// What the memory is to the target.
    pub kind: LinkKind,
    /// How strong, 0 to 1.
    pub weight: f32,
}

/// A memory as the view is told of it. Told again under the same id, it replaces what was known.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry<'a> {
    /// What filters and rankings use.
    pub facts: Facts<'a>,
    /// What it is found by.
    pub texts: Vec<(Field, &'a str)>,
    /// Its labels, to filter by; give them as a text of [`Field::Tags`] too, to search by.
    pub tags: Vec<&'a str>,
    /// The entities it mentions.
    pub entities: Vec<EntityId>,
    /// Its links out.
    pub links: Vec<LinkOut>,
    /// Its vectors, if they are made: that of the whole, then those of its passages. Those of
    /// another model than the view's are left aside.
    pub vector: Option<&'a StoredVector>,
}

impl<'a> Entry<'a> {
    /// A memory with these facts and nothing else.
    #[must_use]
    pub fn new(facts: Facts<'a>) -> Self {
        Self {
            facts,
            texts: Vec::new(),
            tags: Vec::new(),
            entities: Vec::new(),
            links: Vec::new(),
            vector: None,
        }
    }
}
