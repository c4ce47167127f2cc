//! Memories by id and by text, their vectors and their links.

use super::{all, first, page_size};
use crate::error::SqlResult;
use crate::owner_transaction::OwnerTransaction;
use crate::row::{self, memory_columns, memory_tables};
use crate::sql_value::params;
use model::{ContentHash, Memory, MemoryId, Moment, Seq, StoredVectors};
use std::collections::HashMap;
use store::rules::{codes, text_key};
use store::{ErasureState, Links};

/// Returns memories in the given order, without those that do not exist.
pub(crate) fn by_ids(conn: &OwnerTransaction, ids: &[MemoryId]) -> SqlResult<Vec<Memory>> {
    const SQL: &str = concat!("SELECT ", memory_columns!(), memory_tables!(), "AND m.id = ANY($2)");
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    let numbers: Vec<i64> = ids.iter().map(|id| id.0).collect();
    let found = all(conn, SQL, params![numbers], row::memory)?;
    let found: HashMap<MemoryId, Memory> =
        found.into_iter().map(|memory| (memory.id, memory)).collect();
    Ok(ids.iter().filter_map(|id| found.get(id).cloned()).collect())
}

/// Returns the newest active memory whose text has this hash.
pub(crate) fn by_text(conn: &OwnerTransaction, hash: ContentHash) -> SqlResult<Option<MemoryId>> {
    const SQL: &str = "SELECT id, text FROM memories
         WHERE owner = $1 AND text_key = $2 AND status = $3 ORDER BY created_at DESC, id DESC";
    // The index key is only a part of the hash, so the whole hash decides.
    for row in conn.rows(SQL, (text_key(hash), codes::ACTIVE))? {
        if ContentHash::of_text(row.str(1)?) == hash {
            return Ok(Some(MemoryId(row.get(0)?)));
        }
    }
    Ok(None)
}

const FORGOTTEN_AT: &str = "SELECT at FROM tombstones WHERE owner = $1 AND hash = $2
     ORDER BY at DESC LIMIT 1";

/// Returns the time when a text was last forgotten.
pub(crate) fn forgotten_at(
    conn: &OwnerTransaction,
    hash: ContentHash,
) -> SqlResult<Option<Moment>> {
    conn.first(FORGOTTEN_AT, [hash.0], |row| row::moment(row, 0))
}

/// Sends the query for that time ahead.
pub(crate) fn ask_forgotten(conn: &OwnerTransaction, hash: ContentHash) -> SqlResult<()> {
    conn.query_ahead(FORGOTTEN_AT, [hash.0])
}

/// Assumes in a plan that a text was never forgotten.
pub(crate) fn assume_not_forgotten(conn: &OwnerTransaction, hash: ContentHash) {
    conn.assume_empty(FORGOTTEN_AT, [hash.0]);
}

/// Returns the state of erasing, and which of the memories were forgotten.
pub(crate) fn erasure(conn: &OwnerTransaction, ids: &[MemoryId]) -> SqlResult<ErasureState> {
    const NEWEST: &str = "SELECT erased_seq FROM clocks WHERE owner = $1";
    const FORGOTTEN: &str = "SELECT memory FROM tombstones WHERE owner = $1 AND memory = ANY($2)";
    let newest = conn.one(NEWEST, (), |row| row.get(0).map(Seq))?;
    let numbers: Vec<i64> = ids.iter().map(|id| id.0).collect();
    let gone = all(conn, FORGOTTEN, params![numbers], |row| row.get(0).map(MemoryId))?;
    let forgotten = ids.iter().copied().filter(|id| gone.contains(id)).collect();
    // The unused bytes of its files are the database server's own to clear.
    Ok(ErasureState { newest, traces_owed: false, forgotten })
}

/// Returns the vectors of a memory.
pub(crate) fn vector(
    conn: &OwnerTransaction,
    memory: MemoryId,
) -> SqlResult<Option<StoredVectors>> {
    const SQL: &str = "SELECT o.name, o.dimensions, v.windows FROM vectors v
         JOIN models o ON o.owner = v.owner AND o.id = v.model
         WHERE v.owner = $1 AND o.owner = $1 AND v.memory = $2";
    Ok(first(conn, SQL, [memory.0], |row| row::vector(row, 0))?.flatten())
}

/// Returns memories that have no vectors, or only those of another model.
pub(crate) fn without_vector(
    conn: &OwnerTransaction,
    model: &str,
    limit: usize,
) -> SqlResult<Vec<Memory>> {
    const SQL: &str = "SELECT m.id FROM memories m
         LEFT JOIN vectors v ON v.owner = $1 AND v.memory = m.id
         WHERE m.owner = $1 AND (v.model IS NULL
            OR v.model NOT IN (SELECT id FROM models WHERE owner = $1 AND name = $2))
         ORDER BY m.id LIMIT $3";
    let ids = all(conn, SQL, (model, page_size(limit)), |row| row.get(0).map(MemoryId))?;
    by_ids(conn, &ids)
}

/// Returns the links of a memory in both directions.
pub(crate) fn links(conn: &OwnerTransaction, memory: MemoryId) -> SqlResult<Links> {
    const OUTGOING: &str = "SELECT source, target, kind, weight, created_at FROM links
         WHERE owner = $1 AND source = $2 ORDER BY kind, target";
    const INCOMING: &str = "SELECT source, target, kind, weight, created_at FROM links
         WHERE owner = $1 AND target = $2 ORDER BY source, kind";
    Ok(Links {
        outgoing: all(conn, OUTGOING, [memory.0], row::link)?,
        incoming: all(conn, INCOMING, [memory.0], row::link)?,
    })
}
