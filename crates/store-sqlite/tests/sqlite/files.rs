//! The files of a store: their names, their permissions, and missing ones.

use crate::house::{House, one_memory, open};
use model::OwnerId;
use quipu_store_sqlite::Options;
use store::{Control, Store, StoreError, WriteError};
use store_conformance::build::moment;

#[tokio::test]
async fn an_owner_has_a_directory_of_their_own() {
    let fixture = House::new().await;
    assert!(fixture.file().is_file());
    assert!(fixture.home.path().join("control.db").is_file());
    assert_eq!(fixture.store.owner_dir(&fixture.me), fixture.home.path().join("owners/me"));
}

#[cfg(unix)]
#[tokio::test]
async fn nobody_else_can_read_the_files() {
    use std::os::unix::fs::PermissionsExt;
    let fixture = House::new().await;
    fixture.remember("private").await;
    let mode = |path: &std::path::Path| path.metadata().unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&fixture.store.owner_dir(&fixture.me)), 0o700);
    for file in fixture.store.owner_dir(&fixture.me).read_dir().unwrap() {
        let path = file.unwrap().path();
        assert_eq!(mode(&path), 0o600, "{}", path.display());
    }
    assert_eq!(mode(&fixture.home.path().join("control.db")), 0o600);
}

#[tokio::test]
async fn an_owner_that_was_never_made_has_no_memory() {
    let fixture = House::new().await;
    let nobody = OwnerId::new("nobody").unwrap();
    let refusal = fixture.store.seq(&nobody).await.unwrap_err();
    assert!(
        matches!(&refusal, StoreError::Failed { cause } if cause.contains("no owner nobody")),
        "{refusal:?}"
    );
    assert!(fixture.store.write(&nobody, one_memory("lost")).await.is_err());
    assert!(!fixture.store.owner_dir(&nobody).exists(), "a read creates nothing");
}

#[tokio::test]
async fn a_lost_file_is_damage_and_not_an_empty_memory() {
    let fixture = House::new().await;
    fixture.remember("kept").await;
    let House { home, store, me } = fixture;
    drop(store);
    std::fs::remove_file(crate::house::memory_file(home.path())).unwrap();
    let refusal = open(home.path(), Options::default()).seq(&me).await.unwrap_err();
    assert!(matches!(refusal, StoreError::Damaged { .. }), "{refusal:?}");
}

#[tokio::test]
async fn what_was_written_is_there_after_everything_was_closed() {
    let fixture = House::new().await;
    let id = fixture.remember("kept").await;
    let identity = fixture.store.identity(&fixture.me).await.unwrap();
    let House { home, store, me } = fixture;
    drop(store);
    let store = open(home.path(), Options::default());
    assert_eq!(store.memories(&me, &[id]).await.unwrap()[0].text, "kept");
    assert_eq!(store.identity(&me).await.unwrap(), identity);
}

#[tokio::test]
async fn an_owner_erased_by_another_process_is_gone_here_too() {
    let fixture = House::new().await;
    fixture.remember("private").await;
    let other = fixture.another();
    assert_eq!(other.seq(&fixture.me).await.unwrap().0, 1);
    assert!(fixture.store.erase_owner(&fixture.me).await.unwrap());
    assert!(!fixture.store.owner_dir(&fixture.me).exists());
    let refusal = other.write(&fixture.me, one_memory("written into the void")).await.unwrap_err();
    assert!(matches!(refusal, WriteError::Store(StoreError::Failed { .. })), "{refusal:?}");
    other.create_owner(&fixture.me, moment(1)).await.unwrap();
    other.write(&fixture.me, one_memory("a new start")).await.unwrap();
    assert_eq!(fixture.store.seq(&fixture.me).await.unwrap().0, 1);
}

#[tokio::test]
async fn an_erasure_that_was_interrupted_can_be_finished() {
    let fixture = House::new().await;
    fixture.remember("private").await;
    let House { home, store, me } = fixture;
    drop(store);
    rusqlite::Connection::open(crate::house::memory_file(home.path()))
        .unwrap()
        .execute("UPDATE meta SET erased = 1", [])
        .unwrap();
    let store = open(home.path(), Options::default());
    assert!(store.seq(&me).await.is_err());
    store.create_owner(&me, moment(1)).await.unwrap();
    assert_eq!(store.seq(&me).await.unwrap().0, 0, "what was being erased does not come back");
}

#[tokio::test]
async fn an_owner_erased_elsewhere_can_be_made_anew_here() {
    let fixture = House::new().await;
    fixture.remember("private").await;
    fixture.another().erase_owner(&fixture.me).await.unwrap();
    fixture.store.create_owner(&fixture.me, moment(1)).await.unwrap();
    fixture.remember("a new start").await;
    assert_eq!(fixture.store.seq(&fixture.me).await.unwrap().0, 1);
}

#[tokio::test]
async fn more_owners_than_are_kept_open_all_keep_their_memories() {
    let fixture = House::with(Options { owners_max: 2, ..Options::default() }).await;
    let owners: Vec<OwnerId> =
        (0..5).map(|n| OwnerId::new(&format!("owner-{n}")).unwrap()).collect();
    for round in 1..=3 {
        for owner in &owners {
            fixture.store.create_owner(owner, moment(0)).await.unwrap();
            fixture.store.write(owner, one_memory(&format!("round {round}"))).await.unwrap();
            assert_eq!(fixture.store.seq(owner).await.unwrap().0, round);
        }
    }
}
