//! The view: up to date across processes, loaded from a snapshot, and never trusting a damaged one.

use crate::fixture::{EngineFixture, agent, fields, owner};
use engine::Engine;
use engine::correct::CorrectRequest;
use engine::forget::ForgetRequest;
use engine::recall::RecallRequest;
use engine::reembed::ReembedOutcome;
use engine::remember::{NewRow, RememberRequest};
use model::{Moment, OwnerId};
use serde_json::json;
use std::sync::Arc;
use std::time::Duration;
use store::{Control, Store};
use testkit::{FailingStore, Interruption};

async fn texts(engine: &Engine, query: &str) -> Vec<String> {
    let found = engine.memories().recall(&agent("b"), &RecallRequest::query(query)).await.unwrap();
    found.hits.into_iter().map(|hit| hit.memory.text).collect()
}

/// Creates enough memories for a snapshot.
async fn filled_fixture() -> EngineFixture {
    let fixture = EngineFixture::new().await;
    for number in 0..600 {
        fixture
            .add("a", &format!("Service number {number} runs in rack {}", number % 7), |_| {})
            .await;
    }
    fixture
}

#[tokio::test]
async fn a_write_by_another_process_is_seen_by_the_next_read() {
    let fixture = EngineFixture::new().await;
    let (one, two) = (fixture.reopen(None), fixture.reopen(None));
    assert!(texts(&two, "harbour").await.is_empty());
    let id = one
        .memories()
        .remember(&agent("a"), &RememberRequest::text("The harbour opens at six"))
        .await
        .unwrap()
        .id
        .unwrap();
    assert_eq!(texts(&two, "harbour").await, ["The harbour opens at six"]);
    two.memories()
        .correct(&agent("b"), &CorrectRequest::new(id, "The harbour opens at seven"))
        .await
        .unwrap();
    assert_eq!(texts(&one, "harbour").await, ["The harbour opens at seven"]);
    let found =
        one.memories().recall(&agent("a"), &RecallRequest::query("harbour")).await.unwrap().hits[0]
            .memory
            .id;
    one.memories()
        .forget(&owner(), &ForgetRequest { memories: vec![found], ..ForgetRequest::default() })
        .await
        .unwrap();
    assert!(texts(&two, "harbour").await.is_empty());
}

#[tokio::test]
async fn a_snapshot_gives_the_same_results_as_the_store() {
    let fixture = filled_fixture().await;
    let path = fixture.path("view.snapshot");
    let first = fixture.reopen(Some(path.clone()));
    let expected = texts(&first, "service number 42 rack").await;
    assert!(!expected.is_empty());
    first.flush().await;
    assert!(path.exists());
    assert_eq!(
        texts(&fixture.reopen(Some(path.clone())), "service number 42 rack").await,
        expected
    );
    fixture.add("a", "Service number 9999 is brand new", |_| {}).await;
    assert_eq!(
        texts(&fixture.reopen(Some(path)), "9999").await,
        ["Service number 9999 is brand new"]
    );
}

/// Returns an agent of another owner.
async fn agent_of(fixture: &EngineFixture, name: &str) -> engine::Caller {
    let owner = OwnerId::new(name).unwrap();
    fixture.control().create_owner(&owner, fixture.now()).await.unwrap();
    engine::Caller { owner, ..agent("b") }
}

#[tokio::test]
async fn the_least_used_view_is_dropped_with_a_snapshot_when_there_are_too_many() {
    let fixture = filled_fixture().await;
    let engine = fixture.reopen_with_view_memory(1);
    let expected = texts(&engine, "service number 42 rack").await;
    assert_eq!(engine.core().view_count(), 1, "the view in use stays, even above the budget");
    let other = agent_of(&fixture, "ada").await;
    let note = RememberRequest::text("The ferry leaves at nine");
    engine.memories().remember(&other, &note).await.unwrap();
    let found = engine.memories().recall(&other, &RecallRequest::query("ferry")).await.unwrap();
    assert_eq!(found.hits.len(), 1);
    assert_eq!(engine.core().view_count(), 1);
    assert!(fixture.path("me.snapshot").exists(), "written before the view was dropped");
    assert_eq!(texts(&engine, "service number 42 rack").await, expected);
}

#[tokio::test]
async fn a_view_that_nobody_reads_is_dropped_with_a_snapshot_and_loaded_again() {
    let fixture = filled_fixture().await;
    let engine = fixture.reopen_with_view_memory(64 << 20);
    let expected = texts(&engine, "service number 42 rack").await;
    engine.drop_idle_views().await;
    assert_eq!(engine.core().view_count(), 1, "it was read since the last look");
    engine.drop_idle_views().await;
    assert_eq!(engine.core().view_count(), 0);
    assert!(fixture.path("me.snapshot").exists(), "written before the view was dropped");
    assert_eq!(texts(&engine, "service number 42 rack").await, expected);
    engine.drop_idle_views().await;
    assert_eq!(engine.core().view_count(), 1);
}

#[tokio::test]
async fn a_small_view_in_use_is_not_written_before_it_is_dropped() {
    let fixture = filled_fixture().await;
    let engine = fixture.reopen_with_view_memory(64 << 20);
    texts(&engine, "service number 42 rack").await;
    engine.save_views_in_use().await;
    assert!(!fixture.path("me.snapshot").exists());
    assert_eq!(engine.core().view_count(), 1);
}

#[tokio::test]
async fn views_within_their_memory_stay() {
    let fixture = filled_fixture().await;
    let engine = fixture.reopen_with_view_memory(64 << 20);
    for name in ["ada", "bob", "cleo"] {
        let caller = agent_of(&fixture, name).await;
        let note = RememberRequest::text("The ferry leaves at nine");
        engine.memories().remember(&caller, &note).await.unwrap();
    }
    texts(&engine, "rack").await;
    assert_eq!(engine.core().view_count(), 4);
}

#[tokio::test]
async fn a_damaged_or_foreign_snapshot_is_ignored() {
    let fixture = filled_fixture().await;
    let path = fixture.path("view.snapshot");
    let engine = fixture.reopen(Some(path.clone()));
    let expected = texts(&engine, "service number 7 rack").await;
    engine.flush().await;
    let sound = std::fs::read(&path).unwrap();
    let mut flipped = sound.clone();
    let middle = flipped.len() / 2;
    flipped[middle] ^= 0xFF;
    for spoiled in
        [flipped, sound[..sound.len() / 3].to_vec(), b"not a snapshot".to_vec(), Vec::new()]
    {
        std::fs::write(&path, spoiled).unwrap();
        assert_eq!(
            texts(&fixture.reopen(Some(path.clone())), "service number 7 rack").await,
            expected
        );
    }
    let stranger = EngineFixture::new().await;
    std::fs::write(&path, sound).unwrap();
    assert!(texts(&stranger.reopen(Some(path)), "service number 7 rack").await.is_empty());
}

#[tokio::test]
async fn a_search_that_reads_damage_answers_from_a_view_that_is_built_again() {
    let fixture = filled_fixture().await;
    let path = fixture.path("view.snapshot");
    let engine = fixture.reopen(Some(path.clone()));
    while engine.admin().reembed(&agent("b"), 1_000).await.unwrap() != ReembedOutcome::Complete {}
    let expected = texts(&engine, "service number 7 rack").await;
    engine.flush().await;
    let sound = std::fs::read(&path).unwrap();
    let mut noticed = 0;
    for at in (0..sound.len()).step_by(4 << 10) {
        let mut damaged = sound.clone();
        let end = damaged.len().min(at + 512);
        damaged[at..end].iter_mut().for_each(|byte| *byte ^= 0x55);
        std::fs::write(&path, damaged).unwrap();
        let engine = fixture.reopen(Some(path.clone()));
        assert_eq!(texts(&engine, "service number 7 rack").await, expected, "byte {at}");
        noticed += usize::from(!path.exists());
    }
    let pages = sound.len() / (4 << 10);
    assert!(noticed > pages / 2, "{noticed} of {pages}: only what the question reads is checked");
}

#[tokio::test]
async fn a_forgotten_word_is_not_in_the_snapshot() {
    let fixture = filled_fixture().await;
    let path = fixture.path("view.snapshot");
    let engine = fixture.reopen(Some(path.clone()));
    let row = NewRow {
        table: "t".into(),
        description: None,
        data: fields(json!({"word": "xylophonist"})),
    };
    let input = RememberRequest {
        row: Some(row),
        ..RememberRequest::text("The xylophonist lives upstairs")
    };
    let id = engine.memories().remember(&agent("a"), &input).await.unwrap().id.unwrap();
    texts(&engine, "upstairs").await;
    engine.flush().await;
    let holds = |bytes: Vec<u8>| bytes.windows(9).any(|some| some == b"xylophoni");
    assert!(holds(std::fs::read(&path).unwrap()), "the word is in the snapshot at first");
    let done = engine
        .memories()
        .forget(&agent("a"), &ForgetRequest { memories: vec![id], ..ForgetRequest::default() })
        .await
        .unwrap();
    assert_eq!(done.receipt.unwrap().removed_from("view snapshot"), 1);
    engine.flush().await;
    assert!(!path.exists() || !holds(std::fs::read(&path).unwrap()));
}

#[tokio::test]
async fn a_process_that_is_behind_saves_no_forgotten_word() {
    let fixture = filled_fixture().await;
    let path = fixture.path("view.snapshot");
    let (forgetting, behind) = (fixture.reopen(None), fixture.reopen(Some(path.clone())));
    let input = RememberRequest::text("The xylophonist lives upstairs");
    let id = forgetting.memories().remember(&agent("a"), &input).await.unwrap().id.unwrap();
    texts(&behind, "upstairs").await;
    let forget = ForgetRequest { memories: vec![id], ..ForgetRequest::default() };
    forgetting.memories().forget(&agent("a"), &forget).await.unwrap();
    behind.flush().await;
    let bytes = std::fs::read(&path).unwrap();
    assert!(!bytes.windows(9).any(|some| some == b"xylophoni"));
}

#[tokio::test]
async fn after_a_change_of_model_words_alone_answer_until_re_embedding() {
    let fixture = EngineFixture::new().await;
    for number in 0..5 {
        let text = format!("Tower {number} has a green lamp");
        fixture
            .engine
            .memories()
            .remember(&agent("a"), &RememberRequest::text(text))
            .await
            .unwrap();
    }
    let other = fixture.reopen_with_another_model();
    let explained =
        RecallRequest { explain: true, ..RecallRequest::query("green lamp of tower 3") };
    let parts = |found: &engine::recall::RecallResults| -> Vec<&str> {
        found.hits[0].parts.iter().map(|(name, _)| *name).collect()
    };
    let meanwhile = other.memories().recall(&agent("b"), &explained).await.unwrap();
    assert_eq!(meanwhile.hits[0].memory.text, "Tower 3 has a green lamp");
    assert!(!parts(&meanwhile).contains(&"meaning"), "vectors of two models are never compared");
    let before = other.admin().embedding_progress(&agent("b")).await.unwrap();
    assert_eq!((before.done, before.total, before.is_complete()), (0, 5, false));
    assert_eq!(other.admin().reembed(&agent("b"), 3).await.unwrap(), ReembedOutcome::Embedded(3));
    assert_eq!(other.admin().embedding_progress(&agent("b")).await.unwrap().done, 3);
    assert_eq!(other.admin().reembed(&agent("b"), 100).await.unwrap(), ReembedOutcome::Embedded(2));
    assert_eq!(other.admin().reembed(&agent("b"), 100).await.unwrap(), ReembedOutcome::Complete);
    assert!(other.admin().embedding_progress(&agent("b")).await.unwrap().is_complete());
    assert!(
        parts(&other.memories().recall(&agent("b"), &explained).await.unwrap())
            .contains(&"meaning")
    );
}

/// Number of calls of the store that a first recall makes, and a few more.
const CALLS_OF_A_RECALL: usize = 10;

/// Recalls on a store that another process changes right before one of the calls.
async fn recall_interrupted(
    fixture: &EngineFixture,
    nth: usize,
    by: Interruption,
) -> Result<usize, model::Failure> {
    let store = Arc::new(FailingStore::new(fixture.second_store()));
    store.seq(&OwnerId::me()).await.unwrap();
    store.interrupt_before(nth, by);
    let engine = fixture.reopen_on(store);
    let recalling = tokio::spawn(async move {
        let found = engine.memories().recall(&agent("b"), &RecallRequest::query("harbour")).await;
        found.map(|found| found.hits.len())
    });
    let ended = tokio::time::timeout(Duration::from_secs(30), recalling).await;
    ended
        .unwrap_or_else(|_| panic!("a recall that was interrupted before call {nth} hangs"))
        .unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn catching_up_ends_when_another_process_erases_the_memory() {
    for nth in 1..=CALLS_OF_A_RECALL {
        let fixture = EngineFixture::new().await;
        for number in 0..3 {
            fixture.add("a", &format!("Boat {number} is in the harbour"), |_| {}).await;
        }
        let other = fixture.second_store();
        let erase = async move { other.erase_owner(&OwnerId::me()).await.map(drop).unwrap() };
        // Either is right: it was read before, or it is gone.
        let _ = recall_interrupted(&fixture, nth, Box::pin(erase)).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn catching_up_ends_when_another_memory_with_fewer_changes_takes_its_place() {
    for nth in 1..=CALLS_OF_A_RECALL {
        let fixture = EngineFixture::new().await;
        for number in 0..3 {
            fixture.add("a", &format!("Boat {number} is in the harbour"), |_| {}).await;
        }
        let other = fixture.second_store();
        let replace = async move {
            other.erase_owner(&OwnerId::me()).await.unwrap();
            other.create_owner(&OwnerId::me(), Moment(0)).await.unwrap();
        };
        let found = recall_interrupted(&fixture, nth, Box::pin(replace)).await;
        assert!(matches!(found, Ok(0 | 3) | Err(_)), "call {nth}: {found:?}");
    }
}
