//! The size of an owner's data and the version of the database engine.

use crate::error::SqlResult;
use crate::owner_transaction::OwnerTransaction;

/// Estimates the bytes of an owner's rows: the texts and vectors, and a constant for each row.
pub(crate) fn bytes(conn: &OwnerTransaction) -> SqlResult<u64> {
    // The tables are shared by all owners, so that no file has the size of one.
    const SQL: &str = "SELECT (8192
        + coalesce((SELECT sum(200 + pg_column_size(text) + coalesce(pg_column_size(metadata), 0))
            FROM memories WHERE owner = $1), 0)
        + coalesce((SELECT sum(60 + pg_column_size(windows)) FROM vectors WHERE owner = $1), 0)
        + coalesce((SELECT sum(80 + pg_column_size(text) + coalesce(pg_column_size(windows), 0))
            FROM sections WHERE owner = $1), 0)
        + coalesce((SELECT sum(100 + pg_column_size(data)) FROM records WHERE owner = $1), 0)
        + 220 * (SELECT count(*) FROM audit WHERE owner = $1))::bigint";
    conn.one(SQL, (), |row| row.get::<i64>(0)).map(i64::unsigned_abs)
}

/// Returns the name and version of the database engine.
pub(crate) fn engine(conn: &OwnerTransaction) -> SqlResult<String> {
    const SQL: &str = "SELECT current_setting('server_version') WHERE $1::text IS NOT NULL";
    Ok(format!("PostgreSQL {}", conn.one(SQL, (), |row| row.get::<String>(0))?))
}
