//! Expected versions (optimistic concurrency control). Checked inside the transaction, where no
//! other write can come in between.

use super::{ApplyOutcome, BatchTransaction};
use crate::read::{self, access, profile, record};
use crate::stored_row::StoredRow;
use model::{MemoryId, Moment, ReviewId, Seq};
use store::{Conflict, ExpectedVersion, StoreError, WriteError};

impl BatchTransaction<'_> {
    /// Fails unless an item still has its expected version.
    pub(super) fn check_expected_version(&self, expected: &ExpectedVersion) -> ApplyOutcome<()> {
        let unchanged = match expected {
            ExpectedVersion::Memory(memory, at) => self.memory_changed_at(*memory)? == Some(*at),
            ExpectedVersion::Record(table, id, at) => {
                record::record(self.conn, table, *id)?.is_some_and(|row| row.updated_at == *at)
            }
            ExpectedVersion::Profile(version) => {
                profile::newest(self.conn)?.map_or(0, |newest| newest.version) == *version
            }
            ExpectedVersion::Review(id, at) => self.review_decided_at(*id)? == Some(*at),
            ExpectedVersion::Store(identity) => read::identity(self.conn)? == *identity,
            ExpectedVersion::Setting(name, value) => {
                let set = |value: &serde_json::Value| !value.is_null();
                access::setting(self.conn, name)?.filter(set) == value.clone().filter(set)
            }
            ExpectedVersion::Sources { memories, read_at } => {
                self.none_changed_since(memories, *read_at)?
            }
        };
        if unchanged {
            return Ok(());
        }
        Err(match expected {
            ExpectedVersion::Store(_) => WriteError::Store(StoreError::Busy),
            ExpectedVersion::Sources { .. } => WriteError::Conflict(Conflict::SourcesChanged),
            _ => WriteError::Conflict(Conflict::Changed),
        }
        .into())
    }

    fn none_changed_since(&self, memories: &[MemoryId], read_at: Seq) -> ApplyOutcome<bool> {
        const SQL: &str = "SELECT NOT EXISTS (SELECT 1 FROM memories
             WHERE owner = $1 AND id = ANY($2) AND seq > $3)";
        let ids: Vec<i64> = memories.iter().map(|memory| memory.0).collect();
        Ok(self.conn.one(SQL, (ids, read_at.0), |row| row.get(0))?)
    }

    /// Returns the time of the decision on an item, if there is such an item.
    fn review_decided_at(&self, id: ReviewId) -> ApplyOutcome<Option<Option<Moment>>> {
        const SQL: &str = "SELECT resolved_at FROM reviews WHERE owner = $1 AND id = $2";
        let decided_at = |row: &StoredRow| Ok(row.get::<Option<i64>>(0)?.map(Moment));
        Ok(self.conn.first(SQL, [id.0], decided_at)?)
    }

    fn memory_changed_at(&self, memory: MemoryId) -> ApplyOutcome<Option<Moment>> {
        // `updated_at` is NULL while it equals `created_at`.
        const SQL: &str = "SELECT coalesce(updated_at, created_at) FROM memories WHERE owner = $1
             AND id = $2";
        Ok(self.conn.first(SQL, [memory.0], |row| row.get(0).map(Moment))?)
    }
}
