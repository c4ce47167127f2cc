//! Maintenance: counts, health checks, compaction and backup.

use super::builders::{
    add, contradiction, document, entity, handoff, link, note_with, record, remember, vector,
};
use super::fixture::StoreFixture;
use model::{Kind, LinkKind, NewSession, Status};
use serde_json::json;
use store::{Change, Ref};

pub async fn counts_cover_every_type_of_item(at: &StoreFixture) {
    let (a, b) = (at.remember("a").await, at.remember("b").await);
    at.write(vec![
        add(note_with("c", |add| {
            add.memory.kind = Kind::new("fact").unwrap();
            add.memory.collection = "journal".into();
            add.memory.project = Some("quipu".into());
            add.vector = Some(vector("m", 1));
        })),
        add(note_with("d", |add| add.memory.status = Status::Proposed)),
        remember("e"),
        Change::SetStatus { memory: Ref::ResultOf(2), status: Status::Retired },
        link(a, b, LinkKind::Supports),
        Change::StartSession(NewSession::default()),
        Change::PutEntity(entity("Ada")),
        record("meals", json!({"n": 1})),
        record("books", json!({"n": 1})),
        Change::StoreHandoff(Box::new(handoff("work"))),
        document("a.md", &["text"]),
        contradiction(a, b),
    ])
    .await;
    let counts = at.store.counts(&at.owner).await.unwrap();
    let in_status = |status| counts.in_status(status);
    assert_eq!(
        (in_status(Status::Active), in_status(Status::Proposed), in_status(Status::Retired)),
        (3, 1, 1)
    );
    assert_eq!(in_status(Status::Superseded), 0);
    assert_eq!(counts.kinds, [("note".to_owned(), 2), ("fact".to_owned(), 1)]);
    assert_eq!(counts.collections, [("memories".to_owned(), 2), ("journal".to_owned(), 1)]);
    assert_eq!(counts.projects, [("quipu".to_owned(), 1)]);
    assert_eq!((counts.links, counts.sessions, counts.entities, counts.records), (1, 1, 1, 2));
    assert_eq!(
        (counts.handoffs, counts.references, counts.reviews_open, counts.events),
        (1, 1, 1, 3)
    );
    assert_eq!(counts.vectors, [("m".to_owned(), 1)]);
    assert!(counts.bytes > 0);
}

pub async fn a_store_in_use_is_sound(at: &StoreFixture) {
    at.remember("anything").await;
    let health = at.store.health(&at.owner).await.unwrap();
    assert!(health.sound, "{health:?}");
    assert!(health.problems.is_empty() && !health.engine.is_empty() && !health.location.is_empty());
}

pub async fn compacting_loses_nothing(at: &StoreFixture) {
    let (kept, gone) = (at.remember("kept").await, at.remember("gone").await);
    at.write(vec![super::builders::forget(&[gone])]).await;
    let (seq, before) = (at.seq().await, at.memory(kept).await);
    at.store.compact(&at.owner).await.unwrap();
    assert_eq!((at.seq().await, at.memory(kept).await), (seq, before));
    assert!(at.remember("next").await > gone);
}

pub async fn a_backup_never_overwrites_a_file(at: &StoreFixture) {
    at.remember("kept twice").await;
    let path = at.free_path("copy.backup");
    at.store.backup(&at.owner, &path).await.unwrap();
    let size = std::fs::metadata(&path).unwrap().len();
    assert!(size > 0);
    at.remember("written later").await;
    assert!(
        at.store.backup(&at.owner, &path).await.is_err(),
        "an existing file is not overwritten"
    );
    assert_eq!(std::fs::metadata(&path).unwrap().len(), size);
}
