//! Transcripts: stored once, weighed below statements, and gone after their time.

use crate::fixture::{EngineFixture, agent};
use engine::briefing::BriefingRequest;
use engine::forget::ForgetRequest;
use engine::recall::{RecallRequest, RecallResults};
use engine::remember::RememberRequest;
use engine::sessions::{EndSessionRequest, SessionRef};
use engine::transcripts::{COLLECTION, RecordTurnRequest};
use model::{ErrorCode, Kind, Memory, MemoryId};

fn turn(id: &str, speaker: &str, text: &str) -> RecordTurnRequest {
    RecordTurnRequest {
        turn: id.into(),
        session: "s-1".into(),
        speaker: speaker.into(),
        text: text.into(),
        ..RecordTurnRequest::default()
    }
}

async fn record(fixture: &EngineFixture, input: &RecordTurnRequest) -> MemoryId {
    fixture.engine.sessions().record_turn(&agent("codex"), input).await.unwrap()
}

async fn recall(fixture: &EngineFixture, query: &str) -> RecallResults {
    let request = RecallRequest { include_weak: true, ..RecallRequest::query(query) };
    fixture.engine.memories().recall(&agent("codex"), &request).await.unwrap()
}

#[tokio::test]
async fn a_turn_is_stored_once_however_often_it_is_recorded() {
    let fixture = EngineFixture::new().await;
    let said = turn("t-1", "user", "Staging listens on port 8080.");
    let first = record(&fixture, &said).await;
    assert_eq!(record(&fixture, &said).await, first);
    let again = record(&fixture, &turn("t-2", "user", "Staging listens on port 8080.")).await;
    assert_ne!(again, first, "said twice");
    let known = fixture.engine.sessions().recorded_turns(&agent("codex"), "s-1").await.unwrap();
    assert_eq!(known, ["t-1".to_owned(), "t-2".to_owned()].into());
    let other = fixture.engine.sessions().recorded_turns(&agent("codex"), "s-2").await.unwrap();
    assert!(other.is_empty());
}

#[tokio::test]
async fn an_ordinary_recall_shows_a_statement_before_a_turn() {
    let fixture = EngineFixture::new().await;
    for number in 0..30 {
        let text = format!("Which port does staging listen on, number {number}?");
        record(&fixture, &turn(&format!("t-{number}"), "user", &text)).await;
    }
    let statement = RememberRequest::text("Staging listens on port 8080.");
    let stated = fixture.engine.memories().remember(&agent("codex"), &statement).await.unwrap();
    record(&fixture, &turn("t-30", "user", "Staging listens on port 8080.")).await;
    let found = recall(&fixture, "Which port does staging listen on?").await;
    assert_eq!(Some(found.hits[0].memory.id), stated.id);
    assert!(found.hits.iter().any(|hit| hit.memory.collection == COLLECTION), "turns follow");
}

#[tokio::test]
async fn a_turn_contradicts_nothing_and_is_in_no_briefing() {
    let fixture = EngineFixture::new().await;
    let statement = RememberRequest::text("Staging listens on port 8080.");
    let stated = fixture.engine.memories().remember(&agent("codex"), &statement).await.unwrap();
    record(&fixture, &turn("t-1", "assistant", "Staging listens on port 9090.")).await;
    let request = BriefingRequest::default();
    let briefing = fixture.engine.memories().briefing(&agent("codex"), &request).await.unwrap();
    let shown: Vec<MemoryId> = briefing.memories().map(|memory| memory.id).collect();
    assert_eq!(shown, Vec::from_iter(stated.id));
    assert_eq!(briefing.inventory.reviews, 0);
}

#[tokio::test]
async fn a_turn_is_not_recalled_after_its_time() {
    let fixture = EngineFixture::new().await;
    let at = fixture.engine.now();
    let said = RecordTurnRequest {
        expires: Some(at.plus_days(180)),
        ..turn("t-1", "user", "Zanzibar is the codename.")
    };
    record(&fixture, &said).await;
    assert_eq!(recall(&fixture, "Zanzibar codename").await.hits.len(), 1);
    fixture.clock.set(at.plus_days(181));
    assert_eq!(recall(&fixture, "Zanzibar codename").await.hits.len(), 0);
}

#[tokio::test]
async fn a_forgotten_text_is_not_recorded_again() {
    let fixture = EngineFixture::new().await;
    let said = turn("t-1", "user", "My old address is Elm Street 4.");
    let id = record(&fixture, &said).await;
    let forget = ForgetRequest { memories: vec![id], dry_run: false };
    let owner = crate::fixture::owner();
    fixture.engine.memories().forget(&owner, &forget).await.unwrap();
    let again = turn("t-2", "user", "My old address is Elm Street 4.");
    let refused = fixture.engine.sessions().record_turn(&agent("codex"), &again).await;
    assert_eq!(refused.unwrap_err().code, ErrorCode::Forgotten);
}

async fn end(fixture: &EngineFixture) -> Option<Memory> {
    let session = Some(SessionRef::Key("s-1".into()));
    let request = EndSessionRequest { session, ..EndSessionRequest::default() };
    fixture.engine.sessions().end(&agent("codex"), &request).await.unwrap().episode
}

#[tokio::test]
async fn the_episode_of_a_session_is_made_from_its_turns_and_linked_to_them() {
    let fixture = EngineFixture::new().await;
    let asked = turn("t-1", "user", "Please add a login page. We use Auth0 for authentication.");
    let first = record(&fixture, &asked).await;
    record(&fixture, &turn("t-2", "assistant", "I added the page and a test for it.")).await;
    record(&fixture, &turn("t-3", "user", "ok")).await;
    let episode = end(&fixture).await.unwrap();
    assert_eq!((&episode.kind, &*episode.collection), (&Kind::episode(), COLLECTION));
    assert!(episode.text.contains("Learned:\n- We use Auth0 for authentication."), "{episode:?}");
    assert!(episode.text.contains("Noted:\n- I added the page"), "{}", episode.text);
    let request = BriefingRequest::default();
    let briefing = fixture.engine.memories().briefing(&agent("codex"), &request).await.unwrap();
    assert_eq!(briefing.episode.map(|shown| shown.id), Some(episode.id));
    let forget = ForgetRequest { memories: vec![first], dry_run: false };
    fixture.engine.memories().forget(&crate::fixture::owner(), &forget).await.unwrap();
    let left = fixture.memory(episode.id).await;
    assert!(!left.text.contains("Auth0") && left.text.contains("I added the page"), "{left:?}");
}

#[tokio::test]
async fn the_episode_of_a_session_with_memories_quotes_those_alone() {
    let fixture = EngineFixture::new().await;
    record(&fixture, &turn("t-1", "user", "Please add a login page to the shop.")).await;
    let kept = RememberRequest {
        session: Some(SessionRef::Key("s-1".into())),
        ..RememberRequest::text("The shop has a login page.")
    };
    fixture.engine.memories().remember(&agent("codex"), &kept).await.unwrap();
    let episode = end(&fixture).await.unwrap();
    assert_eq!(episode.collection, "memories");
    assert!(!episode.text.contains("Please add"), "{}", episode.text);
}
