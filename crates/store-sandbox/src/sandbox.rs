//! The private database: created empty, filled with tables and rows, and updated. Statements of
//! callers are run in `run`; the statements here are built from the layout of tables and never from
//! the text of a caller.

use crate::cells::to_cell;
use crate::error::copy_error;
use crate::layout::TableLayout;
use crate::progress_handler::StopSignal;
use crate::{MemoryMeter, SqlError, functions};
use model::{Record, RecordId, Seq, Table, limits};
use rusqlite::config::DbConfig;
use rusqlite::limits::Limit;
use rusqlite::{Connection, OpenFlags, Transaction, params_from_iter};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Page size of the private database.
const PAGE_BYTES: usize = 4_096;
/// Maximum number of pages.
const PAGES_MAX: usize = limits::SQL_COPY_BYTES / PAGE_BYTES;

/// A private database with copies of tables, and nothing else.
#[derive(Debug)]
pub struct Sandbox {
    pub(crate) conn: Connection,
    tables: BTreeMap<String, CopiedTable>,
    pub(crate) meter: Arc<MemoryMeter>,
    pub(crate) stop_signal: Arc<StopSignal>,
}

/// A copied table, and the last change that is included.
#[derive(Debug)]
struct CopiedTable {
    layout: TableLayout,
    copied_upto: Option<Seq>,
}

impl Sandbox {
    /// Creates an empty sandbox that reports its size to this meter.
    ///
    /// # Errors
    /// Fails when SQLite cannot be configured; no caller can cause it.
    pub fn new(meter: Arc<MemoryMeter>) -> Result<Self, SqlError> {
        let stop_signal = Arc::new(StopSignal::new());
        let conn = open_locked_down(&stop_signal).map_err(copy_error)?;
        Ok(Self { conn, tables: BTreeMap::new(), meter, stop_signal })
    }

    /// Sets the tables of the sandbox. A table that is new, or whose columns changed their type,
    /// has no rows until they are copied; a table that is not listed is dropped.
    ///
    /// # Errors
    /// Fails when the copies become too large.
    pub fn set_tables(&mut self, tables: &[Table]) -> Result<(), SqlError> {
        let layouts: BTreeMap<_, _> = tables
            .iter()
            .filter_map(TableLayout::for_table)
            .map(|layout| (layout.name.clone(), layout))
            .collect();
        let dropped: Vec<_> =
            self.tables.keys().filter(|name| !layouts.contains_key(*name)).cloned().collect();
        dropped.iter().try_for_each(|name| self.drop_table(name))?;
        layouts.into_values().try_for_each(|layout| self.adapt_table(layout))?;
        self.update_meter()
    }

    /// Returns the names of the tables.
    pub fn tables(&self) -> impl Iterator<Item = &str> {
        self.tables.keys().map(String::as_str)
    }

    /// Returns the last change that the copy of a table includes; `None` when no rows are copied
    /// yet or there is no such table.
    #[must_use]
    pub fn copied_upto(&self, table: &str) -> Option<Seq> {
        self.tables.get(table).and_then(|copied| copied.copied_upto)
    }

    /// Inserts rows into a table, replacing those with the same id.
    ///
    /// # Errors
    /// Fails when the copies become too large; the table is then unchanged.
    pub fn put(&mut self, table: &str, rows: &[Record]) -> Result<(), SqlError> {
        let Some(copied) = self.tables.get(table) else { return Ok(()) };
        let transaction = self.conn.transaction().map_err(copy_error)?;
        put_rows(&transaction, &copied.layout, rows).map_err(copy_error)?;
        transaction.commit().map_err(copy_error)?;
        self.update_meter()
    }

    /// Removes rows from a table.
    ///
    /// # Errors
    /// Fails when SQLite fails; no caller can cause it.
    pub fn remove(&mut self, table: &str, rows: &[RecordId]) -> Result<(), SqlError> {
        let Some(copied) = self.tables.get(table) else { return Ok(()) };
        let transaction = self.conn.transaction().map_err(copy_error)?;
        remove_rows(&transaction, &copied.layout, rows).map_err(copy_error)?;
        transaction.commit().map_err(copy_error)
    }

    /// Removes every row of a table, to copy it from the beginning.
    ///
    /// # Errors
    /// Fails when SQLite fails; no caller can cause it.
    pub fn clear(&mut self, table: &str) -> Result<(), SqlError> {
        let Some(layout) = self.tables.get(table).map(|copied| copied.layout.clone()) else {
            return Ok(());
        };
        self.drop_table(table)?;
        self.create_table(layout)?;
        self.update_meter()
    }

    /// Records the last change that the copy of a table includes.
    pub fn note_copied(&mut self, table: &str, upto: Seq) {
        if let Some(copied) = self.tables.get_mut(table) {
            copied.copied_upto = Some(upto);
        }
    }

    pub(crate) fn table_names(&self) -> BTreeSet<String> {
        self.tables.keys().cloned().collect()
    }

    /// Returns the names of the columns of a table.
    pub(crate) fn columns(&self, table: &str) -> Vec<&str> {
        let layout = self.tables.get(table).map(|copied| &copied.layout);
        let columns = layout.into_iter().flat_map(|layout| &layout.columns);
        columns.map(|one| one.column.name.as_str()).collect()
    }

    /// Creates a table with this layout, or adapts the existing one.
    fn adapt_table(&mut self, layout: TableLayout) -> Result<(), SqlError> {
        let Some(copied) = self.tables.get_mut(&layout.name) else {
            return self.create_table(layout);
        };
        // New columns at the end are added in place, which preserves the copied rows.
        if let Some(new) = layout.columns.strip_prefix(copied.layout.columns.as_slice()) {
            for column in new {
                self.conn.execute_batch(&layout.add_column_sql(column)).map_err(copy_error)?;
            }
            copied.layout = layout;
            return Ok(());
        }
        self.drop_table(&layout.name.clone())?;
        self.create_table(layout)
    }

    fn create_table(&mut self, layout: TableLayout) -> Result<(), SqlError> {
        self.conn.execute_batch(&layout.create_sql()).map_err(copy_error)?;
        self.tables.insert(layout.name.clone(), CopiedTable { layout, copied_upto: None });
        Ok(())
    }

    fn drop_table(&mut self, name: &str) -> Result<(), SqlError> {
        let Some(copied) = self.tables.remove(name) else { return Ok(()) };
        self.conn.execute_batch(&copied.layout.drop_sql()).map_err(copy_error)
    }

    fn update_meter(&self) -> Result<(), SqlError> {
        let pages: u32 = self
            .conn
            .pragma_query_value(None, "page_count", |row| row.get(0))
            .map_err(copy_error)?;
        self.meter.set(pages as usize * PAGE_BYTES);
        Ok(())
    }
}

impl Drop for Sandbox {
    fn drop(&mut self) {
        self.meter.set(0);
    }
}

fn put_rows(
    transaction: &Transaction<'_>,
    layout: &TableLayout,
    rows: &[Record],
) -> rusqlite::Result<()> {
    let mut statement = transaction.prepare_cached(&layout.upsert_sql())?;
    for row in rows {
        let values: Vec<_> = layout
            .value_columns()
            .map(|column| (column.value_in(row), column.column.kind))
            .collect();
        let id = std::iter::once(rusqlite::types::ToSqlOutput::from(row.id.0));
        statement.execute(params_from_iter(
            id.chain(values.iter().map(|(value, kind)| to_cell(value, *kind))),
        ))?;
    }
    Ok(())
}

fn remove_rows(
    transaction: &Transaction<'_>,
    layout: &TableLayout,
    rows: &[RecordId],
) -> rusqlite::Result<()> {
    let mut statement = transaction.prepare_cached(&layout.delete_sql())?;
    rows.iter().try_for_each(|row| statement.execute([row.0]).map(drop))
}

/// Opens an in-memory database that cannot access files, load code, or grow without bound.
fn open_locked_down(stop_signal: &Arc<StopSignal>) -> rusqlite::Result<Connection> {
    // SQLite needs no mutex: `&mut self` lets only one thread use the connection at a time.
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE
        | OpenFlags::SQLITE_OPEN_CREATE
        | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let conn = Connection::open_in_memory_with_flags(flags)?;
    // Sorts that outgrow their buffer must not spill to a temporary file.
    conn.pragma_update(None, "temp_store", "MEMORY")?;
    conn.pragma_update(None, "page_size", PAGE_BYTES as u32)?;
    conn.pragma_update_and_check(None, "max_page_count", PAGES_MAX as u32, |_| Ok(()))?;
    for (setting, on) in SETTINGS {
        conn.set_db_config(setting, on)?;
    }
    for (limit, most) in LIMITS {
        // Every limit is far below the maximum of an i32.
        conn.set_limit(limit, most as i32)?;
    }
    functions::replace_unbounded(&conn, stop_signal)?;
    Ok(conn)
}

const SETTINGS: [(DbConfig, bool); 8] = [
    (DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true),
    (DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false),
    (DbConfig::SQLITE_DBCONFIG_ENABLE_TRIGGER, false),
    (DbConfig::SQLITE_DBCONFIG_ENABLE_VIEW, false),
    (DbConfig::SQLITE_DBCONFIG_ENABLE_ATTACH_CREATE, false),
    (DbConfig::SQLITE_DBCONFIG_ENABLE_ATTACH_WRITE, false),
    // A misspelled column in double quotes must be an error, not a text.
    (DbConfig::SQLITE_DBCONFIG_DQS_DML, false),
    (DbConfig::SQLITE_DBCONFIG_DQS_DDL, false),
];

const LIMITS: [(Limit, usize); 9] = [
    (Limit::SQLITE_LIMIT_ATTACHED, 0),
    (Limit::SQLITE_LIMIT_WORKER_THREADS, 0),
    (Limit::SQLITE_LIMIT_LENGTH, limits::SQL_VALUE_BYTES),
    (Limit::SQLITE_LIMIT_EXPR_DEPTH, limits::SQL_DEPTH),
    (Limit::SQLITE_LIMIT_COMPOUND_SELECT, 32),
    (Limit::SQLITE_LIMIT_COLUMN, 4 * limits::TABLE_COLUMNS),
    (Limit::SQLITE_LIMIT_FUNCTION_ARG, 100),
    (Limit::SQLITE_LIMIT_TRIGGER_DEPTH, 0),
    (Limit::SQLITE_LIMIT_VDBE_OP, 50_000),
];
