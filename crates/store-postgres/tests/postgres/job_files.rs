//! Files of jobs, through two servers over one database.

use crate::fixture::{is_available, open};
use model::{MemoryId, OwnerId};
use std::sync::Arc;
use store::{Change, Control, FilePart, FilePartKey, JobFileKind, JobFiles, Store};
use store_conformance::builders::{batch, moment, remember};
use store_conformance::job_files::{SharedFiles, all};

#[tokio::test]
async fn files_in_a_database_keep_every_rule() {
    if !is_available() {
        return;
    }
    all(async || {
        let home = tempfile::tempdir().unwrap();
        let (one, two) = (Arc::new(open(home.path()).await), Arc::new(open(home.path()).await));
        SharedFiles { one, two }
    })
    .await;
}

#[tokio::test]
async fn forgetting_removes_exports_and_erasing_an_owner_removes_uploads_too() {
    if !is_available() {
        return;
    }
    let home = tempfile::tempdir().unwrap();
    let (store, owner) = (open(home.path()).await, OwnerId::me());
    store.create_owner(&owner, moment(0)).await.unwrap();
    store.write(&owner, batch(vec![remember("The safe is green.")])).await.unwrap();
    let key = |job| FilePartKey { owner: owner.clone(), job, number: 0 };
    for (job, kind) in [(1, JobFileKind::Upload), (2, JobFileKind::Export)] {
        let part = FilePart { kind, bytes: vec![1], expires_at: moment(100) };
        store.put_part(&key(job), part, moment(0)).await.unwrap();
    }
    let present = async |job| store.part(&key(job), moment(1)).await.unwrap().is_some();
    assert!(present(1).await && present(2).await);
    let forget = Change::Forget { memories: vec![MemoryId(1)] };
    store.write(&owner, batch(vec![forget])).await.unwrap();
    assert!(present(1).await && !present(2).await, "the export may contain the text");
    store.erase_owner(&owner).await.unwrap();
    assert!(!present(1).await);
}
