//! A backup is a complete snapshot of a memory, or no file at all.

use crate::fixture::{SqliteFixture, assert_sound, memory_file, note_batch, open};
use model::OwnerId;
use quipu_store_sqlite::Options;
use store::{Control, Store, StoreError};
use store_conformance::builders::moment;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_backup_taken_while_others_write_is_complete() {
    let fixture = SqliteFixture::new().await;
    for n in 0..50 {
        fixture.remember(&format!("before {n}")).await;
    }
    let (writer, me) = (fixture.second_handle(), fixture.owner.clone());
    let writing = tokio::spawn(async move {
        for n in 0..30 {
            writer.write(&me, note_batch(&format!("meanwhile {n}"))).await.unwrap();
        }
    });
    let copy = fixture.home.path().join("copy.db");
    fixture.store.backup(&fixture.owner, &copy).await.unwrap();
    writing.await.unwrap();
    let (restored, me) = restore(&copy).await;
    let writes = usize::try_from(restored.store.seq(&me).await.unwrap().0).unwrap();
    assert!((50..=80).contains(&writes), "{writes}");
    assert_sound(&restored.store, &me, writes).await;
}

async fn restore(copy: &std::path::Path) -> (SqliteFixture, OwnerId) {
    let home = tempfile::tempdir().unwrap();
    let store = open(home.path(), Options::default());
    let me = OwnerId::me();
    std::fs::create_dir_all(store.owner_dir(&me)).unwrap();
    std::fs::copy(copy, memory_file(home.path())).unwrap();
    store.create_owner(&me, moment(0)).await.unwrap();
    (SqliteFixture { home, store, owner: me.clone() }, me)
}

#[tokio::test]
async fn a_backup_never_overwrites_and_leaves_nothing_unfinished() {
    let fixture = SqliteFixture::new().await;
    fixture.remember("kept").await;
    let copy = fixture.home.path().join("copy.db");
    std::fs::write(&copy, "precious").unwrap();
    let refusal = fixture.store.backup(&fixture.owner, &copy).await.unwrap_err();
    assert!(matches!(refusal, StoreError::FileExists), "{refusal:?}");
    assert_eq!(std::fs::read_to_string(&copy).unwrap(), "precious");
    let nowhere = fixture.home.path().join("no such directory/copy.db");
    assert!(fixture.store.backup(&fixture.owner, &nowhere).await.is_err());
    let names = fixture.home.path().read_dir().unwrap().map(|file| file.unwrap().file_name());
    assert!(names.into_iter().all(|name| !name.to_string_lossy().contains("unfinished")));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn concurrent_backups_to_one_target_are_complete_or_refused() {
    let fixture = SqliteFixture::new().await;
    for n in 0..200 {
        fixture.remember(&format!("kept {n}")).await;
    }
    let there = tempfile::tempdir().unwrap();
    let copy = there.path().join("copy.db");
    let backups: Vec<_> = (0..8)
        .map(|_| {
            let (store, me, copy) = (fixture.second_handle(), fixture.owner.clone(), copy.clone());
            tokio::spawn(async move { store.backup(&me, &copy).await })
        })
        .collect();
    let mut finished = 0;
    for backup in backups {
        match backup.await.unwrap() {
            Ok(()) => finished += 1,
            Err(refusal) => assert!(matches!(refusal, StoreError::FileExists), "{refusal:?}"),
        }
    }
    assert!(finished > 0, "the first backup succeeds");
    assert_eq!(there.path().read_dir().unwrap().count(), 1, "nothing unfinished is left");
    let (restored, me) = restore(&copy).await;
    assert_sound(&restored.store, &me, 200).await;
}

#[tokio::test]
async fn a_backup_is_one_file() {
    let fixture = SqliteFixture::new().await;
    fixture.remember("kept").await;
    let there = tempfile::tempdir().unwrap();
    fixture.store.backup(&fixture.owner, &there.path().join("copy.db")).await.unwrap();
    assert_eq!(there.path().read_dir().unwrap().count(), 1);
}

#[tokio::test]
async fn a_copy_with_a_renewed_identity_differs_from_its_original() {
    let fixture = SqliteFixture::new().await;
    fixture.remember("kept").await;
    let copy = fixture.home.path().join("copy.db");
    fixture.store.backup(&fixture.owner, &copy).await.unwrap();
    quipu_store_sqlite::renew_identity(&copy).unwrap();
    let (restored, me) = restore(&copy).await;
    assert_ne!(
        restored.store.identity(&me).await.unwrap(),
        fixture.store.identity(&fixture.owner).await.unwrap()
    );
    assert_sound(&restored.store, &me, 1).await;
    std::fs::write(&copy, "not a memory").unwrap();
    assert!(quipu_store_sqlite::renew_identity(&copy).is_err());
}
