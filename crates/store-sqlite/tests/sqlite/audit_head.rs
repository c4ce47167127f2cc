//! The head of the audit chain outside of the database: whatever is put back, removed or replaced
//! behind the store's back is a failure of the verification, and whatever the store itself does is
//! not.

use crate::fixture::{SqliteFixture, memory_file, note_batch, open};
use model::OwnerId;
use quipu_store_sqlite::{Options, SqliteStore};
use rusqlite::Connection;
use std::path::{Path, PathBuf};
use store::{ChainKey, ChainReport, Control, KeptHead, Store};
use store_conformance::builders::moment;

/// A closed memory of three events, with a copy of it as it was after the first.
struct ClosedMemory {
    home: tempfile::TempDir,
    older: PathBuf,
}

impl ClosedMemory {
    async fn new() -> Self {
        let fixture = SqliteFixture::new().await;
        fixture.remember("first").await;
        let older = fixture.home.path().join("older.db");
        fixture.store.backup(&fixture.owner, &older).await.unwrap();
        fixture.remember("second").await;
        fixture.remember("third").await;
        let SqliteFixture { home, store, owner: _ } = fixture;
        drop(store);
        Self { home, older }
    }

    fn file(&self, name: &str) -> PathBuf {
        memory_file(self.home.path()).with_file_name(name)
    }

    fn remove(&self, names: &[&str]) {
        names.iter().for_each(|name| std::fs::remove_file(self.file(name)).unwrap());
    }

    fn run_sql(&self, sql: &str) {
        Connection::open(memory_file(self.home.path())).unwrap().execute_batch(sql).unwrap();
    }

    fn open(&self) -> SqliteStore {
        open(self.home.path(), Options::default())
    }

    fn kept_head(&self) -> KeptHead {
        kept_head(&memory_file(self.home.path()))
    }
}

fn kept_head(memory: &Path) -> KeptHead {
    let key = std::fs::read(memory.with_file_name("audit.key")).unwrap();
    let key = ChainKey::new(key.try_into().unwrap());
    let line = std::fs::read_to_string(memory.with_file_name("audit.head")).unwrap();
    KeptHead::parse(line.trim_end(), &key).unwrap()
}

async fn report(store: &SqliteStore) -> ChainReport {
    store.verify_audit(&OwnerId::me()).await.unwrap()
}

async fn write(store: &SqliteStore, texts: usize) {
    for n in 0..texts {
        let mut batch = note_batch(&format!("later {n}"));
        // Another event than any before it: the chain covers the events and not the memories.
        batch.event.at = moment(1_000 + i64::try_from(n).unwrap());
        store.write(&OwnerId::me(), batch).await.unwrap();
    }
}

#[track_caller]
fn assert_fault(report: &ChainReport, words: &str) {
    let found = report.faults.iter().any(|fault| fault.problem.contains(words));
    assert!(found, "`{words}` is not in {report:?}");
}

/// Asserts that a failure stays while the memory is used, and that the owner can begin anew.
async fn assert_stays_until_restarted(at: &ClosedMemory, words: &str) {
    let store = at.open();
    assert_fault(&report(&store).await, words);
    write(&store, 5).await;
    drop(store);
    let store = at.open();
    assert_fault(&report(&store).await, words);
    store.restart_audit(&OwnerId::me()).await.unwrap();
    let restarted = report(&store).await;
    assert!(restarted.is_intact(), "{restarted:?}");
    write(&store, 1).await;
    assert_eq!(report(&store).await.events, 1);
}

#[tokio::test]
async fn an_older_memory_put_back_is_found_also_before_the_next_checkpoint() {
    let at = ClosedMemory::new().await;
    std::fs::copy(&at.older, memory_file(at.home.path())).unwrap();
    assert_fault(&report(&at.open()).await, "missing at the end, according to the kept head");
    // With five more events the log is longer than it was, and still another one.
    assert_stays_until_restarted(&at, "the kept head").await;
}

#[tokio::test]
async fn a_missing_or_damaged_key_is_a_failure_until_the_owner_begins_anew() {
    for content in [None, Some(""), Some("half a key")] {
        let at = ClosedMemory::new().await;
        at.remove(&["audit.key"]);
        if let Some(content) = content {
            std::fs::write(at.file("audit.key"), content).unwrap();
        }
        assert_stays_until_restarted(&at, "the key was missing").await;
        assert!(at.file("audit.checkpoints.old").is_file(), "evidence is kept");
    }
}

#[tokio::test]
async fn a_process_with_the_former_key_goes_on_with_the_new_one_after_the_restart() {
    let at = ClosedMemory::new().await;
    let running = at.open();
    write(&running, 1).await;
    at.remove(&["audit.key"]);
    let store = at.open();
    assert_fault(&report(&store).await, "the key was missing");
    store.restart_audit(&OwnerId::me()).await.unwrap();
    write(&running, 2).await;
    let found = report(&store).await;
    assert!(found.is_intact() && found.events == 2, "{found:?}");
}

#[tokio::test]
async fn forged_events_without_a_key_are_no_intact_log() {
    let at = ClosedMemory::new().await;
    at.run_sql("UPDATE audit SET note = 'forged'");
    at.remove(&["audit.key", "audit.checkpoints", "audit.head"]);
    assert_stays_until_restarted(&at, "the key was missing").await;
}

#[tokio::test]
async fn a_log_of_which_everything_was_removed_is_no_empty_log() {
    let at = ClosedMemory::new().await;
    at.run_sql(
        "DELETE FROM audit; UPDATE audit_chain SET last = 0, mac = zeroblob(32), \
         seal = zeroblob(32), marked = 0, marked_at = 0, removed = (SELECT seq FROM meta)",
    );
    at.remove(&["audit.key", "audit.checkpoints", "audit.head"]);
    let store = at.open();
    let found = report(&store).await;
    assert_eq!(found.events, 0);
    assert_fault(&found, "the key was missing");
}

#[tokio::test]
async fn a_new_memory_in_place_of_a_listed_one_is_no_fresh_log() {
    let (at, new) = (ClosedMemory::new().await, SqliteFixture::new().await);
    let copy = new.home.path().join("new.db");
    new.store.backup(&new.owner, &copy).await.unwrap();
    std::fs::copy(copy, memory_file(at.home.path())).unwrap();
    at.remove(&["audit.key", "audit.checkpoints", "audit.head"]);
    assert_fault(&report(&at.open()).await, "the key was missing");
}

#[tokio::test]
async fn a_missing_or_forged_head_is_a_failure_until_the_owner_begins_anew() {
    let at = ClosedMemory::new().await;
    at.remove(&["audit.head"]);
    assert_stays_until_restarted(&at, "the kept head is missing").await;
    let at = ClosedMemory::new().await;
    let line = std::fs::read_to_string(at.file("audit.head")).unwrap();
    std::fs::write(at.file("audit.head"), line.replacen("head 0", "head 1", 1)).unwrap();
    assert_stays_until_restarted(&at, "not signed by this key").await;
}

#[tokio::test]
async fn checkpoints_that_were_removed_do_not_come_back_by_themselves() {
    let at = ClosedMemory::new().await;
    at.remove(&["audit.checkpoints"]);
    let store = at.open();
    write(&store, 300).await;
    assert_fault(&report(&store).await, "no checkpoint states where the chain begins");
    assert!(!at.file("audit.checkpoints").exists());
    store.restart_audit(&OwnerId::me()).await.unwrap();
    assert!(report(&store).await.is_intact());
}

#[tokio::test]
async fn a_process_that_was_killed_before_it_wrote_the_head_leaves_an_intact_log() {
    let at = ClosedMemory::new().await;
    let before = std::fs::read(at.file("audit.head")).unwrap();
    let store = at.open();
    write(&store, 2).await;
    drop(store);
    std::fs::write(at.file("audit.head"), before).unwrap();
    let store = at.open();
    let found = report(&store).await;
    assert!(found.is_intact(), "{found:?}");
    assert_eq!(at.kept_head().id.0, 3);
    write(&store, 1).await;
    assert_eq!(at.kept_head().id.0, 6, "the next write catches up");
}

#[tokio::test]
async fn the_head_is_the_newest_event_of_all_processes() {
    let fixture = SqliteFixture::new().await;
    let writers = (0..8).map(|_| {
        let store = fixture.second_handle();
        tokio::spawn(async move { write(&store, 20).await })
    });
    for writer in writers.collect::<Vec<_>>() {
        writer.await.unwrap();
    }
    assert_eq!(kept_head(&fixture.memory_file()).id.0, 160);
    assert!(report(&fixture.store).await.is_intact());
}

#[tokio::test]
async fn retention_keeps_the_head_comparable() {
    let at = ClosedMemory::new().await;
    let store = at.open();
    assert_eq!(store.prune_audit(&OwnerId::me(), moment(1_000_000)).await.unwrap(), 3);
    assert!(report(&store).await.is_intact());
    write(&store, 2).await;
    assert_eq!(at.kept_head().id.0, 5);
    assert!(report(&store).await.is_intact());
}

#[tokio::test]
async fn an_owner_who_was_erased_and_comes_back_has_a_fresh_log() {
    let fixture = SqliteFixture::new().await;
    fixture.remember("first").await;
    fixture.store.erase_owner(&fixture.owner).await.unwrap();
    fixture.store.create_owner(&fixture.owner, moment(1)).await.unwrap();
    let found = report(&fixture.store).await;
    assert!(found.is_intact() && found.events == 0, "{found:?}");
}

/// Writes a memory of the version before heads were kept.
fn memory_without_head(home: &Path) -> PathBuf {
    let memory = memory_file(home);
    std::fs::create_dir_all(memory.parent().unwrap()).unwrap();
    let file = Connection::open(&memory).unwrap();
    file.execute_batch(include_str!("../fixtures/without-head/memory.sql")).unwrap();
    let files: [(&str, &[u8]); 2] = [
        ("audit.key", include_bytes!("../fixtures/without-head/audit.key")),
        ("audit.checkpoints", include_bytes!("../fixtures/without-head/audit.checkpoints")),
    ];
    for (name, content) in files {
        std::fs::write(memory.with_file_name(name), content).unwrap();
    }
    memory
}

#[tokio::test]
async fn a_memory_of_the_version_before_gets_a_head_when_it_is_opened() {
    let home = tempfile::tempdir().unwrap();
    let store = open(home.path(), Options::default());
    let memory = memory_without_head(home.path());
    store.create_owner(&OwnerId::me(), moment(0)).await.unwrap();
    let found = report(&store).await;
    assert!(found.is_intact() && found.events == 3, "{found:?}");
    assert_eq!(kept_head(&memory).id.0, 3);
    drop(store);
    std::fs::remove_file(memory.with_file_name("audit.head")).unwrap();
    let store = open(home.path(), Options::default());
    assert_fault(&report(&store).await, "the kept head is missing");
}
