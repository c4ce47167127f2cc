//! The `ExpiringValues` trait: values that all servers share. A value is replaced only where it is
//! still the one that was read, so that no lock is held between two statements.

use crate::error::SqlResult;
use crate::owner_transaction::OwnerTransaction;
use crate::postgres_store::PostgresStore;
use crate::row;
use crate::sql_value::params;
use crate::stored_row::StoredRow;
use async_trait::async_trait;
use model::Moment;
use store::{ExpiringValue, ExpiringValues, StoreError, ValueKey};

#[async_trait]
impl ExpiringValues for PostgresStore {
    async fn value(
        &self,
        key: &ValueKey,
        now: Moment,
    ) -> Result<Option<ExpiringValue>, StoreError> {
        const SQL: &str = "SELECT value, expires_at FROM expiring
             WHERE owner = $1 AND kind = $2 AND hash = $3 AND expires_at > $4";
        let (kind, hash) = (key.kind.name(), key.hash);
        self.read(&key.owner, move |conn| {
            conn.first(SQL, params![kind, hash.0, now.0], value_from_row)
        })
        .await
    }

    async fn replace_value(
        &self,
        key: &ValueKey,
        old: Option<&str>,
        new: Option<ExpiringValue>,
        now: Moment,
    ) -> Result<bool, StoreError> {
        let (key, old) = (key.clone(), old.map(str::to_owned));
        let owner = key.owner.clone();
        self.change(&owner, move |conn| match (old, new) {
            (None, None) => Ok(true),
            (None, Some(new)) => add(conn, &key, &new, now),
            (Some(old), Some(new)) => replace(conn, &key, &old, &new, now),
            (Some(old), None) => remove(conn, &key, &old, now),
        })
        .await
    }

    async fn remove_other_values(&self, key: &ValueKey) -> Result<(), StoreError> {
        const SQL: &str = "DELETE FROM expiring WHERE owner = $1 AND kind = $2 AND hash <> $3";
        let (kind, hash) = (key.kind.name(), key.hash);
        self.change(&key.owner, move |conn| conn.execute(SQL, params![kind, hash.0]).map(|_| ()))
            .await
    }
}

/// Stores a value where there is none, or one that has expired.
fn add(
    conn: &OwnerTransaction,
    key: &ValueKey,
    new: &ExpiringValue,
    now: Moment,
) -> SqlResult<bool> {
    const ADD: &str = "INSERT INTO expiring (owner, kind, hash, value, expires_at)
         VALUES ($1, $2, $3, $4, $5)
         ON CONFLICT (owner, kind, hash) DO UPDATE
            SET value = excluded.value, expires_at = excluded.expires_at
            WHERE expiring.expires_at <= $6";
    let (kind, expires_at) = (key.kind.name(), new.expires_at.0);
    let added = conn.execute(ADD, params![kind, key.hash.0, &new.text, expires_at, now.0])? > 0;
    if added {
        make_room(conn, key, now)?;
    }
    Ok(added)
}

/// Removes values of a kind that have expired, and beyond its bound those that expire first.
fn make_room(conn: &OwnerTransaction, key: &ValueKey, now: Moment) -> SqlResult<()> {
    // Rows that another server removes at this moment are skipped: to wait for each other in
    // different orders would be a deadlock.
    const EXPIRED: &str = "DELETE FROM expiring WHERE owner = $1 AND kind = $2 AND hash IN
         (SELECT hash FROM expiring WHERE owner = $1 AND kind = $2 AND expires_at <= $3
            LIMIT 1000 FOR UPDATE SKIP LOCKED)";
    const SURPLUS: &str = "DELETE FROM expiring WHERE owner = $1 AND kind = $2 AND hash IN
         (SELECT hash FROM expiring WHERE owner = $1 AND kind = $2 AND hash <> $3
            ORDER BY expires_at DESC, hash OFFSET $4 FOR UPDATE SKIP LOCKED)";
    let kind = key.kind.name();
    conn.execute(EXPIRED, params![kind, now.0])?;
    // The new one counts too.
    let others = i64::try_from(key.kind.most()).unwrap_or(i64::MAX) - 1;
    conn.execute(SURPLUS, params![kind, key.hash.0, others])?;
    Ok(())
}

fn replace(
    conn: &OwnerTransaction,
    key: &ValueKey,
    old: &str,
    new: &ExpiringValue,
    now: Moment,
) -> SqlResult<bool> {
    const SQL: &str = "UPDATE expiring SET value = $5, expires_at = $6
         WHERE owner = $1 AND kind = $2 AND hash = $3 AND value = $4 AND expires_at > $7";
    let (kind, expires_at) = (key.kind.name(), new.expires_at.0);
    let values = params![kind, key.hash.0, old, &new.text, expires_at, now.0];
    Ok(conn.execute(SQL, values)? > 0)
}

fn remove(conn: &OwnerTransaction, key: &ValueKey, old: &str, now: Moment) -> SqlResult<bool> {
    const SQL: &str = "DELETE FROM expiring
         WHERE owner = $1 AND kind = $2 AND hash = $3 AND value = $4 AND expires_at > $5";
    Ok(conn.execute(SQL, params![key.kind.name(), key.hash.0, old, now.0])? > 0)
}

fn value_from_row(row: &StoredRow) -> SqlResult<ExpiringValue> {
    Ok(ExpiringValue { text: row.get(0)?, expires_at: row::moment(row, 1)? })
}
