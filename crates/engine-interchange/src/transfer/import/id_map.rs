//! Mapping from the ids of the file to the ids of this store.

use model::{EntityId, MemoryId, Mention, SessionId};
use std::collections::HashMap;
use store::{AttributedRelation, ChangeResult, ImportedItem, ImportedMemory};

/// Ids of the file, with the ids of this store.
#[derive(Debug, Default)]
pub(super) struct IdMap {
    sessions: HashMap<SessionId, SessionId>,
    entities: HashMap<EntityId, EntityId>,
    memories: HashMap<MemoryId, MemoryId>,
}

impl IdMap {
    pub fn session(&self, session: SessionId) -> Option<SessionId> {
        self.sessions.get(&session).copied()
    }

    pub fn memory(&self, memory: MemoryId) -> Option<MemoryId> {
        self.memories.get(&memory).copied()
    }

    /// Registers the result of an imported item.
    pub fn register(&mut self, was: &ImportedItem, result: &ChangeResult) {
        match (was, result) {
            (ImportedItem::Session(session), ChangeResult::Session(id)) => {
                self.sessions.insert(session.id, *id);
            }
            (ImportedItem::Entity(entity), ChangeResult::Entity(id)) => {
                self.entities.insert(entity.id, *id);
            }
            (
                ImportedItem::Memory(imported),
                ChangeResult::Memory(id) | ChangeResult::Duplicate(id),
            ) => {
                self.memories.insert(imported.memory.id, *id);
            }
            _ => {}
        }
    }

    /// Translates the ids of an item; fails when an item it refers to was skipped.
    pub fn translate(&self, item: ImportedItem) -> Result<ImportedItem, String> {
        Ok(match item {
            ImportedItem::Session(session) => {
                ImportedItem::Session(model::Session { episode: None, ..session })
            }
            ImportedItem::Memory(imported) => {
                ImportedItem::Memory(Box::new(self.translate_memory(*imported)))
            }
            ImportedItem::Link(mut link) => {
                link.source = self.require_memory(link.source)?;
                link.target = self.require_memory(link.target)?;
                ImportedItem::Link(link)
            }
            ImportedItem::Observation(mut said) => {
                said.entity = self.require_entity(said.entity)?;
                said.memory = said.memory.map(|memory| self.require_memory(memory)).transpose()?;
                ImportedItem::Observation(said)
            }
            ImportedItem::Relation(imported) => {
                ImportedItem::Relation(Box::new(self.translate_relation(*imported)?))
            }
            ImportedItem::Record(mut record) => {
                record.memory =
                    record.memory.map(|memory| self.require_memory(memory)).transpose()?;
                ImportedItem::Record(record)
            }
            ImportedItem::Review(mut item) => {
                item.subject =
                    item.subject.map(|memory| self.require_memory(memory)).transpose()?;
                item.against =
                    item.against.map(|memory| self.require_memory(memory)).transpose()?;
                ImportedItem::Review(item)
            }
            other @ (ImportedItem::Entity(_)
            | ImportedItem::Table(_)
            | ImportedItem::Profile(_)
            | ImportedItem::Handoff(_)) => other,
        })
    }

    fn translate_memory(&self, mut imported: ImportedMemory) -> ImportedMemory {
        imported.memory.session = imported.memory.session.and_then(|session| self.session(session));
        imported.vector = None;
        imported.mentions = imported
            .mentions
            .into_iter()
            .filter_map(|mention| {
                Some(Mention { entity: *self.entities.get(&mention.entity)?, ..mention })
            })
            .collect();
        imported
    }

    fn translate_relation(
        &self,
        mut attributed: AttributedRelation,
    ) -> Result<AttributedRelation, String> {
        let relation = &mut attributed.relation;
        relation.source = self.require_entity(relation.source)?;
        relation.target = self.require_entity(relation.target)?;
        attributed.stated_in =
            attributed.stated_in.into_iter().filter_map(|memory| self.memory(memory)).collect();
        relation.memory = relation
            .memory
            .and_then(|memory| self.memory(memory))
            .or(attributed.stated_in.first().copied());
        // A relation that no memory states and that was not stated directly has no source any more.
        if attributed.stated_in.is_empty() && !attributed.unattached {
            return Err("no memory that states it was imported".to_owned());
        }
        Ok(attributed)
    }

    fn require_memory(&self, memory: MemoryId) -> Result<MemoryId, String> {
        self.memory(memory)
            .ok_or_else(|| format!("memory {memory}, which it refers to, was not imported"))
    }

    fn require_entity(&self, entity: EntityId) -> Result<EntityId, String> {
        let known = self.entities.get(&entity).copied();
        known.ok_or_else(|| format!("entity {entity}, which it refers to, was not imported"))
    }
}
