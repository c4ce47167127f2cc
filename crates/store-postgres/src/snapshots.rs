//! The `ViewSnapshots` trait: snapshots of search views in rows, which all servers share. Whoever
//! writes one holds a lease, so that servers that stop at the same moment do not all send it.

use crate::error::StatementError;
use crate::owner_transaction::OwnerTransaction;
use crate::postgres_store::PostgresStore;
use crate::view_segments::{self, SnapshotId};
use async_trait::async_trait;
use model::{ContentHash, Moment, OwnerId, Seq};
use store::{
    ExpiringValue, ExpiringValues, SnapshotContent, SnapshotLabel, SnapshotMedium, SnapshotWriter,
    StoreError, ValueKey, ValueKind, ViewSnapshots,
};

/// Length of the lease: many times as long as writing takes. It is given back afterwards, and runs
/// out only if the server was killed meanwhile.
const LEASE_SECONDS: i64 = 5 * 60;

#[async_trait]
impl ViewSnapshots for PostgresStore {
    fn medium(&self) -> SnapshotMedium {
        SnapshotMedium::Database
    }

    async fn snapshot_seq(&self, owner: &OwnerId, format: &str) -> Result<Option<Seq>, StoreError> {
        let format = format.to_owned();
        let newest = self.read(owner, move |conn| view_segments::newest(conn, &format)).await?;
        Ok(newest.map(|(_, seq)| seq))
    }

    async fn open_snapshot(
        &self,
        owner: &OwnerId,
        format: &str,
    ) -> Result<Option<SnapshotContent>, StoreError> {
        let format = format.to_owned();
        let segments = self.read(owner, move |conn| view_segments::read(conn, &format)).await?;
        Ok(segments.map(SnapshotContent::Segments))
    }

    async fn save_snapshot(
        &self,
        owner: &OwnerId,
        label: &SnapshotLabel,
        at: Moment,
        write: SnapshotWriter,
    ) -> Result<bool, StoreError> {
        let stored = self.snapshot_seq(owner, &label.format).await?;
        if stored.is_some_and(|stored| stored >= label.seq) {
            return Ok(false);
        }
        let lease = SnapshotLease::new(owner, at)?;
        if !lease.take(self).await? {
            return Ok(false);
        }
        let (id, label) = (lease.id, label.clone());
        let saved = self.in_transaction(owner, "BEGIN", move |conn| {
            let saved = view_segments::store(&conn, id, &label, write);
            end_transaction(conn, saved)
        });
        let saved = saved.await;
        lease.give_back(self).await;
        Ok(saved?)
    }

    async fn remove_snapshot(&self, owner: &OwnerId) -> Result<bool, StoreError> {
        Ok(self.change(owner, view_segments::remove).await? > 0)
    }
}

/// Commits what is to be stored, and rolls everything else back.
fn end_transaction(
    conn: OwnerTransaction,
    saved: Result<bool, StatementError>,
) -> Result<bool, StatementError> {
    match saved {
        Ok(true) => conn.commit().map(|()| true),
        other => {
            conn.end();
            other
        }
    }
}

/// The right to write the snapshot of an owner.
struct SnapshotLease {
    key: ValueKey,
    /// Id of the snapshot, which names the holder too.
    id: SnapshotId,
    at: Moment,
}

impl SnapshotLease {
    fn new(owner: &OwnerId, at: Moment) -> Result<Self, StoreError> {
        let mut id = SnapshotId::default();
        getrandom::fill(&mut id)
            .map_err(|error| StoreError::Failed { cause: format!("no random numbers: {error}") })?;
        let hash = ContentHash::of_bytes(b"view snapshot");
        let key = ValueKey { owner: owner.clone(), kind: ValueKind::JobLease, hash };
        Ok(Self { key, id, at })
    }

    fn holder(&self) -> String {
        self.id.iter().map(|byte| format!("{byte:02x}")).collect()
    }

    /// Takes the lease. Returns false while another server has it.
    async fn take(&self, store: &PostgresStore) -> Result<bool, StoreError> {
        let expires_at = self.at.plus_seconds(LEASE_SECONDS);
        let lease = ExpiringValue { text: self.holder(), expires_at };
        store.replace_value(&self.key, None, Some(lease), self.at).await
    }

    async fn give_back(&self, store: &PostgresStore) {
        let returned = store.replace_value(&self.key, Some(&self.holder()), None, self.at).await;
        if let Err(error) = returned {
            tracing::warn!(%error, "the lease of a snapshot runs out by itself");
        }
    }
}
