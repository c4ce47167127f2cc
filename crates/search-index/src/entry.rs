//! Input of the view: one memory with its facts, texts, links and vectors. Everything is borrowed,
//! since the view stores terms, numbers and vectors but never the texts themselves.

use model::{EntityId, LinkKind, MemoryId, Moment, SessionId, Status, StoredVectors, Trust};

/// Part of a memory that a text belongs to. BM25 weighs each field separately. The numbers are part
/// of the snapshot format.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum IndexField {
    Title = 0,
    /// The text itself and its summary.
    Text = 1,
    Tags = 2,
    /// Surrounding information: the speaker, the date in words, neighbouring lines.
    Context = 3,
}

impl IndexField {
    /// Number of fields.
    pub const COUNT: usize = 4;
}

/// Metadata of a memory for filters and ranking, without its words.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DocFacts<'a> {
    pub id: MemoryId,
    pub kind: &'a str,
    pub collection: &'a str,
    /// Table whose row the memory describes.
    pub table: Option<&'a str>,
    pub project: Option<&'a str>,
    pub session: Option<SessionId>,
    /// Agent that wrote it.
    pub agent: &'a str,
    /// Speaker in a conversation.
    pub speaker: Option<&'a str>,
    pub status: Status,
    /// Moment of writing.
    pub created_at: Moment,
    /// Start of validity.
    pub valid_from: Moment,
    /// End of validity.
    pub valid_to: Option<Moment>,
    /// Moment at which the status changed from active to another one.
    pub ended_at: Option<Moment>,
    /// 1 (most important) to 5.
    pub priority: u8,
    /// 0 to 1, as stated by the writer.
    pub confidence: f32,
    pub trust: Trust,
    /// Share of the text that consists of questions, 0 to 1.
    pub question_share: f32,
    /// Number of open flags against the memory.
    pub flags: u32,
    /// Number of times the memory was recalled.
    pub accesses: u32,
}

impl DocFacts<'_> {
    /// Returns the facts of an ordinary active note.
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
            question_share: 0.0,
            flags: 0,
            accesses: 0,
        }
    }
}

/// An outgoing link of a memory.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct OutgoingLink {
    pub target: MemoryId,
    /// Role of the memory towards the target.
    pub kind: LinkKind,
    /// Strength, 0 to 1.
    pub weight: f32,
}

/// A memory to be indexed. An entry with a known id replaces the previous one.
#[derive(Debug, Clone, PartialEq)]
pub struct IndexEntry<'a> {
    pub facts: DocFacts<'a>,
    /// Searchable texts.
    pub texts: Vec<(IndexField, &'a str)>,
    /// Tags for filtering. To be searchable they must also be given as a text of
    /// [`IndexField::Tags`].
    pub tags: Vec<&'a str>,
    /// Mentioned entities.
    pub entities: Vec<EntityId>,
    pub links: Vec<OutgoingLink>,
    /// Vectors, if they exist already: one of the whole text, then one per passage. Vectors of
    /// another model than the view's are ignored.
    pub vector: Option<&'a StoredVectors>,
}

impl<'a> IndexEntry<'a> {
    /// Creates an entry with these facts and nothing else.
    #[must_use]
    pub fn new(facts: DocFacts<'a>) -> Self {
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
