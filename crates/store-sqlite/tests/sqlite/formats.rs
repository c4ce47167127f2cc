//! Old files open with their content; files that are too new, edited, broken or of another program
//! are refused.

use crate::fixture::{SqliteFixture, assert_sound, memory_file, open};
use model::{ColumnType, MemoryId, OwnerId, RecordId, Status};
use quipu_store_sqlite::{Options, SqliteStore};
use rusqlite::Connection;
use store::{Control, Store, StoreError};
use store_conformance::builders::moment;

/// Closes a store, changes its file, opens it again and returns the error.
async fn reopen_error_after(change: impl FnOnce(&Connection)) -> StoreError {
    let fixture = SqliteFixture::new().await;
    fixture.remember("kept").await;
    let SqliteFixture { home, store, owner: me } = fixture;
    drop(store);
    change(&Connection::open(memory_file(home.path())).unwrap());
    open(home.path(), Options::default()).seq(&me).await.unwrap_err()
}

#[tokio::test]
async fn a_file_of_a_newer_version_is_refused() {
    let refusal =
        reopen_error_after(|file| file.pragma_update(None, "user_version", 99).unwrap()).await;
    assert!(matches!(refusal, StoreError::TooNew { found: 99, .. }), "{refusal:?}");
}

#[tokio::test]
async fn a_file_with_an_edited_migration_is_refused() {
    let edit = "UPDATE migrations SET checksum = zeroblob(32)";
    let refusal = reopen_error_after(|file| file.execute_batch(edit).unwrap()).await;
    assert!(matches!(refusal, StoreError::Damaged { .. }), "{refusal:?}");
}

#[tokio::test]
async fn a_file_of_another_program_is_refused() {
    let refusal =
        reopen_error_after(|file| file.pragma_update(None, "application_id", 7).unwrap()).await;
    assert!(matches!(refusal, StoreError::Damaged { .. }), "{refusal:?}");
}

#[tokio::test]
async fn a_file_that_is_not_a_database_is_refused() {
    let fixture = SqliteFixture::new().await;
    let SqliteFixture { home, store, owner: me } = fixture;
    drop(store);
    std::fs::write(memory_file(home.path()), "not a database, ".repeat(1_000)).unwrap();
    let refusal = open(home.path(), Options::default()).seq(&me).await.unwrap_err();
    assert!(matches!(refusal, StoreError::Damaged { .. }), "{refusal:?}");
}

#[tokio::test]
async fn a_control_file_in_place_of_a_memory_is_refused() {
    let fixture = SqliteFixture::new().await;
    let SqliteFixture { home, store, owner: me } = fixture;
    drop(store);
    std::fs::copy(home.path().join("control.db"), memory_file(home.path())).unwrap();
    let refusal = open(home.path(), Options::default()).seq(&me).await.unwrap_err();
    assert!(matches!(refusal, StoreError::Damaged { .. }), "{refusal:?}");
}

#[tokio::test]
async fn the_health_check_reports_inconsistencies() {
    let fixture = SqliteFixture::new().await;
    fixture.remember("kept").await;
    let file = fixture.connection();
    file.execute("UPDATE memories SET open_flags = 3", []).unwrap();
    file.execute_batch("PRAGMA foreign_keys = OFF; INSERT INTO uses VALUES (987654, 1, 1)")
        .unwrap();
    let health = fixture.store.health(&fixture.owner).await.unwrap();
    assert!(!health.sound);
    assert_eq!(health.problems.len(), 2, "{:?}", health.problems);
    assert!(health.engine.starts_with("SQLite 3."), "{}", health.engine);
}

/// Memories of every format, oldest first. A new migration adds the dump of a file of its format.
const MEMORY_FORMATS: [&str; 11] = [
    include_str!("../fixtures/format-1.sql"),
    include_str!("../fixtures/format-2.sql"),
    include_str!("../fixtures/format-3.sql"),
    include_str!("../fixtures/format-4.sql"),
    include_str!("../fixtures/format-5.sql"),
    include_str!("../fixtures/format-6.sql"),
    include_str!("../fixtures/format-7.sql"),
    include_str!("../fixtures/format-8.sql"),
    include_str!("../fixtures/format-9.sql"),
    include_str!("../fixtures/format-10.sql"),
    include_str!("../fixtures/format-11.sql"),
];

/// Control files of every format, oldest first.
const CONTROL_FORMATS: [&str; 2] =
    [include_str!("../fixtures/control-1.sql"), include_str!("../fixtures/control-2.sql")];

/// Opens a memory that is made by these statements.
async fn open_memory(statements: &[&str]) -> (tempfile::TempDir, SqliteStore, OwnerId) {
    let home = tempfile::tempdir().unwrap();
    let store = open(home.path(), Options::default());
    let me = OwnerId::me();
    std::fs::create_dir_all(store.owner_dir(&me)).unwrap();
    let file = Connection::open(memory_file(home.path())).unwrap();
    for statements in statements {
        file.execute_batch(statements).unwrap();
    }
    drop(file);
    store.create_owner(&me, moment(0)).await.unwrap();
    (home, store, me)
}

#[tokio::test]
async fn a_memory_of_every_format_opens_and_keeps_its_content() {
    for (format, file) in (1..).zip(MEMORY_FORMATS) {
        let (home, store, me) = open_memory(&[file]).await;
        expect_content(format, &store, &me).await;
        drop(store);
        // The second start finds a file of the newest format.
        expect_content(format, &open(home.path(), Options::default()), &me).await;
    }
}

#[tokio::test]
async fn there_is_a_fixture_of_every_format() {
    let newest = u32::try_from(MEMORY_FORMATS.len()).unwrap();
    let refusal =
        reopen_error_after(|file| file.pragma_update(None, "user_version", 99).unwrap()).await;
    assert!(matches!(refusal, StoreError::TooNew { known, .. } if known == newest), "{refusal:?}");
    let fixture = SqliteFixture::new().await;
    let control = Connection::open(fixture.home.path().join("control.db")).unwrap();
    let version: u32 = control.pragma_query_value(None, "user_version", |row| row.get(0)).unwrap();
    assert_eq!(version as usize, CONTROL_FORMATS.len());
}

#[tokio::test]
async fn a_control_file_of_every_format_opens_and_keeps_its_content() {
    for (format, statements) in (1..).zip(CONTROL_FORMATS) {
        let home = tempfile::tempdir().unwrap();
        let file = Connection::open(home.path().join("control.db")).unwrap();
        file.execute_batch(statements).unwrap();
        drop(file);
        let store = open(home.path(), Options::default());
        assert_eq!(store.owners().await.unwrap(), [OwnerId::me()], "format {format}");
        let keys = store.keys(&OwnerId::me()).await.unwrap();
        assert_eq!((keys.len(), keys[0].key.label.as_str()), (1, "laptop"), "format {format}");
    }
}

/// Checks the content that is the same in the fixtures of all formats.
async fn expect_content(format: u32, store: &SqliteStore, me: &OwnerId) {
    let (store, me) = (store.clone(), me.clone());
    println!("format {format}");
    let health = store.health(&me).await.unwrap();
    assert!(health.sound, "{:?}", health.problems);
    let seq = store.seq(&me).await.unwrap();
    let view = store.changes(&me, model::Seq::ZERO, 100).await.unwrap();
    assert_eq!((view.entries.len(), view.removed.len(), view.upto), (2, 1, seq));
    let first =
        &view.entries.iter().find(|entry| entry.memory.status == Status::Active).unwrap().memory;
    assert_eq!(
        (first.text.as_str(), first.tags.as_slice()),
        ("The port is 8080", &["net".to_owned()][..])
    );
    assert_eq!(first.provenance.author.agent.as_str(), "ada");
    let counts = store.counts(&me).await.unwrap();
    assert_eq!((counts.links, counts.sessions, counts.entities, counts.records), (1, 1, 2, 1));
    assert_eq!((counts.handoffs, counts.references, counts.reviews_open), (1, 1, 1));
    assert_eq!(store.profile(&me).await.unwrap().unwrap().data["name"], "Ada");
    assert_eq!(store.setting(&me, "theme").await.unwrap(), Some("dark".into()));
    assert_eq!(store.workspaces(&me).await.unwrap()[0].contexts.len(), 1);
    assert_eq!(store.grants(&me).await.unwrap().len(), 1);
    assert_sound(&store, &me, usize::try_from(seq.0).unwrap()).await;
}

#[tokio::test]
async fn a_row_that_was_changed_before_format_7_is_stated_by_its_newest_memory() {
    // Row 2 was written with memory 4 and changed twice, which added 5 and 6. Row 3 lost to row 4
    // in a review: its memory 7 is superseded by 8, which has a row of its own.
    let rows = "
        UPDATE meta SET last_memory = 8;
        UPDATE tables SET rows = 4, last_record = 4,
            columns = '[[\"food\",\"text\"],[\"kcal\",\"text\"]]';
        INSERT INTO memories SELECT m.value, 3, m.value, iif(m.value IN (6, 8), 0, 2), 2, 70, 3,
            0.9, 0, 1, 1777777777000000, NULL, NULL, NULL, NULL, NULL, 'note', 'meals', NULL, NULL,
            NULL, NULL, NULL, NULL, 'meal ' || m.value FROM json_each('[4, 5, 6, 7, 8]') m;
        INSERT INTO links VALUES (5, 4, 4, 1.0, 1), (6, 4, 5, 1.0, 1), (8, 4, 7, 1.0, 1);
        INSERT INTO records VALUES (1, 2, 4, 1, 1, '{\"kcal\":\"500\"}'),
            (1, 3, 7, 1, 1, '{\"kcal\":\"1,200\"}'), (1, 4, 8, 1, 1, '{\"kcal\":800}');";
    let (_home, store, me) = open_memory(&[MEMORY_FORMATS[0], rows]).await;
    let row = async |id| store.record(&me, "meals", RecordId(id)).await.unwrap().unwrap().memory;
    assert_eq!(row(2).await, Some(MemoryId(6)));
    assert_eq!((row(3).await, row(4).await), (Some(MemoryId(7)), Some(MemoryId(8))));
    let meals = store.tables(&me).await.unwrap().remove(0);
    assert_eq!(meals.rows, 3, "the row that lost is not current");
    let kinds: Vec<ColumnType> = meals.columns.iter().map(|column| column.kind).collect();
    assert_eq!(kinds, [ColumnType::Text, ColumnType::IntegerText]);
    let mut problems = store.health(&me).await.unwrap().problems;
    // The rows above have keys that no text has.
    problems.retain(|problem| !problem.starts_with("the text of memory"));
    assert_eq!(problems, Vec::<String>::new());
}

#[tokio::test]
async fn the_health_check_reports_a_flipped_bit_in_a_text() {
    let fixture = SqliteFixture::new().await;
    let id = fixture.remember("The port is 5432.").await;
    fixture.remember("The host is blue.").await;
    fixture
        .connection()
        .execute("UPDATE memories SET text = 'The port is 5433.' WHERE id = ?1", [id.0])
        .unwrap();
    let health = fixture.store.health(&fixture.owner).await.unwrap();
    assert_eq!(health.problems, ["the text of memory 1 is not the one that was stored"]);
}
