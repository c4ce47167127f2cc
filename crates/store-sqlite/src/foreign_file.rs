//! Rows of a SQLite file of another program, for an import or a capture. The file is opened
//! read-only and is untrusted: the number of bytes read from it is bounded.

use model::JsonMap;
use rusqlite::types::ValueRef;
use rusqlite::{Connection, OpenFlags, Row, Statement};
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

/// A value of each row: a column, or a part of the JSON in it.
#[derive(Debug, Clone, Copy)]
pub struct ForeignValue<'a> {
    /// Name in the result.
    pub name: &'a str,
    pub column: &'a str,
    /// Path of SQLite's JSON functions, such as `$.text`.
    pub path: Option<&'a str>,
}

/// Rows to read from a table.
#[derive(Debug, Clone, Copy)]
pub struct ForeignRows<'a> {
    pub table: &'a str,
    pub values: &'a [ForeignValue<'a>],
    /// A column, and the GLOB pattern that it matches; it may be found by an index.
    pub matching: Option<(&'a str, &'a str)>,
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
    let conn = open(file)?;
    let mut left = bytes_max;
    let mut tables = BTreeMap::new();
    for name in names {
        if is_table(&conn, name)? {
            let statement = conn.prepare(&format!("SELECT * FROM \"{name}\" ORDER BY rowid"))?;
            let rows = read_rows(statement, &[], &mut left)?;
            tables.insert((*name).to_owned(), rows.ok_or(ForeignFileError::TooLarge(bytes_max))?);
        }
    }
    Ok(tables)
}

/// Returns the chosen values of the chosen rows, by table; a table that does not exist is left out.
/// JSON may be stored as text or as bytes.
///
/// # Errors
/// Fails when the file is not a SQLite file, a column does not exist, or the values have more than
/// `bytes_max` bytes.
pub fn read_foreign_rows(
    file: &Path,
    selections: &[ForeignRows<'_>],
    bytes_max: usize,
) -> Result<BTreeMap<String, Vec<JsonMap>>, ForeignFileError> {
    let conn = open(file)?;
    let mut left = bytes_max;
    let mut tables: BTreeMap<String, Vec<JsonMap>> = BTreeMap::new();
    for selection in selections {
        if is_table(&conn, selection.table)? {
            let statement = conn.prepare(&select(selection))?;
            let pattern: Vec<&str> = selection.matching.iter().map(|(_, glob)| *glob).collect();
            let rows = read_rows(statement, &pattern, &mut left)?;
            let rows = rows.ok_or(ForeignFileError::TooLarge(bytes_max))?;
            tables.entry(selection.table.to_owned()).or_default().extend(rows);
        }
    }
    Ok(tables)
}

fn open(file: &Path) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let conn = Connection::open_with_flags(file, flags)?;
    // A schema of somebody else may call functions in its views and generated columns.
    conn.set_db_config(rusqlite::config::DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false)?;
    Ok(conn)
}

/// Returns the statement of a selection. A column has its table before it: SQLite takes a quoted
/// name that is no column for a text.
fn select(rows: &ForeignRows<'_>) -> String {
    let value = |value: &ForeignValue<'_>| {
        let column = format!("\"{}\".\"{}\"", rows.table, value.column);
        let text = format!("CAST({column} AS TEXT)");
        let read = match value.path {
            // One row that is no JSON must not end the reading of the others.
            Some(path) => {
                format!("CASE WHEN json_valid({text}) THEN json_extract({text}, '{path}') END")
            }
            None => column,
        };
        format!("{read} AS \"{}\"", value.name)
    };
    let values: Vec<String> = rows.values.iter().map(value).collect();
    let condition = match rows.matching {
        Some((name, _)) => format!(" WHERE \"{}\".\"{name}\" GLOB ?1", rows.table),
        None => String::new(),
    };
    format!("SELECT {} FROM \"{}\"{condition}", values.join(", "), rows.table)
}

fn is_table(conn: &Connection, name: &str) -> rusqlite::Result<bool> {
    const SQL: &str = "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name = ?1";
    conn.query_row(SQL, [name], |row| row.get::<_, i64>(0)).map(|count| count > 0)
}

/// Returns the rows of a statement; `None` when they have more bytes than are left.
fn read_rows(
    mut statement: Statement<'_>,
    parameters: &[&str],
    left: &mut usize,
) -> rusqlite::Result<Option<Vec<JsonMap>>> {
    let columns: Vec<String> = statement.column_names().map(str::to_owned).collect();
    let mut rows = statement.query(rusqlite::params_from_iter(parameters))?;
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

#[cfg(test)]
mod tests {
    use super::*;

    const VALUES: [ForeignValue<'static>; 2] = [
        ForeignValue { name: "key", column: "key", path: None },
        ForeignValue { name: "text", column: "value", path: Some("$.text") },
    ];

    fn file_with(rows: &[(&str, &[u8])]) -> (tempfile::TempDir, std::path::PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("foreign.db");
        let conn = Connection::open(&file).unwrap();
        conn.execute_batch("CREATE TABLE kv (key TEXT UNIQUE, value BLOB)").unwrap();
        for row in rows {
            conn.execute("INSERT INTO kv VALUES (?1, ?2)", *row).unwrap();
        }
        (folder, file)
    }

    #[test]
    fn chosen_values_are_read_from_text_and_bytes_and_a_broken_row_ends_nothing() {
        let rows: [(&str, &[u8]); 3] = [
            ("a:1", b"{\"text\":\"one\"}"),
            ("a:2", b"{ broken"),
            ("b:1", b"{\"text\":\"other\"}"),
        ];
        let (_folder, file) = file_with(&rows);
        let wanted = ForeignRows { table: "kv", values: &VALUES, matching: Some(("key", "a:*")) };
        let absent = ForeignRows { table: "absent", ..wanted };
        let found = read_foreign_rows(&file, &[wanted, absent], 1000).unwrap();
        let expected = serde_json::json!([{ "key": "a:1", "text": "one" }, { "key": "a:2" }]);
        assert_eq!(serde_json::to_value(&found["kv"]).unwrap(), expected);
        assert!(!found.contains_key("absent"));
    }

    #[test]
    fn a_missing_column_and_too_many_bytes_are_refused() {
        let (_folder, file) = file_with(&[("a", b"{\"text\":\"a long text\"}")]);
        let missing = [ForeignValue { name: "key", column: "id", path: None }];
        let rows = ForeignRows { table: "kv", values: &missing, matching: None };
        let refused = read_foreign_rows(&file, &[rows], 1000).unwrap_err();
        assert!(refused.to_string().contains("no such column"), "{refused}");
        let rows = ForeignRows { table: "kv", values: &VALUES, matching: None };
        let refused = read_foreign_rows(&file, &[rows], 10).unwrap_err();
        assert!(matches!(refused, ForeignFileError::TooLarge(10)), "{refused}");
    }
}
