//! A full disk: at whichever page it happens, the write is refused with that error, nothing of it
//! is applied, and the store works again once there is space.

use crate::fixture::{SqliteFixture, assert_sound, open};
use model::MemoryId;
use quipu_store_sqlite::{Options, SqliteStore};
use serde_json::json;
use store::{Batch, Change, NewMention, NewObservation, Ref, Store, StoreError, WriteError};
use store_conformance::builders::{add, batch, document, entity, note_with, record, vector};

/// More pages than the writes of one round can fill.
const PAGES_MORE: u32 = 40;

/// Builds a batch that writes to many tables, so that the disk can be full at many pages.
fn wide_batch(n: u64) -> Batch {
    let text = format!("memory {n} {}", "word ".repeat(300));
    let mention = NewMention {
        memory: Ref::ResultOf(0),
        entity: Ref::ResultOf(1),
        kind: "person".into(),
        name: "Ada".into(),
        source: "words".into(),
        path: None,
    };
    let said = NewObservation {
        entity: Ref::ResultOf(1),
        text: format!("said {n} {}", "so ".repeat(200)),
        memory: Some(Ref::ResultOf(0)),
    };
    batch(vec![
        add(note_with(&text, |add| add.vector = Some(vector("m", 1)))),
        Change::PutEntity(entity(&format!("Ada {n}"))),
        Change::Mention(mention),
        Change::Observe(said),
        record(&format!("table{n}"), json!({ "note": "tea ".repeat(100) })),
        document(&format!("doc{n}.md"), &["section ".repeat(100).as_str()]),
    ])
}

/// Writes until the disk is full and returns the number of acknowledged writes.
async fn fill(store: &SqliteStore, me: &model::OwnerId) -> usize {
    for n in 0.. {
        match store.write(me, wide_batch(n)).await {
            Ok(_) => {}
            Err(WriteError::Store(StoreError::Full)) => return usize::try_from(n).unwrap(),
            Err(other) => panic!("expected a full disk, got {other:?}"),
        }
    }
    unreachable!("the disk is never full")
}

#[tokio::test]
async fn a_disk_full_at_any_page_refuses_the_whole_write_and_recovers() {
    let fixture = SqliteFixture::new().await;
    let pages: u32 =
        fixture.connection().pragma_query_value(None, "page_count", |row| row.get(0)).unwrap();
    let SqliteFixture { home, store, owner: me } = fixture;
    drop(store);
    let template = std::fs::read(crate::fixture::memory_file(home.path())).unwrap();
    for pages_max in pages + 1..pages + PAGES_MORE {
        std::fs::write(crate::fixture::memory_file(home.path()), &template).unwrap();
        let tight = open(home.path(), Options { pages_max: Some(pages_max), ..Options::default() });
        let acknowledged = fill(&tight, &me).await;
        assert_sound(&tight, &me, acknowledged).await;
        drop(tight);
        let roomy = open(home.path(), Options::default());
        roomy.write(&me, wide_batch(999)).await.unwrap();
        assert_sound(&roomy, &me, acknowledged + 1).await;
        let ids: Vec<MemoryId> = (1..=acknowledged as i64 + 1).map(MemoryId).collect();
        assert_eq!(roomy.memories(&me, &ids).await.unwrap().len(), ids.len(), "{pages_max}");
    }
}

#[tokio::test]
async fn reading_and_forgetting_work_on_a_full_disk() {
    let fixture = SqliteFixture::with(Options { pages_max: Some(120), ..Options::default() }).await;
    let acknowledged = fill(&fixture.store, &fixture.owner).await;
    let all: Vec<MemoryId> = (1..=acknowledged as i64).map(MemoryId).collect();
    assert_eq!(fixture.store.memories(&fixture.owner, &all).await.unwrap().len(), acknowledged);
    fixture.commit(vec![Change::Forget { memories: all }]).await;
    fixture.remember("there is space again").await;
    assert_sound(&fixture.store, &fixture.owner, acknowledged + 2).await;
}
