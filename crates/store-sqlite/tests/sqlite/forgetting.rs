//! Forgotten text is gone from the bytes of the files, not only from the answers.

use crate::fixture::SqliteFixture;
use model::{MemoryId, OwnerId};
use quipu_store_sqlite::{Options, SqliteStore};
use std::path::Path;
use std::time::Duration;
use store::{Change, LoggedQuestion, NewObservation, ReadEvent, Ref, Store};
use store_conformance::builders::{add, document, event_by, fields, forget, moment, note_with};

/// Counts the occurrences of a word in the files of a directory.
fn count_occurrences(directory: &Path, word: &str) -> usize {
    let files =
        directory.read_dir().unwrap().map(|file| std::fs::read(file.unwrap().path()).unwrap());
    let in_file = |bytes: Vec<u8>| {
        bytes.windows(word.len()).filter(|window| *window == word.as_bytes()).count()
    };
    files.map(in_file).sum()
}

/// Builds a text of about `length` bytes with the word in it.
fn text(word: &str, n: usize, length: usize) -> String {
    format!("{word} {n} {}", "filler ".repeat(length / 7))
}

/// Builds a memory and what belongs to it, with the word in every text column.
fn changes_with_word(word: &str) -> Vec<Change> {
    let memory = note_with(&text(word, 0, 900), |add| {
        add.memory.title = Some(format!("{word} title"));
        add.memory.summary = Some(format!("{word} summary"));
        add.memory.tags = vec![format!("{word} tag")];
        add.memory.metadata = fields(serde_json::json!({ "told": word }));
    });
    let said = NewObservation {
        entity: Ref::ResultOf(1),
        text: format!("{word} was said"),
        memory: Some(Ref::ResultOf(0)),
    };
    let data = fields(serde_json::json!({ "what": word }));
    vec![
        add(memory),
        Change::PutEntity(store_conformance::builders::entity(&format!("{word} entity"))),
        Change::Observe(said),
        Change::AddRecord {
            table: "rows".into(),
            description: None,
            data,
            memory: Some(Ref::ResultOf(0)),
        },
        Change::RaiseReview {
            item: model::NewReview {
                kind: model::ReviewKind::Proposal,
                reason: format!("{word} reason"),
                details: fields(serde_json::json!({ "text": word })),
            },
            subject: Some(Ref::ResultOf(0)),
            against: None,
        },
    ]
}

#[tokio::test]
async fn a_forgotten_word_is_in_no_byte_of_the_files() {
    let fixture = SqliteFixture::new().await;
    let directory = fixture.store.owner_dir(&fixture.owner);
    fixture.remember("something that stays").await;
    let id = fixture.commit(changes_with_word("xylophonist")).await.results[0].memory().unwrap();
    let flag = Change::Flag { memory: id, reason: "xylophonist flag".into() };
    fixture.commit(vec![flag]).await;
    assert!(count_occurrences(&directory, "xylophonist") > 5);
    fixture.commit(vec![forget(&[id])]).await;
    assert_eq!(count_occurrences(&directory, "xylophonist"), 0);
    assert!(count_occurrences(&directory, "something that stays") > 0);
}

#[tokio::test]
async fn the_words_of_a_question_about_a_forgotten_memory_are_in_no_byte_of_the_files() {
    let fixture = SqliteFixture::new().await;
    let directory = fixture.store.owner_dir(&fixture.owner);
    let id = fixture.remember("The xylophonist lives next door.").await;
    let asked = |at: i64, text: &str| ReadEvent {
        question: Some(LoggedQuestion { text: Some(text.to_owned()), hits: 1 }),
        ..ReadEvent::new(event_by("ada", moment(at)), vec![id])
    };
    let reads = vec![asked(1, "where does the xylophonist live"), asked(2, "who lives next door")];
    fixture.store.log_reads(&fixture.owner, reads).await.unwrap();
    assert!(count_occurrences(&directory, "does the xylophonist live") > 0);
    fixture.commit(vec![forget(&[id])]).await;
    for word in ["xylophonist", "who lives next door"] {
        assert_eq!(count_occurrences(&directory, word), 0, "{word}");
    }
}

/// Pages that were split and joined have copies of rows in their unused bytes, which no DELETE
/// overwrites.
#[tokio::test]
async fn a_forgotten_word_is_gone_after_many_inserts_and_deletes() {
    let fixture = SqliteFixture::new().await;
    let directory = fixture.store.owner_dir(&fixture.owner);
    let mut secret: Vec<MemoryId> = Vec::new();
    for round in 0..40 {
        let mut changes = Vec::new();
        for n in 0..12 {
            let word = if n % 3 == 0 { "xylophonist" } else { "harmless" };
            changes.push(store_conformance::builders::remember(&text(
                word,
                round * 100 + n,
                (n * 97) % 1_500,
            )));
        }
        let results = fixture.commit(changes).await.results;
        let ids = results.iter().map(|result| result.memory().unwrap()).collect::<Vec<_>>();
        secret.extend(ids.iter().step_by(3));
        let edit = |memory: &MemoryId| Change::EditMemory {
            memory: *memory,
            edit: Box::new(store::MemoryEdit {
                summary: Some(Some("longer ".repeat(round % 30))),
                ..store::MemoryEdit::default()
            }),
        };
        fixture.commit(ids.iter().map(edit).collect()).await;
        if round % 4 == 3 {
            let others: Vec<MemoryId> =
                ids.iter().filter(|id| !secret.contains(id)).copied().collect();
            fixture.commit(vec![forget(&others)]).await;
        }
    }
    fixture.commit(vec![forget(&secret)]).await;
    assert_eq!(count_occurrences(&directory, "xylophonist"), 0);
}

#[tokio::test]
async fn compacting_returns_space_and_keeps_the_content() {
    let fixture = SqliteFixture::new().await;
    let kept = fixture.remember("kept").await;
    let long = text("long", 0, 1_000_000);
    fixture.commit(vec![document("long.md", &[long.as_str()])]).await;
    fixture.commit(vec![Change::RemoveReference { path: "long.md".into() }]).await;
    let before = fixture.store.counts(&fixture.owner).await.unwrap().bytes;
    fixture.store.compact(&fixture.owner).await.unwrap();
    let after = fixture.store.counts(&fixture.owner).await.unwrap().bytes;
    assert!(after < before, "{after} is not below {before}");
    assert_eq!(fixture.store.memories(&fixture.owner, &[kept]).await.unwrap().len(), 1);
}

/// Opens a reader that keeps the log from being truncated.
fn hold_an_older_state(fixture: &SqliteFixture) -> rusqlite::Connection {
    let conn = fixture.connection();
    conn.execute_batch("BEGIN; SELECT count(*) FROM memories;").unwrap();
    conn
}

/// Waits until nothing is owed any more.
async fn wait_until_cleared(store: &SqliteStore, owner: &OwnerId) {
    for _ in 0..200 {
        if !store.erasure(owner, &[]).await.unwrap().traces_owed {
            return;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!("traces are still owed after ten seconds");
}

/// Copies a directory with everything below it.
fn copy_all(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in from.read_dir().unwrap().map(Result::unwrap) {
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy_all(&entry.path(), &target);
        } else {
            std::fs::copy(entry.path(), target).unwrap();
        }
    }
}

#[tokio::test]
async fn what_a_reader_keeps_is_owed_and_cleared_when_it_leaves() {
    let fixture = SqliteFixture::new().await;
    let directory = fixture.store.owner_dir(&fixture.owner);
    let id = fixture.commit(changes_with_word("xylophonist")).await.results[0].memory().unwrap();
    let reader = hold_an_older_state(&fixture);
    assert!(fixture.commit(vec![forget(&[id])]).await.traces_owed);
    let state = fixture.store.erasure(&fixture.owner, &[id, MemoryId(99)]).await.unwrap();
    assert_eq!((state.traces_owed, state.forgotten), (true, vec![id]));
    drop(reader);
    wait_until_cleared(&fixture.store, &fixture.owner).await;
    assert_eq!(count_occurrences(&directory, "xylophonist"), 0);
}

#[tokio::test]
async fn writes_behind_a_reader_do_not_rewrite_the_file() {
    let fixture = SqliteFixture::new().await;
    let many = (0..400).map(|n| store_conformance::builders::remember(&text("long", n, 8_000)));
    let first = fixture.commit(many.collect()).await.results[0].memory().unwrap();
    let reader = hold_an_older_state(&fixture);
    fixture.commit(vec![forget(&[first])]).await;
    let log = fixture.memory_file().with_extension("db-wal");
    let before = log.metadata().unwrap().len();
    for n in 0..12 {
        fixture.remember(&format!("Note {n}")).await;
    }
    let grown = log.metadata().unwrap().len() - before;
    assert!(grown < 1024 * 1024, "{grown} bytes");
    drop(reader);
}

#[tokio::test]
async fn what_is_owed_is_cleared_by_whoever_opens_the_file_next() {
    let fixture = SqliteFixture::new().await;
    let id = fixture.commit(changes_with_word("xylophonist")).await.results[0].memory().unwrap();
    let reader = hold_an_older_state(&fixture);
    assert!(fixture.commit(vec![forget(&[id])]).await.traces_owed);
    // The files as a process leaves them that is killed now.
    let killed = tempfile::tempdir().unwrap();
    copy_all(fixture.home.path(), killed.path());
    drop(reader);
    let directory = killed.path().join("owners/me");
    assert!(count_occurrences(&directory, "xylophonist") > 0);
    let next = crate::fixture::open(killed.path(), Options::default());
    wait_until_cleared(&next, &fixture.owner).await;
    assert_eq!(count_occurrences(&directory, "xylophonist"), 0);
}

#[tokio::test]
async fn clearing_pages_keeps_the_file_sound_and_its_content() {
    let fixture = SqliteFixture::new().await;
    let mut ids = Vec::new();
    for round in 0..30 {
        let changes = (0..20).map(|n| {
            store_conformance::builders::remember(&text("kept", round * 100 + n, n * 131 % 6_000))
        });
        let results = fixture.commit(changes.collect()).await.results;
        ids.extend(results.iter().map(|result| result.memory().unwrap()));
        let is_gone = |id: &MemoryId| id.0 as usize % 7 == round % 7;
        let gone: Vec<MemoryId> = ids.iter().copied().filter(is_gone).collect();
        ids.retain(|id| !gone.contains(id));
        fixture.commit(vec![forget(&gone)]).await;
    }
    let health = fixture.store.health(&fixture.owner).await.unwrap();
    assert_eq!(health.problems, Vec::<String>::new());
    let kept = fixture.store.memories(&fixture.owner, &ids).await.unwrap();
    assert_eq!(kept.len(), ids.len());
    assert!(kept.iter().all(|memory| memory.text.starts_with("kept ")));
}

#[test]
fn sqlite_is_built_with_access_to_its_pages() {
    let sql = "SELECT count(*) FROM pragma_module_list WHERE name = 'sqlite_dbpage'";
    let conn = rusqlite::Connection::open_in_memory().unwrap();
    assert_eq!(conn.query_one(sql, [], |row| row.get::<_, i64>(0)), Ok(1));
}
