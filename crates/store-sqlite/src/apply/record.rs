//! Records: rows of tables that are created on first use. The catalogue has the columns, the number
//! of current rows and the last id of each table; no SQL table is ever created at run time.

use super::{ApplyResult, BatchContext};
use crate::error::ApplyError;
use crate::json;
use crate::read::record::{self as read, CatalogueEntry};
use model::{Column, JsonMap, MemoryId, Record, RecordId, infer_columns, limits, merge_patch};
use rusqlite::params;
use store::rules::ColumnNarrowing;
use store::{ChangeResult, Ref};

impl BatchContext<'_, '_> {
    pub(super) fn add_record(
        &mut self,
        table: &str,
        description: Option<&str>,
        data: &JsonMap,
        memory: Option<Ref<MemoryId>>,
    ) -> ApplyResult<ChangeResult> {
        const ADD: &str =
            "INSERT INTO records (table_id, id, memory, created_at, updated_at, data, seq)
                           VALUES (?1, ?2, ?3, ?4, ?4, ?5, ?6)";
        const COUNT: &str = "UPDATE tables SET last_record = ?2, updated_at = ?3,
                             description = coalesce(description, ?4) WHERE id = ?1";
        Record::check_data(data)?;
        limits::chars("description", description.unwrap_or(""), limits::REASON_CHARS)?;
        let memory = memory.map(|memory| self.resolve_memory(memory)).transpose()?;
        memory.map_or(Ok(()), |memory| self.require_memory(memory))?;
        let listed = self.table(table)?;
        self.widen(&listed, data)?;
        // Each table numbers its own rows, and `last_record` never decreases: an id is not reused
        // after its row is deleted.
        let id = listed.last_record + 1;
        self.execute(COUNT, (listed.id, id, self.at.0, description))?;
        let memory = memory.map(|memory| memory.0);
        self.execute(ADD, (listed.id, id, memory, self.at.0, json::map_text(data), self.seq.0))?;
        self.count_rows(&[(listed.id, id)], &[false])?;
        Ok(ChangeResult::Record(RecordId(id)))
    }

    pub(super) fn update_record(
        &mut self,
        table: &str,
        id: RecordId,
        patch: &JsonMap,
    ) -> ApplyResult<ChangeResult> {
        const SQL: &str = "UPDATE records SET data = ?3, updated_at = ?4, seq = ?5 \
            WHERE table_id = ?1 AND id = ?2";
        let not_found = || ApplyError::not_found("record", format!("{table}/{id}"));
        let listed = read::catalogue_entry(self.conn, table)?.ok_or_else(not_found)?;
        let before = read::record(self.conn, table, id)?.ok_or_else(not_found)?;
        let data = merge_patch(&before.data, patch);
        Record::check_data(&data)?;
        self.widen(&listed, &data)?;
        self.execute(SQL, (listed.id, id.0, json::map_text(&data), self.at.0, self.seq.0))?;
        self.execute("UPDATE tables SET updated_at = ?2 WHERE id = ?1", (listed.id, self.at.0))?;
        let replaced = before.data.iter().filter(|(name, value)| data.get(*name) != Some(*value));
        self.narrow(&listed, replaced.map(|(name, _)| name.as_str()))?;
        Ok(ChangeResult::Done)
    }

    pub(super) fn delete_record(&mut self, table: &str, id: RecordId) -> ApplyResult<ChangeResult> {
        let not_found = || ApplyError::not_found("record", format!("{table}/{id}"));
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
    pub(super) fn table(&self, name: &str) -> ApplyResult<CatalogueEntry> {
        const COUNT: &str = "SELECT count(*) FROM tables";
        const ADD: &str =
            "INSERT INTO tables (name, columns, rows, last_record, created_at, updated_at)
                           VALUES (?1, '[]', 0, 0, ?2, ?2)";
        if let Some(listed) = read::catalogue_entry(self.conn, name)? {
            return Ok(listed);
        }
        // Callers normalize names; two spellings must not become two tables.
        let spelling = Record::normalize_table_name(name)?;
        if spelling != name {
            return Err(ApplyError::invalid(format!(
                "the table `{name}` must be spelled `{spelling}`"
            )));
        }
        let tables = self.conn.prepare_cached(COUNT)?.query_one([], |row| row.get::<_, u32>(0))?;
        limits::count("tables", tables as usize + 1, limits::TABLES)?;
        self.execute(ADD, params![name, self.at.0])?;
        Ok(CatalogueEntry { id: self.last_inserted_id(), columns: Vec::new(), last_record: 0 })
    }

    /// Adds the columns of a row to the catalogue and widens types that do not fit.
    pub(super) fn widen(&self, listed: &CatalogueEntry, data: &JsonMap) -> ApplyResult<()> {
        self.put_columns(listed, infer_columns(&listed.columns, data))
    }

    /// Adds columns to the catalogue and widens types that do not fit.
    pub(super) fn widen_to(&self, listed: &CatalogueEntry, columns: &[Column]) -> ApplyResult<()> {
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
        before: &CatalogueEntry,
        columns: impl Iterator<Item = &'n str>,
    ) -> ApplyResult<()> {
        const SQL: &str = "SELECT data FROM records WHERE table_id = ?1
             UNION ALL SELECT data FROM record_versions WHERE table_id = ?1 LIMIT ?2";
        let listed = read::catalogue_entry_by_id(self.conn, before.id)?;
        let names: Vec<&str> = columns.collect();
        let mut narrowing = ColumnNarrowing::new(&listed.columns, &names);
        let mut statement = self.conn.prepare_cached(SQL)?;
        let (mut rows, mut read) =
            (statement.query((listed.id, ColumnNarrowing::ROWS_MAX as i64))?, 0);
        // Most columns need their type again with the first row, so the scan is short.
        while narrowing.needs_rows()
            && let Some(row) = rows.next()?
        {
            narrowing.add(&json::read_map(row, 0)?);
            read += 1;
        }
        if read == ColumnNarrowing::ROWS_MAX {
            return Ok(());
        }
        self.put_columns(&listed, narrowing.result())
    }

    fn put_columns(&self, listed: &CatalogueEntry, widened: Vec<Column>) -> ApplyResult<()> {
        if widened == listed.columns {
            return Ok(());
        }
        limits::count("columns", widened.len(), limits::TABLE_COLUMNS)?;
        self.execute(
            "UPDATE tables SET columns = ?2 WHERE id = ?1",
            (listed.id, json::columns_text(&widened)),
        )?;
        Ok(())
    }
}
