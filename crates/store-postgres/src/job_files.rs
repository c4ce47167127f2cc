//! The `JobFiles` trait: files of jobs in rows that all servers share.

use crate::error::SqlResult;
use crate::owner_transaction::OwnerTransaction;
use crate::postgres_store::PostgresStore;
use crate::row;
use crate::sql_value::params;
use async_trait::async_trait;
use model::{Moment, OwnerId};
use store::{FilePart, FilePartKey, JobFileKind, JobFiles, StoreError, surplus_files};

const REMOVE_FILE: &str = "DELETE FROM job_parts WHERE owner = $1 AND job = $2";

#[async_trait]
impl JobFiles for PostgresStore {
    async fn put_part(
        &self,
        key: &FilePartKey,
        part: FilePart,
        now: Moment,
    ) -> Result<(), StoreError> {
        const PUT: &str = "INSERT INTO job_parts (owner, job, number, kind, expires_at, bytes)
             VALUES ($1, $2, $3, $4, $5, $6)
             ON CONFLICT (owner, job, number) DO UPDATE SET kind = excluded.kind,
                expires_at = excluded.expires_at, bytes = excluded.bytes";
        let (job, number) = (key.job, key.number);
        self.change(&key.owner, move |conn| {
            remove_expired(conn, now)?;
            for surplus in surplus_files(other_files(conn, job)?) {
                conn.execute(REMOVE_FILE, [surplus])?;
            }
            let FilePart { kind, bytes, expires_at } = part;
            let values = params![job, number, kind.name(), expires_at.0, &bytes];
            conn.execute(PUT, values).map(|_| ())
        })
        .await
    }

    async fn part(&self, key: &FilePartKey, now: Moment) -> Result<Option<Vec<u8>>, StoreError> {
        const SQL: &str = "SELECT bytes FROM job_parts
             WHERE owner = $1 AND job = $2 AND number = $3 AND expires_at > $4";
        let (job, number) = (key.job, key.number);
        self.read(&key.owner, move |conn| {
            conn.first(SQL, params![job, number, now.0], |row| row.get(0))
        })
        .await
    }

    async fn remove_file(&self, owner: &OwnerId, job: i64) -> Result<(), StoreError> {
        self.change(owner, move |conn| conn.execute(REMOVE_FILE, [job]).map(|_| ())).await
    }

    async fn remove_expired_parts(
        &self,
        owner: &OwnerId,
        now: Moment,
    ) -> Result<usize, StoreError> {
        self.change(owner, move |conn| remove_expired(conn, now)).await
    }
}

fn remove_expired(conn: &OwnerTransaction, now: Moment) -> SqlResult<usize> {
    // Rows that another server removes at this moment are skipped: to wait for each other in
    // different orders would be a deadlock.
    const SQL: &str = "DELETE FROM job_parts WHERE owner = $1 AND (job, number) IN
         (SELECT job, number FROM job_parts WHERE owner = $1 AND expires_at <= $2
            FOR UPDATE SKIP LOCKED)";
    conn.execute(SQL, [now.0])
}

/// Returns the other files of the owner, with the moments at which they expire.
fn other_files(conn: &OwnerTransaction, job: i64) -> SqlResult<Vec<(Moment, i64)>> {
    const SQL: &str = "SELECT max(expires_at), job FROM job_parts
         WHERE owner = $1 AND job <> $2 GROUP BY job";
    conn.all(SQL, [job], |row| Ok((row::moment(row, 0)?, row.get(1)?)))
}

/// Removes the exports of the owner.
pub(crate) fn remove_exports(conn: &OwnerTransaction) -> SqlResult<()> {
    const SQL: &str = "DELETE FROM job_parts WHERE owner = $1 AND kind = $2";
    conn.send(SQL, [JobFileKind::Export.name()])
}
