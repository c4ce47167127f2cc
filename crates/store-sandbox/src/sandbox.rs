//! The private database: made empty, given tables and rows, and kept in step. Statements of callers
//! are run in `run`; here are only our own, whose words come from the layout of tables and never
//! from a caller.

use crate::cells::cell;
use crate::error::while_copying;
use crate::layout::Layout;
use crate::watch::Verdict;
use crate::{Meter, SqlError, functions};
use model::{Record, RecordId, Seq, Table, limits};
use rusqlite::config::DbConfig;
use rusqlite::limits::Limit;
use rusqlite::{Connection, OpenFlags, Transaction, params_from_iter};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// The size of a page of the private database.
const PAGE_BYTES: usize = 4_096;
/// How many pages it may have.
const PAGES: usize = limits::SQL_COPY_BYTES / PAGE_BYTES;

/// Copies of tables, and nothing else.
#[derive(Debug)]
pub struct Sandbox {
    pub(crate) conn: Connection,
    tables: BTreeMap<String, Kept>,
    pub(crate) meter: Arc<Meter>,
    pub(crate) verdict: Arc<Verdict>,
}

/// A table that is held, and the change up to which its rows are copied.
#[derive(Debug)]
struct Kept {
    layout: Layout,
    upto: Option<Seq>,
}

impl Sandbox {
    /// An empty sandbox that tells this meter how large it is.
    ///
    /// # Errors
    /// When SQLite cannot be set up; no caller can cause it.
    pub fn new(meter: Arc<Meter>) -> Result<Self, SqlError> {
        let verdict = Arc::new(Verdict::new());
        let conn = locked_down(&verdict).map_err(while_copying)?;
        Ok(Self { conn, tables: BTreeMap::new(), meter, verdict })
    }

    /// Holds exactly these tables from now on. A table that is new, or whose columns changed their
    /// type, has no rows until they are copied; one that is not among them is gone.
    ///
    /// # Errors
    /// When the copies grow too large.
    pub fn hold(&mut self, tables: &[Table]) -> Result<(), SqlError> {
        let layouts: BTreeMap<_, _> = tables
            .iter()
            .filter_map(Layout::of)
            .map(|layout| (layout.name.clone(), layout))
            .collect();
        let gone: Vec<_> =
            self.tables.keys().filter(|name| !layouts.contains_key(*name)).cloned().collect();
        gone.iter().try_for_each(|name| self.drop_table(name))?;
        layouts.into_values().try_for_each(|layout| self.fit(layout))?;
        self.tell_meter()
    }

    /// The names of the tables that are held.
    pub fn tables(&self) -> impl Iterator<Item = &str> {
        self.tables.keys().map(String::as_str)
    }

    /// The change up to which a table is copied; nothing when none of its rows are, or it is not
    /// held.
    #[must_use]
    pub fn copied_upto(&self, table: &str) -> Option<Seq> {
        self.tables.get(table).and_then(|kept| kept.upto)
    }

    /// Takes rows of a table in, in place of those with the same number.
    ///
    /// # Errors
    /// When the copies grow too large; the table then stands as before.
    pub fn put(&mut self, table: &str, rows: &[Record]) -> Result<(), SqlError> {
        let Some(kept) = self.tables.get(table) else { return Ok(()) };
        let transaction = self.conn.transaction().map_err(while_copying)?;
        put_rows(&transaction, &kept.layout, rows).map_err(while_copying)?;
        transaction.commit().map_err(while_copying)?;
        self.tell_meter()
    }

    /// Takes rows of a table out.
    ///
    /// # Errors
    /// When SQLite fails; no caller can cause it.
    pub fn remove(&mut self, table: &str, rows: &[RecordId]) -> Result<(), SqlError> {
        let Some(kept) = self.tables.get(table) else { return Ok(()) };
        let transaction = self.conn.transaction().map_err(while_copying)?;
        remove_rows(&transaction, &kept.layout, rows).map_err(while_copying)?;
        transaction.commit().map_err(while_copying)
    }

    /// Takes every row of a table out, to copy it from the beginning.
    ///
    /// # Errors
    /// When SQLite fails; no caller can cause it.
    pub fn clear(&mut self, table: &str) -> Result<(), SqlError> {
        let Some(layout) = self.tables.get(table).map(|kept| kept.layout.clone()) else {
            return Ok(());
        };
        self.drop_table(table)?;
        self.make(layout)?;
        self.tell_meter()
    }

    /// Notes that a table is copied up to a change.
    pub fn note_copied(&mut self, table: &str, upto: Seq) {
        if let Some(kept) = self.tables.get_mut(table) {
            kept.upto = Some(upto);
        }
    }

    pub(crate) fn held(&self) -> BTreeSet<String> {
        self.tables.keys().cloned().collect()
    }

    /// The columns of a table that is held.
    pub(crate) fn columns(&self, table: &str) -> Vec<&str> {
        let layout = self.tables.get(table).map(|kept| &kept.layout);
        let columns = layout.into_iter().flat_map(|layout| &layout.columns);
        columns.map(|place| place.column.name.as_str()).collect()
    }

    /// Makes the table that is held look like this.
    fn fit(&mut self, layout: Layout) -> Result<(), SqlError> {
        let Some(kept) = self.tables.get_mut(&layout.name) else { return self.make(layout) };
        if let Some(new) = layout.columns.strip_prefix(kept.layout.columns.as_slice()) {
            for place in new {
                self.conn.execute_batch(&layout.add(place)).map_err(while_copying)?;
            }
            kept.layout = layout;
            return Ok(());
        }
        self.drop_table(&layout.name.clone())?;
        self.make(layout)
    }

    fn make(&mut self, layout: Layout) -> Result<(), SqlError> {
        self.conn.execute_batch(&layout.create()).map_err(while_copying)?;
        self.tables.insert(layout.name.clone(), Kept { layout, upto: None });
        Ok(())
    }

    fn drop_table(&mut self, name: &str) -> Result<(), SqlError> {
        let Some(kept) = self.tables.remove(name) else { return Ok(()) };
        self.conn.execute_batch(&kept.layout.drop()).map_err(while_copying)
    }

    fn tell_meter(&self) -> Result<(), SqlError> {
        let pages: u32 = self
            .conn
            .pragma_query_value(None, "page_count", |row| row.get(0))
            .map_err(while_copying)?;
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
    layout: &Layout,
    rows: &[Record],
) -> rusqlite::Result<()> {
    let mut statement = transaction.prepare_cached(&layout.put())?;
    for row in rows {
        let held: Vec<_> =
            layout.valued().map(|place| (place.value(row), place.column.kind)).collect();
        let id = std::iter::once(rusqlite::types::ToSqlOutput::from(row.id.0));
        statement.execute(params_from_iter(
            id.chain(held.iter().map(|(held, kind)| cell(held, *kind))),
        ))?;
    }
    Ok(())
}

fn remove_rows(
    transaction: &Transaction<'_>,
    layout: &Layout,
    rows: &[RecordId],
) -> rusqlite::Result<()> {
    let mut statement = transaction.prepare_cached(&layout.remove())?;
    rows.iter().try_for_each(|row| statement.execute([row.0]).map(drop))
}

/// A database in memory that cannot reach a file, load code, or grow without bound.
fn locked_down(verdict: &Arc<Verdict>) -> rusqlite::Result<Connection> {
    // One thread at a time uses it, behind `&mut`.
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE
        | OpenFlags::SQLITE_OPEN_CREATE
        | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let conn = Connection::open_in_memory_with_flags(flags)?;
    // What does not fit a buffer must not go to a temporary file.
    conn.pragma_update(None, "temp_store", "MEMORY")?;
    conn.pragma_update(None, "page_size", PAGE_BYTES as u32)?;
    conn.pragma_update_and_check(None, "max_page_count", PAGES as u32, |_| Ok(()))?;
    for (setting, on) in SETTINGS {
        conn.set_db_config(setting, on)?;
    }
    for (limit, most) in LIMITS {
        // Every limit is far below what an i32 holds.
        conn.set_limit(limit, most as i32)?;
    }
    functions::replace_unbounded(&conn, verdict)?;
    Ok(conn)
}

const SETTINGS: [(DbConfig, bool); 8] = [
    (DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true),
    (DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false),
    (DbConfig::SQLITE_DBCONFIG_ENABLE_TRIGGER, false),
    (DbConfig::SQLITE_DBCONFIG_ENABLE_VIEW, false),
    (DbConfig::SQLITE_DBCONFIG_ENABLE_ATTACH_CREATE, false),
    (DbConfig::SQLITE_DBCONFIG_ENABLE_ATTACH_WRITE, false),
    // A column that is misspelled in double quotes is a mistake, not a text.
    (DbConfig::SQLITE_DBCONFIG_DQS_DML, false),
    (DbConfig::SQLITE_DBCONFIG_DQS_DDL, false),
];

const LIMITS: [(Limit, usize); 9] = [
    (Limit::SQLITE_LIMIT_ATTACHED, 0),
    (Limit::SQLITE_LIMIT_WORKER_THREADS, 0),
    (Limit::SQLITE_LIMIT_LENGTH, limits::SQL_VALUE_BYTES),
    (Limit::SQLITE_LIMIT_EXPR_DEPTH, limits::SQL_DEPTH),
    (Limit::SQLITE_LIMIT_COMPOUND_SELECT, 32),
    (Limit::SQLITE_LIMIT_COLUMN, 4 * limits::COLUMNS),
    (Limit::SQLITE_LIMIT_FUNCTION_ARG, 100),
    (Limit::SQLITE_LIMIT_TRIGGER_DEPTH, 0),
    (Limit::SQLITE_LIMIT_VDBE_OP, 50_000),
];
