//! Mapping from the ids of the file to the ids of this store.

use model::{EntityId, MemoryId, Mention, SessionId};
use std::collections::HashMap;
use store::{Kept, KeptMemory, KeptRelation, Made};

/// Ids of the file, with the ids of this store.
#[derive(Debug, Default)]
pub(super) struct Numbers {
    sessions: HashMap<SessionId, SessionId>,
    entities: HashMap<EntityId, EntityId>,
    memories: HashMap<MemoryId, MemoryId>,
}

impl Numbers {
    pub fn session(&self, session: SessionId) -> Option<SessionId> {
        self.sessions.get(&session).copied()
    }

    pub fn memory(&self, memory: MemoryId) -> Option<MemoryId> {
        self.memories.get(&memory).copied()
    }

    /// Registers the result of an imported item.
    pub fn put(&mut self, was: &Kept, made: &Made) {
        match (was, made) {
            (Kept::Session(session), Made::Session(id)) => {
                self.sessions.insert(session.id, *id);
            }
            (Kept::Entity(entity), Made::Entity(id)) => {
                self.entities.insert(entity.id, *id);
            }
            (Kept::Memory(kept), Made::Memory(id) | Made::Duplicate(id)) => {
                self.memories.insert(kept.memory.id, *id);
            }
            _ => {}
        }
    }

    /// Translates the ids of an item; fails when an item it refers to was skipped.
    pub fn translated(&self, kept: Kept) -> Result<Kept, String> {
        Ok(match kept {
            Kept::Session(session) => Kept::Session(model::Session { episode: None, ..session }),
            Kept::Memory(kept) => Kept::Memory(Box::new(self.translated_memory(*kept))),
            Kept::Link(mut link) => {
                link.source = self.needed(link.source)?;
                link.target = self.needed(link.target)?;
                Kept::Link(link)
            }
            Kept::Observation(mut said) => {
                said.entity = self.needed_entity(said.entity)?;
                said.memory = said.memory.map(|memory| self.needed(memory)).transpose()?;
                Kept::Observation(said)
            }
            Kept::Relation(kept) => Kept::Relation(Box::new(self.translated_relation(*kept)?)),
            Kept::Record(mut record) => {
                record.memory = record.memory.map(|memory| self.needed(memory)).transpose()?;
                Kept::Record(record)
            }
            Kept::Review(mut item) => {
                item.subject = item.subject.map(|memory| self.needed(memory)).transpose()?;
                item.against = item.against.map(|memory| self.needed(memory)).transpose()?;
                Kept::Review(item)
            }
            other @ (Kept::Entity(_) | Kept::Table(_) | Kept::Profile(_) | Kept::Handoff(_)) => {
                other
            }
        })
    }

    fn translated_memory(&self, mut kept: KeptMemory) -> KeptMemory {
        kept.memory.session = kept.memory.session.and_then(|session| self.session(session));
        kept.vector = None;
        kept.mentions = kept
            .mentions
            .into_iter()
            .filter_map(|mention| {
                Some(Mention { entity: *self.entities.get(&mention.entity)?, ..mention })
            })
            .collect();
        kept
    }

    fn translated_relation(&self, mut kept: KeptRelation) -> Result<KeptRelation, String> {
        let relation = &mut kept.relation;
        relation.source = self.needed_entity(relation.source)?;
        relation.target = self.needed_entity(relation.target)?;
        kept.said_in = kept.said_in.into_iter().filter_map(|memory| self.memory(memory)).collect();
        relation.memory = relation
            .memory
            .and_then(|memory| self.memory(memory))
            // A relation without a memory that states it and not stated directly has no source any
            // more.
            .or(kept.said_in.first().copied());
        if kept.said_in.is_empty() && !kept.by_itself {
            return Err("no memory that states it was imported".to_owned());
        }
        Ok(kept)
    }

    fn needed(&self, memory: MemoryId) -> Result<MemoryId, String> {
        self.memory(memory)
            .ok_or_else(|| format!("memory {memory}, which it refers to, was not imported"))
    }

    fn needed_entity(&self, entity: EntityId) -> Result<EntityId, String> {
        let here = self.entities.get(&entity).copied();
        here.ok_or_else(|| format!("entity {entity}, which it refers to, was not imported"))
    }
}
