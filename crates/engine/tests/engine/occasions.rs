//! Events that happen again: the same words on another day are another event, in the store and in
//! recall; what happens once is told once.

use crate::fixture::{EngineFixture, agent};
use engine::Caller;
use engine::forget::ForgetRequest;
use engine::recall::RecallRequest;
use engine::remember::{RememberRequest, RememberStatus};
use model::{JsonMap, MemoryId, OwnerId, Status};
use serde_json::json;

const DAY_SECONDS: i64 = 86_400;

async fn remember(
    fixture: &EngineFixture,
    text: &str,
    km: Option<u32>,
) -> (MemoryId, RememberStatus) {
    let mut input = RememberRequest::text(text);
    if let Some(km) = km {
        input.metadata = JsonMap::from_iter([("km".to_owned(), json!(km))]);
    }
    let done = fixture.engine.memories().remember(&agent("a"), &input).await.unwrap();
    (done.id.unwrap(), done.status)
}

async fn recalled(fixture: &EngineFixture, query: &str) -> usize {
    let results =
        fixture.engine.memories().recall(&agent("a"), &RecallRequest::query(query)).await.unwrap();
    results.hits.len()
}

#[tokio::test]
async fn two_runs_of_one_day_differ_by_their_details() {
    let fixture = EngineFixture::new().await;
    let first = remember(&fixture, "Morning run", Some(5)).await;
    let second = remember(&fixture, "Morning run", Some(8)).await;
    let again = remember(&fixture, "Morning run", Some(8)).await;
    assert_ne!(first.0, second.0);
    assert_eq!(again.0, second.0);
    assert_eq!(recalled(&fixture, "morning run").await, 2);
}

#[tokio::test]
async fn a_run_of_another_day_is_another_run() {
    let fixture = EngineFixture::new().await;
    let monday = remember(&fixture, "Morning run", None).await.0;
    assert_eq!(remember(&fixture, "Morning run", None).await.0, monday);
    fixture.clock.advance(DAY_SECONDS);
    let tuesday = remember(&fixture, "Morning run", None).await.0;
    assert_ne!(tuesday, monday);
    assert_eq!(remember(&fixture, "Morning run", None).await.0, tuesday);
    assert_eq!(recalled(&fixture, "morning run").await, 2);
}

#[tokio::test]
async fn what_happens_once_is_stored_once() {
    let fixture = EngineFixture::new().await;
    for text in ["We released version 2.0 to everyone.", "Grandpa was born in Riga."] {
        let first = remember(&fixture, text, None).await.0;
        fixture.clock.advance(3 * DAY_SECONDS);
        assert_eq!(remember(&fixture, text, None).await.0, first, "{text}");
    }
}

#[tokio::test]
async fn forgetting_one_of_two_equal_logs_leaves_the_next_one_possible() {
    let fixture = EngineFixture::new().await;
    let monday = remember(&fixture, "Took the pill this morning.", None).await.0;
    fixture.clock.advance(DAY_SECONDS);
    let tuesday = remember(&fixture, "Took the pill this morning.", None).await.0;
    assert_ne!(monday, tuesday);
    let forget = ForgetRequest { memories: vec![monday], dry_run: false };
    fixture.engine.memories().forget(&agent("a"), &forget).await.unwrap();
    assert_eq!(recalled(&fixture, "pill").await, 1);
    fixture.clock.advance(DAY_SECONDS);
    let wednesday = remember(&fixture, "Took the pill this morning.", None).await.0;
    assert_ne!(wednesday, tuesday);
}

#[tokio::test]
async fn a_replaced_memory_is_brought_back_beside_the_newer_one() {
    let fixture = EngineFixture::new().await;
    let old = remember(&fixture, "The retro is on Fridays at 3 pm.", None).await.0;
    let new = remember(&fixture, "The retro is on Thursdays at 3 pm.", None).await.0;
    assert_eq!(fixture.find(old).await.unwrap().status, Status::Superseded);
    fixture.engine.memories().unretire(&Caller::person(OwnerId::me()), &[old]).await.unwrap();
    for id in [old, new] {
        assert_eq!(fixture.find(id).await.unwrap().status, Status::Active);
    }
}
