//! Changes after a sequence number, for a search index that follows the store. A page consists of
//! whole batches.

use super::{all, first, seq};
use crate::row::{self, MEMORY_WIDTH, memory_columns, memory_tables};
use model::{EntityId, Link, MemoryId, Seq};
use rusqlite::Connection;
use std::collections::HashMap;
use store::{Changes, ViewEntry};

/// Maximum number of memories in a page, whatever limit is requested; a larger batch comes whole.
const ENTRIES_MAX: usize = 10_000;

/// Returns the changes after a sequence number, up to the end of the batch that reaches `limit`.
pub(crate) fn changes(conn: &Connection, after: Seq, limit: usize) -> rusqlite::Result<Changes> {
    let newest = seq(conn)?.unwrap_or(after);
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

/// Returns the changes after a sequence number if they concern at most `most` memories.
pub(crate) fn few_changes(
    conn: &Connection,
    after: Seq,
    most: usize,
) -> rusqlite::Result<Option<Changes>> {
    let few = page_end(conn, after, most + 1)?.is_none();
    few.then(|| changes(conn, after, most + 1)).transpose()
}

/// Returns the sequence number of the batch that reaches the limit, if there is one.
fn page_end(conn: &Connection, after: Seq, limit: usize) -> rusqlite::Result<Option<Seq>> {
    // Removals count like changes, so that a page with many tombstones is bounded too.
    const SQL: &str = "SELECT seq FROM memories WHERE seq > ?1
         UNION ALL SELECT seq FROM tombstones WHERE seq > ?1 ORDER BY 1 LIMIT 1 OFFSET ?2";
    // The limit is clamped far below what an i64 holds.
    first(conn, SQL, (after.0, limit as i64 - 1), |row| row.get(0).map(Seq))
}

fn has_more_after(conn: &Connection, cut: Seq) -> rusqlite::Result<bool> {
    const SQL: &str = "SELECT EXISTS (SELECT 1 FROM memories WHERE seq > ?1)
                       OR EXISTS (SELECT 1 FROM tombstones WHERE seq > ?1)";
    conn.prepare_cached(SQL)?.query_one([cut.0], |row| row.get(0))
}

fn entries(conn: &Connection, after: Seq, upto: Seq) -> rusqlite::Result<Vec<ViewEntry>> {
    const SQL: &str = concat!(
        "SELECT ",
        memory_columns!(),
        ", o.name, o.dimensions, v.windows",
        memory_tables!(),
        "LEFT JOIN vectors v ON v.memory = m.id LEFT JOIN models o ON o.id = v.model
         WHERE m.seq > ?1 AND m.seq <= ?2 ORDER BY m.seq, m.id"
    );
    let mut entries = all(conn, SQL, (after.0, upto.0), |row| {
        let (memory, vector) = (row::memory(row)?, row::vector(row, MEMORY_WIDTH)?);
        Ok(ViewEntry { links_out: Vec::new(), entities: Vec::new(), vector, memory })
    })?;
    let mut links = links_out(conn, after, upto)?;
    let mut entities = mentioned(conn, after, upto)?;
    for entry in &mut entries {
        entry.links_out = links.remove(&entry.memory.id).unwrap_or_default();
        entry.entities = entities.remove(&entry.memory.id).unwrap_or_default();
    }
    Ok(entries)
}

// The next two read one row after another of a page in one statement: a statement for each memory
// takes a third of the time of building a view. `CROSS JOIN` keeps SQLite from beginning with the
// larger table.

fn links_out(
    conn: &Connection,
    after: Seq,
    upto: Seq,
) -> rusqlite::Result<HashMap<MemoryId, Vec<Link>>> {
    const SQL: &str = "SELECT l.source, l.target, l.kind, l.weight, l.created_at
         FROM memories m CROSS JOIN links l ON l.source = m.id WHERE m.seq > ?1 AND m.seq <= ?2";
    let links = all(conn, SQL, (after.0, upto.0), row::link)?;
    Ok(grouped(links.into_iter().map(|link| (link.source, link))))
}

fn mentioned(
    conn: &Connection,
    after: Seq,
    upto: Seq,
) -> rusqlite::Result<HashMap<MemoryId, Vec<EntityId>>> {
    const SQL: &str = "SELECT n.memory, n.entity
         FROM memories m CROSS JOIN mentions n ON n.memory = m.id WHERE m.seq > ?1 AND m.seq <= ?2";
    let mentions = all(conn, SQL, (after.0, upto.0), |row| {
        Ok((MemoryId(row.get(0)?), EntityId(row.get(1)?)))
    })?;
    Ok(grouped(mentions.into_iter()))
}

fn grouped<T>(items: impl Iterator<Item = (MemoryId, T)>) -> HashMap<MemoryId, Vec<T>> {
    let mut groups: HashMap<MemoryId, Vec<T>> = HashMap::new();
    items.for_each(|(memory, item)| groups.entry(memory).or_default().push(item));
    groups
}

fn removed(conn: &Connection, after: Seq, upto: Seq) -> rusqlite::Result<Vec<MemoryId>> {
    const SQL: &str =
        "SELECT memory FROM tombstones WHERE seq > ?1 AND seq <= ?2 ORDER BY seq, memory";
    all(conn, SQL, (after.0, upto.0), |row| row.get(0).map(MemoryId))
}
