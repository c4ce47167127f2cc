//! The table catalogue and the rows of tables.

use super::{all, first, page_size};
use crate::error::SqlResult;
use crate::owner_transaction::OwnerTransaction;
use crate::row;
use crate::stored_row::StoredRow;
use model::{Column, MemoryId, Record, RecordId, Seq, Table};
use store::RecordChange;
use store::rules::encoding;

macro_rules! record_columns {
    ($rest:literal) => {
        concat!(
            "SELECT r.id, t.name, r.data, r.memory, r.created_at, r.updated_at
             FROM records r JOIN tables t ON t.owner = r.owner AND t.id = r.table_id
             WHERE r.owner = $1 AND t.owner = $1 ",
            $rest
        )
    };
}

/// The catalogue entry of a table, as far as a write needs it.
pub(crate) struct TableEntry {
    pub(crate) id: i64,
    pub(crate) columns: Vec<Column>,
    pub(crate) last_record: i64,
}

/// Returns the catalogue entry of a table.
pub(crate) fn catalogue_entry(
    conn: &OwnerTransaction,
    name: &str,
) -> SqlResult<Option<TableEntry>> {
    const SQL: &str = "SELECT id, columns, last_record FROM tables WHERE owner = $1 AND name = $2";
    first(conn, SQL, [name], entry_from_row)
}

/// Returns the catalogue entry of a table by its number.
pub(crate) fn catalogue_entry_by_id(conn: &OwnerTransaction, id: i64) -> SqlResult<TableEntry> {
    const SQL: &str = "SELECT id, columns, last_record FROM tables WHERE owner = $1 AND id = $2";
    conn.one(SQL, [id], entry_from_row)
}

fn entry_from_row(row: &StoredRow) -> SqlResult<TableEntry> {
    Ok(TableEntry {
        id: row.get(0)?,
        columns: row.decode(1, encoding::read_columns)?,
        last_record: row.get(2)?,
    })
}

/// Returns the catalogue, ordered by name.
pub(crate) fn tables(conn: &OwnerTransaction) -> SqlResult<Vec<Table>> {
    const SQL: &str = "SELECT name, description, columns, rows, created_at, updated_at
         FROM tables WHERE owner = $1 ORDER BY name";
    all(conn, SQL, (), |row| {
        Ok(Table {
            name: row.get(0)?,
            description: row.get(1)?,
            columns: row.decode(2, encoding::read_columns)?,
            rows: row.get(3)?,
            created_at: row::moment(row, 4)?,
            updated_at: row::moment(row, 5)?,
        })
    })
}

/// Returns rows of a table after an id.
pub(crate) fn records(
    conn: &OwnerTransaction,
    table: &str,
    after: RecordId,
    limit: usize,
) -> SqlResult<Vec<Record>> {
    const SQL: &str = record_columns!("AND t.name = $2 AND r.id > $3 ORDER BY r.id LIMIT $4");
    all(conn, SQL, (table, after.0, page_size(limit)), record_from_row)
}

/// Returns rows of a table that changed after a sequence number, or whose memory did.
pub(crate) fn changes(
    conn: &OwnerTransaction,
    table: &str,
    since: Seq,
    after: RecordId,
    limit: usize,
) -> SqlResult<Vec<RecordChange>> {
    // A first copy takes every row in the order of the primary key; collecting the changed ids
    // first would be wasted work.
    const ALL: &str =
        "SELECT r.id, $2::text, r.data, r.memory, r.created_at, r.updated_at, m.status
         FROM records r LEFT JOIN memories m ON m.owner = $1 AND m.id = r.memory
         WHERE r.owner = $1
         AND r.table_id = (SELECT id FROM tables WHERE owner = $1 AND name = $2) AND r.id > $3
         ORDER BY r.id LIMIT $4";
    // A row changes by itself, with its memory (whose status decides who sees it), or by deletion.
    const SINCE: &str =
        "WITH wanted (id) AS (SELECT id FROM tables WHERE owner = $1 AND name = $2),
         changed (id) AS (
             SELECT r.id FROM records r, wanted t
                WHERE r.owner = $1 AND r.table_id = t.id AND r.seq > $5
             UNION SELECT r.id FROM memories m
                JOIN records r ON r.owner = m.owner AND r.memory = m.id, wanted t
                WHERE m.owner = $1 AND r.owner = $1 AND m.seq > $5 AND r.table_id = t.id
             UNION SELECT d.id FROM dropped_records d, wanted t
                WHERE d.owner = $1 AND d.table_id = t.id AND d.seq > $5)
         SELECT c.id, $2::text, r.data, r.memory, r.created_at, r.updated_at, m.status
         FROM changed c
             LEFT JOIN records r
                ON r.owner = $1 AND r.table_id = (SELECT id FROM wanted) AND r.id = c.id
             LEFT JOIN memories m ON m.owner = $1 AND m.id = r.memory
         WHERE c.id > $3 ORDER BY c.id LIMIT $4";
    if since == Seq::ZERO {
        return all(conn, ALL, (table, after.0, page_size(limit)), change_from_row);
    }
    all(conn, SINCE, (table, after.0, page_size(limit), since.0), change_from_row)
}

/// Returns a row by its id.
pub(crate) fn record(
    conn: &OwnerTransaction,
    table: &str,
    id: RecordId,
) -> SqlResult<Option<Record>> {
    const SQL: &str = record_columns!("AND t.name = $2 AND r.id = $3");
    first(conn, SQL, (table, id.0), record_from_row)
}

/// Returns the rows that were written with a memory.
pub(crate) fn by_memory(conn: &OwnerTransaction, memory: MemoryId) -> SqlResult<Vec<Record>> {
    const SQL: &str = record_columns!("AND r.memory = $2 ORDER BY t.name, r.id");
    all(conn, SQL, [memory.0], record_from_row)
}

fn record_from_row(row: &StoredRow) -> SqlResult<Record> {
    Ok(Record {
        id: RecordId(row.get(0)?),
        table: row.get(1)?,
        data: row.map(2)?,
        memory: row.get::<Option<i64>>(3)?.map(MemoryId),
        created_at: row::moment(row, 4)?,
        updated_at: row::moment(row, 5)?,
    })
}

fn change_from_row(row: &StoredRow) -> SqlResult<RecordChange> {
    // `data` is NOT NULL, so NULL means that the join found no row: it was deleted.
    let exists = row.str_or_null(2)?.is_some();
    Ok(RecordChange {
        id: RecordId(row.get(0)?),
        record: exists.then(|| record_from_row(row)).transpose()?,
        memory: row.get::<Option<u8>>(6)?.map(row::status).transpose()?,
    })
}
