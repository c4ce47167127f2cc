//! Changes after a sequence number, for a search index that follows the store. A page consists of
//! whole batches.

use super::{all, first, seq};
use crate::error::SqlResult;
use crate::owner_transaction::OwnerTransaction;
use crate::row::{self, MEMORY_WIDTH, memory_columns};
use model::{EntityId, Link, MemoryId, Seq};
use std::collections::HashMap;
use store::{Changes, ViewEntry};

/// Maximum number of memories in a page, whatever limit is requested; a larger batch comes whole.
const ENTRIES_MAX: usize = 10_000;

/// Returns the changes after a sequence number, up to the end of the batch that reaches `limit`.
pub(crate) fn changes(conn: &OwnerTransaction, after: Seq, limit: usize) -> SqlResult<Changes> {
    let newest = seq(conn)?;
    if newest == after {
        return Ok(Changes { entries: Vec::new(), removed: Vec::new(), upto: after, more: false });
    }
    let cut = page_end(conn, after, limit.clamp(1, ENTRIES_MAX))?;
    // Without later changes to memories, `upto` is the newest number, although batches without any
    // change to a memory may come in between: a reader that follows is then up to date.
    let more = cut.is_some_and(|cut| cut < newest) && has_more_after(conn, cut.unwrap_or(newest))?;
    let upto = if more { cut.unwrap_or(newest) } else { newest };
    Ok(Changes {
        entries: entries(conn, after, upto)?,
        removed: removed(conn, after, upto)?,
        upto,
        more,
    })
}

/// Returns the sequence number of the batch that reaches the limit, if there is one.
fn page_end(conn: &OwnerTransaction, after: Seq, limit: usize) -> SqlResult<Option<Seq>> {
    // Removals count like changes, so that a page with many tombstones is bounded too.
    const SQL: &str = "SELECT seq FROM memories WHERE owner = $1 AND seq > $2
         UNION ALL SELECT seq FROM tombstones WHERE owner = $1 AND seq > $2
         ORDER BY 1 LIMIT 1 OFFSET $3";
    // The limit is clamped far below what an i64 holds.
    first(conn, SQL, (after.0, limit as i64 - 1), |row| row.get(0).map(Seq))
}

fn has_more_after(conn: &OwnerTransaction, cut: Seq) -> SqlResult<bool> {
    const SQL: &str = "SELECT EXISTS (SELECT 1 FROM memories WHERE owner = $1 AND seq > $2)
         OR EXISTS (SELECT 1 FROM tombstones WHERE owner = $1 AND seq > $2)";
    conn.one(SQL, [cut.0], |row| row.get(0))
}

fn entries(conn: &OwnerTransaction, after: Seq, upto: Seq) -> SqlResult<Vec<ViewEntry>> {
    const SQL: &str = concat!(
        "SELECT ",
        memory_columns!(),
        ", o.name, o.dimensions, v.windows FROM memories m
            JOIN authors a ON a.owner = m.owner AND a.id = m.author
            LEFT JOIN uses u ON u.owner = $1 AND u.memory = m.id
            LEFT JOIN vectors v ON v.owner = $1 AND v.memory = m.id
            LEFT JOIN models o ON o.owner = $1 AND o.id = v.model
         WHERE m.owner = $1 AND a.owner = $1 AND m.seq > $2 AND m.seq <= $3 ORDER BY m.seq, m.id"
    );
    let (mut links, mut entities) = (links_out(conn, after, upto)?, entities(conn, after, upto)?);
    all(conn, SQL, (after.0, upto.0), |row| {
        let memory = row::memory(row)?;
        Ok(ViewEntry {
            links_out: links.remove(&memory.id).unwrap_or_default(),
            entities: entities.remove(&memory.id).unwrap_or_default(),
            vector: row::vector(row, MEMORY_WIDTH)?,
            memory,
        })
    })
}

fn links_out(
    conn: &OwnerTransaction,
    after: Seq,
    upto: Seq,
) -> SqlResult<HashMap<MemoryId, Vec<Link>>> {
    const SQL: &str = "SELECT l.source, l.target, l.kind, l.weight, l.created_at FROM links l
         JOIN memories m ON m.owner = l.owner AND m.id = l.source
         WHERE l.owner = $1 AND m.owner = $1 AND m.seq > $2 AND m.seq <= $3
         ORDER BY l.source, l.kind, l.target";
    let mut found: HashMap<MemoryId, Vec<Link>> = HashMap::new();
    for link in all(conn, SQL, (after.0, upto.0), row::link)? {
        found.entry(link.source).or_default().push(link);
    }
    Ok(found)
}

fn entities(
    conn: &OwnerTransaction,
    after: Seq,
    upto: Seq,
) -> SqlResult<HashMap<MemoryId, Vec<EntityId>>> {
    const SQL: &str = "SELECT n.memory, n.entity FROM mentions n
         JOIN memories m ON m.owner = n.owner AND m.id = n.memory
         WHERE n.owner = $1 AND m.owner = $1 AND m.seq > $2 AND m.seq <= $3
         ORDER BY n.memory, n.entity";
    let mut found: HashMap<MemoryId, Vec<EntityId>> = HashMap::new();
    for row in conn.rows(SQL, (after.0, upto.0))? {
        found.entry(MemoryId(row.get(0)?)).or_default().push(EntityId(row.get(1)?));
    }
    Ok(found)
}

fn removed(conn: &OwnerTransaction, after: Seq, upto: Seq) -> SqlResult<Vec<MemoryId>> {
    const SQL: &str = "SELECT memory FROM tombstones
         WHERE owner = $1 AND seq > $2 AND seq <= $3 ORDER BY seq, memory";
    all(conn, SQL, (after.0, upto.0), |row| row.get(0).map(MemoryId))
}
