//! Forgotten text is gone from the bytes of the files, not only from the answers.

use crate::fixture::SqliteFixture;
use model::MemoryId;
use std::path::Path;
use store::{Change, NewObservation, Ref, Store};
use store_conformance::builders::{add, document, fields, forget, note_with};

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
