//! What must still stand as somebody saw it. Checked inside the transaction, where nobody else can
//! write meanwhile.

use super::{Applied, Applying};
use crate::fault::Fault;
use crate::read::{profile, record};
use model::{MemoryId, Moment};
use rusqlite::OptionalExtension;
use store::{Conflict, Standing, WriteError};

impl Applying<'_, '_> {
    /// Fails unless it stands as it was seen.
    pub(super) fn expect(&self, seen: &Standing) -> Applied<()> {
        let stands = match seen {
            Standing::Memory(memory, at) => self.memory_changed_at(*memory)? == Some(*at),
            Standing::Record(table, id, at) => {
                record::record(self.conn, table, *id)?.is_some_and(|row| row.updated_at == *at)
            }
            Standing::Profile(version) => {
                profile::newest(self.conn)?.map_or(0, |newest| newest.version) == *version
            }
        };
        if stands { Ok(()) } else { Err(Fault::Refused(WriteError::Conflict(Conflict::Changed))) }
    }

    fn memory_changed_at(&self, memory: MemoryId) -> Applied<Option<Moment>> {
        const SQL: &str = "SELECT coalesce(updated_at, created_at) FROM memories WHERE id = ?1";
        Ok(self
            .conn
            .prepare_cached(SQL)?
            .query_row([memory.0], |row| row.get(0).map(Moment))
            .optional()?)
    }
}
