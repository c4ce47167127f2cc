//! The state before each merge of two entities, and undoing a merge with it.

use super::{ApplyOutcome, BatchTransaction};
use crate::error::ChangeError;
use crate::read;
use crate::sql_value::params;
use model::{ContentHash, Entity, EntityId, MemoryId};
use std::collections::BTreeSet;
use store::rules::merges::{
    MERGES_KEPT, MergeState, MergeUndo, later_merge, name_is_taken, remaining_is_gone,
};
use store::rules::{encoding, fold_name, text_key};
use store::{AttributedRelation, ChangeResult};

impl BatchTransaction<'_> {
    /// Stores the state of two entities that are about to be merged.
    pub(super) fn save_merge(&self, from: EntityId, into: EntityId) -> ApplyOutcome<()> {
        // The owner comes from a row, as Citus needs it under row-level security.
        const ADD: &str =
            "INSERT INTO merges (owner, entity, into_entity, number, at, kind, name, state)
             SELECT c.owner, $2, $3, coalesce(max(m.number), 0) + 1, $4, $5, $6, $7
             FROM clocks c LEFT JOIN merges m ON m.owner = c.owner
             WHERE c.owner = $1 GROUP BY c.owner";
        const DROP_OLD: &str = "DELETE FROM merges WHERE owner = $1
             AND number <= (SELECT max(number) FROM merges WHERE owner = $1) - $2";
        let facts = |id| -> ApplyOutcome<_> {
            let found = read::merge::facts(self.conn, id)?;
            found.ok_or_else(|| ChangeError::not_found("entity", id))
        };
        let state = MergeState::new(facts(from)?, facts(into)?);
        let Entity { kind, name, .. } = &state.from.entity;
        self.send(ADD, params![from.0, into.0, self.at.0, kind, name, state.encode()])?;
        self.send(DROP_OLD, [MERGES_KEPT])?;
        Ok(())
    }

    /// Removes what certain memories state from the states before merges.
    pub(super) fn remove_from_merges(&self, memories: &[MemoryId]) -> ApplyOutcome<usize> {
        const CHANGE: &str = "UPDATE merges SET state = $3 WHERE owner = $1 AND entity = $2";
        let (memories, mut changed) = (memories.iter().copied().collect::<BTreeSet<_>>(), 0);
        let states = read::merge::states(self.conn)?;
        for state in states.into_iter().filter(|state| state.is_stated_by(&memories)) {
            let id = state.from.entity.id;
            changed += match state.without(&memories) {
                Some(left) => self.execute(CHANGE, (id.0, left.encode()))?,
                None => self.drop_merge(id)?,
            };
        }
        Ok(changed)
    }

    fn drop_merge(&self, entity: EntityId) -> ApplyOutcome<usize> {
        Ok(self.execute("DELETE FROM merges WHERE owner = $1 AND entity = $2", [entity.0])?)
    }

    /// Drops the merges into an entity that is removed, and those into what was merged into it.
    pub(super) fn drop_merges_into(&self, entity: EntityId) -> ApplyOutcome<()> {
        const SQL: &str = "WITH RECURSIVE gone (entity) AS (SELECT $2::bigint
                UNION SELECT m.entity FROM merges m JOIN gone g ON m.into_entity = g.entity
                WHERE m.owner = $1)
             DELETE FROM merges WHERE owner = $1 AND into_entity IN (SELECT entity FROM gone)";
        self.send(SQL, [entity.0])?;
        Ok(())
    }

    pub(super) fn undo_merge(&mut self, entity: EntityId) -> ApplyOutcome<ChangeResult> {
        let state = read::merge::state(self.conn, entity)?
            .ok_or_else(|| ChangeError::not_found("merge of entity", entity))?;
        let into = state.into.entity.id;
        let newest = read::merge::into_entity(self.conn, into)?.first().map(|one| one.entity);
        if let Some(later) = newest.filter(|newest| *newest != entity) {
            return Err(later_merge(later).into());
        }
        let now = read::merge::facts(self.conn, into)?;
        let undo = state.undo(&now.ok_or_else(|| remaining_is_gone(into))?);
        self.restore_entity(&undo)?;
        self.restore_names(&undo)?;
        self.restore_mentions(&undo)?;
        self.restore_observations(&undo)?;
        undo.relations.iter().try_for_each(|relation| self.write_relation(relation))?;
        self.touch_mentioning(entity)?;
        self.drop_merge(entity)?;
        Ok(ChangeResult::Entity(entity))
    }

    fn restore_entity(&self, undo: &MergeUndo) -> ApplyOutcome<()> {
        const TAKEN: &str =
            "SELECT id FROM entities WHERE owner = $1 AND folded = $2 AND kind = $3";
        const ADD: &str =
            "INSERT INTO entities (owner, id, folded, kind, name, properties, confidence,
                first_seen, last_seen) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)";
        const CHANGE: &str = "UPDATE entities SET properties = $3, confidence = $4,
                first_seen = $5, last_seen = $6 WHERE owner = $1 AND id = $2";
        let Entity { id, kind, name, properties, confidence, first_seen, last_seen, .. } =
            &undo.restored;
        let folded = fold_name(name);
        let taken = read::all(self.conn, TAKEN, (&folded, kind), |row| row.get(0).map(EntityId))?;
        if let Some(other) = taken.first() {
            return Err(name_is_taken(*other).into());
        }
        let text = encoding::map_or_null(properties);
        let seen = (first_seen.0, last_seen.0);
        self.send(ADD, params![id.0, folded, kind, name, text, *confidence, seen.0, seen.1])?;
        let left = &undo.remaining;
        let (text, seen) =
            (encoding::map_or_null(&left.properties), (left.first_seen.0, left.last_seen.0));
        self.send(CHANGE, (left.id.0, text, left.confidence, seen.0, seen.1))?;
        Ok(())
    }

    fn restore_names(&self, undo: &MergeUndo) -> ApplyOutcome<()> {
        const DROP: &str =
            "DELETE FROM aliases WHERE owner = $1 AND entity = $2 AND folded = $3 AND kind = $4";
        for (name, kind) in &undo.dropped_aliases {
            self.send(DROP, (undo.remaining.id.0, fold_name(name), kind))?;
        }
        let back = &undo.restored_aliases;
        back.iter().try_for_each(|(name, kind)| self.add_alias(undo.restored.id, name, kind))
    }

    fn restore_mentions(&self, undo: &MergeUndo) -> ApplyOutcome<()> {
        const MOVE: &str =
            "UPDATE mentions SET entity = $3 WHERE owner = $1 AND entity = $2 AND memory = $4";
        const ADD: &str = "INSERT INTO mentions (owner, memory, entity, kind, name, source, path)
             VALUES ($1, $2, $3, $4, $5, $6, $7)";
        let (from, into) = (undo.restored.id.0, undo.remaining.id.0);
        for memory in &undo.moved_mentions {
            self.send(MOVE, (into, from, memory.0))?;
        }
        for one in &undo.added_mentions {
            let values = params![one.memory.0, from, &one.kind, &one.name, &one.source, &one.path];
            self.send(ADD, values)?;
        }
        Ok(())
    }

    fn restore_observations(&self, undo: &MergeUndo) -> ApplyOutcome<()> {
        const MOVE: &str = "UPDATE observations SET entity = $3 WHERE owner = $1 AND id = $2";
        const ADD: &str = "INSERT INTO observations (owner, id, entity, text_key, memory, at, text)
             VALUES ($1, $2, $3, $4, $5, $6, $7)";
        for id in &undo.moved_observations {
            self.send(MOVE, (id.0, undo.restored.id.0))?;
        }
        for one in &undo.added_observations {
            let key = text_key(ContentHash::of_bytes(one.text.as_bytes()));
            let memory = one.memory.map(|memory| memory.0);
            self.send(ADD, (one.id.0, one.entity.0, key, memory, one.at.0, &one.text))?;
        }
        Ok(())
    }

    /// Writes a relation as it stands, over the one of the same id.
    fn write_relation(&self, one: &AttributedRelation) -> ApplyOutcome<()> {
        const PUT: &str = "INSERT INTO relations (owner, id, source, target, kind, weight,
                confidence, memory, unattached, properties, first_seen, last_seen)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
             ON CONFLICT (owner, id) DO UPDATE SET source = excluded.source,
                target = excluded.target, weight = excluded.weight,
                confidence = excluded.confidence, memory = excluded.memory,
                unattached = excluded.unattached, properties = excluded.properties,
                first_seen = excluded.first_seen, last_seen = excluded.last_seen";
        const UNSAY: &str = "DELETE FROM relation_memories WHERE owner = $1 AND relation = $2";
        const SAY: &str =
            "INSERT INTO relation_memories (owner, relation, memory) VALUES ($1, $2, $3)";
        let relation = &one.relation;
        let id = relation.id.0;
        self.send(
            PUT,
            params![
                id,
                relation.source.0,
                relation.target.0,
                &relation.kind,
                relation.weight,
                relation.confidence,
                relation.memory.map(|memory| memory.0),
                one.unattached,
                encoding::map_or_null(&relation.properties),
                relation.first_seen.0,
                relation.last_seen.0
            ],
        )?;
        self.send(UNSAY, [id])?;
        for memory in &one.stated_in {
            self.send(SAY, (id, memory.0))?;
        }
        Ok(())
    }
}
