//! Versions of a row. A row is as its newest version with an active memory states it; the other
//! versions wait beside it. Each table counts the rows that are current: those without a memory,
//! and those whose memory is active.

use super::{ApplyResult, BatchContext};
use crate::error::ApplyError;
use crate::read::record::{self as read, CatalogueEntry};
use crate::{enum_codes, json};
use model::{JsonMap, MemoryId, Record, RecordId, merge_patch};
use rusqlite::OptionalExtension;
use std::collections::BTreeSet;
use store::{ChangeResult, Ref};

/// A row by the number of its table and its own.
pub(super) type RowKey = (i64, i64);

impl BatchContext<'_, '_> {
    pub(super) fn revise_record(
        &mut self,
        table: &str,
        id: RecordId,
        patch: &JsonMap,
        memory: Ref<MemoryId>,
    ) -> ApplyResult<ChangeResult> {
        const ADD: &str = "INSERT OR REPLACE INTO record_versions (table_id, record, memory, data)
             VALUES (?1, ?2, ?3, ?4)";
        let memory = self.resolve_memory(memory)?;
        self.require_memory(memory)?;
        let not_found = || ApplyError::not_found("record", format!("{table}/{id}"));
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
        self.execute(ADD, (listed.id, id.0, memory.0, json::map_text(&data)))?;
        self.show_best_version(row[0])?;
        self.count_rows(&row, &visible)?;
        Ok(ChangeResult::Done)
    }

    /// Changes a row that has no other version, and the memory that states it.
    fn restate_record(
        &mut self,
        listed: &CatalogueEntry,
        before: &Record,
        patch: &JsonMap,
        memory: MemoryId,
    ) -> ApplyResult<ChangeResult> {
        const STATE: &str = "UPDATE records SET memory = ?3 WHERE table_id = ?1 AND id = ?2";
        let row = [(listed.id, before.id.0)];
        let visible = self.visible_rows(&row)?;
        self.update_record(&before.table, before.id, patch)?;
        self.execute(STATE, (listed.id, before.id.0, memory.0))?;
        self.count_rows(&row, &visible)?;
        Ok(ChangeResult::Done)
    }

    /// Returns the rows of which a memory states a version.
    pub(super) fn rows_stated_by(&self, memory: MemoryId) -> ApplyResult<Vec<RowKey>> {
        const SQL: &str = "SELECT table_id, id FROM records WHERE memory = ?1
             UNION SELECT table_id, record FROM record_versions WHERE memory = ?1";
        let mut statement = self.conn.prepare_cached(SQL)?;
        let rows = statement.query_map([memory.0], |row| Ok((row.get(0)?, row.get(1)?)))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// Returns for each row whether it is current.
    pub(super) fn visible_rows(&self, rows: &[RowKey]) -> ApplyResult<Vec<bool>> {
        const SQL: &str = "SELECT m.id IS NULL OR m.status = ?3
             FROM records r LEFT JOIN memories m ON m.id = r.memory
             WHERE r.table_id = ?1 AND r.id = ?2";
        let mut statement = self.conn.prepare_cached(SQL)?;
        let mut visible = |row: &RowKey| {
            let found = statement
                .query_row((row.0, row.1, enum_codes::ACTIVE), |row| row.get(0))
                .optional();
            Ok(found?.unwrap_or(false))
        };
        rows.iter().map(&mut visible).collect()
    }

    /// Adds to the count of each table what has changed since these rows were visible or not.
    pub(super) fn count_rows(&self, rows: &[RowKey], before: &[bool]) -> ApplyResult<()> {
        const SQL: &str = "UPDATE tables SET rows = rows + ?2, updated_at = ?3 WHERE id = ?1";
        let after = self.visible_rows(rows)?;
        for (row, (was, is)) in rows.iter().zip(before.iter().zip(after)) {
            let change = i64::from(is) - i64::from(*was);
            if change != 0 {
                self.execute(SQL, (row.0, change, self.at.0))?;
            }
        }
        Ok(())
    }

    /// Shows the newest version of a row whose memory is active; without one the row stays as it
    /// is.
    pub(super) fn show_best_version(&self, row: RowKey) -> ApplyResult<()> {
        const SQL: &str = "SELECT v.memory FROM record_versions v
             JOIN memories m ON m.id = v.memory AND m.status = ?3
             WHERE v.table_id = ?1 AND v.record = ?2
             AND v.memory > coalesce((SELECT r.memory FROM records r
                JOIN memories c ON c.id = r.memory AND c.status = ?3
                WHERE r.table_id = ?1 AND r.id = ?2), 0)
             ORDER BY v.memory DESC LIMIT 1";
        let mut statement = self.conn.prepare_cached(SQL)?;
        let best = statement.query_row((row.0, row.1, enum_codes::ACTIVE), |row| row.get(0));
        best.optional()?.map_or(Ok(()), |memory| self.show_version(row, memory))
    }

    /// Swaps the shown version of a row for the one that a memory states.
    fn show_version(&self, row: RowKey, memory: i64) -> ApplyResult<()> {
        const KEEP: &str = "INSERT INTO record_versions (table_id, record, memory, data)
             SELECT table_id, id, memory, data FROM records
             WHERE table_id = ?1 AND id = ?2 AND memory IS NOT NULL";
        self.execute(KEEP, row)?;
        self.take_version(row, memory)
    }

    /// Moves a version into the row; the one shown before is lost unless it was kept.
    fn take_version(&self, row: RowKey, memory: i64) -> ApplyResult<()> {
        const TAKE: &str = "UPDATE records SET memory = ?3, updated_at = ?4, seq = ?5,
                data = (SELECT data FROM record_versions
                    WHERE table_id = ?1 AND record = ?2 AND memory = ?3)
             WHERE table_id = ?1 AND id = ?2";
        const DROP: &str =
            "DELETE FROM record_versions WHERE table_id = ?1 AND record = ?2 AND memory = ?3";
        const TABLE: &str = "UPDATE tables SET updated_at = ?2 WHERE id = ?1";
        self.execute(TAKE, (row.0, row.1, memory, self.at.0, self.seq.0))?;
        self.execute(DROP, (row.0, row.1, memory))?;
        self.execute(TABLE, (row.0, self.at.0))?;
        Ok(())
    }

    /// Removes the versions that a memory states, and the rows that have no other. Returns the
    /// number of these rows.
    pub(super) fn remove_rows_stated_by(&self, memory: MemoryId) -> ApplyResult<usize> {
        const VERSIONS: &str = "DELETE FROM record_versions WHERE memory = ?1";
        const OTHER: &str = "SELECT v.memory FROM record_versions v
             JOIN memories m ON m.id = v.memory WHERE v.table_id = ?1 AND v.record = ?2
             ORDER BY m.status <> ?3, v.memory DESC LIMIT 1";
        const SHOWN: &str = "SELECT table_id, id FROM records WHERE memory = ?1";
        let rows = self.rows_stated_by(memory)?;
        let before = self.visible_rows(&rows)?;
        self.execute(VERSIONS, [memory.0])?;
        let mut statement = self.conn.prepare_cached(SHOWN)?;
        let shown = statement.query_map([memory.0], |row| Ok((row.get(0)?, row.get(1)?)))?;
        let (shown, mut removed) = (shown.collect::<Result<Vec<RowKey>, _>>()?, 0);
        for row in shown {
            let mut other = self.conn.prepare_cached(OTHER)?;
            let other = other.query_row((row.0, row.1, enum_codes::ACTIVE), |row| row.get(0));
            match other.optional()? {
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
    pub(super) fn remove_row(&self, row: RowKey) -> ApplyResult<usize> {
        const VERSIONS: &str = "DELETE FROM record_versions WHERE table_id = ?1 AND record = ?2";
        const ROW: &str = "DELETE FROM records WHERE table_id = ?1 AND id = ?2";
        // Copies of a table that follow its changes learn from this row what was deleted.
        const NOTE: &str = "INSERT INTO dropped_records (table_id, id, seq) VALUES (?1, ?2, ?3)";
        const TABLE: &str = "UPDATE tables SET updated_at = ?2 WHERE id = ?1";
        self.execute(VERSIONS, row)?;
        let removed = self.execute(ROW, row)?;
        if removed > 0 {
            self.execute(NOTE, (row.0, row.1, self.seq.0))?;
            self.execute(TABLE, (row.0, self.at.0))?;
        }
        Ok(removed)
    }
}
