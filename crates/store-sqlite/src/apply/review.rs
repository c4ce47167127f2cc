//! Review items and flags of memories.

use super::{Applied, Applying};
use crate::fault::Fault;
use crate::json;
use model::{FlagId, JsonMap, MemoryId, NewReview, Resolution, ReviewId, limits};
use rusqlite::{OptionalExtension, params};
use store::{Conflict, Made, Ref, WriteError};

impl Applying<'_, '_> {
    pub(super) fn raise_review(
        &mut self,
        item: &NewReview,
        subject: Option<Ref<MemoryId>>,
        against: Option<Ref<MemoryId>>,
    ) -> Applied<Made> {
        const SQL: &str =
            "INSERT INTO reviews (kind, subject, against, raised_by, raised_at, reason, details)
                           VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)";
        limits::chars("reason", &item.reason, limits::REASON_CHARS)?;
        limits::json("details", &item.details, limits::METADATA_BYTES)?;
        let (subject, against) = (self.side(subject)?, self.side(against)?);
        let raised_by = self.agent.as_str();
        let details = json::of_map(&item.details);
        self.run(
            SQL,
            params![item.kind.name(), subject, against, raised_by, self.at.0, item.reason, details],
        )?;
        Ok(Made::Review(ReviewId(self.inserted())))
    }

    pub(super) fn resolve_review(&mut self, id: ReviewId, resolution: Resolution) -> Applied<Made> {
        const FIND: &str = "SELECT resolution IS NULL FROM reviews WHERE id = ?1";
        const SQL: &str =
            "UPDATE reviews SET resolution = ?2, resolved_by = ?3, resolved_at = ?4 WHERE id = ?1";
        // Read under the write lock, so that of two racing decisions the second one conflicts.
        let open: Option<bool> =
            self.conn.prepare_cached(FIND)?.query_row([id.0], |row| row.get(0)).optional()?;
        match open {
            None => Err(Fault::not_found("review item", id)),
            Some(false) => Err(WriteError::Conflict(Conflict::ReviewResolved).into()),
            Some(true) => {
                self.run(SQL, (id.0, resolution.name(), self.agent.as_str(), self.at.0))?;
                Ok(Made::Nothing)
            }
        }
    }

    pub(super) fn flag(&mut self, memory: MemoryId, reason: &str) -> Applied<Made> {
        const ADD: &str =
            "INSERT INTO flags (memory, settled, by, at, reason) VALUES (?1, 0, ?2, ?3, ?4)";
        const COUNT: &str =
            "UPDATE memories SET open_flags = open_flags + 1, updated_at = ?2 WHERE id = ?1";
        limits::chars("reason", reason, limits::REASON_CHARS)?;
        self.touch(memory)?;
        self.run(ADD, (memory.0, self.agent.as_str(), self.at.0, reason))?;
        let id = FlagId(self.inserted());
        self.run(COUNT, (memory.0, self.at.0))?;
        Ok(Made::Flag(id))
    }

    pub(super) fn settle_flags(&mut self, memory: MemoryId) -> Applied<Made> {
        const COUNT: &str = "UPDATE memories SET open_flags = 0, updated_at = ?2 WHERE id = ?1";
        self.touch(memory)?;
        self.run("UPDATE flags SET settled = 1 WHERE memory = ?1 AND settled = 0", [memory.0])?;
        self.run(COUNT, (memory.0, self.at.0))?;
        Ok(Made::Nothing)
    }

    pub(super) fn keep_before(&mut self, id: ReviewId, before: &JsonMap) -> Applied<Made> {
        const SQL: &str = "UPDATE reviews SET before = ?2 WHERE id = ?1";
        limits::json("before", before, limits::RECORD_BYTES)?;
        if self.run(SQL, (id.0, json::of_map(before)))? == 0 {
            return Err(Fault::not_found("review item", id));
        }
        Ok(Made::Nothing)
    }

    pub(super) fn reopen_review(&mut self, id: ReviewId) -> Applied<Made> {
        const SQL: &str =
            "UPDATE reviews SET resolution = NULL, resolved_by = NULL, resolved_at = NULL,
                           before = NULL WHERE id = ?1 AND resolution IS NOT NULL";
        if self.run(SQL, [id.0])? == 0 {
            return Err(WriteError::Conflict(Conflict::ReviewOpen).into());
        }
        Ok(Made::Nothing)
    }

    pub(super) fn reopen_flags(&mut self, memory: MemoryId, flags: &[FlagId]) -> Applied<Made> {
        const OPEN: &str = "UPDATE flags SET settled = 0
             WHERE memory = ?1 AND settled = 1 AND id IN (SELECT value FROM json_each(?2))";
        // Counted again instead of added up, because flags that are open already are ignored.
        const COUNT: &str = "UPDATE memories SET updated_at = ?2, open_flags =
             (SELECT count(*) FROM flags WHERE memory = ?1 AND settled = 0) WHERE id = ?1";
        self.touch(memory)?;
        self.run(OPEN, (memory.0, json::of_numbers(flags.iter().map(|flag| flag.0))))?;
        self.run(COUNT, (memory.0, self.at.0))?;
        Ok(Made::Nothing)
    }

    fn side(&self, memory: Option<Ref<MemoryId>>) -> Applied<Option<i64>> {
        let memory = memory.map(|memory| self.memory(memory)).transpose()?;
        memory.map_or(Ok(()), |memory| self.memory_is_there(memory))?;
        Ok(memory.map(|memory| memory.0))
    }
}
