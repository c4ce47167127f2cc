//! The statements of the contract's reads. A function with several statements runs inside a
//! transaction that its caller began, so that all of them see the same snapshot. The text of a
//! statement never depends on input.

pub(crate) mod access;
pub(crate) mod chain;
pub(crate) mod count;
pub(crate) mod entity;
pub(crate) mod fact;
pub(crate) mod handoff;
pub(crate) mod listing;
pub(crate) mod memory;
pub(crate) mod merge;
pub(crate) mod profile;
pub(crate) mod record;
pub(crate) mod reference;
pub(crate) mod review;
pub(crate) mod session;
pub(crate) mod usage;
pub(crate) mod view;
pub(crate) mod workspace;

use model::{Listing, Page, Seq, limits};
use rusqlite::{Connection, OptionalExtension, Params, Row, ToSql, params_from_iter};

/// Returns the sequence number of the newest change; `None` when another process erased the owner.
pub(crate) fn seq(conn: &Connection) -> rusqlite::Result<Option<Seq>> {
    const SQL: &str = "SELECT seq, erased FROM meta";
    conn.prepare_cached(SQL)?
        .query_one([], |row| Ok((!row.get::<_, bool>(1)?).then_some(Seq(row.get(0)?))))
}

/// Returns the random identifier that this memory got when it was created.
pub(crate) fn identity(conn: &Connection) -> rusqlite::Result<[u8; 16]> {
    conn.prepare_cached("SELECT identity FROM meta")?.query_one([], |row| row.get(0))
}

/// Returns every row of a statement.
pub(crate) fn all<T>(
    conn: &Connection,
    sql: &'static str,
    params: impl Params,
    read: impl FnMut(&Row<'_>) -> rusqlite::Result<T>,
) -> rusqlite::Result<Vec<T>> {
    conn.prepare_cached(sql)?.query_map(params, read)?.collect()
}

/// Returns the first row of a statement.
fn first<T>(
    conn: &Connection,
    sql: &'static str,
    params: impl Params,
    read: impl FnOnce(&Row<'_>) -> rusqlite::Result<T>,
) -> rusqlite::Result<Option<T>> {
    conn.prepare_cached(sql)?.query_row(params, read).optional()
}

/// Returns the count that a statement computes.
fn query_count(
    conn: &Connection,
    sql: &'static str,
    params: impl Params,
) -> rusqlite::Result<usize> {
    let count: i64 = conn.prepare_cached(sql)?.query_one(params, |row| row.get(0))?;
    Ok(usize::try_from(count).unwrap_or(usize::MAX))
}

/// The statements of a listing: one counts, one reads a page and takes limit and offset as two
/// additional parameters.
struct ListQuery {
    count: &'static str,
    page: &'static str,
}

impl ListQuery {
    fn read<T>(
        &self,
        conn: &Connection,
        filters: &[&dyn ToSql],
        page: Page,
        read: impl FnMut(&Row<'_>) -> rusqlite::Result<T>,
    ) -> rusqlite::Result<Listing<T>> {
        let (limit, offset) =
            (page_size(page.limit), i64::try_from(page.offset).unwrap_or(i64::MAX));
        let paging: [&dyn ToSql; 2] = [&limit, &offset];
        let params = params_from_iter(filters.iter().chain(&paging));
        Ok(Listing {
            total: query_count(conn, self.count, params_from_iter(filters))?,
            items: all(conn, self.page, params, read)?,
        })
    }
}

/// Returns the size of a page, capped at the maximum.
fn page_size(limit: usize) -> i64 {
    // The cap is far below what an i64 holds.
    limit.min(limits::PAGE_ITEMS) as i64
}
