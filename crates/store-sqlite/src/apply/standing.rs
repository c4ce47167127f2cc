//! Expected versions (optimistic concurrency control). Checked inside the transaction, where no
//! other write can come in between.

use super::{Applied, Applying};
use crate::fault::Fault;
use crate::read::{profile, record};
use model::{MemoryId, Moment};
use rusqlite::OptionalExtension;
use store::{Conflict, Standing, WriteError};

impl Applying<'_, '_> {
    /// Fails unless an item still has its expected version.
    pub(super) fn expect(&self, expected: &Standing) -> Applied<()> {
        let unchanged = match expected {
            Standing::Memory(memory, at) => self.memory_changed_at(*memory)? == Some(*at),
            Standing::Record(table, id, at) => {
                record::record(self.conn, table, *id)?.is_some_and(|row| row.updated_at == *at)
            }
            Standing::Profile(version) => {
                profile::newest(self.conn)?.map_or(0, |newest| newest.version) == *version
            }
        };
        if unchanged {
            Ok(())
        } else {
            Err(Fault::Refused(WriteError::Conflict(Conflict::Changed)))
        }
    }

    fn memory_changed_at(&self, memory: MemoryId) -> Applied<Option<Moment>> {
        // `updated_at` is NULL while it equals `created_at`.
        const SQL: &str = "SELECT coalesce(updated_at, created_at) FROM memories WHERE id = ?1";
        Ok(self
            .conn
            .prepare_cached(SQL)?
            .query_row([memory.0], |row| row.get(0).map(Moment))
            .optional()?)
    }
}
