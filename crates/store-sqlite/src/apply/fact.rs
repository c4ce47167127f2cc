//! Facts about entities: observations, each text once, and relations, whose weight grows with
//! repetition.

use super::{ApplyResult, BatchContext};
use crate::{enum_codes, json, read, text_key};
use model::{ContentHash, EntityId, MemoryId, ObservationId, RelationId, limits, merge_patch};
use rusqlite::{OptionalExtension, params};
use store::rules::checks::{self, RELATION_WEIGHT_MAX};
use store::{ChangeResult, NewObservation, NewRelation, Ref};

impl BatchContext<'_, '_> {
    pub(super) fn observe(&mut self, new: &NewObservation) -> ApplyResult<ChangeResult> {
        const FIND: &str =
            "SELECT id FROM observations WHERE entity = ?1 AND text_key = ?2 AND text = ?3";
        const ADD: &str = "INSERT INTO observations (entity, text_key, text, memory, at) \
            VALUES (?1, ?2, ?3, ?4, ?5)";
        checks::check_observation(&new.text)?;
        let entity = self.resolve_entity(new.entity)?;
        self.touch_entity(entity)?;
        let memory = self.resolve_optional_memory(new.memory)?;
        // `of_bytes` and not `of_text`: observations differ by case and spaces, unlike memories.
        let key = text_key(ContentHash::of_bytes(new.text.as_bytes()));
        let mut find = self.conn.prepare_cached(FIND)?;
        let found = find.query_row((entity.0, key, &new.text), |row| row.get(0)).optional()?;
        let id = match found {
            Some(id) => {
                self.attach_observation(id, memory)?;
                id
            }
            None => {
                self.execute(
                    ADD,
                    (entity.0, key, &new.text, memory.map(|memory| memory.0), self.at.0),
                )?;
                self.last_inserted_id()
            }
        };
        Ok(ChangeResult::Observation(ObservationId(id)))
    }

    pub(super) fn relate(&mut self, new: &NewRelation) -> ApplyResult<ChangeResult> {
        checks::check_relation(new)?;
        let (source, target) = (self.resolve_entity(new.source)?, self.resolve_entity(new.target)?);
        self.touch_entity(source)?;
        self.touch_entity(target)?;
        let memory = self.resolve_optional_memory(new.memory)?;
        let id = match read::fact::find_relation(self.conn, source, target, &new.kind)? {
            Some(known) => {
                self.add_weight(&known, new, memory)?;
                known.id
            }
            None => self.insert_relation(source, target, new, memory)?,
        };
        // Every memory is recorded, so that forgetting one of several leaves the relation.
        if let Some(memory) = memory {
            const SQL: &str =
                "INSERT OR IGNORE INTO relation_memories (relation, memory) VALUES (?1, ?2)";
            self.execute(SQL, (id.0, memory.0))?;
            self.attach_relations(memory)?;
        }
        Ok(ChangeResult::Relation(id))
    }

    /// Attaches an observation to the memory that repeats it, if the one that stated it first is no
    /// longer current.
    fn attach_observation(&self, id: i64, memory: Option<MemoryId>) -> ApplyResult<()> {
        const SQL: &str = "UPDATE observations SET memory = ?2 WHERE id = ?1
             AND memory NOT IN (SELECT id FROM memories WHERE status = ?3)";
        if let Some(memory) = memory {
            self.execute(SQL, (id, memory.0, enum_codes::ACTIVE))?;
        }
        Ok(())
    }

    /// Attaches the relations that a memory states to one that is current, if they are attached to
    /// one that is not: a relation is current as long as any of its memories is.
    pub(super) fn attach_relations(&self, memory: MemoryId) -> ApplyResult<()> {
        const SQL: &str = "UPDATE relations SET memory = current.memory
             FROM (SELECT s.relation, max(s.memory) AS memory FROM relation_memories s
                   JOIN memories m ON m.id = s.memory
                   WHERE m.status = ?2 AND s.relation IN
                       (SELECT relation FROM relation_memories WHERE memory = ?1)
                   GROUP BY s.relation) AS current
             WHERE relations.id = current.relation AND NOT EXISTS
                 (SELECT 1 FROM memories WHERE id = relations.memory AND status = ?2)";
        // A relation that was also stated by itself needs no memory to be current.
        const DETACH: &str = "UPDATE relations SET memory = NULL WHERE unattached = 1
             AND id IN (SELECT relation FROM relation_memories WHERE memory = ?1)
             AND NOT EXISTS (SELECT 1 FROM memories WHERE id = relations.memory AND status = ?2)";
        self.execute(SQL, (memory.0, enum_codes::ACTIVE))?;
        self.execute(DETACH, (memory.0, enum_codes::ACTIVE))?;
        Ok(())
    }

    fn insert_relation(
        &self,
        source: EntityId,
        target: EntityId,
        new: &NewRelation,
        memory: Option<MemoryId>,
    ) -> ApplyResult<RelationId> {
        const SQL: &str =
            "INSERT INTO relations (source, target, kind, weight, confidence, memory, unattached,
                properties, first_seen, last_seen) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?9)";
        self.execute(
            SQL,
            params![
                source.0,
                target.0,
                new.kind,
                new.weight,
                new.confidence,
                memory.map(|memory| memory.0),
                memory.is_none(),
                json::map_or_null(&new.properties),
                self.at.0
            ],
        )?;
        Ok(RelationId(self.last_inserted_id()))
    }

    fn add_weight(
        &self,
        known: &model::Relation,
        new: &NewRelation,
        memory: Option<MemoryId>,
    ) -> ApplyResult<()> {
        const SQL: &str =
            "UPDATE relations SET weight = min(?2, weight + ?3), confidence = max(confidence, ?4),
                memory = coalesce(memory, ?5), unattached = max(unattached, ?6), properties = ?7,
                last_seen = max(last_seen, ?8) WHERE id = ?1";
        let properties = merge_patch(&known.properties, &new.properties);
        limits::json("properties", &properties, limits::METADATA_BYTES)?;
        let memory = memory.map(|memory| memory.0);
        // A relation once stated outside of any memory outlives those that repeat it.
        let (alone, properties) = (memory.is_none(), json::map_or_null(&properties));
        let (weight, confidence) = (new.weight, new.confidence);
        self.execute(
            SQL,
            (
                known.id.0,
                RELATION_WEIGHT_MAX,
                weight,
                confidence,
                memory,
                alone,
                properties,
                self.at.0,
            ),
        )?;
        Ok(())
    }

    fn resolve_optional_memory(
        &self,
        memory: Option<Ref<MemoryId>>,
    ) -> ApplyResult<Option<MemoryId>> {
        let memory = memory.map(|memory| self.resolve_memory(memory)).transpose()?;
        memory.map_or(Ok(()), |memory| self.require_memory(memory))?;
        Ok(memory)
    }
}
