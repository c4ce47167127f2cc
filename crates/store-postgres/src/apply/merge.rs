//! Merging two entities: mentions, observations and relations move to the one that remains, and the
//! names of the other become aliases.

use super::{ApplyOutcome, BatchTransaction};
use crate::read;
use model::{Entity, EntityId, Relation, limits, merge_patch};
use store::rules::encoding;
use store::{ChangeResult, Ref};

impl BatchTransaction<'_> {
    pub(super) fn merge_entities(
        &mut self,
        from: Ref<EntityId>,
        into: Ref<EntityId>,
    ) -> ApplyOutcome<ChangeResult> {
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
        self.send("DELETE FROM entities WHERE owner = $1 AND id = $2", [from.0])?;
        self.merge_fields(&goes, &stays)?;
        Ok(ChangeResult::Done)
    }

    fn move_mentions(&self, from: EntityId, into: EntityId) -> ApplyOutcome<()> {
        const MOVE: &str = "UPDATE mentions SET entity = $3 WHERE owner = $1 AND entity = $2
             AND memory NOT IN (SELECT memory FROM mentions WHERE owner = $1 AND entity = $3)";
        // Those of memories that mention both are left, and then deleted.
        self.execute(MOVE, (from.0, into.0))?;
        self.send("DELETE FROM mentions WHERE owner = $1 AND entity = $2", [from.0])?;
        Ok(())
    }

    fn move_observations(&self, from: EntityId, into: EntityId) -> ApplyOutcome<()> {
        const SAID_OF_BOTH: &str = "DELETE FROM observations WHERE owner = $1 AND entity = $2
             AND EXISTS (SELECT 1 FROM observations o WHERE o.owner = $1 AND o.entity = $3
                AND o.text_key = observations.text_key AND o.text = observations.text)";
        self.send(SAID_OF_BOTH, (from.0, into.0))?;
        self.send(
            "UPDATE observations SET entity = $3 WHERE owner = $1 AND entity = $2",
            (from.0, into.0),
        )?;
        Ok(())
    }

    /// Moves a relation. One between the two entities is removed; one that both had gets the sum of
    /// the weights and the properties of both.
    fn move_relation(
        &self,
        relation: &Relation,
        from: EntityId,
        into: EntityId,
    ) -> ApplyOutcome<()> {
        let end = |entity: EntityId| if entity == from { into } else { entity };
        let (source, target) = (end(relation.source), end(relation.target));
        if source == target {
            self.send("DELETE FROM relations WHERE owner = $1 AND id = $2", [relation.id.0])?;
            return Ok(());
        }
        match read::fact::find_relation(self.conn, source, target, &relation.kind)? {
            Some(twin) => self.merge_relations(relation, &twin),
            None => {
                const MOVE: &str =
                    "UPDATE relations SET source = $3, target = $4 WHERE owner = $1 AND id = $2";
                self.send(MOVE, (relation.id.0, source.0, target.0))?;
                Ok(())
            }
        }
    }

    fn merge_relations(&self, goes: &Relation, stays: &Relation) -> ApplyOutcome<()> {
        const JOIN: &str = "UPDATE relations SET weight = least(10.0, relations.weight + g.weight),
                confidence = greatest(relations.confidence, g.confidence),
                memory = coalesce(relations.memory, g.memory), properties = $4,
                unattached = greatest(relations.unattached, g.unattached),
                first_seen = least(relations.first_seen, g.first_seen),
                last_seen = greatest(relations.last_seen, g.last_seen)
             FROM (SELECT * FROM relations WHERE owner = $1 AND id = $2) AS g
             WHERE relations.owner = $1 AND relations.id = $3";
        const SAID_IN: &str =
            "UPDATE relation_memories SET relation = $3 WHERE owner = $1 AND relation = $2
             AND memory NOT IN
                (SELECT memory FROM relation_memories WHERE owner = $1 AND relation = $3)";
        // In this order, so that the relation that remains wins where both have a property.
        let properties = merge_patch(&goes.properties, &stays.properties);
        limits::json("properties", &properties, limits::METADATA_BYTES)?;
        self.send(JOIN, (goes.id.0, stays.id.0, encoding::map_or_null(&properties)))?;
        self.send(SAID_IN, (goes.id.0, stays.id.0))?;
        self.send("DELETE FROM relations WHERE owner = $1 AND id = $2", [goes.id.0])?;
        Ok(())
    }

    fn move_names(&self, goes: &Entity, into: EntityId) -> ApplyOutcome<()> {
        const MOVE: &str = "UPDATE aliases SET entity = $3 WHERE owner = $1 AND entity = $2
             AND (folded, kind) NOT IN
                (SELECT folded, kind FROM aliases WHERE owner = $1 AND entity = $3)";
        // Aliases that both have are left behind and go with the entity, by `ON DELETE CASCADE`.
        self.execute(MOVE, (goes.id.0, into.0))?;
        self.add_alias(into, &goes.name, &goes.kind)?;
        self.remove_own_name_alias(into)
    }

    fn merge_fields(&self, goes: &Entity, stays: &Entity) -> ApplyOutcome<()> {
        const SQL: &str = "UPDATE entities SET properties = $3, confidence = greatest(confidence,
             $4),
                first_seen = least(first_seen, $5), last_seen = greatest(last_seen, $6)
             WHERE owner = $1 AND id = $2";
        // In this order, so that the entity that remains wins where both have a property.
        let properties = merge_patch(&goes.properties, &stays.properties);
        limits::json("properties", &properties, limits::METADATA_BYTES)?;
        let seen = (goes.first_seen.0, goes.last_seen.0);
        self.send(
            SQL,
            (stays.id.0, encoding::map_or_null(&properties), goes.confidence, seen.0, seen.1),
        )?;
        Ok(())
    }
}
