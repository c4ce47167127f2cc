//! Removes the traces that SQLite leaves of deleted text. Deleted rows are overwritten
//! (`secure_delete`), but a page that was split may have a copy of a row in its unused bytes, and
//! the write-ahead log has the pages as they were. A pass clears the unused bytes page by page in
//! short steps, then truncates the log. What is still owed is a row of the file, so that whoever
//! opens it next goes on.

mod unused_bytes;

use crate::Options;
use crate::connection::Database;
use model::Seq;
use rusqlite::config::DbConfig;
use rusqlite::{Connection, OptionalExtension, TransactionBehavior};
use std::time::{Duration, Instant};
use unused_bytes::clear_unused;

/// Time that one step may take, and that waiting for readers may take within it.
// All other writes of the owner wait for a step.
const STEP: Duration = Duration::from_millis(25);
/// Maximum number of pages that a step rewrites; bounds what it adds to the log.
const PAGES_REWRITTEN_MAX: usize = 500;
/// Largest number of pages of a file that is cleared page by page.
// Beyond it the first byte of an overflow page could be that of a b-tree page. 128 GiB.
const PAGES_MAX: i64 = 0x0200_0000;
/// Maximum size of a file whose temporary copy during VACUUM is kept in memory.
// For larger ones SQLite uses a temporary file that is unlinked as soon as it is opened.
const VACUUM_IN_MEMORY_BYTES_MAX: i64 = 64 * 1024 * 1024;
/// Content up to which a file that is mostly unused is rewritten after a pass.
// A few milliseconds; more of it is returned to the disk when somebody asks (`compact`).
const SHRUNK_BYTES_MAX: i64 = 4 * 1024 * 1024;

/// State of the removal of traces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ScrubProgress {
    /// Nothing is owed.
    Done,
    /// A step was made; there is more to do.
    More,
    /// Readers of an older state, or the disk, prevent the rest for now.
    Blocked,
}

/// Row of the file that says what is owed.
struct ErasureRow {
    newest: i64,
    scrubbed: i64,
    pass: i64,
    next_page: i64,
}

impl ErasureRow {
    fn read(conn: &Connection) -> rusqlite::Result<Self> {
        const SQL: &str = "SELECT newest, scrubbed, pass, next_page FROM erasure";
        conn.prepare_cached(SQL)?.query_one([], |row| {
            Ok(Self {
                newest: row.get(0)?,
                scrubbed: row.get(1)?,
                pass: row.get(2)?,
                next_page: row.get(3)?,
            })
        })
    }

    fn write(&self, conn: &Connection) -> rusqlite::Result<()> {
        const SQL: &str = "UPDATE erasure SET scrubbed = ?1, pass = ?2, next_page = ?3";
        conn.prepare_cached(SQL)?.execute((self.scrubbed, self.pass, self.next_page))?;
        Ok(())
    }
}

/// Returns the sequence numbers of the newest batch that erased text, and of the newest one whose
/// traces are gone.
pub(crate) fn erased_and_scrubbed(conn: &Connection) -> rusqlite::Result<(Seq, Seq)> {
    let row = ErasureRow::read(conn)?;
    Ok((Seq(row.newest), Seq(row.scrubbed)))
}

/// Makes one short step. Any number of processes may take turns.
pub(crate) fn step(database: &Database, options: &Options) -> ScrubProgress {
    database.busy_handler.set_timeout(STEP);
    let progress = try_step(&database.conn);
    database.busy_handler.set_timeout(options.busy_timeout);
    progress.unwrap_or_else(|error| {
        tracing::debug!(%error, "the traces of erased text could not be removed yet");
        ScrubProgress::Blocked
    })
}

fn try_step(conn: &Connection) -> rusqlite::Result<ScrubProgress> {
    let row = ErasureRow::read(conn)?;
    if row.newest <= row.scrubbed {
        return Ok(ScrubProgress::Done);
    }
    match clear_pages(conn)? {
        Some(pass) => finish(conn, pass),
        None => Ok(ScrubProgress::More),
    }
}

/// Clears unused bytes of the next pages. Returns the sequence number that the pass covers once it
/// has reached the end of the file.
fn clear_pages(conn: &Connection) -> rusqlite::Result<Option<i64>> {
    let transaction = rusqlite::Transaction::new_unchecked(conn, TransactionBehavior::Immediate)?;
    // Read again under the write lock: another process may have made a step meanwhile.
    let mut row = ErasureRow::read(conn)?;
    if row.next_page == 0 {
        row.pass = row.newest;
        row.next_page = 1;
    }
    let pages: i64 = conn.pragma_query_value(None, "page_count", |row| row.get(0))?;
    if row.next_page > pages {
        // Only the log is left, which readers kept from being truncated.
        return Ok(Some(row.pass));
    }
    if !can_clear_pages(conn, pages)? {
        transaction.rollback()?;
        vacuum(conn)?;
        row.next_page = pages + 1;
        row.write(conn)?;
        return Ok(Some(row.pass));
    }
    // A defensive connection refuses writes of whole pages; nothing else runs on it meanwhile.
    conn.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, false)?;
    let cleared = clear_from(conn, &mut row.next_page, pages);
    conn.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
    cleared?;
    row.write(conn)?;
    transaction.commit()?;
    Ok((row.next_page > pages).then_some(row.pass))
}

/// Returns false for a file whose pages cannot be told apart, or a SQLite without access to them.
fn can_clear_pages(conn: &Connection, pages: i64) -> rusqlite::Result<bool> {
    let vacuums: i64 = conn.pragma_query_value(None, "auto_vacuum", |row| row.get(0))?;
    let known =
        conn.query_row("SELECT 1 FROM pragma_module_list WHERE name = 'sqlite_dbpage'", [], |_| {
            Ok(())
        });
    Ok(vacuums == 0 && pages < PAGES_MAX && known.optional()?.is_some())
}

fn clear_from(conn: &Connection, next: &mut i64, pages: i64) -> rusqlite::Result<()> {
    let mut read = conn.prepare_cached("SELECT data FROM sqlite_dbpage WHERE pgno = ?1")?;
    let mut write = conn.prepare_cached("UPDATE sqlite_dbpage SET data = ?2 WHERE pgno = ?1")?;
    let (since, mut rewritten) = (Instant::now(), 0);
    while *next <= pages && rewritten < PAGES_REWRITTEN_MAX && since.elapsed() < STEP {
        let mut page: Vec<u8> = read.query_one([*next], |row| row.get(0))?;
        if clear_unused(&mut page, *next == 1) {
            write.execute((*next, page))?;
            rewritten += 1;
        }
        *next += 1;
    }
    Ok(())
}

/// Ends a pass whose pages are clear: truncates the log, and records what is no longer owed.
fn finish(conn: &Connection, pass: i64) -> rusqlite::Result<ScrubProgress> {
    if is_mostly_unused(conn)? {
        vacuum(conn)?;
    }
    if !truncate_log(conn)? {
        return Ok(ScrubProgress::Blocked);
    }
    let transaction = rusqlite::Transaction::new_unchecked(conn, TransactionBehavior::Immediate)?;
    let mut row = ErasureRow::read(conn)?;
    row.scrubbed = row.scrubbed.max(pass);
    // Another process may have begun the next pass already.
    if row.pass == pass {
        row.next_page = 0;
    }
    row.write(conn)?;
    transaction.commit()?;
    Ok(if row.newest > row.scrubbed { ScrubProgress::More } else { ScrubProgress::Done })
}

fn is_mostly_unused(conn: &Connection) -> rusqlite::Result<bool> {
    let unused: i64 = conn.pragma_query_value(None, "freelist_count", |row| row.get(0))?;
    let pages: i64 = conn.pragma_query_value(None, "page_count", |row| row.get(0))?;
    let size: i64 = conn.pragma_query_value(None, "page_size", |row| row.get(0))?;
    Ok(unused * 2 > pages && (pages - unused) * size <= SHRUNK_BYTES_MAX)
}

/// Rewrites the file, which drops all unreferenced bytes and returns unused space to the disk.
pub(crate) fn vacuum(conn: &Connection) -> rusqlite::Result<bool> {
    let large = file_bytes(conn)? > VACUUM_IN_MEMORY_BYTES_MAX;
    if large {
        conn.execute_batch("PRAGMA temp_store = FILE")?;
    }
    let rewritten = conn.execute_batch("VACUUM");
    // Restored before a failed VACUUM is reported, because the connection lives on.
    if large {
        conn.execute_batch("PRAGMA temp_store = MEMORY")?;
    }
    rewritten?;
    truncate_log(conn)
}

/// Checkpoints the write-ahead log and truncates it to zero bytes.
fn truncate_log(conn: &Connection) -> rusqlite::Result<bool> {
    // The first column is 1 when a reader of an older snapshot kept the checkpoint from finishing.
    conn.query_one("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| Ok(row.get::<_, i64>(0)? == 0))
}

fn file_bytes(conn: &Connection) -> rusqlite::Result<i64> {
    let pages: i64 = conn.pragma_query_value(None, "page_count", |row| row.get(0))?;
    let size: i64 = conn.pragma_query_value(None, "page_size", |row| row.get(0))?;
    Ok(pages * size)
}
