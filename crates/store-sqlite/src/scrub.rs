//! Removes what SQLite leaves behind of deleted text. Deleted rows are overwritten
//! (`secure_delete`), but the write-ahead log still holds them until it is emptied, and a page that
//! was once split may keep a copy of a row in its unused bytes, which only rewriting the file
//! removes.

use rusqlite::Connection;

/// Largest file that is rewritten whenever something was forgotten: about 200,000 memories, a few
/// seconds. Others wait that long for their writes, so a larger one is rewritten when somebody asks
/// for it.
const REWRITE_BYTES_MAX: i64 = 256 * 1024 * 1024;

/// Larger files are rewritten by way of a temporary file, which has no name, instead of memory.
const IN_MEMORY_BYTES_MAX: i64 = 64 * 1024 * 1024;

/// Leaves no trace of forgotten text, as far as the size of the file allows.
/// Answers whether it is done; others may have been in the way.
pub(crate) fn after_forgetting(conn: &Connection) -> rusqlite::Result<bool> {
    if bytes(conn)? <= REWRITE_BYTES_MAX { rewrite(conn) } else { empty_log(conn) }
}

/// Rewrites the file: nothing is left that nothing refers to, and unused space goes back to the
/// disk.
pub(crate) fn rewrite(conn: &Connection) -> rusqlite::Result<bool> {
    let large = bytes(conn)? > IN_MEMORY_BYTES_MAX;
    if large {
        conn.execute_batch("PRAGMA temp_store = FILE")?;
    }
    let rewritten = conn.execute_batch("VACUUM");
    if large {
        conn.execute_batch("PRAGMA temp_store = MEMORY")?;
    }
    rewritten?;
    empty_log(conn)
}

/// Moves everything into the file and cuts the write-ahead log to nothing.
fn empty_log(conn: &Connection) -> rusqlite::Result<bool> {
    conn.query_one("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| Ok(row.get::<_, i64>(0)? == 0))
}

fn bytes(conn: &Connection) -> rusqlite::Result<i64> {
    let pages: i64 = conn.pragma_query_value(None, "page_count", |row| row.get(0))?;
    let size: i64 = conn.pragma_query_value(None, "page_size", |row| row.get(0))?;
    Ok(pages * size)
}
