//! Expected versions (optimistic concurrency control). Checked inside the transaction, where no
//! other write can come in between.

use super::{ApplyResult, BatchContext};
use crate::error::ApplyError;
use crate::read::{profile, record};
use model::{MemoryId, Moment};
use rusqlite::OptionalExtension;
use store::{Conflict, ExpectedVersion, WriteError};

impl BatchContext<'_, '_> {
    /// Fails unless an item still has its expected version.
    pub(super) fn check_expected_version(&self, expected: &ExpectedVersion) -> ApplyResult<()> {
        let unchanged = match expected {
            ExpectedVersion::Memory(memory, at) => self.memory_changed_at(*memory)? == Some(*at),
            ExpectedVersion::Record(table, id, at) => {
                record::record(self.conn, table, *id)?.is_some_and(|row| row.updated_at == *at)
            }
            ExpectedVersion::Profile(version) => {
                profile::newest(self.conn)?.map_or(0, |newest| newest.version) == *version
            }
        };
        if unchanged {
            Ok(())
        } else {
            Err(ApplyError::Refused(WriteError::Conflict(Conflict::Changed)))
        }
    }

    fn memory_changed_at(&self, memory: MemoryId) -> ApplyResult<Option<Moment>> {
        // `updated_at` is NULL while it equals `created_at`.
        const SQL: &str = "SELECT coalesce(updated_at, created_at) FROM memories WHERE id = ?1";
        Ok(self
            .conn
            .prepare_cached(SQL)?
            .query_row([memory.0], |row| row.get(0).map(Moment))
            .optional()?)
    }
}
