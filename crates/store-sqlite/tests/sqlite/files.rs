//! Which files there are, who can read them, and what happens when one is missing.

use crate::house::{House, one_memory, open};
use model::OwnerId;
use quipu_store_sqlite::Options;
use store::{Control, Store, StoreError, WriteError};
use store_conformance::build::moment;

#[tokio::test]
async fn an_owner_has_a_directory_of_their_own() {
    let house = House::new().await;
    assert!(house.file().is_file());
    assert!(house.home.path().join("control.db").is_file());
    assert_eq!(house.store.owner_dir(&house.me), house.home.path().join("owners/me"));
}

#[cfg(unix)]
#[tokio::test]
async fn nobody_else_can_read_the_files() {
    use std::os::unix::fs::PermissionsExt;
    let house = House::new().await;
    house.remember("private").await;
    let mode = |path: &std::path::Path| path.metadata().unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&house.store.owner_dir(&house.me)), 0o700);
    for file in house.store.owner_dir(&house.me).read_dir().unwrap() {
        let path = file.unwrap().path();
        assert_eq!(mode(&path), 0o600, "{}", path.display());
    }
    assert_eq!(mode(&house.home.path().join("control.db")), 0o600);
}

#[tokio::test]
async fn an_owner_that_was_never_made_has_no_memory() {
    let house = House::new().await;
    let nobody = OwnerId::new("nobody").unwrap();
    let refusal = house.store.seq(&nobody).await.unwrap_err();
    assert!(
        matches!(&refusal, StoreError::Failed { cause } if cause.contains("no owner nobody")),
        "{refusal:?}"
    );
    assert!(house.store.write(&nobody, one_memory("lost")).await.is_err());
    assert!(!house.store.owner_dir(&nobody).exists(), "asking makes nothing");
}

#[tokio::test]
async fn a_lost_file_is_damage_and_not_an_empty_memory() {
    let house = House::new().await;
    house.remember("kept").await;
    let House { home, store, me } = house;
    drop(store);
    std::fs::remove_file(crate::house::memory_file(home.path())).unwrap();
    let refusal = open(home.path(), Options::default()).seq(&me).await.unwrap_err();
    assert!(matches!(refusal, StoreError::Damaged { .. }), "{refusal:?}");
}

#[tokio::test]
async fn what_was_written_is_there_after_everything_was_closed() {
    let house = House::new().await;
    let id = house.remember("kept").await;
    let identity = house.store.identity(&house.me).await.unwrap();
    let House { home, store, me } = house;
    drop(store);
    let store = open(home.path(), Options::default());
    assert_eq!(store.memories(&me, &[id]).await.unwrap()[0].text, "kept");
    assert_eq!(store.identity(&me).await.unwrap(), identity);
}

#[tokio::test]
async fn an_owner_erased_by_another_process_is_gone_here_too() {
    let house = House::new().await;
    house.remember("private").await;
    let other = house.another();
    assert_eq!(other.seq(&house.me).await.unwrap().0, 1);
    assert!(house.store.erase_owner(&house.me).await.unwrap());
    assert!(!house.store.owner_dir(&house.me).exists());
    let refusal = other.write(&house.me, one_memory("written into the void")).await.unwrap_err();
    assert!(matches!(refusal, WriteError::Store(StoreError::Failed { .. })), "{refusal:?}");
    other.create_owner(&house.me, moment(1)).await.unwrap();
    other.write(&house.me, one_memory("a new start")).await.unwrap();
    assert_eq!(house.store.seq(&house.me).await.unwrap().0, 1);
}

#[tokio::test]
async fn an_erasure_that_was_interrupted_can_be_finished() {
    let house = House::new().await;
    house.remember("private").await;
    let House { home, store, me } = house;
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
    let house = House::new().await;
    house.remember("private").await;
    house.another().erase_owner(&house.me).await.unwrap();
    house.store.create_owner(&house.me, moment(1)).await.unwrap();
    house.remember("a new start").await;
    assert_eq!(house.store.seq(&house.me).await.unwrap().0, 1);
}

#[tokio::test]
async fn more_owners_than_are_kept_open_all_keep_their_memories() {
    let house = House::with(Options { owners_max: 2, ..Options::default() }).await;
    let owners: Vec<OwnerId> =
        (0..5).map(|n| OwnerId::new(&format!("owner-{n}")).unwrap()).collect();
    for round in 1..=3 {
        for owner in &owners {
            house.store.create_owner(owner, moment(0)).await.unwrap();
            house.store.write(owner, one_memory(&format!("round {round}"))).await.unwrap();
            assert_eq!(house.store.seq(owner).await.unwrap().0, round);
        }
    }
}
