//! Entities and mentions: entities are found by name or written, edited and removed.

use super::numbers::NumberedItem;
use super::{ApplyOutcome, BatchTransaction};
use crate::error::ChangeError;
use crate::read;
use crate::sql_value::params;
use model::{Entity, EntityId, NewEntity, limits, merge_patch};
use store::rules::{
    KIND_NAME, KIND_TOOL, KIND_UNKNOWN, checks, encoding, fold_name, is_vague_kind, may_be_tool,
    may_have_proper_name,
};
use store::{ChangeResult, EntityEdit, NewMention};

impl BatchTransaction<'_> {
    pub(super) fn put_entity(&mut self, new: &NewEntity) -> ApplyOutcome<ChangeResult> {
        new.check()?;
        let kind = new.kind.as_deref().filter(|kind| !kind.is_empty());
        let folded = fold_name(&new.name);
        let found = match kind {
            Some(kind) => match read::entity::by_name_and_kind(self.conn, &folded, kind)? {
                None if is_vague_kind(kind) => read::entity::by_name(self.conn, &folded)?
                    .filter(|known| may_have_proper_name(&known.kind)),
                None => self.assign_kind(&folded, kind)?,
                known => known,
            },
            None => read::entity::by_name(self.conn, &folded)?,
        };
        let id = match found {
            Some(known) => self.update_entity(&known, new)?,
            None => self.insert_entity(new, kind.unwrap_or(KIND_UNKNOWN), &folded)?,
        };
        Ok(ChangeResult::Entity(id))
    }

    /// Gives an entity of this name whose kind says nothing this kind. A tool is whatever a caller
    /// called by its name.
    fn assign_kind(&mut self, folded: &str, kind: &str) -> ApplyOutcome<Option<Entity>> {
        let mut known = read::entity::by_name_and_kind(self.conn, folded, KIND_UNKNOWN)?;
        if known.is_none() && may_have_proper_name(kind) {
            known = read::entity::by_name_and_kind(self.conn, folded, KIND_NAME)?;
        }
        if known.is_none() && may_be_tool(kind) {
            known = read::entity::by_name_and_kind(self.conn, folded, KIND_TOOL)?;
        }
        if known.is_none() && kind == KIND_TOOL {
            let called = read::entity::by_name(self.conn, folded)?;
            return Ok(called.filter(|known| may_be_tool(&known.kind)));
        }
        let Some(known) = known else { return Ok(None) };
        let edit = EntityEdit { kind: Some(kind.to_owned()), ..EntityEdit::default() };
        self.edit_entity(known.id, &edit)?;
        read::entity::by_id(self.conn, known.id).map_err(Into::into)
    }

    fn insert_entity(
        &mut self,
        new: &NewEntity,
        kind: &str,
        folded: &str,
    ) -> ApplyOutcome<EntityId> {
        const SQL: &str = "INSERT INTO entities (owner, id, folded, kind, name, properties,
                confidence, first_seen, last_seen)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $8)";
        let id = self.counters.numbers().next(NumberedItem::Entity);
        let properties = encoding::map_or_null(&new.properties);
        self.send(SQL, (id, folded, kind, &new.name, properties, new.confidence, self.at.0))?;
        Ok(EntityId(id))
    }

    fn update_entity(&self, known: &Entity, new: &NewEntity) -> ApplyOutcome<EntityId> {
        const SQL: &str = "UPDATE entities SET properties = $3, confidence = greatest(confidence,
             $4),
                           last_seen = greatest(last_seen, $5) WHERE owner = $1 AND id = $2";
        // The limit applies to the merged map: many small patches must not outgrow it.
        let properties = merge_patch(&known.properties, &new.properties);
        limits::json("properties", &properties, limits::METADATA_BYTES)?;
        self.send(
            SQL,
            (known.id.0, encoding::map_or_null(&properties), new.confidence, self.at.0),
        )?;
        Ok(known.id)
    }

    pub(super) fn edit_entity(
        &mut self,
        id: EntityId,
        edit: &EntityEdit,
    ) -> ApplyOutcome<ChangeResult> {
        const SQL: &str =
            "UPDATE entities SET folded = $3, kind = $4, name = $5, properties = $6 WHERE owner =
                 $1 AND id = $2";
        let before = self.require_entity(id)?;
        let after = NewEntity {
            kind: Some(edit.kind.clone().unwrap_or_else(|| before.kind.clone())),
            name: edit.name.clone().unwrap_or_else(|| before.name.clone()),
            properties: merge_patch(&before.properties, &edit.properties),
            confidence: before.confidence,
        };
        after.check()?;
        let (folded, kind) =
            (fold_name(&after.name), after.kind.as_deref().unwrap_or(KIND_UNKNOWN));
        self.check_name_is_free(id, &folded, kind)?;
        self.send(
            SQL,
            (id.0, &folded, kind, &after.name, encoding::map_or_null(&after.properties)),
        )?;
        if folded != fold_name(&before.name) {
            self.add_alias(id, &before.name, kind)?;
        }
        // Aliases are looked up together with their kind, so they follow the entity to a new one.
        self.execute(
            "UPDATE aliases SET kind = $3 WHERE owner = $1 AND entity = $2 AND kind = $4",
            (id.0, kind, &before.kind),
        )?;
        self.remove_own_name_alias(id)?;
        Ok(ChangeResult::Done)
    }

    fn check_name_is_free(&self, id: EntityId, folded: &str, kind: &str) -> ApplyOutcome<()> {
        match read::entity::by_name_and_kind(self.conn, folded, kind)? {
            Some(other) if other.id != id => Err(ChangeError::invalid(format!(
                "entity {} is already the {kind} of that name; merge the two instead",
                other.id
            ))),
            _ => Ok(()),
        }
    }

    pub(super) fn add_alias(&self, id: EntityId, name: &str, kind: &str) -> ApplyOutcome<()> {
        const SQL: &str =
            "INSERT INTO aliases (owner, folded, kind, entity, name) VALUES ($1, $2, $3, $4, $5)
                 ON CONFLICT DO NOTHING";
        self.send(SQL, (fold_name(name), kind, id.0, name))?;
        Ok(())
    }

    /// Removes an alias that equals the entity's own name, as a renaming back can leave one.
    pub(super) fn remove_own_name_alias(&self, id: EntityId) -> ApplyOutcome<()> {
        const SQL: &str = "DELETE FROM aliases WHERE owner = $1 AND entity = $2
                           AND folded = (SELECT folded FROM entities WHERE owner = $1 AND id = $2)";
        self.send(SQL, [id.0])?;
        Ok(())
    }

    pub(super) fn delete_entity(&mut self, id: EntityId) -> ApplyOutcome<ChangeResult> {
        self.require_entity(id)?;
        self.drop_merges_into(id)?;
        // Before the mentions are deleted, which say what to touch.
        self.touch_mentioning(id)?;
        self.send("DELETE FROM mentions WHERE owner = $1 AND entity = $2", [id.0])?;
        self.send("DELETE FROM observations WHERE owner = $1 AND entity = $2", [id.0])?;
        self.send(
            "DELETE FROM relations WHERE owner = $1 AND (source = $2 OR target = $2)",
            [id.0],
        )?;
        self.send("DELETE FROM entities WHERE owner = $1 AND id = $2", [id.0])?;
        Ok(ChangeResult::Done)
    }

    /// Gives every memory that mentions an entity the batch's sequence number.
    pub(super) fn touch_mentioning(&self, id: EntityId) -> ApplyOutcome<()> {
        const SQL: &str = "UPDATE memories SET seq = $3 \
            WHERE owner = $1
            AND id IN (SELECT memory FROM mentions WHERE owner = $1 AND entity = $2)";
        self.send(SQL, (id.0, self.seq.0))?;
        Ok(())
    }

    pub(super) fn mention(&mut self, new: &NewMention) -> ApplyOutcome<ChangeResult> {
        const SQL: &str = "INSERT INTO mentions (owner, memory, entity, kind, name, source, path)
             VALUES ($1, $2, $3, $4, $5, $6, $7)
             ON CONFLICT (owner, memory, entity) DO UPDATE SET kind = excluded.kind, name =
             excluded.name,
                source = excluded.source, path = excluded.path";
        checks::check_mention(new)?;
        let (memory, entity) = (self.resolve_memory(new.memory)?, self.resolve_entity(new.entity)?);
        self.touch(memory)?;
        self.touch_entity(entity)?;
        self.send(SQL, params![memory.0, entity.0, &new.kind, &new.name, &new.source, &new.path])?;
        Ok(ChangeResult::Done)
    }

    /// Updates the time at which an entity was last seen. Fails when there is no such entity.
    pub(super) fn touch_entity(&self, id: EntityId) -> ApplyOutcome<()> {
        const SQL: &str = "UPDATE entities SET last_seen = greatest(last_seen, $3) WHERE owner =
             $1 AND id = $2";
        if self.execute(SQL, (id.0, self.at.0))? == 0 {
            return Err(ChangeError::not_found("entity", id));
        }
        Ok(())
    }

    pub(super) fn require_entity(&self, id: EntityId) -> ApplyOutcome<Entity> {
        read::entity::by_id(self.conn, id)?.ok_or_else(|| ChangeError::not_found("entity", id))
    }
}
