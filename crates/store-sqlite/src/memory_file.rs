//! A memory file that is filled with rows from elsewhere: the form in which a backend without files
//! of its own hands out a copy of an owner's memory. The file gets its name only when it is whole.

use crate::backup::{refuse_existing, rename_to_target, temporary_path};
use crate::connection::{self, ConnectionRole};
use crate::error::store_error;
use crate::files::{create_private_file, sync_file};
use crate::{Options, migrate};
use rusqlite::types::Value;
use rusqlite::{Connection, params_from_iter};
use std::path::{Path, PathBuf};
use store::StoreError;

/// A value of a copied row.
#[derive(Debug, Clone, PartialEq)]
pub enum CopiedValue {
    Null,
    Integer(i64),
    Real(f64),
    Text(String),
    Blob(Vec<u8>),
}

/// A memory file under construction. Dropped before it is finished, it leaves nothing.
#[derive(Debug)]
pub struct MemoryFileWriter {
    /// `None` once the file is finished.
    conn: Option<Connection>,
    unfinished: PathBuf,
    target: PathBuf,
}

impl MemoryFileWriter {
    /// Begins a file that must not exist yet.
    ///
    /// # Errors
    /// Fails when the file exists, or its directory cannot be written.
    pub fn create(target: &Path) -> Result<Self, StoreError> {
        refuse_existing(target)?;
        let unfinished = temporary_path(target);
        create_private_file(&unfinished)?;
        let role = ConnectionRole::Write;
        let database = connection::open(&unfinished, &migrate::MEMORY, role, &Options::default())?;
        let writer = Self { conn: Some(database.conn), unfinished, target: target.to_owned() };
        // The tables come in any order; the references are checked in the end.
        writer.run("PRAGMA foreign_keys = OFF")?;
        writer.run("BEGIN")?;
        writer.clear(&["meta", "audit_chain", "erasure"])?;
        Ok(writer)
    }

    /// Sets the counters of tables whose ids are never assigned twice, after all rows.
    ///
    /// # Errors
    /// Fails when the disk is full.
    pub fn set_last_ids(&mut self, last: &[(String, i64)]) -> Result<(), StoreError> {
        // Inserting the rows has set them to the largest id that still exists.
        self.clear(&["sqlite_sequence"])?;
        let rows = last
            .iter()
            .map(|(table, id)| vec![CopiedValue::Text(table.clone()), CopiedValue::Integer(*id)]);
        self.insert("sqlite_sequence", "name, seq", rows)
    }

    /// Adds rows to a table.
    ///
    /// # Errors
    /// Fails when the table has no such columns, or the disk is full.
    pub fn insert(
        &mut self,
        table: &'static str,
        columns: &'static str,
        rows: impl IntoIterator<Item = Vec<CopiedValue>>,
    ) -> Result<(), StoreError> {
        let places = vec!["?"; columns.split(',').count()].join(", ");
        let sql = format!("INSERT INTO {table} ({columns}) VALUES ({places})");
        let insert = |conn: &Connection| {
            let mut statement = conn.prepare_cached(&sql)?;
            for row in rows {
                statement.execute(params_from_iter(row.into_iter().map(Value::from)))?;
            }
            Ok(())
        };
        self.with(insert)
    }

    /// Finishes the file: checks it, and gives it its name.
    ///
    /// # Errors
    /// Fails when a reference leads nowhere, or the file cannot be written.
    pub fn finish(mut self) -> Result<(), StoreError> {
        self.run("COMMIT")?;
        self.with(check_references)?;
        // Leaves a single file without a write-ahead log, which can be moved as it is.
        self.with(|conn| conn.pragma_update(None, "journal_mode", "DELETE"))?;
        if let Some(conn) = self.conn.take() {
            conn.close().map_err(|(_, error)| store_error(&error))?;
        }
        sync_file(&self.unfinished)?;
        rename_to_target(&self.unfinished, &self.target)
    }

    fn clear(&self, tables: &[&str]) -> Result<(), StoreError> {
        tables.iter().try_for_each(|table| self.run(&format!("DELETE FROM {table}")))
    }

    fn run(&self, sql: &str) -> Result<(), StoreError> {
        self.with(|conn| conn.execute_batch(sql))
    }

    fn with<T>(
        &self,
        work: impl FnOnce(&Connection) -> rusqlite::Result<T>,
    ) -> Result<T, StoreError> {
        let finished = || StoreError::Failed { cause: "the file is finished".to_owned() };
        let conn = self.conn.as_ref().ok_or_else(finished)?;
        work(conn).map_err(|error| store_error(&error))
    }
}

impl Drop for MemoryFileWriter {
    fn drop(&mut self) {
        drop(self.conn.take());
        // After a success it has another name; otherwise the error is returned already.
        let _ = std::fs::remove_file(&self.unfinished);
    }
}

fn check_references(conn: &Connection) -> rusqlite::Result<()> {
    let mut statement = conn.prepare("PRAGMA foreign_key_check")?;
    match statement.query([])?.next()? {
        None => Ok(()),
        Some(row) => {
            let table: String = row.get(0)?;
            let problem = format!("a copied row of {table} refers to a missing one");
            Err(crate::error::conversion_error(0, problem))
        }
    }
}

impl From<CopiedValue> for Value {
    fn from(value: CopiedValue) -> Self {
        match value {
            CopiedValue::Null => Self::Null,
            CopiedValue::Integer(number) => Self::Integer(number),
            CopiedValue::Real(number) => Self::Real(number),
            CopiedValue::Text(text) => Self::Text(text),
            CopiedValue::Blob(bytes) => Self::Blob(bytes),
        }
    }
}
