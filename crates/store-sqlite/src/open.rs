//! Opens one database file the one way this room opens them, and holds SQLite to it:
//! what was asked of a connection is read back before the connection is used.

use crate::fault::store_error;
use crate::patience::Patience;
use crate::{Options, migrate};
use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};
use std::path::Path;
use std::time::{Duration, Instant};
use store::StoreError;

/// Versions before this one could corrupt a database when two connections checkpoint at once.
const SQLITE_OLDEST: i32 = 3_051_003;

/// More than all the statements there are, so that each is prepared once a connection.
const STATEMENTS_KEPT: usize = 256;

/// What a connection is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    /// To change things. Brings the file up to date when it opens.
    Write,
    /// To look only.
    Read,
}

/// An open database.
#[derive(Debug)]
pub(crate) struct Database {
    /// The connection.
    pub(crate) conn: Connection,
    /// How long it waits for others.
    pub(crate) patience: Patience,
}

/// Opens a file that is there.
pub(crate) fn open(
    path: &Path,
    format: &migrate::Format,
    role: Role,
    options: &Options,
) -> Result<Database, StoreError> {
    refuse_old_sqlite(rusqlite::version_number())?;
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let mut conn = Connection::open_with_flags(path, flags).map_err(|error| store_error(&error))?;
    let patience =
        Patience::install(&mut conn, options.busy_timeout).map_err(|error| store_error(&error))?;
    until_free(options.busy_timeout, || configure(&conn, role, options))?;
    assert_configured(&conn)?;
    if role == Role::Write {
        migrate::bring_up_to_date(&conn, format)?;
    }
    Ok(Database { conn, patience })
}

fn refuse_old_sqlite(version: i32) -> Result<(), StoreError> {
    if version >= SQLITE_OLDEST {
        return Ok(());
    }
    let cause =
        format!("SQLite {version} can corrupt a shared database; {SQLITE_OLDEST} is needed");
    Err(StoreError::Failed { cause })
}

/// Turning to the write-ahead log needs the file alone for a moment, and SQLite does not always
/// wait for that.
fn until_free<T>(
    timeout: Duration,
    mut attempt: impl FnMut() -> rusqlite::Result<T>,
) -> Result<T, StoreError> {
    let since = Instant::now();
    loop {
        match attempt().map_err(|error| store_error(&error)) {
            Err(StoreError::Busy) if since.elapsed() < timeout => {
                std::thread::sleep(Duration::from_millis(2));
            }
            outcome => return outcome,
        }
    }
}

fn configure(conn: &Connection, role: Role, options: &Options) -> rusqlite::Result<()> {
    conn.set_prepared_statement_cache_capacity(STATEMENTS_KEPT);
    conn.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
    // Without it SQLite plans a statement anew whenever its parameters change: a quarter of a
    // write's CPU.
    conn.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    conn.execute_batch(
        "PRAGMA journal_mode = WAL;
         PRAGMA synchronous = FULL;
         PRAGMA foreign_keys = ON;
         PRAGMA secure_delete = ON;
         PRAGMA temp_store = MEMORY;
         PRAGMA trusted_schema = OFF;
         PRAGMA mmap_size = 0;
         PRAGMA journal_size_limit = 16777216;",
    )?;
    match role {
        Role::Write => conn.execute_batch("PRAGMA cache_size = -8192;")?,
        Role::Read => conn.execute_batch("PRAGMA cache_size = -2048; PRAGMA query_only = ON;")?,
    }
    if let Some(pages) = options.pages_max {
        conn.pragma_update(None, "max_page_count", pages)?;
    }
    Ok(())
}

fn assert_configured(conn: &Connection) -> Result<(), StoreError> {
    if is_configured(conn).map_err(|error| store_error(&error))? {
        return Ok(());
    }
    Err(StoreError::Failed {
        cause: "SQLite did not take the configuration that durability rests on".into(),
    })
}

fn is_configured(conn: &Connection) -> rusqlite::Result<bool> {
    let mode: String = conn.pragma_query_value(None, "journal_mode", |row| row.get(0))?;
    let mut held = mode == "wal";
    for (name, wanted) in [("synchronous", 2_i64), ("foreign_keys", 1), ("secure_delete", 1)] {
        held &= conn.pragma_query_value(None, name, |row| row.get::<_, i64>(0))? == wanted;
    }
    Ok(held)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sqlite_that_can_corrupt_a_shared_file_is_refused() {
        assert!(refuse_old_sqlite(3_051_002).is_err());
        assert!(refuse_old_sqlite(3_051_003).is_ok());
    }

    #[test]
    fn a_connection_without_the_write_ahead_log_is_refused() {
        let conn = Connection::open_in_memory().unwrap();
        assert!(assert_configured(&conn).is_err());
    }

    #[test]
    fn every_connection_keeps_what_durability_rests_on() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("memory.db");
        crate::files::make_private_file(&path).unwrap();
        for role in [Role::Write, Role::Read] {
            let database = open(&path, &migrate::MEMORY, role, &Options::default()).unwrap();
            assert!(assert_configured(&database.conn).is_ok());
        }
    }
}
