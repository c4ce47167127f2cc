//! Import of a memory in any status, with its use count, flags and mentions.

use super::super::numbers::NumberedItem;
use super::super::{ApplyOutcome, BatchTransaction};
use model::{Flag, Memory, MemoryId, Mention, limits};
use store::rules::{checks, codes, imports};
use store::{ChangeResult, ImportedMemory, NewMention, Ref};

impl BatchTransaction<'_> {
    pub(super) fn import_memory(
        &mut self,
        imported: &ImportedMemory,
    ) -> ApplyOutcome<ChangeResult> {
        // The id of a forgotten memory stays taken: old references to it must not lead to another.
        const TAKEN: &str = "SELECT EXISTS (SELECT 1 FROM memories WHERE owner = $1 AND id = $2)
             OR EXISTS (SELECT 1 FROM tombstones WHERE owner = $1 AND memory = $2)";
        let memory = &imported.memory;
        let new = imports::as_new_memory(memory);
        new.check()?;
        memory.session.map_or(Ok(()), |session| self.require_session(session))?;
        let id = match self.id_if_free(TAKEN, memory.id.0)? {
            Some(number) => MemoryId(number),
            None => self.counters.next_memory(),
        };
        self.counters.advance_past(id);
        self.insert_with_id(id, &new, new.hash(), memory.session)?;
        self.write_status_and_uses(id, memory)?;
        if let Some(vector) = &imported.vector {
            self.put_vector(id, vector)?;
        }
        // Newest first in the export; written oldest first, so that the ids follow the times.
        imported.flags.iter().rev().try_for_each(|flag| self.import_flag(id, flag))?;
        imported.mentions.iter().try_for_each(|mention| self.import_mention(id, mention))?;
        Ok(ChangeResult::Memory(id))
    }

    /// Writes what a new memory does not have: another status, a later change, and uses.
    fn write_status_and_uses(&self, id: MemoryId, memory: &Memory) -> ApplyOutcome<()> {
        const SQL: &str =
            "UPDATE memories SET status = $3, ended_at = $4, updated_at = $5 WHERE owner = $1 AND
                 id = $2";
        const USED: &str = "INSERT INTO uses (owner, memory, count, last) VALUES ($1, $2, $3, $4)";
        let updated = (memory.updated_at != memory.provenance.at).then_some(memory.updated_at.0);
        let ended = memory.ended_at.map(|at| at.0);
        self.send(SQL, (id.0, codes::status_code(memory.status), ended, updated))?;
        if let Some(last) = memory.access.last {
            self.send(USED, (id.0, memory.access.count, last.0))?;
        }
        Ok(())
    }

    fn import_flag(&mut self, memory: MemoryId, flag: &Flag) -> ApplyOutcome<()> {
        const ADD: &str = "INSERT INTO flags (owner, id, memory, settled, by, at, reason)
             VALUES ($1, $2, $3, $4, $5, $6, $7)";
        const COUNT: &str = "UPDATE memories SET open_flags = open_flags + 1 WHERE owner = $1 AND
             id = $2";
        limits::chars("reason", &flag.reason, limits::REASON_CHARS)?;
        let id = self.counters.numbers().next(NumberedItem::Flag);
        let (by, at) = (flag.by.as_str(), flag.at.0);
        self.send(ADD, (id, memory.0, flag.settled, by, at, &flag.reason))?;
        if !flag.settled {
            self.send(COUNT, [memory.0])?;
        }
        Ok(())
    }

    // Unlike a new mention, it does not update when the entity was last seen: an import is not an
    // occasion on which anybody mentioned it.
    fn import_mention(&self, memory: MemoryId, mention: &Mention) -> ApplyOutcome<()> {
        const SQL: &str = "INSERT INTO mentions (owner, memory, entity, kind, name, source, path)
             VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT DO NOTHING";
        let Mention { memory: _, entity, kind, name, source, path } = mention.clone();
        let new = NewMention {
            memory: Ref::Id(memory),
            entity: Ref::Id(entity),
            kind,
            name,
            source,
            path,
        };
        checks::check_mention(&new)?;
        self.require_entity(entity)?;
        self.send(SQL, (memory.0, entity.0, new.kind, new.name, new.source, new.path))?;
        Ok(())
    }
}
