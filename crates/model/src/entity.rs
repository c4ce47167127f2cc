//! Entities, what was observed of them, and how they relate.

use crate::{EntityId, Failure, JsonMap, MemoryId, Moment, ObservationId, RelationId, limits};

/// A person, a place, a code symbol: something that memories mention.
#[derive(Debug, Clone, PartialEq)]
pub struct Entity {
    /// Its number.
    pub id: EntityId,
    /// What sort of thing: `person`, `place`, `function`, `entity` when unknown.
    pub kind: String,
    /// Its name as first written.
    pub name: String,
    /// Other names for it.
    pub aliases: Vec<String>,
    /// Whatever else is known.
    pub properties: JsonMap,
    /// 0 to 1.
    pub confidence: f32,
    /// How many memories mention it, counted when read.
    pub mentions: u32,
    /// When it first appeared.
    pub first_seen: Moment,
    /// When it was last mentioned.
    pub last_seen: Moment,
}

/// An entity that is about to be written, found by kind and name if it is there already.
#[derive(Debug, Clone, PartialEq)]
pub struct NewEntity {
    /// What sort of thing; `None` leaves a known entity's kind and makes a new one `entity`.
    pub kind: Option<String>,
    /// Its name; case does not count when it is looked up.
    pub name: String,
    /// Properties to merge in.
    pub properties: JsonMap,
    /// 0 to 1.
    pub confidence: f32,
}

impl NewEntity {
    /// Holds every field against its limit.
    ///
    /// # Errors
    /// The first field that is empty, too long or out of range.
    pub fn check(&self) -> Result<(), Failure> {
        if self.name.trim().is_empty() {
            return Err(Failure::invalid("the entity's name is empty"));
        }
        limits::chars("name", &self.name, limits::ENTITY_NAME_CHARS)?;
        limits::chars("entity type", self.kind.as_deref().unwrap_or(""), limits::NAME_CHARS)?;
        limits::range("confidence", f64::from(self.confidence), 0.0, 1.0)?;
        limits::json("properties", &self.properties, limits::METADATA_BYTES)
    }
}

/// What was said of an entity.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Observation {
    /// Its number.
    pub id: ObservationId,
    /// Of what.
    pub entity: EntityId,
    /// What was said.
    pub text: String,
    /// The memory it was said in.
    pub memory: Option<MemoryId>,
    /// When.
    pub at: Moment,
}

/// A typed edge between two entities. Between the same ends, each kind exists once.
#[derive(Debug, Clone, PartialEq)]
pub struct Relation {
    /// Its number.
    pub id: RelationId,
    /// Where it starts.
    pub source: EntityId,
    /// Where it ends.
    pub target: EntityId,
    /// In the active voice: `works_at`, `depends_on`.
    pub kind: String,
    /// How strong; grows with repetition, up to 10.
    pub weight: f32,
    /// 0 to 1.
    pub confidence: f32,
    /// The memory it was said in.
    pub memory: Option<MemoryId>,
    /// Whatever else is known.
    pub properties: JsonMap,
    /// When it first appeared.
    pub first_seen: Moment,
    /// When it was last said.
    pub last_seen: Moment,
}

/// That a memory mentions an entity, and how that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mention {
    /// The memory.
    pub memory: MemoryId,
    /// The entity.
    pub entity: EntityId,
    /// The sort of thing it was read as.
    pub kind: String,
    /// Its name as written there.
    pub name: String,
    /// Which reading found it.
    pub source: String,
    /// The file it stands in, where one is named.
    pub path: Option<String>,
}
