//! The table catalogue and the rows of tables.

use super::{all, first, page_size};
use crate::{enum_codes, json, row};
use model::{Column, MemoryId, Record, RecordId, Seq, Table};
use rusqlite::types::ValueRef;
use rusqlite::{Connection, Row};
use store::RecordChange;
use store::rules::encoding;

macro_rules! record_columns {
    ($rest:literal) => {
        concat!(
            "SELECT r.id, t.name, r.data, r.memory, r.created_at, r.updated_at
             FROM records r JOIN tables t ON t.id = r.table_id ",
            $rest
        )
    };
}

/// The catalogue entry of a table, as far as a write needs it.
pub(crate) struct CatalogueEntry {
    pub(crate) id: i64,
    pub(crate) columns: Vec<Column>,
    pub(crate) last_record: i64,
}

/// Returns the catalogue entry of a table.
pub(crate) fn catalogue_entry(
    conn: &Connection,
    name: &str,
) -> rusqlite::Result<Option<CatalogueEntry>> {
    const SQL: &str = "SELECT id, columns, last_record FROM tables WHERE name = ?1";
    first(conn, SQL, [name], entry_from_row)
}

/// Returns the catalogue entry of a table by its number.
pub(crate) fn catalogue_entry_by_id(
    conn: &Connection,
    id: i64,
) -> rusqlite::Result<CatalogueEntry> {
    const SQL: &str = "SELECT id, columns, last_record FROM tables WHERE id = ?1";
    conn.prepare_cached(SQL)?.query_one([id], entry_from_row)
}

fn entry_from_row(row: &Row<'_>) -> rusqlite::Result<CatalogueEntry> {
    Ok(CatalogueEntry {
        id: row.get(0)?,
        columns: json::decode(row, 1, encoding::read_columns)?,
        last_record: row.get(2)?,
    })
}

/// Returns the catalogue, ordered by name.
pub(crate) fn tables(conn: &Connection) -> rusqlite::Result<Vec<Table>> {
    const SQL: &str =
        "SELECT name, description, columns, rows, created_at, updated_at FROM tables ORDER BY name";
    all(conn, SQL, [], |row| {
        Ok(Table {
            name: row.get(0)?,
            description: row.get(1)?,
            columns: json::decode(row, 2, encoding::read_columns)?,
            rows: row.get::<_, u32>(3)? as usize,
            created_at: row::moment(row, 4)?,
            updated_at: row::moment(row, 5)?,
        })
    })
}

/// Returns rows of a table after an id.
pub(crate) fn records(
    conn: &Connection,
    table: &str,
    after: RecordId,
    limit: usize,
) -> rusqlite::Result<Vec<Record>> {
    const SQL: &str = record_columns!("WHERE t.name = ?1 AND r.id > ?2 ORDER BY r.id LIMIT ?3");
    all(conn, SQL, (table, after.0, page_size(limit)), record_from_row)
}

/// Returns rows of a table that changed after a sequence number, or whose memory did.
pub(crate) fn changes(
    conn: &Connection,
    table: &str,
    since: Seq,
    after: RecordId,
    limit: usize,
) -> rusqlite::Result<Vec<RecordChange>> {
    // A first copy takes every row in the order of the primary key; collecting the changed ids
    // first would be wasted work.
    const ALL: &str = "SELECT r.id, ?1, r.data, r.memory, r.created_at, r.updated_at, m.status
         FROM records r LEFT JOIN memories m ON m.id = r.memory
         WHERE r.table_id = (SELECT id FROM tables WHERE name = ?1) AND r.id > ?2 \
         ORDER BY r.id LIMIT ?3";
    // A row changes by itself, with its memory (whose status decides who sees it), or by deletion.
    const SINCE: &str = "WITH wanted (id) AS (SELECT id FROM tables WHERE name = ?1), \
         changed (id) AS (
             SELECT r.id FROM records r, wanted t WHERE r.table_id = t.id AND r.seq > ?4
             UNION SELECT r.id FROM memories m CROSS JOIN records r ON r.memory = m.id, wanted t
                WHERE m.seq > ?4 AND r.table_id = t.id
             UNION SELECT d.id FROM dropped_records d, wanted t \
                WHERE d.table_id = t.id AND d.seq > ?4)
         SELECT c.id, ?1, r.data, r.memory, r.created_at, r.updated_at, m.status
         FROM changed c LEFT JOIN records r ON r.table_id = (SELECT id FROM wanted) AND r.id = c.id
             LEFT JOIN memories m ON m.id = r.memory
         WHERE c.id > ?2 ORDER BY c.id LIMIT ?3";
    if since == Seq::ZERO {
        return all(conn, ALL, (table, after.0, page_size(limit)), change_from_row);
    }
    all(conn, SINCE, (table, after.0, page_size(limit), since.0), change_from_row)
}

/// Returns a row by its id.
pub(crate) fn record(
    conn: &Connection,
    table: &str,
    id: RecordId,
) -> rusqlite::Result<Option<Record>> {
    const SQL: &str = record_columns!("WHERE t.name = ?1 AND r.id = ?2");
    first(conn, SQL, (table, id.0), record_from_row)
}

/// Returns the rows that were written with a memory.
pub(crate) fn by_memory(conn: &Connection, memory: MemoryId) -> rusqlite::Result<Vec<Record>> {
    const SQL: &str = record_columns!("WHERE r.memory = ?1 ORDER BY t.name, r.id");
    all(conn, SQL, [memory.0], record_from_row)
}

fn record_from_row(row: &Row<'_>) -> rusqlite::Result<Record> {
    Ok(Record {
        id: RecordId(row.get(0)?),
        table: row.get(1)?,
        data: json::read_map(row, 2)?,
        memory: row.get::<_, Option<i64>>(3)?.map(MemoryId),
        created_at: row::moment(row, 4)?,
        updated_at: row::moment(row, 5)?,
    })
}

fn change_from_row(row: &Row<'_>) -> rusqlite::Result<RecordChange> {
    // `data` is NOT NULL, so NULL means that the join found no row: it was deleted.
    let exists = row.get_ref(2)? != ValueRef::Null;
    Ok(RecordChange {
        id: RecordId(row.get(0)?),
        record: exists.then(|| record_from_row(row)).transpose()?,
        memory: row.get::<_, Option<u8>>(6)?.map(enum_codes::status).transpose()?,
    })
}
