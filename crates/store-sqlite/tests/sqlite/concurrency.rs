//! Concurrent writers through several handles on the same files, as several processes have them.

use crate::fixture::{SqliteFixture, assert_sound, note_batch, open};
use model::{MemoryId, Page};
use quipu_store_sqlite::Options;
use std::collections::HashSet;
use std::time::Duration;
use store::{MemoryQuery, Store, StoreError, WriteError};
use tokio::task::JoinSet;

const HANDLES: usize = 4;
const WRITERS: usize = 4;
const EACH: usize = 25;

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn several_handles_write_at_once_and_nothing_is_lost_or_doubled() {
    let fixture = SqliteFixture::new().await;
    let mut writers = JoinSet::new();
    for handle in 0..HANDLES {
        let store = fixture.second_handle();
        for writer in 0..WRITERS {
            let (store, me) = (store.clone(), fixture.owner.clone());
            writers.spawn(async move {
                let mut ids = Vec::new();
                for n in 0..EACH {
                    let batch = note_batch(&format!("{handle} {writer} {n}"));
                    ids.push(store.write(&me, batch).await.unwrap().results[0].memory().unwrap());
                }
                ids
            });
        }
    }
    let ids: Vec<MemoryId> = writers.join_all().await.into_iter().flatten().collect();
    let total = HANDLES * WRITERS * EACH;
    assert_eq!(ids.len(), total);
    assert_eq!(ids.into_iter().collect::<HashSet<_>>().len(), total, "no id was assigned twice");
    let listing = fixture
        .store
        .list_memories(&fixture.owner, &MemoryQuery::default(), Page::first(1))
        .await
        .unwrap();
    assert_eq!(listing.total, total);
    assert_sound(&fixture.store, &fixture.owner, total).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn reads_never_fail_while_others_write() {
    let fixture = SqliteFixture::new().await;
    let (writer, me) = (fixture.second_handle(), fixture.owner.clone());
    let writing = tokio::spawn(async move {
        for n in 0..100 {
            writer.write(&me, note_batch(&format!("memory {n}"))).await.unwrap();
        }
    });
    let mut seen = 0;
    while !writing.is_finished() {
        let seq = fixture.store.seq(&fixture.owner).await.unwrap();
        assert!(seq.0 >= seen, "the sequence number never goes back");
        seen = seq.0;
        let ids: Vec<MemoryId> = (1..=seen).map(MemoryId).collect();
        let found = fixture.store.memories(&fixture.owner, &ids).await.unwrap();
        assert_eq!(found.len(), ids.len(), "every sequence number that was read has its memory");
        tokio::task::yield_now().await;
    }
    writing.await.unwrap();
}

#[tokio::test]
async fn a_writer_waits_for_another_process_and_then_says_busy() {
    let options = Options { busy_timeout: Duration::from_millis(50), ..Options::default() };
    let fixture = SqliteFixture::with(options).await;
    let other = fixture.connection();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let refusal = fixture.store.write(&fixture.owner, note_batch("too late")).await.unwrap_err();
    assert!(matches!(refusal, WriteError::Store(StoreError::Busy)), "{refusal:?}");
    assert_eq!(fixture.store.seq(&fixture.owner).await.unwrap().0, 0, "reads wait for nobody");
    other.execute_batch("ROLLBACK").unwrap();
    fixture.remember("in time").await;
    assert_sound(&fixture.store, &fixture.owner, 1).await;
}

#[test]
fn concurrent_openers_of_a_new_file_all_succeed() {
    let home = tempfile::tempdir().unwrap();
    std::thread::scope(|scope| {
        let openers: Vec<_> = (0..8)
            .map(|n| {
                scope.spawn({
                    let home = home.path();
                    move || {
                        let runtime =
                            tokio::runtime::Builder::new_current_thread().build().unwrap();
                        runtime.block_on(async {
                            let (store, me) =
                                (open(home, Options::default()), model::OwnerId::me());
                            let at = store_conformance::builders::moment(0);
                            store::Control::create_owner(&store, &me, at).await.unwrap();
                            store.write(&me, note_batch(&format!("opener {n}"))).await.unwrap();
                        });
                    }
                })
            })
            .collect();
        openers.into_iter().for_each(|opener| opener.join().unwrap());
    });
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    runtime.block_on(assert_sound(
        &open(home.path(), Options::default()),
        &model::OwnerId::me(),
        8,
    ));
}

/// A copy of the files, taken at any moment, is what a crash at that moment would leave behind.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_was_acknowledged_survives_a_crash() {
    let fixture = SqliteFixture::new().await;
    let after_crash = tempfile::tempdir().unwrap();
    for round in 0..20 {
        let id = fixture.remember(&format!("round {round}")).await;
        let (store, me) = (fixture.store.clone(), fixture.owner.clone());
        let under_way = tokio::spawn(async move {
            store.write(&me, note_batch(&format!("under way {round}"))).await
        });
        let home = after_crash.path().join(round.to_string());
        copy_files(fixture.home.path(), &home);
        under_way.await.unwrap().unwrap();
        let revived = open(&home, Options::default());
        assert_eq!(
            revived.memories(&fixture.owner, &[id]).await.unwrap()[0].text,
            format!("round {round}")
        );
        let writes = revived.seq(&fixture.owner).await.unwrap().0;
        assert_sound(&revived, &fixture.owner, usize::try_from(writes).unwrap()).await;
    }
}

/// Copies the files of a store.
fn copy_files(from: &std::path::Path, to: &std::path::Path) {
    // Each write-ahead log after its file: a newer log fits an older file, but not the reverse.
    std::fs::create_dir_all(to.join("owners/me")).unwrap();
    for name in ["control.db", "control.db-wal", "owners/me/memory.db", "owners/me/memory.db-wal"] {
        if from.join(name).exists() {
            std::fs::copy(from.join(name), to.join(name)).unwrap();
        }
    }
}
