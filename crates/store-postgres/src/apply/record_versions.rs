//! Versions of a row. A row is as its newest version with an active memory states it; the other
//! versions wait beside it. Each table counts the rows that are current: those without a memory,
//! and those whose memory is active.

use super::{ApplyOutcome, BatchTransaction};
use crate::error::ChangeError;
use crate::read::record::{self as read, TableEntry};
use model::{JsonMap, MemoryId, Record, RecordId, merge_patch};
use std::collections::BTreeSet;
use store::rules::{codes, encoding};
use store::{ChangeResult, Ref};

/// A row by the number of its table and its own.
pub(super) type RecordKey = (i64, i64);

impl BatchTransaction<'_> {
    pub(super) fn revise_record(
        &mut self,
        table: &str,
        id: RecordId,
        patch: &JsonMap,
        memory: Ref<MemoryId>,
    ) -> ApplyOutcome<ChangeResult> {
        const ADD: &str = "INSERT INTO record_versions (owner, table_id, record, memory, data)
             VALUES ($1, $2, $3, $4, $5)
             ON CONFLICT (owner, table_id, record, memory) DO UPDATE SET data = excluded.data";
        let memory = self.resolve_memory(memory)?;
        self.require_memory(memory)?;
        let not_found = || ChangeError::not_found("record", format!("{table}/{id}"));
        let listed = read::catalogue_entry(self.conn, table)?.ok_or_else(not_found)?;
        let before = read::record(self.conn, table, id)?.ok_or_else(not_found)?;
        if before.memory.is_none_or(|current| current == memory) {
            return self.restate_record(&listed, &before, patch, memory);
        }
        let data = merge_patch(&before.data, patch);
        Record::check_data(&data)?;
        self.widen(&listed, &data)?;
        let row = [(listed.id, id.0)];
        let visible = self.visible_rows(&row)?;
        self.send(ADD, (listed.id, id.0, memory.0, encoding::map_text(&data)))?;
        self.show_best_version(row[0])?;
        self.count_rows(&row, &visible)?;
        Ok(ChangeResult::Done)
    }

    /// Changes a row that has no other version, and the memory that states it.
    fn restate_record(
        &mut self,
        listed: &TableEntry,
        before: &Record,
        patch: &JsonMap,
        memory: MemoryId,
    ) -> ApplyOutcome<ChangeResult> {
        const STATE: &str = "UPDATE records SET memory = $4 WHERE owner = $1 AND table_id = $2 AND
             id = $3";
        let row = [(listed.id, before.id.0)];
        let visible = self.visible_rows(&row)?;
        self.update_record(&before.table, before.id, patch)?;
        self.send(STATE, (listed.id, before.id.0, memory.0))?;
        self.count_rows(&row, &visible)?;
        Ok(ChangeResult::Done)
    }

    /// Returns the rows of which a memory states a version.
    pub(super) fn rows_stated_by(&self, memory: MemoryId) -> ApplyOutcome<Vec<RecordKey>> {
        const SQL: &str = "SELECT table_id, id FROM records WHERE owner = $1 AND memory = $2
             UNION SELECT table_id, record FROM record_versions WHERE owner = $1 AND memory = $2
             ORDER BY 1, 2";
        Ok(self.conn.all(SQL, [memory.0], |row| Ok((row.get(0)?, row.get(1)?)))?)
    }

    /// Returns for each row whether it is current.
    pub(super) fn visible_rows(&self, rows: &[RecordKey]) -> ApplyOutcome<Vec<bool>> {
        const SQL: &str = "SELECT m.id IS NULL OR m.status = $4
             FROM records r LEFT JOIN memories m ON m.owner = $1 AND m.id = r.memory
             WHERE r.owner = $1 AND r.table_id = $2 AND r.id = $3";
        let visible = |row: &RecordKey| {
            let found = self.conn.first(SQL, (row.0, row.1, codes::ACTIVE), |row| row.get(0));
            Ok(found?.unwrap_or(false))
        };
        rows.iter().map(visible).collect()
    }

    /// Adds to the count of each table what has changed since these rows were visible or not.
    pub(super) fn count_rows(&self, rows: &[RecordKey], before: &[bool]) -> ApplyOutcome<()> {
        const SQL: &str = "UPDATE tables SET rows = rows + $3, updated_at = $4 WHERE owner = $1
             AND id = $2";
        let after = self.visible_rows(rows)?;
        for (row, (was, is)) in rows.iter().zip(before.iter().zip(after)) {
            let change = i64::from(is) - i64::from(*was);
            if change != 0 {
                self.send(SQL, (row.0, change, self.at.0))?;
            }
        }
        Ok(())
    }

    /// Shows the newest version of a row whose memory is active; without one the row stays as it
    /// is.
    pub(super) fn show_best_version(&self, row: RecordKey) -> ApplyOutcome<()> {
        const SQL: &str = "SELECT v.memory FROM record_versions v
             JOIN memories m ON m.owner = v.owner AND m.id = v.memory
             WHERE v.owner = $1 AND m.owner = $1 AND m.status = $4
             AND v.table_id = $2 AND v.record = $3
             AND v.memory > coalesce((SELECT r.memory FROM records r
                JOIN memories c ON c.owner = r.owner AND c.id = r.memory
                WHERE r.owner = $1 AND c.owner = $1 AND c.status = $4
                AND r.table_id = $2 AND r.id = $3), 0)
             ORDER BY v.memory DESC LIMIT 1";
        let best = self.conn.first(SQL, (row.0, row.1, codes::ACTIVE), |row| row.get(0))?;
        best.map_or(Ok(()), |memory| self.show_version(row, memory))
    }

    /// Swaps the shown version of a row for the one that a memory states.
    fn show_version(&self, row: RecordKey, memory: i64) -> ApplyOutcome<()> {
        const KEEP: &str = "INSERT INTO record_versions (owner, table_id, record, memory, data)
             SELECT owner, table_id, id, memory, data FROM records
             WHERE owner = $1 AND table_id = $2 AND id = $3 AND memory IS NOT NULL";
        self.send(KEEP, row)?;
        self.take_version(row, memory)
    }

    /// Moves a version into the row; the one shown before is lost unless it was kept.
    fn take_version(&self, row: RecordKey, memory: i64) -> ApplyOutcome<()> {
        const TAKE: &str = "UPDATE records SET memory = $4, updated_at = $5, seq = $6,
                data = (SELECT data FROM record_versions
                    WHERE owner = $1 AND table_id = $2 AND record = $3 AND memory = $4)
             WHERE owner = $1 AND table_id = $2 AND id = $3";
        const DROP: &str =
            "DELETE FROM record_versions WHERE owner = $1 AND table_id = $2 AND record = $3 AND
                 memory = $4";
        const TABLE: &str = "UPDATE tables SET updated_at = $3 WHERE owner = $1 AND id = $2";
        self.send(TAKE, (row.0, row.1, memory, self.at.0, self.seq.0))?;
        self.send(DROP, (row.0, row.1, memory))?;
        self.send(TABLE, (row.0, self.at.0))?;
        Ok(())
    }

    /// Removes the versions that a memory states, and the rows that have no other. Returns the
    /// number of these rows.
    pub(super) fn remove_rows_stated_by(&self, memory: MemoryId) -> ApplyOutcome<usize> {
        const VERSIONS: &str = "DELETE FROM record_versions WHERE owner = $1 AND memory = $2";
        const OTHER: &str = "SELECT v.memory FROM record_versions v
             JOIN memories m ON m.owner = v.owner AND m.id = v.memory
             WHERE v.owner = $1 AND m.owner = $1 AND v.table_id = $2 AND v.record = $3
             ORDER BY m.status <> $4, v.memory DESC LIMIT 1";
        const SHOWN: &str = "SELECT table_id, id FROM records WHERE owner = $1 AND memory = $2
             ORDER BY 1, 2";
        let rows = self.rows_stated_by(memory)?;
        let before = self.visible_rows(&rows)?;
        self.send(VERSIONS, [memory.0])?;
        let shown: Vec<RecordKey> =
            self.conn.all(SHOWN, [memory.0], |row| Ok((row.get(0)?, row.get(1)?)))?;
        let mut removed = 0;
        for row in shown {
            let filters = (row.0, row.1, codes::ACTIVE);
            match self.conn.first(OTHER, filters, |row| row.get(0))? {
                Some(other) => self.take_version(row, other)?,
                None => removed += self.remove_row(row)?,
            }
        }
        self.count_rows(&rows, &before)?;
        let tables: BTreeSet<i64> = rows.iter().map(|row| row.0).collect();
        for table in tables {
            let listed = read::catalogue_entry_by_id(self.conn, table)?;
            self.narrow(&listed, listed.columns.iter().map(|column| column.name.as_str()))?;
        }
        Ok(removed)
    }

    /// Removes a row and its versions, without counting it. Returns the number of removed rows.
    pub(super) fn remove_row(&self, row: RecordKey) -> ApplyOutcome<usize> {
        const VERSIONS: &str = "DELETE FROM record_versions WHERE owner = $1 AND table_id = $2 AND
             record = $3";
        const ROW: &str = "DELETE FROM records WHERE owner = $1 AND table_id = $2 AND id = $3";
        // Copies of a table that follow its changes learn from this row what was deleted.
        const NOTE: &str = "INSERT INTO dropped_records (owner, table_id, id, seq) VALUES ($1, $2,
             $3, $4)";
        const TABLE: &str = "UPDATE tables SET updated_at = $3 WHERE owner = $1 AND id = $2";
        self.send(VERSIONS, row)?;
        let removed = self.execute(ROW, row)?;
        if removed > 0 {
            self.send(NOTE, (row.0, row.1, self.seq.0))?;
            self.send(TABLE, (row.0, self.at.0))?;
        }
        Ok(removed)
    }
}
