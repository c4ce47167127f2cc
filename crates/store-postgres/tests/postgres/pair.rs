//! Two stores as one, for the differential test: every call goes to a store on SQLite and to one on
//! PostgreSQL, and both answers must be equal, ids and order included. Owners of all tests share
//! the tables, without row-level security, so that a statement that leaves its owner out shows;
//! `QUIPU_TEST_ROW_SECURITY` has the same suite run under it.

use crate::fixture::{address, distribute, schema_name};
use model::{MemoryId, Moment, OwnerId};
use quipu_store_postgres::{Options, PostgresStore};
use std::fmt::Debug;
use std::path::Path;
use store::{
    Batch, ChainReport, CommittedBatch, Control, Counts, ErasureState, ExpectedVersion, Health,
    Store, StoreError, WriteError,
};
use store_sqlite::SqliteStore;
use tokio::sync::Mutex;

/// Variable that has the suite run under row-level security, in a schema of its own.
const ROW_SECURITY_VARIABLE: &str = "QUIPU_TEST_ROW_SECURITY";

/// Held during each call, so that racing calls reach both stores in the same order.
pub(crate) static TURN: Mutex<()> = Mutex::const_new(());

/// A store on SQLite and one on PostgreSQL with the same content.
pub(crate) struct StorePair {
    pub(crate) sqlite: SqliteStore,
    pub(crate) postgres: PostgresStore,
    /// Ending of the names of owners on PostgreSQL, where other tests have the same owners.
    suffix: String,
}

/// Opens both stores of a directory.
pub(crate) async fn open_pair(home: &Path) -> StorePair {
    let address = address().expect("tests without a database end before they open it");
    let row_security = std::env::var_os(ROW_SECURITY_VARIABLE).is_some();
    let options = Options {
        schema: if row_security { "guarded_pairs" } else { "pairs" }.to_owned(),
        connections_max: 4,
        row_security,
        ..Options::new([7; 32])
    };
    let postgres = PostgresStore::open(&address, &options).await.expect("PostgreSQL opens");
    distribute(&address, &options.schema).await;
    let sqlite = SqliteStore::open(home, Default::default()).expect("SQLite opens");
    StorePair { sqlite, postgres, suffix: format!("-{}", schema_name(home)) }
}

/// Compares two answers, and returns the first.
pub(crate) fn agree<T: Debug, E: Debug>(
    call: &str,
    left: Result<T, E>,
    right: Result<T, E>,
) -> Result<T, E> {
    let (shown, other) = (format!("{left:?}"), format!("{right:?}"));
    assert_eq!(shown, other, "{call}: SQLite and PostgreSQL differ");
    left
}

impl StorePair {
    pub(crate) fn renamed(&self, owner: &OwnerId) -> OwnerId {
        OwnerId::new(&format!("{owner}{}", self.suffix)).expect("the name is a plain slug")
    }

    pub(crate) async fn write_of_both(
        &self,
        owner: &OwnerId,
        batch: Batch,
    ) -> Result<CommittedBatch, WriteError> {
        let (_turn, renamed) = (TURN.lock().await, self.renamed(owner));
        let mut other = batch.clone();
        for version in &mut other.expected_versions {
            // The identity is random, so each store has its own.
            if let ExpectedVersion::Store(identity) = version
                && *identity == self.sqlite.identity(owner).await?
            {
                *identity = self.postgres.identity(&renamed).await?;
            }
        }
        // What is left in files differs, because PostgreSQL clears its own.
        let settled =
            |committed: CommittedBatch| CommittedBatch { traces_owed: false, ..committed };
        let left = self.sqlite.write(owner, batch).await.map(settled);
        agree("write", left, self.postgres.write(&renamed, other).await)
    }

    pub(crate) async fn identity_of_both(&self, owner: &OwnerId) -> Result<[u8; 16], StoreError> {
        self.postgres.identity(&self.renamed(owner)).await?;
        self.sqlite.identity(owner).await
    }

    pub(crate) async fn location_of_both(&self, owner: &OwnerId) -> Result<String, StoreError> {
        self.sqlite.location(owner).await
    }

    pub(crate) async fn size_bytes_of_both(&self, owner: &OwnerId) -> Result<u64, StoreError> {
        self.sqlite.size_bytes(owner).await
    }

    pub(crate) async fn counts_of_both(&self, owner: &OwnerId) -> Result<Counts, StoreError> {
        let _turn = TURN.lock().await;
        let left = self.sqlite.counts(owner).await?;
        let right = self.postgres.counts(&self.renamed(owner)).await?;
        agree("counts", Ok(left.clone()), Ok(Counts { bytes: left.bytes, ..right }))
    }

    pub(crate) async fn health_of_both(&self, owner: &OwnerId) -> Result<Health, StoreError> {
        let _turn = TURN.lock().await;
        let left = self.sqlite.health(owner).await?;
        let right = self.postgres.health(&self.renamed(owner)).await?;
        agree::<_, StoreError>("health", Ok(&left.problems), Ok(&right.problems))?;
        Ok(left)
    }

    pub(crate) async fn verify_audit_of_both(
        &self,
        owner: &OwnerId,
    ) -> Result<ChainReport, StoreError> {
        let _turn = TURN.lock().await;
        let left = self.sqlite.verify_audit(owner).await;
        agree("verify_audit", left, self.postgres.verify_audit(&self.renamed(owner)).await)
    }

    pub(crate) async fn backup_of_both(
        &self,
        owner: &OwnerId,
        to: &Path,
    ) -> Result<(), StoreError> {
        let copy = to.with_extension("postgres");
        let left = self.sqlite.backup(owner, to).await;
        agree("backup", left, self.postgres.backup(&self.renamed(owner), &copy).await)
    }

    pub(crate) async fn erasure_of_both(
        &self,
        owner: &OwnerId,
        ids: &[MemoryId],
    ) -> Result<ErasureState, StoreError> {
        let _turn = TURN.lock().await;
        let left = self.sqlite.erasure(owner, ids).await?;
        let left = ErasureState { traces_owed: false, ..left };
        agree("erasure", Ok(left), self.postgres.erasure(&self.renamed(owner), ids).await)
    }

    pub(crate) async fn owners_of_both(&self) -> Result<Vec<OwnerId>, StoreError> {
        let left = self.sqlite.owners().await;
        let right = self.postgres.owners().await?;
        let own = right.iter().filter_map(|owner| owner.as_str().strip_suffix(&self.suffix));
        let own = own.map(|name| OwnerId::new(name).expect("the name is a plain slug"));
        agree("owners", left, Ok(own.collect()))
    }

    pub(crate) async fn create_owner_of_both(
        &self,
        owner: &OwnerId,
        at: Moment,
    ) -> Result<(), StoreError> {
        let left = self.sqlite.create_owner(owner, at).await;
        agree("create_owner", left, self.postgres.create_owner(&self.renamed(owner), at).await)
    }

    pub(crate) async fn erase_owner_of_both(&self, owner: &OwnerId) -> Result<bool, StoreError> {
        let left = self.sqlite.erase_owner(owner).await;
        agree("erase_owner", left, self.postgres.erase_owner(&self.renamed(owner)).await)
    }
}
