//! Review items and flags of memories.

use super::{ApplyResult, BatchContext};
use crate::error::ApplyError;
use crate::json;
use model::{FlagId, JsonMap, MemoryId, NewReview, Resolution, ReviewId, limits};
use rusqlite::{OptionalExtension, params};
use store::{ChangeResult, Conflict, Ref, WriteError};

impl BatchContext<'_, '_> {
    pub(super) fn raise_review(
        &mut self,
        item: &NewReview,
        subject: Option<Ref<MemoryId>>,
        against: Option<Ref<MemoryId>>,
    ) -> ApplyResult<ChangeResult> {
        const SQL: &str =
            "INSERT INTO reviews (kind, subject, against, raised_by, raised_at, reason, details)
                           VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)";
        limits::chars("reason", &item.reason, limits::REASON_CHARS)?;
        limits::json("details", &item.details, limits::REVIEW_DETAILS_BYTES)?;
        let (subject, against) = (self.optional_memory(subject)?, self.optional_memory(against)?);
        let raised_by = self.agent.as_str();
        let details = json::map_or_null(&item.details);
        self.execute(
            SQL,
            params![item.kind.name(), subject, against, raised_by, self.at.0, item.reason, details],
        )?;
        Ok(ChangeResult::Review(ReviewId(self.last_inserted_id())))
    }

    pub(super) fn resolve_review(
        &mut self,
        id: ReviewId,
        resolution: Resolution,
    ) -> ApplyResult<ChangeResult> {
        const FIND: &str = "SELECT resolution IS NULL FROM reviews WHERE id = ?1";
        const SQL: &str =
            "UPDATE reviews SET resolution = ?2, resolved_by = ?3, resolved_at = ?4 WHERE id = ?1";
        // Read under the write lock, so that of two racing decisions the second one conflicts.
        let open: Option<bool> =
            self.conn.prepare_cached(FIND)?.query_row([id.0], |row| row.get(0)).optional()?;
        match open {
            None => Err(ApplyError::not_found("review item", id)),
            Some(false) => Err(WriteError::Conflict(Conflict::ReviewResolved).into()),
            Some(true) => {
                self.execute(SQL, (id.0, resolution.name(), self.agent.as_str(), self.at.0))?;
                Ok(ChangeResult::Done)
            }
        }
    }

    pub(super) fn flag(&mut self, memory: MemoryId, reason: &str) -> ApplyResult<ChangeResult> {
        const ADD: &str =
            "INSERT INTO flags (memory, settled, by, at, reason) VALUES (?1, 0, ?2, ?3, ?4)";
        const COUNT: &str =
            "UPDATE memories SET open_flags = open_flags + 1, updated_at = ?2 WHERE id = ?1";
        limits::chars("reason", reason, limits::REASON_CHARS)?;
        self.touch(memory)?;
        self.execute(ADD, (memory.0, self.agent.as_str(), self.at.0, reason))?;
        let id = FlagId(self.last_inserted_id());
        self.execute(COUNT, (memory.0, self.at.0))?;
        Ok(ChangeResult::Flag(id))
    }

    pub(super) fn settle_flags(&mut self, memory: MemoryId) -> ApplyResult<ChangeResult> {
        const COUNT: &str = "UPDATE memories SET open_flags = 0, updated_at = ?2 WHERE id = ?1";
        self.touch(memory)?;
        self.execute("UPDATE flags SET settled = 1 WHERE memory = ?1 AND settled = 0", [memory.0])?;
        self.execute(COUNT, (memory.0, self.at.0))?;
        Ok(ChangeResult::Done)
    }

    pub(super) fn save_undo_state(
        &mut self,
        id: ReviewId,
        before: &JsonMap,
    ) -> ApplyResult<ChangeResult> {
        const SQL: &str = "UPDATE reviews SET before = ?2 WHERE id = ?1";
        limits::json("before", before, limits::RECORD_BYTES)?;
        if self.execute(SQL, (id.0, json::map_or_null(before)))? == 0 {
            return Err(ApplyError::not_found("review item", id));
        }
        Ok(ChangeResult::Done)
    }

    pub(super) fn reopen_review(&mut self, id: ReviewId) -> ApplyResult<ChangeResult> {
        const SQL: &str =
            "UPDATE reviews SET resolution = NULL, resolved_by = NULL, resolved_at = NULL,
                           before = NULL WHERE id = ?1 AND resolution IS NOT NULL";
        if self.execute(SQL, [id.0])? == 0 {
            return Err(WriteError::Conflict(Conflict::ReviewOpen).into());
        }
        Ok(ChangeResult::Done)
    }

    pub(super) fn reopen_flags(
        &mut self,
        memory: MemoryId,
        flags: &[FlagId],
    ) -> ApplyResult<ChangeResult> {
        const OPEN: &str = "UPDATE flags SET settled = 0
             WHERE memory = ?1 AND settled = 1 AND id IN (SELECT value FROM json_each(?2))";
        // Counted again instead of added up, because flags that are open already are ignored.
        const COUNT: &str = "UPDATE memories SET updated_at = ?2, open_flags =
             (SELECT count(*) FROM flags WHERE memory = ?1 AND settled = 0) WHERE id = ?1";
        self.touch(memory)?;
        self.execute(OPEN, (memory.0, json::numbers_text(flags.iter().map(|flag| flag.0))))?;
        self.execute(COUNT, (memory.0, self.at.0))?;
        Ok(ChangeResult::Done)
    }

    fn optional_memory(&self, memory: Option<Ref<MemoryId>>) -> ApplyResult<Option<i64>> {
        let memory = memory.map(|memory| self.resolve_memory(memory)).transpose()?;
        memory.map_or(Ok(()), |memory| self.require_memory(memory))?;
        Ok(memory.map(|memory| memory.0))
    }
}
