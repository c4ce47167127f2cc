//! Things as they were kept elsewhere: whole, with their numbers, their times and whoever wrote
//! them. They come from an export of this program, and say nothing of how they came to be.

use model::{
    Entity, Flag, Handoff, Link, Memory, MemoryId, Mention, Observation, ProfileVersion, Record,
    Relation, ReviewItem, Session, StoredVector, Table,
};

/// One thing as it was kept elsewhere. What it refers to is there already, under the number it
/// says.
#[derive(Debug, Clone, PartialEq)]
pub enum Kept {
    /// A session. One of this key, or of this number, agent and start, is there already; it learns
    /// of its end and its episode.
    Session(Session),
    /// An entity. One of this name and kind is there already, and learns the other names.
    Entity(Entity),
    /// A memory with all that hangs on it.
    Memory(Box<KeptMemory>),
    /// A link between two memories.
    Link(Link),
    /// What is said of an entity.
    Observation(Observation),
    /// How two entities relate. One that is there learns in which memories it is said, and does not
    /// grow.
    Relation(Box<KeptRelation>),
    /// A table, before its rows. One that is there learns the columns.
    Table(Table),
    /// A row.
    Record(Record),
    /// A version of the profile. Refused when there is one of this number.
    Profile(ProfileVersion),
    /// A handoff, in whatever state.
    Handoff(Handoff),
    /// Something to decide, or decided.
    Review(ReviewItem),
}

/// A memory as it was kept elsewhere, in whatever status.
#[derive(Debug, Clone, PartialEq)]
pub struct KeptMemory {
    /// The memory, with the session it was made in by its number here.
    pub memory: Memory,
    /// Its vectors.
    pub vector: Option<StoredVector>,
    /// What was complained of, newest first.
    pub flags: Vec<Flag>,
    /// What it mentions, by the numbers that entities have here.
    pub mentions: Vec<Mention>,
}

/// A relation as it was kept elsewhere.
#[derive(Debug, Clone, PartialEq)]
pub struct KeptRelation {
    /// The relation.
    pub relation: Relation,
    /// The memories it is said in.
    pub said_in: Vec<MemoryId>,
    /// Whether it stands without them too.
    pub by_itself: bool,
}
