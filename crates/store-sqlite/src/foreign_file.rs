//! Rows of a SQLite file of another program, for an import. The file is opened read-only and is
//! untrusted: the number of bytes read from it is bounded.

use model::JsonMap;
use rusqlite::types::ValueRef;
use rusqlite::{Connection, OpenFlags, Row};
use serde_json::{Number, Value};
use std::collections::BTreeMap;
use std::path::Path;

/// Error of reading a file.
#[derive(Debug, thiserror::Error)]
pub enum ForeignFileError {
    #[error("not a readable SQLite file: {0}")]
    Sqlite(#[from] rusqlite::Error),
    #[error("its rows have more than {0} bytes")]
    TooLarge(usize),
}

/// Returns the rows of those of the named tables that exist, as objects. Columns with bytes, such
/// as vectors, are left out.
///
/// # Errors
/// Fails when the file is not a SQLite file, or its rows have more than `bytes_max` bytes.
pub fn read_foreign_tables(
    file: &Path,
    names: &[&str],
    bytes_max: usize,
) -> Result<BTreeMap<String, Vec<JsonMap>>, ForeignFileError> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let conn = Connection::open_with_flags(file, flags)?;
    // A schema of somebody else may call functions in its views and generated columns.
    conn.set_db_config(rusqlite::config::DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false)?;
    let mut left = bytes_max;
    let mut tables = BTreeMap::new();
    for name in names {
        if is_table(&conn, name)? {
            let rows = read_rows(&conn, name, &mut left)?;
            tables.insert((*name).to_owned(), rows.ok_or(ForeignFileError::TooLarge(bytes_max))?);
        }
    }
    Ok(tables)
}

fn is_table(conn: &Connection, name: &str) -> rusqlite::Result<bool> {
    const SQL: &str = "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name = ?1";
    conn.query_row(SQL, [name], |row| row.get::<_, i64>(0)).map(|count| count > 0)
}

/// Returns the rows of a table; `None` when they have more bytes than are left.
fn read_rows(
    conn: &Connection,
    table: &str,
    left: &mut usize,
) -> rusqlite::Result<Option<Vec<JsonMap>>> {
    let mut statement = conn.prepare(&format!("SELECT * FROM \"{table}\" ORDER BY rowid"))?;
    let columns: Vec<String> = statement.column_names().map(str::to_owned).collect();
    let mut rows = statement.query([])?;
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        let object = object(row, &columns, left)?;
        let Some(object) = object else { return Ok(None) };
        found.push(object);
    }
    Ok(Some(found))
}

fn object(
    row: &Row<'_>,
    columns: &[String],
    left: &mut usize,
) -> rusqlite::Result<Option<JsonMap>> {
    let mut fields = JsonMap::new();
    for (at, column) in columns.iter().enumerate() {
        let value = match row.get_ref(at)? {
            ValueRef::Null | ValueRef::Blob(_) => continue,
            ValueRef::Integer(number) => Value::from(number),
            ValueRef::Real(number) => Number::from_f64(number).map_or(Value::Null, Value::Number),
            ValueRef::Text(bytes) => Value::from(String::from_utf8_lossy(bytes)),
        };
        let size = column.len() + value.as_str().map_or(8, str::len);
        let Some(rest) = left.checked_sub(size) else { return Ok(None) };
        *left = rest;
        fields.insert(column.clone(), value);
    }
    Ok(Some(fields))
}
