//! Records: rows of tables that are created on first use. The catalogue has the columns, the number
//! of rows and the last id of each table; no SQL table is ever created at run time.

use super::{ApplyResult, BatchContext};
use crate::error::ApplyError;
use crate::json;
use crate::read::record::{self as read, CatalogueEntry};
use model::{Column, JsonMap, MemoryId, Record, RecordId, infer_columns, limits, merge_patch};
use rusqlite::params;
use serde_json::Value;
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
        const COUNT: &str = "UPDATE tables SET rows = rows + 1, last_record = ?2, updated_at = ?3,
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
        Ok(ChangeResult::Done)
    }

    pub(super) fn delete_record(&mut self, table: &str, id: RecordId) -> ApplyResult<ChangeResult> {
        const SQL: &str = "DELETE FROM records \
            WHERE table_id = (SELECT id FROM tables WHERE name = ?1) AND id = ?2";
        // Copies of a table that follow its changes learn from this row what was deleted.
        const NOTE: &str = "INSERT INTO dropped_records (table_id, id, seq)
             SELECT id, ?2, ?3 FROM tables WHERE name = ?1";
        const COUNT: &str = "UPDATE tables SET rows = rows - 1, updated_at = ?2 WHERE name = ?1";
        if self.execute(SQL, (table, id.0))? == 0 {
            return Err(ApplyError::not_found("record", format!("{table}/{id}")));
        }
        self.execute(NOTE, (table, id.0, self.seq.0))?;
        self.execute(COUNT, (table, self.at.0))?;
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

    fn put_columns(&self, listed: &CatalogueEntry, widened: Vec<Column>) -> ApplyResult<()> {
        if widened == listed.columns {
            return Ok(());
        }
        limits::count("columns", widened.len(), limits::TABLE_COLUMNS)?;
        self.execute(
            "UPDATE tables SET columns = ?2 WHERE id = ?1",
            (listed.id, columns_text(&widened)),
        )?;
        Ok(())
    }
}

fn columns_text(columns: &[Column]) -> String {
    let pair = |column: &Column| Value::from(vec![column.name.as_str(), column.kind.name()]);
    Value::from(columns.iter().map(pair).collect::<Vec<_>>()).to_string()
}
