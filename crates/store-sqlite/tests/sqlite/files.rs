//! The files of a store: their names, their permissions, and missing ones.

use crate::fixture::{SqliteFixture, note_batch, open};
use model::OwnerId;
use quipu_store_sqlite::{Options, SqliteStore};
use store::{Control, Store, StoreError, WriteError};
use store_conformance::builders::moment;

#[tokio::test]
async fn an_owner_has_a_directory_of_their_own() {
    let fixture = SqliteFixture::new().await;
    assert!(fixture.memory_file().is_file());
    assert!(fixture.home.path().join("control.db").is_file());
    assert_eq!(fixture.store.owner_dir(&fixture.owner), fixture.home.path().join("owners/me"));
}

#[cfg(unix)]
#[tokio::test]
async fn nobody_else_can_read_the_files() {
    use std::os::unix::fs::PermissionsExt;
    let fixture = SqliteFixture::new().await;
    fixture.remember("private").await;
    let mode = |path: &std::path::Path| path.metadata().unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&fixture.store.owner_dir(&fixture.owner)), 0o700);
    for file in fixture.store.owner_dir(&fixture.owner).read_dir().unwrap() {
        let path = file.unwrap().path();
        assert_eq!(mode(&path), 0o600, "{}", path.display());
    }
    assert_eq!(mode(&fixture.home.path().join("control.db")), 0o600);
}

#[test]
fn a_home_directory_with_a_path_that_sqlite_cannot_open_is_refused_in_words() {
    let above = tempfile::tempdir().unwrap();
    let home = above.path().join("d".repeat(200)).join("e".repeat(200));
    let refused = SqliteStore::open(&home, Options::default()).map(drop);
    let Err(StoreError::Unusable { why }) = refused else { panic!("{refused:?}") };
    assert!(why.contains("shorter"), "{why}");
    assert!(!home.exists());
}

#[tokio::test]
async fn an_owner_that_was_never_created_has_no_memory() {
    let fixture = SqliteFixture::new().await;
    let nobody = OwnerId::new("nobody").unwrap();
    let refusal = fixture.store.seq(&nobody).await.unwrap_err();
    assert!(
        matches!(&refusal, StoreError::Failed { cause } if cause.contains("no owner nobody")),
        "{refusal:?}"
    );
    assert!(fixture.store.write(&nobody, note_batch("lost")).await.is_err());
    assert!(!fixture.store.owner_dir(&nobody).exists(), "a read creates nothing");
}

/// Closes a store with one memory in it, and returns its directory.
async fn closed_home() -> tempfile::TempDir {
    let fixture = SqliteFixture::new().await;
    fixture.remember("kept").await;
    fixture.home
}

fn assert_lost(refusal: Result<(), StoreError>, file: &str, fault: &str) {
    let Err(StoreError::Lost { found }) = &refusal else { panic!("{refusal:?}") };
    assert!(found.contains(&format!("{file} {fault}")), "{found}");
}

#[tokio::test]
async fn a_missing_or_empty_memory_of_a_listed_owner_is_a_loss_and_no_empty_memory() {
    for (fault, whole_directory) in
        [("is missing", false), ("is empty", false), ("is missing", true)]
    {
        let (home, me) = (closed_home().await, OwnerId::me());
        let file = crate::fixture::memory_file(home.path());
        match (fault, whole_directory) {
            (_, true) => std::fs::remove_dir_all(file.parent().unwrap()).unwrap(),
            ("is empty", _) => std::fs::write(&file, "").unwrap(),
            _ => std::fs::remove_file(&file).unwrap(),
        }
        let store = open(home.path(), Options::default());
        assert_lost(store.seq(&me).await.map(drop), "memory.db", fault);
        assert_lost(store.create_owner(&me, moment(1)).await, "memory.db", fault);
        assert_lost(store.check_present(&me), "memory.db", fault);
    }
}

#[tokio::test]
async fn each_file_that_is_written_after_a_memory_shows_that_there_was_one() {
    for leftover in [
        "audit.key",
        "audit.checkpoints",
        "audit.head",
        "view.snapshot",
        "password",
        "memory.db-wal",
    ] {
        let (home, me) = (tempfile::tempdir().unwrap(), OwnerId::me());
        let store = open(home.path(), Options::default());
        std::fs::create_dir_all(store.owner_dir(&me)).unwrap();
        std::fs::write(store.owner_dir(&me).join(leftover), "something").unwrap();
        assert_lost(store.create_owner(&me, moment(1)).await, "memory.db", "is missing");
        assert!(!crate::fixture::memory_file(home.path()).exists(), "{leftover}");
    }
}

#[tokio::test]
async fn a_missing_or_empty_list_of_owners_is_a_loss_where_an_owner_has_files() {
    for (fault, damage) in [("is missing", None), ("is empty", Some(""))] {
        let (home, me) = (closed_home().await, OwnerId::me());
        let control = home.path().join("control.db");
        std::fs::remove_file(&control).unwrap();
        if let Some(content) = damage {
            std::fs::write(&control, content).unwrap();
        }
        let opened = SqliteStore::open(home.path(), Options::default()).map(drop);
        assert_lost(opened, "control.db", fault);
        let found = SqliteStore::rebuild_control(home.path(), moment(1)).unwrap();
        assert_eq!(found, std::slice::from_ref(&me));
        assert_eq!(open(home.path(), Options::default()).seq(&me).await.unwrap().0, 1);
    }
}

#[tokio::test]
async fn empty_files_of_a_first_start_that_was_killed_are_no_loss() {
    let (home, me) = (tempfile::tempdir().unwrap(), OwnerId::me());
    std::fs::write(home.path().join("control.db"), "").unwrap();
    let store = open(home.path(), Options::default());
    std::fs::create_dir_all(store.owner_dir(&me)).unwrap();
    std::fs::write(crate::fixture::memory_file(home.path()), "").unwrap();
    store.create_owner(&me, moment(1)).await.unwrap();
    assert_eq!(store.seq(&me).await.unwrap().0, 0);
}

#[tokio::test]
async fn a_write_is_readable_after_closing_and_reopening() {
    let fixture = SqliteFixture::new().await;
    let id = fixture.remember("kept").await;
    let identity = fixture.store.identity(&fixture.owner).await.unwrap();
    let SqliteFixture { home, store, owner: me } = fixture;
    drop(store);
    let store = open(home.path(), Options::default());
    assert_eq!(store.memories(&me, &[id]).await.unwrap()[0].text, "kept");
    assert_eq!(store.identity(&me).await.unwrap(), identity);
}

#[tokio::test]
async fn an_owner_erased_by_another_process_cannot_be_written() {
    let fixture = SqliteFixture::new().await;
    fixture.remember("private").await;
    let other = fixture.second_handle();
    assert_eq!(other.seq(&fixture.owner).await.unwrap().0, 1);
    assert!(fixture.store.erase_owner(&fixture.owner).await.unwrap());
    assert!(!fixture.store.owner_dir(&fixture.owner).exists());
    let refusal =
        other.write(&fixture.owner, note_batch("written into the void")).await.unwrap_err();
    assert!(matches!(refusal, WriteError::Store(StoreError::Failed { .. })), "{refusal:?}");
    other.create_owner(&fixture.owner, moment(1)).await.unwrap();
    other.write(&fixture.owner, note_batch("a new start")).await.unwrap();
    assert_eq!(fixture.store.seq(&fixture.owner).await.unwrap().0, 1);
}

#[tokio::test]
async fn an_erasure_that_was_interrupted_can_be_finished() {
    let fixture = SqliteFixture::new().await;
    fixture.remember("private").await;
    let SqliteFixture { home, store, owner: me } = fixture;
    drop(store);
    rusqlite::Connection::open(crate::fixture::memory_file(home.path()))
        .unwrap()
        .execute("UPDATE meta SET erased = 1", [])
        .unwrap();
    let store = open(home.path(), Options::default());
    assert!(store.seq(&me).await.is_err());
    store.create_owner(&me, moment(1)).await.unwrap();
    assert_eq!(store.seq(&me).await.unwrap().0, 0, "what was being erased does not come back");
}

#[tokio::test]
async fn an_owner_erased_by_another_process_can_be_created_again() {
    let fixture = SqliteFixture::new().await;
    fixture.remember("private").await;
    fixture.second_handle().erase_owner(&fixture.owner).await.unwrap();
    fixture.store.create_owner(&fixture.owner, moment(1)).await.unwrap();
    fixture.remember("a new start").await;
    assert_eq!(fixture.store.seq(&fixture.owner).await.unwrap().0, 1);
}

#[tokio::test]
async fn more_owners_than_are_kept_open_all_keep_their_memories() {
    let fixture = SqliteFixture::with(Options { owners_max: 2, ..Options::default() }).await;
    let owners: Vec<OwnerId> =
        (0..5).map(|n| OwnerId::new(&format!("owner-{n}")).unwrap()).collect();
    for round in 1..=3 {
        for owner in &owners {
            fixture.store.create_owner(owner, moment(0)).await.unwrap();
            fixture.store.write(owner, note_batch(&format!("round {round}"))).await.unwrap();
            assert_eq!(fixture.store.seq(owner).await.unwrap().0, round);
        }
    }
}

#[tokio::test]
async fn a_log_of_another_memory_is_refused_and_can_be_set_aside() {
    let (one, other) = (SqliteFixture::new().await, SqliteFixture::new().await);
    one.remember("kept").await;
    other.remember("of another memory").await;
    let log = |fixture: &SqliteFixture| fixture.memory_file().with_extension("db-wal");
    let SqliteFixture { home, store, owner: me } = one;
    drop(store);
    let memory = crate::fixture::memory_file(home.path());
    std::fs::copy(log(&other), memory.with_extension("db-wal")).unwrap();
    let store = open(home.path(), Options::default());
    let refusal = store.seq(&me).await.unwrap_err();
    let StoreError::Unusable { why } = refusal else { panic!("{refusal:?}") };
    assert!(why.contains("belongs to another memory"), "{why}");
    let options = Options::default();
    let aside = SqliteStore::set_foreign_log_aside(home.path(), &me, &options).unwrap().unwrap();
    assert!(aside.is_file());
    assert_eq!(store.memories(&me, &[model::MemoryId(1)]).await.unwrap()[0].text, "kept");
    assert!(store.health(&me).await.unwrap().sound);
    assert_eq!(SqliteStore::set_foreign_log_aside(home.path(), &me, &options).unwrap(), None);
}

#[tokio::test]
async fn the_log_of_a_process_that_was_killed_is_no_foreign_one() {
    let fixture = SqliteFixture::new().await;
    fixture.remember("kept").await;
    let other = fixture.second_handle();
    assert_eq!(other.seq(&fixture.owner).await.unwrap().0, 1);
    SqliteStore::check_log(fixture.home.path(), &fixture.owner, &Options::default()).unwrap();
}

#[tokio::test]
async fn a_damaged_page_of_the_list_of_owners_is_reported() {
    let home = closed_home().await;
    assert_eq!(SqliteStore::inspect_control(home.path()).unwrap(), Vec::<String>::new());
    let file = home.path().join("control.db");
    let mut bytes = std::fs::read(&file).unwrap();
    bytes[4_096..4_500].fill(0xa5);
    std::fs::write(&file, bytes).unwrap();
    let found = SqliteStore::inspect_control(home.path());
    assert!(!matches!(&found, Ok(problems) if problems.is_empty()), "{found:?}");
}
