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

use crate::apply::unknown_owner;
use crate::error::{SqlResult, StatementError};
use crate::owner_transaction::OwnerTransaction;
use crate::sql_value::{IntoParameters, SqlValue};
use crate::stored_row::StoredRow;
use model::{Listing, Page, Seq, limits};

/// Returns the sequence number of the newest change.
pub(crate) fn seq(conn: &OwnerTransaction) -> SqlResult<Seq> {
    const SQL: &str = "SELECT seq FROM clocks WHERE owner = $1";
    let found = first(conn, SQL, (), |row| row.get(0).map(Seq))?;
    found.ok_or_else(|| StatementError::Refused(unknown_owner()))
}

/// Returns the random identifier that this memory got when it was created.
pub(crate) fn identity(conn: &OwnerTransaction) -> SqlResult<[u8; 16]> {
    const SQL: &str = "SELECT identity FROM clocks WHERE owner = $1";
    let found = first(conn, SQL, (), |row| row.get(0))?;
    found.ok_or_else(|| StatementError::Refused(unknown_owner()))
}

/// Returns every row of a statement.
pub(crate) fn all<'v, T>(
    conn: &OwnerTransaction,
    sql: &'static str,
    params: impl IntoParameters<'v>,
    read: impl FnMut(&StoredRow) -> SqlResult<T>,
) -> SqlResult<Vec<T>> {
    conn.all(sql, params, read)
}

/// Returns the first row of a statement.
fn first<'v, T>(
    conn: &OwnerTransaction,
    sql: &'static str,
    params: impl IntoParameters<'v>,
    read: impl FnOnce(&StoredRow) -> SqlResult<T>,
) -> SqlResult<Option<T>> {
    conn.first(sql, params, read)
}

/// Returns the count that a statement computes.
fn query_count<'v>(
    conn: &OwnerTransaction,
    sql: &'static str,
    params: impl IntoParameters<'v>,
) -> SqlResult<usize> {
    conn.one(sql, params, |row| row.get(0))
}

/// The statements of a listing: one counts, one reads a page and takes limit and offset as two
/// additional parameters.
struct PagedQuery {
    count: &'static str,
    page: &'static str,
}

impl PagedQuery {
    fn read<T>(
        &self,
        conn: &OwnerTransaction,
        filters: Vec<SqlValue<'_>>,
        page: Page,
        read: impl FnMut(&StoredRow) -> SqlResult<T>,
    ) -> SqlResult<Listing<T>> {
        let total = query_count(conn, self.count, filters.clone())?;
        let offset = i64::try_from(page.offset).unwrap_or(i64::MAX);
        let mut params = filters;
        params.extend([SqlValue::Integer(page_size(page.limit)), SqlValue::Integer(offset)]);
        Ok(Listing { total, items: all(conn, self.page, params, read)? })
    }
}

/// Returns the size of a page, capped at the maximum.
fn page_size(limit: usize) -> i64 {
    // The cap is far below what an i64 holds.
    limit.min(limits::PAGE_ITEMS) as i64
}
