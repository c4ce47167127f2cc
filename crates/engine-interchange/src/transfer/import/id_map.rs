//! Mapping from the ids of the file to the ids of this store.

use engine_memory::erasure::Erasure;
use model::{EntityId, MemoryId, Mention, RecordId, ReviewItem, ReviewState, SessionId};
use std::collections::{HashMap, HashSet};
use store::{AttributedRelation, ChangeResult, ImportedItem, ImportedMemory};

/// Ids of the file, with the ids of this store.
#[derive(Debug, Default)]
pub(super) struct IdMap {
    sessions: HashMap<SessionId, SessionId>,
    entities: HashMap<EntityId, EntityId>,
    memories: HashMap<MemoryId, MemoryId>,
    rows: HashMap<(String, RecordId), RecordId>,
    /// Memories of the file whose texts were forgotten here.
    forgotten: HashSet<MemoryId>,
}

/// Reason why an item cannot refer to what it refers to in the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum MissingReference {
    /// It refers to a forgotten text.
    Forgotten,
    /// A sentence about what is missing.
    Other(String),
}

impl IdMap {
    pub fn session(&self, session: SessionId) -> Option<SessionId> {
        self.sessions.get(&session).copied()
    }

    pub fn memory(&self, memory: MemoryId) -> Option<MemoryId> {
        self.memories.get(&memory).copied()
    }

    /// Registers a memory whose text was forgotten here.
    pub fn register_forgotten(&mut self, memory: MemoryId) {
        self.forgotten.insert(memory);
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
            (ImportedItem::Record(record), ChangeResult::Record(id)) => {
                self.rows.insert((record.table.clone(), record.id), *id);
            }
            _ => {}
        }
    }

    /// Translates the ids of an item; fails when an item it refers to was skipped.
    pub fn translate(&self, item: ImportedItem) -> Result<ImportedItem, MissingReference> {
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
            ImportedItem::Review(item) => ImportedItem::Review(self.translate_review(item)?),
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
    ) -> Result<AttributedRelation, MissingReference> {
        let relation = &mut attributed.relation;
        relation.source = self.require_entity(relation.source)?;
        relation.target = self.require_entity(relation.target)?;
        let was_forgotten = attributed.stated_in.iter().any(|id| self.forgotten.contains(id));
        attributed.stated_in =
            attributed.stated_in.into_iter().filter_map(|memory| self.memory(memory)).collect();
        relation.memory = relation
            .memory
            .and_then(|memory| self.memory(memory))
            .or(attributed.stated_in.first().copied());
        // A relation that no memory states and that was not stated directly has no source any more.
        if attributed.stated_in.is_empty() && !attributed.unattached {
            let why = "no memory that states it was imported".to_owned();
            return Err(match was_forgotten {
                true => MissingReference::Forgotten,
                false => MissingReference::Other(why),
            });
        }
        Ok(attributed)
    }

    fn translate_review(&self, mut item: ReviewItem) -> Result<ReviewItem, MissingReference> {
        item.subject = item.subject.map(|memory| self.require_memory(memory)).transpose()?;
        item.against = item.against.map(|memory| self.require_memory(memory)).transpose()?;
        let Some(erasure) = Erasure::of_item(&item) else { return Ok(item) };
        // Under the ids of the file, the owner's consent would delete other items of this store.
        let here = self.translate_erasure(erasure);
        if here.is_empty() && item.state == ReviewState::Open {
            let why = "nothing that it would delete was imported".to_owned();
            return Err(MissingReference::Other(why));
        }
        item.details = here.encode();
        Ok(item)
    }

    /// Translates an erasure to the items of this store. What was not imported is left out.
    fn translate_erasure(&self, erasure: Erasure) -> Erasure {
        let entity = |id: &EntityId| self.entities.get(id).copied();
        Erasure {
            mode: erasure.mode,
            memories: erasure.memories.iter().filter_map(|id| self.memory(*id)).collect(),
            entities: erasure.entities.iter().filter_map(entity).collect(),
            merges: erasure
                .merges
                .iter()
                .filter_map(|(from, into)| Some((entity(from)?, entity(into)?)))
                .collect(),
            profile_fields: erasure.profile_fields,
            rows: erasure
                .rows
                .into_iter()
                .filter_map(|row| Some((row.0.clone(), *self.rows.get(&row)?)))
                .collect(),
        }
    }

    fn require_memory(&self, memory: MemoryId) -> Result<MemoryId, MissingReference> {
        self.memory(memory).ok_or_else(|| match self.forgotten.contains(&memory) {
            true => MissingReference::Forgotten,
            false => MissingReference::Other(format!(
                "memory {memory}, which it refers to, was not imported"
            )),
        })
    }

    fn require_entity(&self, entity: EntityId) -> Result<EntityId, MissingReference> {
        let here = self.entities.get(&entity).copied();
        here.ok_or_else(|| {
            let why = format!("entity {entity}, which it refers to, was not imported");
            MissingReference::Other(why)
        })
    }
}
