//! Removes the traces that SQLite leaves of deleted text. Deleted rows are overwritten
//! (`secure_delete`), but the write-ahead log still contains them until it is truncated, and a page
//! that was split may have a copy of a row in its unused bytes, which only VACUUM removes.

use rusqlite::Connection;

/// Maximum size of a file that is rewritten whenever something was forgotten.
// About 200,000 memories and a few seconds, for which all other writes wait. Larger files are
// rewritten only when somebody asks for it (`compact`).
const VACUUM_BYTES_MAX: i64 = 256 * 1024 * 1024;

/// Maximum size of a file whose temporary copy during VACUUM is kept in memory.
// For larger ones SQLite uses a temporary file that is unlinked as soon as it is opened.
const VACUUM_IN_MEMORY_BYTES_MAX: i64 = 64 * 1024 * 1024;

/// Removes all traces of forgotten text, as far as the size of the file allows. Returns false when
/// readers prevented it.
pub(crate) fn remove_traces(conn: &Connection) -> rusqlite::Result<bool> {
    if file_bytes(conn)? <= VACUUM_BYTES_MAX { vacuum(conn) } else { truncate_log(conn) }
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
