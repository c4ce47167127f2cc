//! Records: rows of tables that are created on first use. The catalogue has the columns, the number
//! of current rows and the last id of each table; no SQL table is ever created at run time.

use super::numbers::NumberedItem;
use super::{ApplyOutcome, BatchTransaction};
use crate::error::ChangeError;
use crate::read::record::{self as read, TableEntry};
use model::{Column, JsonMap, MemoryId, Record, RecordId, infer_columns, limits, merge_patch};
use store::rules::{ColumnNarrowing, encoding};
use store::{ChangeResult, Ref};

/// Number of rows that are read first to narrow the type of a column.
const FIRST_ROWS: usize = 64;

impl BatchTransaction<'_> {
    pub(super) fn add_record(
        &mut self,
        table: &str,
        description: Option<&str>,
        data: &JsonMap,
        memory: Option<Ref<MemoryId>>,
    ) -> ApplyOutcome<ChangeResult> {
        const ADD: &str =
            "INSERT INTO records (owner, table_id, id, memory, created_at, updated_at, data, seq)
                           VALUES ($1, $2, $3, $4, $5, $5, $6, $7)";
        const COUNT: &str = "UPDATE tables SET last_record = $3, updated_at = $4,
                             description = coalesce(description, $5) WHERE owner = $1 AND id = $2";
        Record::check_data(data)?;
        limits::chars("description", description.unwrap_or(""), limits::REASON_CHARS)?;
        let memory = memory.map(|memory| self.resolve_memory(memory)).transpose()?;
        memory.map_or(Ok(()), |memory| self.require_memory(memory))?;
        let listed = self.table(table)?;
        self.widen(&listed, data)?;
        // Each table numbers its own rows, and `last_record` never decreases: an id is not reused
        // after its row is deleted.
        let id = listed.last_record + 1;
        self.send(COUNT, (listed.id, id, self.at.0, description))?;
        let memory = memory.map(|memory| memory.0);
        self.send(ADD, (listed.id, id, memory, self.at.0, encoding::map_text(data), self.seq.0))?;
        self.count_rows(&[(listed.id, id)], &[false])?;
        Ok(ChangeResult::Record(RecordId(id)))
    }

    pub(super) fn update_record(
        &mut self,
        table: &str,
        id: RecordId,
        patch: &JsonMap,
    ) -> ApplyOutcome<ChangeResult> {
        const SQL: &str = "UPDATE records SET data = $4, updated_at = $5, seq = $6 \
            WHERE owner = $1 AND table_id = $2 AND id = $3";
        let not_found = || ChangeError::not_found("record", format!("{table}/{id}"));
        let listed = read::catalogue_entry(self.conn, table)?.ok_or_else(not_found)?;
        let before = read::record(self.conn, table, id)?.ok_or_else(not_found)?;
        let data = merge_patch(&before.data, patch);
        Record::check_data(&data)?;
        self.widen(&listed, &data)?;
        self.send(SQL, (listed.id, id.0, encoding::map_text(&data), self.at.0, self.seq.0))?;
        self.send(
            "UPDATE tables SET updated_at = $3 WHERE owner = $1 AND id = $2",
            (listed.id, self.at.0),
        )?;
        let replaced = before.data.iter().filter(|(name, value)| data.get(*name) != Some(*value));
        self.narrow(&listed, replaced.map(|(name, _)| name.as_str()))?;
        Ok(ChangeResult::Done)
    }

    pub(super) fn delete_record(
        &mut self,
        table: &str,
        id: RecordId,
    ) -> ApplyOutcome<ChangeResult> {
        let not_found = || ChangeError::not_found("record", format!("{table}/{id}"));
        let listed = read::catalogue_entry(self.conn, table)?.ok_or_else(not_found)?;
        let record = read::record(self.conn, table, id)?.ok_or_else(not_found)?;
        let row = [(listed.id, id.0)];
        let before = self.visible_rows(&row)?;
        self.remove_row(row[0])?;
        self.count_rows(&row, &before)?;
        self.narrow(&listed, record.data.keys().map(String::as_str))?;
        Ok(ChangeResult::Done)
    }

    /// Returns the table of this name, creating it if it does not exist.
    pub(super) fn table(&mut self, name: &str) -> ApplyOutcome<TableEntry> {
        const COUNT: &str = "SELECT count(*) FROM tables WHERE owner = $1";
        const ADD: &str = "INSERT INTO tables (owner, id, name, columns, rows, last_record,
                created_at, updated_at) VALUES ($1, $2, $3, '[]', 0, 0, $4, $4)";
        if let Some(listed) = read::catalogue_entry(self.conn, name)? {
            return Ok(listed);
        }
        // Callers normalize names; two spellings must not become two tables.
        let spelling = Record::normalize_table_name(name)?;
        if spelling != name {
            return Err(ChangeError::invalid(format!(
                "the table `{name}` must be spelled `{spelling}`"
            )));
        }
        let tables: usize = self.conn.one(COUNT, (), |row| row.get(0))?;
        limits::count("tables", tables + 1, limits::TABLES)?;
        let id = self.counters.numbers().next(NumberedItem::Table);
        self.send(ADD, (id, name, self.at.0))?;
        Ok(TableEntry { id, columns: Vec::new(), last_record: 0 })
    }

    /// Adds the columns of a row to the catalogue and widens types that do not fit.
    pub(super) fn widen(&self, listed: &TableEntry, data: &JsonMap) -> ApplyOutcome<()> {
        self.put_columns(listed, infer_columns(&listed.columns, data))
    }

    /// Adds columns to the catalogue and widens types that do not fit.
    pub(super) fn widen_to(&self, listed: &TableEntry, columns: &[Column]) -> ApplyOutcome<()> {
        let mut widened = listed.columns.clone();
        for column in columns {
            limits::chars("column", &column.name, limits::NAME_CHARS)?;
            match widened.iter_mut().find(|known| known.name == column.name) {
                Some(known) => known.kind = known.kind.widen(column.kind),
                None => widened.push(column.clone()),
            }
        }
        self.put_columns(listed, widened)
    }

    /// Narrows the types of columns in which a value was removed or replaced, as far as the
    /// remaining values allow.
    pub(super) fn narrow<'n>(
        &self,
        before: &TableEntry,
        columns: impl Iterator<Item = &'n str>,
    ) -> ApplyOutcome<()> {
        // The shown versions first, so that a table that is too large is read in the same order.
        const SQL: &str = "SELECT data FROM records WHERE owner = $1 AND table_id = $2
             UNION ALL SELECT data FROM record_versions
                WHERE owner = $1 AND table_id = $2 LIMIT $3";
        let listed = read::catalogue_entry_by_id(self.conn, before.id)?;
        let names: Vec<&str> = columns.collect();
        let mut narrowing = ColumnNarrowing::new(&listed.columns, &names);
        if !narrowing.needs_rows() {
            return Ok(());
        }
        // Most columns need their type again with the first rows; only then all are read.
        let mut read = 0;
        for limit in [FIRST_ROWS, ColumnNarrowing::ROWS_MAX] {
            let rows = self.conn.rows(SQL, (listed.id, limit as i64))?;
            read = rows.len();
            for row in &rows {
                narrowing.add(&row.map(0)?);
            }
            if read < limit || !narrowing.needs_rows() {
                break;
            }
        }
        if read == ColumnNarrowing::ROWS_MAX && narrowing.needs_rows() {
            return Ok(());
        }
        self.put_columns(&listed, narrowing.result())
    }

    fn put_columns(&self, listed: &TableEntry, widened: Vec<Column>) -> ApplyOutcome<()> {
        if widened == listed.columns {
            return Ok(());
        }
        limits::count("columns", widened.len(), limits::TABLE_COLUMNS)?;
        self.send(
            "UPDATE tables SET columns = $3 WHERE owner = $1 AND id = $2",
            (listed.id, encoding::columns_text(&widened)),
        )?;
        Ok(())
    }
}
