//! The types of columns, inferred again from the rows. Before format 7, a text that spells a number
//! was a text like any other.

use crate::json;
use crate::read::record::{self as read, CatalogueEntry};
use model::{Column, ColumnType, infer_columns};
use rusqlite::Connection;

/// Infers the types of all columns from the values in them.
pub(super) fn infer_again(conn: &Connection) -> rusqlite::Result<()> {
    for table in read::tables(conn)? {
        let Some(listed) = read::catalogue_entry(conn, &table.name)? else { continue };
        let columns = json::columns_text(&inferred(conn, &listed)?);
        conn.execute("UPDATE tables SET columns = ?2 WHERE id = ?1", (listed.id, columns))?;
    }
    Ok(())
}

fn inferred(conn: &Connection, listed: &CatalogueEntry) -> rusqlite::Result<Vec<Column>> {
    let unknown = |column: &Column| Column { kind: ColumnType::Unknown, ..column.clone() };
    let mut columns: Vec<Column> = listed.columns.iter().map(unknown).collect();
    let mut statement = conn.prepare("SELECT data FROM records WHERE table_id = ?1")?;
    let mut rows = statement.query([listed.id])?;
    while let Some(row) = rows.next()? {
        columns = infer_columns(&columns, &json::read_map(row, 0)?);
    }
    // A column without any value keeps its type, which still says what belongs there.
    for (column, before) in columns.iter_mut().zip(&listed.columns) {
        if column.kind == ColumnType::Unknown {
            column.kind = before.kind;
        }
    }
    Ok(columns)
}
