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
