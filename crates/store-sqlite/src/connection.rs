//! Opens database files, all with the same configuration. Every setting that durability depends on
//! is read back before the connection is used.

use crate::busy_handler::BusyHandler;
use crate::error::{explain_open_error, store_error};
use crate::{Options, migrate};
use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};
use std::path::Path;
use std::time::{Duration, Instant};
use store::StoreError;

/// Oldest SQLite version that is accepted.
// Earlier ones can corrupt a WAL database when two connections write or checkpoint while the log
// is being reset.
const SQLITE_OLDEST: i32 = 3_051_003;

/// Capacity of the statement cache of a connection.
// More than the number of statements in this crate, so that each is prepared once per connection.
const STATEMENT_CACHE_SIZE: usize = 256;

/// The purpose of a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ConnectionRole {
    /// Reads and writes. Opening migrates the file to the newest format.
    Write,
    /// Only reads; SQLite enforces it with `query_only`.
    Read,
}

/// An open connection and its busy handler.
#[derive(Debug)]
pub(crate) struct Database {
    pub(crate) conn: Connection,
    pub(crate) busy_handler: BusyHandler,
    /// Version of the format before this connection migrated the file; `None` if it only reads.
    pub(crate) former_version: Option<u32>,
}

impl Database {
    /// Closes the connection.
    pub(crate) fn close(self) -> rusqlite::Result<()> {
        self.conn.close().map_err(|(_, error)| error)
    }

    /// Closes the connection without touching the write-ahead log, which is found by its name and
    /// may belong to another file by now.
    pub(crate) fn close_without_checkpoint(self) {
        // If the setting fails, SQLite still compares the file of the name with the open one.
        let _ = self.conn.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true);
    }
}

/// Opens an existing file.
pub(crate) fn open(
    path: &Path,
    format: &migrate::DatabaseFormat,
    role: ConnectionRole,
    options: &Options,
) -> Result<Database, StoreError> {
    open_file(path, format, role, options).map_err(|error| explain_open_error(path, error))
}

fn open_file(
    path: &Path,
    format: &migrate::DatabaseFormat,
    role: ConnectionRole,
    options: &Options,
) -> Result<Database, StoreError> {
    refuse_old_sqlite(rusqlite::version_number())?;
    // Without CREATE, so that a lost file is an error. Readers open for writing too: in WAL mode
    // even a reader writes to the shared-memory index. NO_MUTEX, because a connection is used by
    // one thread at a time.
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let mut conn = Connection::open_with_flags(path, flags).map_err(|error| store_error(&error))?;
    let busy_handler = BusyHandler::install(&mut conn, options.busy_timeout)
        .map_err(|error| store_error(&error))?;
    retry_while_busy(options.busy_timeout, || configure(&conn, role, options))?;
    assert_configured(&conn)?;
    let former_version = match role {
        ConnectionRole::Write => Some(migrate::upgrade(&conn, format)?),
        ConnectionRole::Read => None,
    };
    Ok(Database { conn, busy_handler, former_version })
}

fn refuse_old_sqlite(version: i32) -> Result<(), StoreError> {
    if version >= SQLITE_OLDEST {
        return Ok(());
    }
    let cause =
        format!("SQLite {version} can corrupt a shared database; {SQLITE_OLDEST} is needed");
    Err(StoreError::Failed { cause })
}

/// Retries while the file is busy, up to a timeout.
// Switching to WAL needs an exclusive lock for a moment, and SQLite does not call the busy handler
// for all of the locks involved.
fn retry_while_busy<T>(
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

fn configure(conn: &Connection, role: ConnectionRole, options: &Options) -> rusqlite::Result<()> {
    conn.set_prepared_statement_cache_capacity(STATEMENT_CACHE_SIZE);
    conn.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
    // Query planner stability guarantee: without it SQLite plans a statement again whenever its
    // parameters change, which took a quarter of the CPU time of a write.
    conn.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    // WAL: reads never wait for a write. FULL: an acknowledged write survives a power cut.
    // secure_delete: forgotten text is overwritten, not just unlinked. temp_store: no text in
    // temporary files. trusted_schema and mmap off: a file from elsewhere must neither run
    // functions from its schema nor crash the process by being truncated.
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
        ConnectionRole::Write => conn.execute_batch("PRAGMA cache_size = -8192;")?,
        ConnectionRole::Read => {
            // Only the connection that writes empties the log when it is closed: it does so under
            // the lifecycle lock.
            conn.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
            conn.execute_batch("PRAGMA cache_size = -2048; PRAGMA query_only = ON;")?
        }
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
        cause: "SQLite did not accept the settings that durability depends on".into(),
    })
}

fn is_configured(conn: &Connection) -> rusqlite::Result<bool> {
    let mode: String = conn.pragma_query_value(None, "journal_mode", |row| row.get(0))?;
    let mut configured = mode == "wal";
    // 2 is FULL.
    for (name, wanted) in [("synchronous", 2_i64), ("foreign_keys", 1), ("secure_delete", 1)] {
        configured &= conn.pragma_query_value(None, name, |row| row.get::<_, i64>(0))? == wanted;
    }
    Ok(configured)
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
    fn every_connection_has_the_settings_that_durability_depends_on() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("memory.db");
        crate::files::create_private_file(&path).unwrap();
        for role in [ConnectionRole::Write, ConnectionRole::Read] {
            let database = open(&path, &migrate::MEMORY, role, &Options::default()).unwrap();
            assert!(assert_configured(&database.conn).is_ok());
        }
    }
}
