//! Facts about entities: observations, each text once, and relations, whose weight grows with
//! repetition.

use super::numbers::NumberedItem;
use super::{ApplyOutcome, BatchTransaction};
use crate::read;
use crate::sql_value::params;
use model::{ContentHash, EntityId, MemoryId, ObservationId, RelationId, limits, merge_patch};
use store::rules::checks::{self, RELATION_WEIGHT_MAX};
use store::rules::{codes, encoding, text_key};
use store::{ChangeResult, NewObservation, NewRelation, Ref};

impl BatchTransaction<'_> {
    pub(super) fn observe(&mut self, new: &NewObservation) -> ApplyOutcome<ChangeResult> {
        const FIND: &str =
            "SELECT id FROM observations WHERE owner = $1 AND entity = $2 AND text_key = $3 AND
                 text = $4";
        const ADD: &str = "INSERT INTO observations (owner, id, entity, text_key, text, memory, at)
             VALUES ($1, $2, $3, $4, $5, $6, $7)";
        checks::check_observation(&new.text)?;
        let entity = self.resolve_entity(new.entity)?;
        self.touch_entity(entity)?;
        let memory = self.resolve_optional_memory(new.memory)?;
        // `of_bytes` and not `of_text`: observations differ by case and spaces, unlike memories.
        let key = text_key(ContentHash::of_bytes(new.text.as_bytes()));
        let found = self.conn.first(FIND, (entity.0, key, &new.text), |row| row.get(0))?;
        let id = match found {
            Some(id) => {
                self.attach_observation(id, memory)?;
                id
            }
            None => {
                let id = self.counters.numbers().next(NumberedItem::Observation);
                let memory = memory.map(|memory| memory.0);
                self.send(ADD, (id, entity.0, key, &new.text, memory, self.at.0))?;
                id
            }
        };
        Ok(ChangeResult::Observation(ObservationId(id)))
    }

    pub(super) fn relate(&mut self, new: &NewRelation) -> ApplyOutcome<ChangeResult> {
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
                "INSERT INTO relation_memories (owner, relation, memory) VALUES ($1, $2, $3) ON
                     CONFLICT DO NOTHING";
            self.send(SQL, (id.0, memory.0))?;
            self.attach_relations(memory)?;
        }
        Ok(ChangeResult::Relation(id))
    }

    /// Attaches an observation to the memory that repeats it, if the one that stated it first is no
    /// longer current.
    fn attach_observation(&self, id: i64, memory: Option<MemoryId>) -> ApplyOutcome<()> {
        const SQL: &str = "UPDATE observations SET memory = $3 WHERE owner = $1 AND id = $2
             AND memory NOT IN (SELECT id FROM memories WHERE owner = $1 AND status = $4)";
        if let Some(memory) = memory {
            self.send(SQL, (id, memory.0, codes::ACTIVE))?;
        }
        Ok(())
    }

    /// Attaches the relations that a memory states to one that is current, if they are attached to
    /// one that is not: a relation is current as long as any of its memories is.
    pub(super) fn attach_relations(&self, memory: MemoryId) -> ApplyOutcome<()> {
        const SQL: &str = "UPDATE relations SET memory = current.memory
             FROM (SELECT s.relation, max(s.memory) AS memory FROM relation_memories s
                   JOIN memories m ON m.owner = s.owner AND m.id = s.memory
                   WHERE s.owner = $1 AND m.owner = $1 AND m.status = $3 AND s.relation IN
                       (SELECT relation FROM relation_memories WHERE owner = $1 AND memory = $2)
                   GROUP BY s.relation) AS current
             WHERE relations.owner = $1 AND relations.id = current.relation AND NOT EXISTS
                 (SELECT 1 FROM memories
                  WHERE owner = $1 AND id = relations.memory AND status = $3)";
        // A relation that was also stated by itself needs no memory to be current.
        const DETACH: &str =
            "UPDATE relations SET memory = NULL WHERE owner = $1 AND unattached = 1
             AND id IN (SELECT relation FROM relation_memories WHERE owner = $1 AND memory = $2)
             AND NOT EXISTS (SELECT 1 FROM memories
                WHERE owner = $1 AND id = relations.memory AND status = $3)";
        self.send(SQL, (memory.0, codes::ACTIVE))?;
        self.send(DETACH, (memory.0, codes::ACTIVE))?;
        Ok(())
    }

    fn insert_relation(
        &mut self,
        source: EntityId,
        target: EntityId,
        new: &NewRelation,
        memory: Option<MemoryId>,
    ) -> ApplyOutcome<RelationId> {
        const SQL: &str = "INSERT INTO relations (owner, id, source, target, kind, weight,
                confidence, memory, unattached, properties, first_seen, last_seen)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $11)";
        let id = self.counters.numbers().next(NumberedItem::Relation);
        self.send(
            SQL,
            params![
                id,
                source.0,
                target.0,
                &new.kind,
                new.weight,
                new.confidence,
                memory.map(|memory| memory.0),
                memory.is_none(),
                encoding::map_or_null(&new.properties),
                self.at.0
            ],
        )?;
        Ok(RelationId(id))
    }

    fn add_weight(
        &self,
        known: &model::Relation,
        new: &NewRelation,
        memory: Option<MemoryId>,
    ) -> ApplyOutcome<()> {
        const SQL: &str = "UPDATE relations SET weight = least($3, weight + $4), confidence =
                 greatest(confidence, $5),
                memory = coalesce(memory, $6), unattached = greatest(unattached, $7), properties =
                $8,
                last_seen = greatest(last_seen, $9) WHERE owner = $1 AND id = $2";
        let properties = merge_patch(&known.properties, &new.properties);
        limits::json("properties", &properties, limits::METADATA_BYTES)?;
        let memory = memory.map(|memory| memory.0);
        // A relation once stated outside of any memory outlives those that repeat it.
        let (alone, properties) = (memory.is_none(), encoding::map_or_null(&properties));
        let (weight, confidence) = (new.weight, new.confidence);
        self.send(
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
    ) -> ApplyOutcome<Option<MemoryId>> {
        let memory = memory.map(|memory| self.resolve_memory(memory)).transpose()?;
        memory.map_or(Ok(()), |memory| self.require_memory(memory))?;
        Ok(memory)
    }
}
