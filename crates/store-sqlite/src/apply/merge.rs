//! Merging two entities: mentions, observations and relations move to the one that remains, and the
//! names of the other become aliases.

use super::{ApplyResult, BatchContext};
use crate::{json, read};
use model::{Entity, EntityId, Relation, limits, merge_patch};
use store::{ChangeResult, Ref};

impl BatchContext<'_, '_> {
    pub(super) fn merge_entities(
        &mut self,
        from: Ref<EntityId>,
        into: Ref<EntityId>,
    ) -> ApplyResult<ChangeResult> {
        let (from, into) = (self.resolve_entity(from)?, self.resolve_entity(into)?);
        let (goes, stays) = (self.require_entity(from)?, self.require_entity(into)?);
        if from == into {
            return Ok(ChangeResult::Done);
        }
        self.save_merge(from, into)?;
        // Before the mentions move, which say what to touch.
        self.touch_mentioning(from)?;
        self.move_mentions(from, into)?;
        self.move_observations(from, into)?;
        for relation in read::fact::relations(self.conn, &[from])? {
            self.move_relation(&relation, from, into)?;
        }
        self.move_names(&goes, into)?;
        self.execute("DELETE FROM entities WHERE id = ?1", [from.0])?;
        self.merge_fields(&goes, &stays)?;
        Ok(ChangeResult::Done)
    }

    fn move_mentions(&self, from: EntityId, into: EntityId) -> ApplyResult<()> {
        // OR IGNORE leaves the mentions of memories that mention both; those are then deleted.
        self.execute(
            "UPDATE OR IGNORE mentions SET entity = ?2 WHERE entity = ?1",
            (from.0, into.0),
        )?;
        self.execute("DELETE FROM mentions WHERE entity = ?1", [from.0])?;
        Ok(())
    }

    fn move_observations(&self, from: EntityId, into: EntityId) -> ApplyResult<()> {
        const SAID_OF_BOTH: &str = "DELETE FROM observations WHERE entity = ?1 AND EXISTS
             (SELECT 1 FROM observations o \
                WHERE o.entity = ?2 AND o.text_key = observations.text_key
              AND o.text = observations.text)";
        self.execute(SAID_OF_BOTH, (from.0, into.0))?;
        self.execute("UPDATE observations SET entity = ?2 WHERE entity = ?1", (from.0, into.0))?;
        Ok(())
    }

    /// Moves a relation. One between the two entities is removed; one that both had gets the sum of
    /// the weights and the properties of both.
    fn move_relation(
        &self,
        relation: &Relation,
        from: EntityId,
        into: EntityId,
    ) -> ApplyResult<()> {
        let end = |entity: EntityId| if entity == from { into } else { entity };
        let (source, target) = (end(relation.source), end(relation.target));
        if source == target {
            self.execute("DELETE FROM relations WHERE id = ?1", [relation.id.0])?;
            return Ok(());
        }
        match read::fact::find_relation(self.conn, source, target, &relation.kind)? {
            Some(twin) => self.merge_relations(relation, &twin),
            None => {
                let ends = (relation.id.0, source.0, target.0);
                self.execute("UPDATE relations SET source = ?2, target = ?3 WHERE id = ?1", ends)?;
                Ok(())
            }
        }
    }

    fn merge_relations(&self, goes: &Relation, stays: &Relation) -> ApplyResult<()> {
        const JOIN: &str = "UPDATE relations SET weight = min(10.0, relations.weight + g.weight),
                confidence = max(relations.confidence, g.confidence),
                memory = coalesce(relations.memory, g.memory), properties = ?3,
                unattached = max(relations.unattached, g.unattached),
                first_seen = min(relations.first_seen, g.first_seen),
                last_seen = max(relations.last_seen, g.last_seen)
             FROM (SELECT * FROM relations WHERE id = ?1) AS g WHERE relations.id = ?2";
        const SAID_IN: &str =
            "UPDATE OR IGNORE relation_memories SET relation = ?2 WHERE relation = ?1";
        // In this order, so that the relation that remains wins where both have a property.
        let properties = merge_patch(&goes.properties, &stays.properties);
        limits::json("properties", &properties, limits::METADATA_BYTES)?;
        self.execute(JOIN, (goes.id.0, stays.id.0, json::map_or_null(&properties)))?;
        self.execute(SAID_IN, (goes.id.0, stays.id.0))?;
        self.execute("DELETE FROM relations WHERE id = ?1", [goes.id.0])?;
        Ok(())
    }

    fn move_names(&self, goes: &Entity, into: EntityId) -> ApplyResult<()> {
        // Aliases that both have are left behind and go with the entity, by `ON DELETE CASCADE`.
        self.execute(
            "UPDATE OR IGNORE aliases SET entity = ?2 WHERE entity = ?1",
            (goes.id.0, into.0),
        )?;
        self.add_alias(into, &goes.name, &goes.kind)?;
        self.remove_own_name_alias(into)
    }

    fn merge_fields(&self, goes: &Entity, stays: &Entity) -> ApplyResult<()> {
        const SQL: &str = "UPDATE entities SET properties = ?2, confidence = max(confidence, ?3),
                first_seen = min(first_seen, ?4), last_seen = max(last_seen, ?5) WHERE id = ?1";
        // In this order, so that the entity that remains wins where both have a property.
        let properties = merge_patch(&goes.properties, &stays.properties);
        limits::json("properties", &properties, limits::METADATA_BYTES)?;
        let seen = (goes.first_seen.0, goes.last_seen.0);
        self.execute(
            SQL,
            (stays.id.0, json::map_or_null(&properties), goes.confidence, seen.0, seen.1),
        )?;
        Ok(())
    }
}
