//! Reads the rows of a memory file as they are, for a backend that takes an owner's memory over.

use crate::CopiedValue;
use crate::error::store_error;
use crate::migrate;
use rusqlite::types::Value;
use rusqlite::{Connection, OpenFlags};
use std::path::Path;
use store::StoreError;

/// A memory file that is read row by row.
#[derive(Debug)]
pub struct MemoryFileReader {
    conn: Connection,
}

impl MemoryFileReader {
    /// Opens a file that a backup of this version made.
    ///
    /// # Errors
    /// Fails when the file cannot be read, or has another format.
    pub fn open(file: &Path) -> Result<Self, StoreError> {
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let opened = Connection::open_with_flags(file, flags);
        let conn = opened.map_err(|error| store_error(&error))?;
        let found: u32 = conn
            .query_row("PRAGMA user_version", [], |row| row.get(0))
            .map_err(|error| store_error(&error))?;
        let known = migrate::MEMORY.version();
        if found == known { Ok(Self { conn }) } else { Err(StoreError::TooNew { found, known }) }
    }

    /// Passes each row of a table on.
    ///
    /// # Errors
    /// Fails when the file cannot be read, or `each` fails.
    pub fn read<E: From<StoreError>>(
        &self,
        table: &'static str,
        columns: &'static str,
        mut each: impl FnMut(Vec<CopiedValue>) -> Result<(), E>,
    ) -> Result<(), E> {
        let failed = |error: rusqlite::Error| E::from(store_error(&error));
        let sql = format!("SELECT {columns} FROM {table}");
        let mut statement = self.conn.prepare(&sql).map_err(failed)?;
        let width = statement.column_count();
        let mut rows = statement.query([]).map_err(failed)?;
        while let Some(row) = rows.next().map_err(failed)? {
            let values: rusqlite::Result<Vec<Value>> = (0..width).map(|at| row.get(at)).collect();
            each(values.map_err(failed)?.into_iter().map(CopiedValue::from).collect())?;
        }
        Ok(())
    }
}

impl From<Value> for CopiedValue {
    fn from(value: Value) -> Self {
        match value {
            Value::Null => Self::Null,
            Value::Integer(number) => Self::Integer(number),
            Value::Real(number) => Self::Real(number),
            Value::Text(text) => Self::Text(text),
            Value::Blob(bytes) => Self::Blob(bytes),
        }
    }
}
