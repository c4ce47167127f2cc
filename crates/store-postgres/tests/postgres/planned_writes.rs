//! Writes that are planned with the clock as the server knows it: they are made as planned only if
//! nobody else wrote, the text is new and the request was not made before.

use crate::fixture::{address, open, options};
use model::{MemoryId, OwnerId};
use quipu_store_postgres::PostgresStore;
use std::path::Path;
use store::{Batch, ChangeResult, CommittedBatch, Control, Idempotency, Store, WriteError};
use store_conformance::builders::{batch, forget, moment, note_with, remember};

/// Opens the store with an owner to whom this server wrote two memories, so that it plans.
async fn open_planning(home: &Path) -> (PostgresStore, OwnerId) {
    let (store, owner) = (open(home).await, OwnerId::me());
    store.create_owner(&owner, moment(0)).await.unwrap();
    for text in ["pear", "plum"] {
        write(&store, &owner, text).await;
    }
    assert_eq!(planned("kept"), 1, "the second write is planned");
    (store, owner)
}

async fn write(store: &PostgresStore, owner: &OwnerId, text: &str) -> CommittedBatch {
    store.write(owner, batch(vec![remember(text)])).await.unwrap()
}

/// Returns the number of planned writes with an outcome. Each test has a process of its own.
fn planned(outcome: &str) -> usize {
    let line = format!("quipu_planned_writes_total{{outcome=\"{outcome}\"}} ");
    let text = metrics::render();
    text.lines().find_map(|one| one.strip_prefix(&line)?.parse().ok()).unwrap_or(0)
}

#[test]
fn a_planned_write_that_another_server_overtook_is_there_once_under_the_next_numbers() {
    if address().is_none() {
        return;
    }
    run(async {
        let home = tempfile::tempdir().unwrap();
        let (first, owner) = open_planning(home.path()).await;
        let second = PostgresStore::open(&address().unwrap(), &options(home.path())).await.unwrap();
        write(&second, &owner, "fig").await;
        let written = write(&first, &owner, "quince").await;
        assert_eq!(written.results, [ChangeResult::Memory(MemoryId(4))]);
        assert_eq!((written.seq.0, planned("overtaken")), (4, 1));
        assert!(first.verify_audit(&owner).await.unwrap().is_intact());
    });
}

#[test]
fn a_planned_write_does_not_bring_back_the_clock_of_an_owner_that_was_erased() {
    if address().is_none() {
        return;
    }
    run(async {
        let home = tempfile::tempdir().unwrap();
        let (first, owner) = open_planning(home.path()).await;
        let second = PostgresStore::open(&address().unwrap(), &options(home.path())).await.unwrap();
        second.erase_owner(&owner).await.unwrap();
        second.create_owner(&owner, moment(1)).await.unwrap();
        write(&second, &owner, "fig").await;
        let written = write(&first, &owner, "quince").await;
        assert_eq!(written.results, [ChangeResult::Memory(MemoryId(2))]);
        assert_eq!((written.seq.0, planned("overtaken")), (2, 1));
        assert!(first.verify_audit(&owner).await.unwrap().is_intact());
    });
}

#[test]
fn a_text_that_exists_or_was_forgotten_is_not_written_as_planned() {
    if address().is_none() {
        return;
    }
    run(async {
        let home = tempfile::tempdir().unwrap();
        let (store, owner) = open_planning(home.path()).await;
        let again = write(&store, &owner, "pear").await;
        assert_eq!(again.results, [ChangeResult::Duplicate(MemoryId(1))]);
        store.write(&owner, batch(vec![forget(&[MemoryId(1)])])).await.unwrap();
        let back = store.write(&owner, batch(vec![remember("pear")])).await;
        assert!(matches!(back, Err(WriteError::Forgotten { .. })), "{back:?}");
        assert_eq!(planned("overtaken"), 2);
    });
}

#[test]
fn a_request_that_was_made_before_is_not_written_again_as_planned() {
    if address().is_none() {
        return;
    }
    run(async {
        let home = tempfile::tempdir().unwrap();
        let (store, owner) = open_planning(home.path()).await;
        let request = || {
            let twin = note_with("fig", |note| note.on_duplicate = store::OnDuplicate::Insert);
            let change = store_conformance::builders::add(twin);
            let idempotency = Idempotency { key: "key".into(), fingerprint: hash() };
            Batch { idempotency: Some(idempotency), ..batch(vec![change]) }
        };
        let first = store.write(&owner, request()).await.unwrap();
        let again = store.write(&owner, request()).await.unwrap();
        assert_eq!((again.replayed, again.results), (true, first.results));
        assert_eq!((planned("kept"), planned("overtaken")), (2, 1));
    });
}

fn hash() -> model::ContentHash {
    model::ContentHash::of_text("request")
}

fn run(test: impl Future<Output = ()>) {
    let mut builder = tokio::runtime::Builder::new_current_thread();
    builder.enable_all().build().unwrap().block_on(test);
}
