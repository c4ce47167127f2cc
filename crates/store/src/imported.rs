//! Items of an export: complete, with their ids, times and authors. They carry no history of how
//! they came to be; the backend writes them as they are.

use model::{
    Entity, Flag, Handoff, Link, Memory, MemoryId, Mention, Observation, ProfileVersion, Record,
    Relation, ReviewItem, Session, StoredVectors, Table,
};

/// An item of an export. Everything it refers to exists already, under the id it names.
#[derive(Debug, Clone, PartialEq)]
pub enum ImportedItem {
    /// A session. An existing one with the same key, or with the same id, agent and start, is
    /// updated with its end and its episode.
    Session(Session),
    /// An entity. An existing one with the same name and kind gets the additional aliases.
    Entity(Entity),
    /// A memory with its vectors, flags and mentions.
    Memory(Box<ImportedMemory>),
    Link(Link),
    Observation(Observation),
    /// A relation. An existing one gets the additional memories, but no additional weight.
    Relation(Box<AttributedRelation>),
    /// A table, before its rows. An existing one gets the additional columns.
    Table(Table),
    Record(Record),
    /// A version of the profile. Refused when that version exists.
    Profile(ProfileVersion),
    /// A handoff in any state.
    Handoff(Handoff),
    /// A review item, open or decided.
    Review(ReviewItem),
}

/// A memory of an export, in any status.
#[derive(Debug, Clone, PartialEq)]
pub struct ImportedMemory {
    /// The memory; its session is named by the id it has in this store.
    pub memory: Memory,
    pub vector: Option<StoredVectors>,
    /// Flags, newest first.
    pub flags: Vec<Flag>,
    /// Mentions, with the ids that the entities have in this store.
    pub mentions: Vec<Mention>,
}

/// A relation together with the memories that state it.
#[derive(Debug, Clone, PartialEq)]
pub struct AttributedRelation {
    pub relation: Relation,
    /// The memories that state the relation.
    pub stated_in: Vec<MemoryId>,
    /// True when the relation was also stated outside of any memory, so that it outlives them.
    pub unattached: bool,
}
