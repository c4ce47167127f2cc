//! Forgetting: removed from every place, with a receipt, and not captured again.

use crate::fixture::{EngineFixture, agent, fields, refused};
use engine::correct::CorrectRequest;
use engine::forget::{ForgetOutcome, ForgetRequest};
use engine::recall::RecallRequest;
use engine::remember::{NewRow, RememberRequest};
use model::{ErrorCode, MemoryId, OwnerId};
use serde_json::json;

async fn forget(house: &EngineFixture, ids: &[MemoryId]) -> ForgetOutcome {
    let input = ForgetRequest { memories: ids.to_vec(), ..ForgetRequest::default() };
    house.engine.memories().forget(&agent("a"), &input).await.unwrap()
}

#[tokio::test]
async fn a_forgotten_memory_never_comes_back() {
    let house = EngineFixture::new().await;
    let id = house
        .engine
        .memories()
        .remember(&agent("a"), &RememberRequest::text("My locker code is mauve seven"))
        .await
        .unwrap()
        .id
        .unwrap();
    let done = forget(&house, &[id]).await;
    assert_eq!(done.receipt.unwrap().removed_from("memories"), 1);
    assert!(
        house
            .engine
            .memories()
            .recall(&agent("a"), &RecallRequest::query("locker code mauve"))
            .await
            .unwrap()
            .hits
            .is_empty()
    );
    assert!(house.engine.memories().get(&agent("a"), &[id]).await.unwrap().is_empty());
    let again = house
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
        house.engine.memories().remember(&agent("a"), &allowed).await.unwrap().id,
        Some(id),
        "ids are not reused"
    );
}

#[tokio::test]
async fn all_versions_are_forgotten_together() {
    let house = EngineFixture::new().await;
    let first = house
        .engine
        .memories()
        .remember(&agent("a"), &RememberRequest::text("I weigh 90 kilos"))
        .await
        .unwrap()
        .id
        .unwrap();
    let second = house
        .engine
        .memories()
        .correct(&agent("a"), &CorrectRequest::new(first, "I weigh 80 kilos"))
        .await
        .unwrap()
        .id
        .unwrap();
    let done = forget(&house, &[second]).await;
    let gone: Vec<MemoryId> = done.memories.iter().map(|memory| memory.id).collect();
    assert_eq!(gone, [first, second]);
    assert!(house.find(first).await.is_none());
}

#[tokio::test]
async fn the_row_is_forgotten_with_its_memory() {
    let house = EngineFixture::new().await;
    let row =
        NewRow { table: "meals".into(), description: None, data: fields(json!({"food": "eel"})) };
    let input = RememberRequest { row: Some(row), ..RememberRequest::text("Eel for dinner") };
    let done = house.engine.memories().remember(&agent("a"), &input).await.unwrap();
    let receipt = forget(&house, &[done.id.unwrap()]).await.receipt.unwrap();
    assert_eq!(receipt.removed_from("records"), 1);
    let (table, id) = done.row.unwrap();
    assert!(house.store.record(&OwnerId::me(), &table, id).await.unwrap().is_none());
}

#[tokio::test]
async fn a_query_only_shows_what_would_be_forgotten() {
    let house = EngineFixture::new().await;
    let id = house
        .engine
        .memories()
        .remember(&agent("a"), &RememberRequest::text("The old address is Elm Street 4"))
        .await
        .unwrap()
        .id
        .unwrap();
    let input = ForgetRequest { query: Some("old address".into()), ..ForgetRequest::default() };
    let shown = house.engine.memories().forget(&agent("a"), &input).await.unwrap();
    assert_eq!(shown.receipt, None);
    assert_eq!(shown.memories[0].id, id);
    assert!(house.find(id).await.is_some());
}

#[tokio::test]
async fn a_dry_run_removes_nothing() {
    let house = EngineFixture::new().await;
    let id = house
        .engine
        .memories()
        .remember(&agent("a"), &RememberRequest::text("Still here"))
        .await
        .unwrap()
        .id
        .unwrap();
    let input = ForgetRequest { memories: vec![id], dry_run: true, ..ForgetRequest::default() };
    assert_eq!(house.engine.memories().forget(&agent("a"), &input).await.unwrap().receipt, None);
    assert!(house.find(id).await.is_some());
}

#[tokio::test]
async fn forgetting_nothing_or_an_unknown_id_is_refused() {
    let house = EngineFixture::new().await;
    refused(
        house.engine.memories().forget(&agent("a"), &ForgetRequest::default()).await,
        ErrorCode::InvalidArgument,
    );
    let input = ForgetRequest { memories: vec![MemoryId(5)], ..ForgetRequest::default() };
    refused(house.engine.memories().forget(&agent("a"), &input).await, ErrorCode::NotFound);
}
