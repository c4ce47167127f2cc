//! Review items and flags of memories.

use super::numbers::NumberedItem;
use super::{ApplyOutcome, BatchTransaction};
use crate::error::ChangeError;
use model::{FlagId, JsonMap, MemoryId, NewReview, Resolution, ReviewId, limits};
use store::rules::encoding;
use store::{ChangeResult, Conflict, Ref, WriteError};

impl BatchTransaction<'_> {
    pub(super) fn raise_review(
        &mut self,
        item: &NewReview,
        subject: Option<Ref<MemoryId>>,
        against: Option<Ref<MemoryId>>,
    ) -> ApplyOutcome<ChangeResult> {
        const SQL: &str = "INSERT INTO reviews (owner, id, kind, subject, against, raised_by,
                raised_at, reason, details) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)";
        limits::chars("reason", &item.reason, limits::REASON_CHARS)?;
        limits::json("details", &item.details, limits::REVIEW_DETAILS_BYTES)?;
        let (subject, against) = (self.optional_memory(subject)?, self.optional_memory(against)?);
        let raised_by = self.agent.as_str();
        let details = encoding::map_or_null(&item.details);
        let (kind, at) = (item.kind.name(), self.at.0);
        let id = self.counters.numbers().next(NumberedItem::Review);
        self.send(SQL, (id, kind, subject, against, raised_by, at, &item.reason, details))?;
        Ok(ChangeResult::Review(ReviewId(id)))
    }

    pub(super) fn resolve_review(
        &mut self,
        id: ReviewId,
        resolution: Resolution,
    ) -> ApplyOutcome<ChangeResult> {
        const FIND: &str = "SELECT resolution IS NULL FROM reviews WHERE owner = $1 AND id = $2";
        const SQL: &str =
            "UPDATE reviews SET resolution = $3, resolved_by = $4, resolved_at = $5 WHERE owner =
                 $1 AND id = $2";
        // Read under the write lock, so that of two racing decisions the second one conflicts.
        let open: Option<bool> = self.conn.first(FIND, [id.0], |row| row.get(0))?;
        match open {
            None => Err(ChangeError::not_found("review item", id)),
            Some(false) => Err(WriteError::Conflict(Conflict::ReviewResolved).into()),
            Some(true) => {
                self.send(SQL, (id.0, resolution.name(), self.agent.as_str(), self.at.0))?;
                Ok(ChangeResult::Done)
            }
        }
    }

    pub(super) fn flag(&mut self, memory: MemoryId, reason: &str) -> ApplyOutcome<ChangeResult> {
        const ADD: &str = "INSERT INTO flags (owner, id, memory, settled, by, at, reason)
             VALUES ($1, $2, $3, 0, $4, $5, $6)";
        const COUNT: &str =
            "UPDATE memories SET open_flags = open_flags + 1, updated_at = $3 WHERE owner = $1 AND
                 id = $2";
        limits::chars("reason", reason, limits::REASON_CHARS)?;
        self.touch(memory)?;
        let id = self.counters.numbers().next(NumberedItem::Flag);
        self.send(ADD, (id, memory.0, self.agent.as_str(), self.at.0, reason))?;
        self.send(COUNT, (memory.0, self.at.0))?;
        Ok(ChangeResult::Flag(FlagId(id)))
    }

    pub(super) fn settle_flags(&mut self, memory: MemoryId) -> ApplyOutcome<ChangeResult> {
        const COUNT: &str = "UPDATE memories SET open_flags = 0, updated_at = $3 WHERE owner = $1
             AND id = $2";
        self.touch(memory)?;
        self.send(
            "UPDATE flags SET settled = 1 WHERE owner = $1 AND memory = $2 AND settled =
             0",
            [memory.0],
        )?;
        self.send(COUNT, (memory.0, self.at.0))?;
        Ok(ChangeResult::Done)
    }

    pub(super) fn save_undo_state(
        &mut self,
        id: ReviewId,
        before: &JsonMap,
    ) -> ApplyOutcome<ChangeResult> {
        const SQL: &str = "UPDATE reviews SET before = $3 WHERE owner = $1 AND id = $2";
        limits::json("before", before, limits::RECORD_BYTES)?;
        if self.execute(SQL, (id.0, encoding::map_or_null(before)))? == 0 {
            return Err(ChangeError::not_found("review item", id));
        }
        Ok(ChangeResult::Done)
    }

    pub(super) fn reopen_review(&mut self, id: ReviewId) -> ApplyOutcome<ChangeResult> {
        const SQL: &str =
            "UPDATE reviews SET resolution = NULL, resolved_by = NULL, resolved_at = NULL,
                           before = NULL WHERE owner = $1 AND id = $2 AND resolution IS NOT NULL";
        if self.execute(SQL, [id.0])? == 0 {
            return Err(WriteError::Conflict(Conflict::ReviewOpen).into());
        }
        Ok(ChangeResult::Done)
    }

    pub(super) fn reopen_flags(
        &mut self,
        memory: MemoryId,
        flags: &[FlagId],
    ) -> ApplyOutcome<ChangeResult> {
        const OPEN: &str = "UPDATE flags SET settled = 0
             WHERE owner = $1 AND memory = $2 AND settled = 1 AND id = ANY($3)";
        // Counted again instead of added up, because flags that are open already are ignored.
        const COUNT: &str = "UPDATE memories SET updated_at = $3, open_flags =
                (SELECT count(*) FROM flags WHERE owner = $1 AND memory = $2 AND settled = 0)
             WHERE owner = $1 AND id = $2";
        self.touch(memory)?;
        self.send(OPEN, (memory.0, flags.iter().map(|flag| flag.0).collect::<Vec<i64>>()))?;
        self.send(COUNT, (memory.0, self.at.0))?;
        Ok(ChangeResult::Done)
    }

    fn optional_memory(&self, memory: Option<Ref<MemoryId>>) -> ApplyOutcome<Option<i64>> {
        let memory = memory.map(|memory| self.resolve_memory(memory)).transpose()?;
        memory.map_or(Ok(()), |memory| self.require_memory(memory))?;
        Ok(memory.map(|memory| memory.0))
    }
}
