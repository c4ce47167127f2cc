//! A full disk: at whichever page it happens, the write is refused with that error, nothing of it
//! is applied, and the store works again once there is space.

use crate::house::{House, assert_whole, open};
use model::MemoryId;
use quipu_store_sqlite::{Options, SqliteStore};
use serde_json::json;
use store::{Batch, Change, NewMention, NewObservation, Ref, Store, StoreError, WriteError};
use store_conformance::build::{add, batch, document, entity, note_with, record, vector};

/// More pages than the writes of one round can fill.
const PAGES_MORE: u32 = 40;

/// Builds a batch that writes to many tables, so that the disk can be full at many pages.
fn wide(n: u64) -> Batch {
    let text = format!("memory {n} {}", "word ".repeat(300));
    let mention = NewMention {
        memory: Ref::Made(0),
        entity: Ref::Made(1),
        kind: "person".into(),
        name: "Ada".into(),
        source: "words".into(),
        path: None,
    };
    let said = NewObservation {
        entity: Ref::Made(1),
        text: format!("said {n} {}", "so ".repeat(200)),
        memory: Some(Ref::Made(0)),
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
        match store.write(me, wide(n)).await {
            Ok(_) => {}
            Err(WriteError::Store(StoreError::Full)) => return usize::try_from(n).unwrap(),
            Err(other) => panic!("expected a full disk, got {other:?}"),
        }
    }
    unreachable!("the disk is never full")
}

#[tokio::test]
async fn a_disk_full_at_any_page_refuses_the_write_whole_and_heals() {
    let fixture = House::new().await;
    let pages: u32 =
        fixture.connection().pragma_query_value(None, "page_count", |row| row.get(0)).unwrap();
    let House { home, store, me } = fixture;
    drop(store);
    let template = std::fs::read(crate::house::memory_file(home.path())).unwrap();
    for pages_max in pages + 1..pages + PAGES_MORE {
        std::fs::write(crate::house::memory_file(home.path()), &template).unwrap();
        let tight = open(home.path(), Options { pages_max: Some(pages_max), ..Options::default() });
        let acknowledged = fill(&tight, &me).await;
        assert_whole(&tight, &me, acknowledged).await;
        drop(tight);
        let roomy = open(home.path(), Options::default());
        roomy.write(&me, wide(999)).await.unwrap();
        assert_whole(&roomy, &me, acknowledged + 1).await;
        let ids: Vec<MemoryId> = (1..=acknowledged as i64 + 1).map(MemoryId).collect();
        assert_eq!(roomy.memories(&me, &ids).await.unwrap().len(), ids.len(), "{pages_max}");
    }
}

#[tokio::test]
async fn a_full_disk_can_still_be_read_and_forgotten_on() {
    let fixture = House::with(Options { pages_max: Some(120), ..Options::default() }).await;
    let acknowledged = fill(&fixture.store, &fixture.me).await;
    let all: Vec<MemoryId> = (1..=acknowledged as i64).map(MemoryId).collect();
    assert_eq!(fixture.store.memories(&fixture.me, &all).await.unwrap().len(), acknowledged);
    fixture.commit(vec![Change::Forget { memories: all }]).await;
    fixture.remember("there is space again").await;
    assert_whole(&fixture.store, &fixture.me, acknowledged + 2).await;
}
