//! Entities, observations about them, and relations between them.

use crate::{EntityId, Failure, JsonMap, MemoryId, Moment, ObservationId, RelationId, limits};

/// A person, a place, a code symbol or anything else that memories mention.
#[derive(Debug, Clone, PartialEq)]
pub struct Entity {
    pub id: EntityId,
    /// Entity type: `person`, `place`, `function`, or `entity` when unknown.
    pub kind: String,
    /// Name as first written.
    pub name: String,
    pub aliases: Vec<String>,
    pub properties: JsonMap,
    /// Between 0 and 1.
    pub confidence: f32,
    /// Number of memories that mention it, counted on read.
    pub mentions: u32,
    pub first_seen: Moment,
    pub last_seen: Moment,
}

/// An entity to be written. An existing one is matched by kind and name.
#[derive(Debug, Clone, PartialEq)]
pub struct NewEntity {
    /// Entity type; `None` leaves the type of an existing entity and gives a new one `entity`.
    pub kind: Option<String>,
    /// Name; lookups ignore case.
    pub name: String,
    /// Properties to merge into the existing ones.
    pub properties: JsonMap,
    /// Between 0 and 1.
    pub confidence: f32,
}

impl NewEntity {
    /// Checks every field against its limit.
    ///
    /// # Errors
    /// Names the first field that is empty, too long or out of range.
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

/// A statement about an entity.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Observation {
    pub id: ObservationId,
    pub entity: EntityId,
    pub text: String,
    /// Memory that states it.
    pub memory: Option<MemoryId>,
    pub at: Moment,
}

/// A typed edge between two entities. Each kind exists once between the same two ends.
#[derive(Debug, Clone, PartialEq)]
pub struct Relation {
    pub id: RelationId,
    pub source: EntityId,
    pub target: EntityId,
    /// Relation type in the active voice: `works_at`, `depends_on`.
    pub kind: String,
    /// Strength; grows with repetition up to 10.
    pub weight: f32,
    /// Between 0 and 1.
    pub confidence: f32,
    /// Memory that states it.
    pub memory: Option<MemoryId>,
    pub properties: JsonMap,
    pub first_seen: Moment,
    pub last_seen: Moment,
}

/// A mention of an entity in a memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mention {
    pub memory: MemoryId,
    pub entity: EntityId,
    /// Entity type that was read from the text.
    pub kind: String,
    /// Name as written in the memory.
    pub name: String,
    /// Reader that found the mention.
    pub source: String,
    /// File that the text names as the location of the entity.
    pub path: Option<String>,
}
