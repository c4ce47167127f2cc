//! Memories by id and by text, their vectors and their links.

use super::{all, first, page_size};
use crate::row::{self, memory_columns, memory_tables};
use crate::{enum_codes, scrub, text_key};
use model::{ContentHash, Memory, MemoryId, Moment, StoredVectors};
use rusqlite::Connection;
use store::{ErasureState, Links};

/// Returns memories in the given order, without those that do not exist.
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

/// Returns the newest active memory whose text has this hash.
pub(crate) fn by_text(conn: &Connection, hash: ContentHash) -> rusqlite::Result<Option<MemoryId>> {
    const SQL: &str = "SELECT id, text FROM memories WHERE text_key = ?1 AND status = ?2
                       ORDER BY created_at DESC, id DESC";
    let mut statement = conn.prepare_cached(SQL)?;
    let mut rows = statement.query((text_key(hash), enum_codes::ACTIVE))?;
    // The index key is only a part of the hash, so the whole hash decides.
    while let Some(row) = rows.next()? {
        if ContentHash::of_text(row.get_ref(1)?.as_str()?) == hash {
            return Ok(Some(MemoryId(row.get(0)?)));
        }
    }
    Ok(None)
}

/// Returns the time when a text was last forgotten.
pub(crate) fn forgotten_at(
    conn: &Connection,
    hash: ContentHash,
) -> rusqlite::Result<Option<Moment>> {
    const SQL: &str = "SELECT max(at) FROM tombstones WHERE hash = ?1";
    conn.prepare_cached(SQL)?.query_one([hash.0], |row| row::optional_moment(row, 0))
}

/// Returns the state of erasing, and which of the memories were forgotten.
pub(crate) fn erasure(conn: &Connection, ids: &[MemoryId]) -> rusqlite::Result<ErasureState> {
    let (newest, scrubbed) = scrub::erased_and_scrubbed(conn)?;
    let mut statement = conn.prepare_cached("SELECT 1 FROM tombstones WHERE memory = ?1")?;
    let mut forgotten = Vec::new();
    for id in ids {
        if statement.exists([id.0])? {
            forgotten.push(*id);
        }
    }
    Ok(ErasureState { newest, traces_owed: newest > scrubbed, forgotten })
}

/// Returns the vectors of a memory.
pub(crate) fn vector(
    conn: &Connection,
    memory: MemoryId,
) -> rusqlite::Result<Option<StoredVectors>> {
    const SQL: &str =
        "SELECT o.name, o.dimensions, v.windows FROM vectors v JOIN models o ON o.id = v.model
                       WHERE v.memory = ?1";
    Ok(first(conn, SQL, [memory.0], |row| row::vector(row, 0))?.flatten())
}

/// Returns memories that have no vectors, or only those of another model.
pub(crate) fn without_vector(
    conn: &Connection,
    model: &str,
    limit: usize,
) -> rusqlite::Result<Vec<Memory>> {
    const SQL: &str = "SELECT m.id FROM memories m LEFT JOIN vectors v ON v.memory = m.id
         WHERE v.model IS NULL OR v.model NOT IN (SELECT id FROM models WHERE name = ?1)
         ORDER BY m.id LIMIT ?2";
    let ids = all(conn, SQL, (model, page_size(limit)), |row| row.get(0).map(MemoryId))?;
    by_ids(conn, &ids)
}

/// Returns the links of a memory in both directions.
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
