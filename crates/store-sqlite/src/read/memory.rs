//! Memories by id and by what they say, their vectors and their links.

use super::{all, first, size};
use crate::row::{self, memory_columns, memory_tables};
use crate::{codes, text_key};
use model::{ContentHash, Memory, MemoryId, Moment, StoredVector};
use rusqlite::Connection;
use store::Links;

/// Memories in the order asked, without those that are not there.
pub(crate) fn by_ids(conn: &Connection, ids: &[MemoryId]) -> rusqlite::Result<Vec<Memory>> {
    const SQL: &str = concat!("SELECT ", memory_columns!(), memory_tables!(), "WHERE m.id = ?1");
    let mut statement = conn.prepare_cached(SQL)?;
    let mut found = Vec::with_capacity(ids.len());
    for id in ids {
        let mut rows = statement.query([id.0])?;
        if let Some(row) = rows.next()? {
            found.push(row::memory(row)?);
        }
    }
    Ok(found)
}

/// The newest active memory that says exactly this.
pub(crate) fn saying(conn: &Connection, hash: ContentHash) -> rusqlite::Result<Option<MemoryId>> {
    const SQL: &str = "SELECT id, text FROM memories WHERE text_key = ?1 AND status = ?2
                       ORDER BY created_at DESC, id DESC";
    let mut statement = conn.prepare_cached(SQL)?;
    let mut rows = statement.query((text_key(hash), codes::ACTIVE))?;
    while let Some(row) = rows.next()? {
        if ContentHash::of(row.get_ref(1)?.as_str()?) == hash {
            return Ok(Some(MemoryId(row.get(0)?)));
        }
    }
    Ok(None)
}

/// When a text was last forgotten.
pub(crate) fn forgotten(conn: &Connection, hash: ContentHash) -> rusqlite::Result<Option<Moment>> {
    const SQL: &str = "SELECT max(at) FROM tombstones WHERE hash = ?1";
    conn.prepare_cached(SQL)?.query_one([hash.0], |row| row::maybe_moment(row, 0))
}

/// The vectors of a memory.
pub(crate) fn vector(
    conn: &Connection,
    memory: MemoryId,
) -> rusqlite::Result<Option<StoredVector>> {
    const SQL: &str =
        "SELECT o.name, o.dimensions, v.windows FROM vectors v JOIN models o ON o.id = v.model
                       WHERE v.memory = ?1";
    Ok(first(conn, SQL, [memory.0], |row| row::vector(row, 0))?.flatten())
}

/// Memories whose vectors another model made, or none.
pub(crate) fn without_vector(
    conn: &Connection,
    model: &str,
    limit: usize,
) -> rusqlite::Result<Vec<Memory>> {
    const SQL: &str = "SELECT m.id FROM memories m LEFT JOIN vectors v ON v.memory = m.id
         WHERE v.model IS NULL OR v.model NOT IN (SELECT id FROM models WHERE name = ?1)
         ORDER BY m.id LIMIT ?2";
    let ids = all(conn, SQL, (model, size(limit)), |row| row.get(0).map(MemoryId))?;
    by_ids(conn, &ids)
}

/// The links of a memory, both ways.
pub(crate) fn links(conn: &Connection, memory: MemoryId) -> rusqlite::Result<Links> {
    const OUTGOING: &str =
        "SELECT source, target, kind, weight, created_at FROM links WHERE source = ?1";
    const INCOMING: &str =
        "SELECT source, target, kind, weight, created_at FROM links WHERE target = ?1";
    Ok(Links {
        outgoing: all(conn, OUTGOING, [memory.0], row::link)?,
        incoming: all(conn, INCOMING, [memory.0], row::link)?,
    })
}
