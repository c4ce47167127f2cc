//! The audit chain in its files: changing, dropping, swapping or truncating events behind the
//! store's back is detected, and nothing that the store itself does breaks the chain.

use crate::fixture::{SqliteFixture, memory_file, note_batch, open};
use model::{AuditId, OwnerId};
use quipu_store_sqlite::Options;
use rusqlite::Connection;
use std::path::PathBuf;
use store::{AuditQuery, ChainReport, Store};
use store_conformance::builders::{batch, forget, moment, remember};

/// Number of events in the fixture of these tests.
const EVENTS: i64 = 6;

async fn fixture_with_events() -> SqliteFixture {
    let fixture = SqliteFixture::new().await;
    for n in 0..EVENTS {
        fixture.remember(&format!("memory {n}")).await;
    }
    fixture
}

impl SqliteFixture {
    async fn report(&self) -> ChainReport {
        self.store.verify_audit(&self.owner).await.unwrap()
    }

    async fn expect_intact(&self) -> ChainReport {
        let report = self.report().await;
        assert!(report.is_intact(), "{report:?}");
        report
    }

    /// Returns the first event that the verification reports.
    async fn first_fault(&self, after: &str) -> i64 {
        let report = self.report().await;
        assert!(!report.is_intact(), "{after} was not found");
        report.faults.iter().map(|fault| fault.first.0).min().unwrap()
    }

    fn sibling_file(&self, name: &str) -> PathBuf {
        self.memory_file().with_file_name(name)
    }
}

#[tokio::test]
async fn ordinary_writes_keep_the_chain_intact() {
    let fixture = fixture_with_events().await;
    let id = fixture.remember("to be forgotten").await;
    fixture.commit(vec![forget(&[id])]).await;
    let report = fixture.expect_intact().await;
    assert_eq!((report.events, report.before_chain, report.newest), (8, 0, Some(AuditId(8))));
}

#[tokio::test]
async fn every_flipped_byte_of_an_event_is_found_where_it_is() {
    let fixture = fixture_with_events().await;
    let file = fixture.connection();
    for column in
        ["resource", "note", "arguments", "mac", "seq", "at", "duration_us", "outcome", "author"]
    {
        for at in 0..column_bytes(&file, column).len() {
            let before = column_bytes(&file, column);
            let mut flipped = before.clone();
            flipped[at] ^= 1;
            put_column(&file, column, &flipped);
            let what = format!("byte {at} of {column}");
            assert_eq!(fixture.first_fault(&what).await, 3, "{what}");
            put_column(&file, column, &before);
        }
    }
    fixture.expect_intact().await;
}

/// Returns a column of event 3 as bytes; numbers in little-endian order.
fn column_bytes(file: &Connection, column: &str) -> Vec<u8> {
    let sql = format!("SELECT {column} FROM audit WHERE id = 3");
    let value: rusqlite::types::Value = file.query_one(&sql, [], |row| row.get(0)).unwrap();
    match value {
        rusqlite::types::Value::Text(text) => text.into_bytes(),
        rusqlite::types::Value::Blob(bytes) => bytes,
        rusqlite::types::Value::Integer(number) => number.to_le_bytes().to_vec(),
        other => panic!("{other:?}"),
    }
}

fn put_column(file: &Connection, column: &str, bytes: &[u8]) {
    file.execute_batch("PRAGMA foreign_keys = OFF").unwrap();
    let text = matches!(column, "resource" | "note");
    let blob = matches!(column, "arguments" | "mac");
    let sql = |value: &str| format!("UPDATE audit SET {column} = {value} WHERE id = 3");
    let changed = match (text, blob) {
        (true, _) => file.execute(&sql("CAST(?1 AS TEXT)"), [bytes]),
        (_, true) => file.execute(&sql("?1"), [bytes]),
        _ => file.execute(&sql("?1"), [i64::from_le_bytes(bytes.try_into().unwrap())]),
    };
    assert_eq!(changed.unwrap(), 1);
}

#[tokio::test]
async fn dropped_swapped_and_renamed_events_are_found() {
    for (what, sql, first) in [
        ("dropping one", "DELETE FROM audit WHERE id = 4", 4),
        ("dropping the first", "DELETE FROM audit WHERE id = 1", 1),
        (
            "closing the gap",
            "DELETE FROM audit WHERE id = 4; UPDATE audit SET id = id - 1 WHERE id > 4",
            4,
        ),
        (
            "swapping two",
            "UPDATE audit SET id = 99 WHERE id = 2; UPDATE audit SET id = 2 WHERE id = 3; \
             UPDATE audit SET id = 3 WHERE id = 99",
            2,
        ),
        ("another agent", "UPDATE authors SET agent = 'mallory'", 1),
        ("removing the MAC", "UPDATE audit SET mac = NULL WHERE id = 5", 5),
        (
            "an event from nowhere",
            "INSERT INTO audit SELECT 7, seq, author, outcome, at, duration_us, resource, \
             arguments, note, mac FROM audit WHERE id = 6",
            7,
        ),
    ] {
        let fixture = fixture_with_events().await;
        fixture.connection().execute_batch(sql).unwrap();
        assert_eq!(fixture.first_fault(what).await, first, "{what}");
    }
}

#[tokio::test]
async fn a_truncated_tail_is_found() {
    let fixture = fixture_with_events().await;
    let file = fixture.connection();
    file.execute("DELETE FROM audit WHERE id > 3", []).unwrap();
    assert_eq!(fixture.first_fault("cutting the tail off").await, 4);
    // A head that is moved back by hand has an invalid signature.
    file.execute_batch(
        "UPDATE audit_chain SET last = 3, mac = (SELECT mac FROM audit WHERE id = 3)",
    )
    .unwrap();
    assert!(!fixture.report().await.is_intact());
}

#[tokio::test]
async fn a_memory_replaced_by_an_earlier_copy_is_found_by_the_checkpoints() {
    let fixture = fixture_with_events().await;
    let copy = fixture.home.path().join("copy.db");
    fixture.store.backup(&fixture.owner, &copy).await.unwrap();
    for n in 0..300 {
        fixture.remember(&format!("later {n}")).await;
    }
    fixture.expect_intact().await;
    let SqliteFixture { home, store, owner: me } = fixture;
    drop(store);
    for file in ["memory.db-wal", "memory.db-shm"] {
        let _ = std::fs::remove_file(memory_file(home.path()).with_file_name(file));
    }
    std::fs::copy(&copy, memory_file(home.path())).unwrap();
    let report = open(home.path(), Options::default()).verify_audit(&me).await.unwrap();
    assert_eq!(report.faults[0].first, AuditId(EVENTS + 1), "{report:?}");
}

#[tokio::test]
async fn checkpoints_that_were_removed_or_forged_are_found() {
    let fixture = fixture_with_events().await;
    let marks = fixture.sibling_file("audit.checkpoints");
    let lines = std::fs::read_to_string(&marks).unwrap();
    std::fs::write(&marks, lines.replacen("check 1", "check 2", 1)).unwrap();
    assert!(!fixture.report().await.is_intact());
    std::fs::remove_file(&marks).unwrap();
    assert!(!fixture.report().await.is_intact());
    std::fs::write(&marks, lines).unwrap();
    fixture.expect_intact().await;
}

#[tokio::test]
async fn many_processes_write_one_chain() {
    let fixture = SqliteFixture::new().await;
    let writers = (0..8).map(|writer| {
        let (store, me) = (fixture.second_handle(), fixture.owner.clone());
        tokio::spawn(async move {
            for n in 0..20 {
                store.write(&me, note_batch(&format!("memory {n} of {writer}"))).await.unwrap();
            }
        })
    });
    for writer in writers.collect::<Vec<_>>() {
        writer.await.unwrap();
    }
    assert_eq!(fixture.expect_intact().await.events, 160);
}

#[tokio::test]
async fn retention_removes_the_oldest_events_and_leaves_an_intact_chain() {
    let fixture = SqliteFixture::new().await;
    for n in 0..10 {
        let mut batch = batch(vec![remember(&format!("memory {n}"))]);
        batch.event.at = moment(n);
        fixture.store.write(&fixture.owner, batch).await.unwrap();
    }
    assert_eq!(fixture.store.prune_audit(&fixture.owner, moment(0)).await.unwrap(), 0);
    assert_eq!(fixture.store.prune_audit(&fixture.owner, moment(4)).await.unwrap(), 4);
    assert_eq!(fixture.expect_intact().await.events, 6);
    assert!(
        fixture.store.health(&fixture.owner).await.unwrap().sound,
        "a change without its event was removed on purpose"
    );
    fixture.connection().execute("DELETE FROM audit WHERE id = 5", []).unwrap();
    assert_eq!(fixture.first_fault("removing more than retention did").await, 5);
}

#[tokio::test]
async fn a_chain_that_retention_emptied_continues() {
    let fixture = fixture_with_events().await;
    let removed = fixture.store.prune_audit(&fixture.owner, moment(1_000_000)).await.unwrap();
    assert_eq!(removed, usize::try_from(EVENTS).unwrap());
    fixture.expect_intact().await;
    fixture.remember("one more").await;
    let report = fixture.expect_intact().await;
    assert_eq!(
        (report.events, report.newest),
        (1, Some(AuditId(EVENTS + 1))),
        "ids are never assigned twice"
    );
}

#[tokio::test]
async fn a_refused_batch_leaves_no_gap() {
    let fixture = fixture_with_events().await;
    let unknown = batch(vec![store::Change::SettleFlags { memory: model::MemoryId(987) }]);
    let _ = fixture.store.write(&fixture.owner, unknown).await;
    let unknown = batch(vec![store::Change::Supersede {
        old: model::MemoryId(987),
        new: store::Ref::Id(model::MemoryId(1)),
    }]);
    assert!(fixture.store.write(&fixture.owner, unknown).await.is_err());
    fixture.remember("after it").await;
    fixture.expect_intact().await;
}

#[tokio::test]
async fn events_of_an_older_format_are_counted_and_new_ones_verified() {
    let home = tempfile::tempdir().unwrap();
    let store = open(home.path(), Options::default());
    let me = OwnerId::me();
    std::fs::create_dir_all(store.owner_dir(&me)).unwrap();
    let file = Connection::open(memory_file(home.path())).unwrap();
    file.execute_batch(include_str!("../fixtures/format-1.sql")).unwrap();
    drop(file);
    store::Control::create_owner(&store, &me, moment(0)).await.unwrap();
    let old = store.audit(&me, &AuditQuery::default(), model::Page::first(1)).await.unwrap().total;
    store.write(&me, note_batch("new")).await.unwrap();
    let report = store.verify_audit(&me).await.unwrap();
    assert!(report.is_intact(), "{report:?}");
    assert_eq!((report.before_chain, report.events), (old, 1));
    let file = Connection::open(memory_file(home.path())).unwrap();
    file.execute("UPDATE audit SET note = 'nothing' WHERE id = (SELECT max(id) FROM audit)", [])
        .unwrap();
    assert!(!store.verify_audit(&me).await.unwrap().is_intact());
}
