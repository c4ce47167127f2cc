//! Forgetting: removed from every place, with a receipt, and not captured again.

use crate::fixture::{EngineFixture, agent, fields, refused};
use engine::correct::CorrectRequest;
use engine::forget::{ForgetOutcome, ForgetRequest};
use engine::recall::RecallRequest;
use engine::remember::{NewRow, RememberRequest};
use model::{ErrorCode, MemoryId, OwnerId};
use serde_json::json;

async fn forget(fixture: &EngineFixture, ids: &[MemoryId]) -> ForgetOutcome {
    let input = ForgetRequest { memories: ids.to_vec(), ..ForgetRequest::default() };
    fixture.engine.memories().forget(&agent("a"), &input).await.unwrap()
}

#[tokio::test]
async fn a_forgotten_memory_never_comes_back() {
    let fixture = EngineFixture::new().await;
    let id = fixture
        .engine
        .memories()
        .remember(&agent("a"), &RememberRequest::text("My locker code is mauve seven"))
        .await
        .unwrap()
        .id
        .unwrap();
    let done = forget(&fixture, &[id]).await;
    assert_eq!(done.receipt.unwrap().removed_from("memories"), 1);
    assert!(
        fixture
            .engine
            .memories()
            .recall(&agent("a"), &RecallRequest::query("locker code mauve"))
            .await
            .unwrap()
            .hits
            .is_empty()
    );
    assert!(fixture.engine.memories().get(&agent("a"), &[id]).await.unwrap().is_empty());
    let again = fixture
        .engine
        .memories()
        .remember(&agent("a"), &RememberRequest::text("my locker code is  mauve seven"))
        .await;
    let message = refused(again, ErrorCode::Forgotten);
    assert!(message.contains("2026-05-03"), "{message}");
    let allowed = RememberRequest {
        allow_forgotten: true,
        ..RememberRequest::text("My locker code is mauve seven")
    };
    assert_ne!(
        fixture.engine.memories().remember(&agent("a"), &allowed).await.unwrap().id,
        Some(id),
        "ids are not reused"
    );
}

#[tokio::test]
async fn all_versions_are_forgotten_together() {
    let fixture = EngineFixture::new().await;
    let first = fixture
        .engine
        .memories()
        .remember(&agent("a"), &RememberRequest::text("I weigh 90 kilos"))
        .await
        .unwrap()
        .id
        .unwrap();
    let second = fixture
        .engine
        .memories()
        .correct(&agent("a"), &CorrectRequest::new(first, "I weigh 80 kilos"))
        .await
        .unwrap()
        .id
        .unwrap();
    let done = forget(&fixture, &[second]).await;
    let gone: Vec<MemoryId> = done.memories.iter().map(|memory| memory.id).collect();
    assert_eq!(gone, [first, second]);
    assert!(fixture.find(first).await.is_none());
}

#[tokio::test]
async fn forgetting_an_old_value_leaves_the_one_that_was_said_later() {
    let fixture = EngineFixture::new().await;
    let (old, new) = said_twice(&fixture, "I live in Berlin", "I live in Munich").await;
    let dry = ForgetRequest { memories: vec![old], dry_run: true };
    let preview = fixture.engine.memories().forget(&agent("a"), &dry).await.unwrap();
    let done = forget(&fixture, &[old]).await;
    for outcome in [&preview, &done] {
        assert_eq!(outcome.memories.iter().map(|one| one.id).collect::<Vec<_>>(), [old]);
        assert_eq!(outcome.kept.iter().map(|one| one.id).collect::<Vec<_>>(), [new]);
    }
    assert!(fixture.find(old).await.is_none());
    assert!(fixture.find(new).await.is_some());
}

#[tokio::test]
async fn forgetting_the_newest_value_takes_its_history_along() {
    let fixture = EngineFixture::new().await;
    let (old, new) = said_twice(&fixture, "I live in Berlin", "I live in Munich").await;
    let done = forget(&fixture, &[new]).await;
    assert_eq!(done.memories.iter().map(|one| one.id).collect::<Vec<_>>(), [old, new]);
    assert_eq!(done.kept, []);
}

#[tokio::test]
async fn a_text_names_the_value_that_was_replaced() {
    let fixture = EngineFixture::new().await;
    let (old, _) = said_twice(&fixture, "I live in Berlin", "I live in Munich").await;
    let memories = fixture.engine.memories();
    let found = memories.forget_candidates(&agent("a"), "forget that I live in Berlin").await;
    let same: Vec<MemoryId> =
        found.unwrap().iter().filter(|one| one.same).map(|one| one.memory.id).collect();
    assert_eq!(same, [old]);
}

/// Remembers two statements of which the second replaces the first.
async fn said_twice(fixture: &EngineFixture, old: &str, new: &str) -> (MemoryId, MemoryId) {
    let mut ids = Vec::new();
    for text in [old, new] {
        let memories = fixture.engine.memories();
        let done = memories.remember(&agent("a"), &RememberRequest::text(text)).await.unwrap();
        ids.push(done.id.unwrap());
        fixture.clock.advance(60);
    }
    (ids[0], ids[1])
}

#[tokio::test]
async fn the_row_is_forgotten_with_its_memory() {
    let fixture = EngineFixture::new().await;
    let row =
        NewRow { table: "meals".into(), description: None, data: fields(json!({"food": "eel"})) };
    let input = RememberRequest { row: Some(row), ..RememberRequest::text("Eel for dinner") };
    let done = fixture.engine.memories().remember(&agent("a"), &input).await.unwrap();
    let receipt = forget(&fixture, &[done.id.unwrap()]).await.receipt.unwrap();
    assert_eq!(receipt.removed_from("records"), 1);
    let (table, id) = done.row.unwrap();
    assert!(fixture.store.record(&OwnerId::me(), &table, id).await.unwrap().is_none());
}

#[tokio::test]
async fn a_query_only_shows_what_would_be_forgotten() {
    let fixture = EngineFixture::new().await;
    let id = fixture
        .engine
        .memories()
        .remember(&agent("a"), &RememberRequest::text("The old address is Elm Street 4"))
        .await
        .unwrap()
        .id
        .unwrap();
    let near =
        fixture.engine.memories().forget_candidates(&agent("a"), "old address").await.unwrap();
    assert_eq!((near[0].memory.id, near[0].same), (id, false));
    assert!(fixture.find(id).await.is_some());
}

#[tokio::test]
async fn a_dry_run_removes_nothing() {
    let fixture = EngineFixture::new().await;
    let id = fixture
        .engine
        .memories()
        .remember(&agent("a"), &RememberRequest::text("Still here"))
        .await
        .unwrap()
        .id
        .unwrap();
    let input = ForgetRequest { memories: vec![id], dry_run: true };
    assert_eq!(fixture.engine.memories().forget(&agent("a"), &input).await.unwrap().receipt, None);
    assert!(fixture.find(id).await.is_some());
}

#[tokio::test]
async fn forgetting_nothing_or_an_unknown_id_is_refused() {
    let fixture = EngineFixture::new().await;
    refused(
        fixture.engine.memories().forget(&agent("a"), &ForgetRequest::default()).await,
        ErrorCode::InvalidArgument,
    );
    let input = ForgetRequest { memories: vec![MemoryId(5)], ..ForgetRequest::default() };
    refused(fixture.engine.memories().forget(&agent("a"), &input).await, ErrorCode::NotFound);
}
