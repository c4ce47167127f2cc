//! Memories that were proposed on purpose: they count after somebody confirms them.

use crate::fixture::{EngineFixture, agent, owner};
use engine::recall::RecallRequest;
use engine::remember::{RememberOutcome, RememberRequest, RememberStatus};
use engine::review::{ListReviewsRequest, ResolveReviewRequest, ReviewView};
use engine::transcripts::RecordTurnRequest;
use model::{MemoryId, Resolution, Status};

fn proposal(text: &str) -> RememberRequest {
    RememberRequest { proposed: true, only_new: true, ..RememberRequest::text(text) }
}

async fn propose(fixture: &EngineFixture, text: &str) -> RememberOutcome {
    fixture.engine.memories().remember(&agent("codex"), &proposal(text)).await.unwrap()
}

async fn state(fixture: &EngineFixture, text: &str) -> MemoryId {
    let request = RememberRequest::text(text);
    fixture.engine.memories().remember(&agent("codex"), &request).await.unwrap().id.unwrap()
}

async fn open_items(fixture: &EngineFixture) -> Vec<ReviewView> {
    let request = ListReviewsRequest::default();
    fixture.engine.reviews().list(&owner(), &request).await.unwrap().items
}

async fn decide(fixture: &EngineFixture, resolution: Resolution) {
    let item = open_items(fixture).await.remove(0).item.id;
    let request = ResolveReviewRequest::new(item, resolution);
    fixture.engine.reviews().resolve(&owner(), &request).await.unwrap();
}

async fn recalled(fixture: &EngineFixture, query: &str) -> Vec<String> {
    let request = RecallRequest::query(query);
    let found = fixture.engine.memories().recall(&agent("codex"), &request).await.unwrap();
    found.hits.into_iter().map(|hit| hit.memory.text).collect()
}

#[tokio::test]
async fn a_proposal_is_recalled_only_after_it_was_confirmed() {
    let fixture = EngineFixture::new().await;
    let proposed = propose(&fixture, "Staging listens on port 8080.").await;
    assert_eq!(proposed.status, RememberStatus::Proposed);
    assert!(recalled(&fixture, "Which port does staging listen on?").await.is_empty());
    let items = open_items(&fixture).await;
    assert_eq!((items.len(), items[0].against.is_none()), (1, true));
    decide(&fixture, Resolution::Confirm).await;
    let found = recalled(&fixture, "Which port does staging listen on?").await;
    assert_eq!(found, ["Staging listens on port 8080."]);
}

#[tokio::test]
async fn what_is_known_or_was_proposed_or_rejected_is_not_proposed_again() {
    let fixture = EngineFixture::new().await;
    let known = state(&fixture, "The logo is green.").await;
    let again = propose(&fixture, "The logo is green.").await;
    assert_eq!((again.status, again.id), (RememberStatus::Duplicate, Some(known)));
    let first = propose(&fixture, "Staging listens on port 8080.").await;
    let second = propose(&fixture, "Staging listens on port 8080.").await;
    assert_eq!((second.status, second.id), (RememberStatus::Duplicate, first.id));
    assert_eq!(open_items(&fixture).await.len(), 1);
    decide(&fixture, Resolution::Reject).await;
    let third = propose(&fixture, "Staging listens on port 8080.").await;
    assert_eq!((third.status, third.id), (RememberStatus::Duplicate, first.id));
    assert!(open_items(&fixture).await.is_empty());
}

#[tokio::test]
async fn confirming_a_proposal_replaces_the_earlier_value() {
    let fixture = EngineFixture::new().await;
    let earlier = state(&fixture, "Staging listens on port 8080.").await;
    let proposed = propose(&fixture, "Staging listens on port 9090.").await;
    assert!(proposed.superseded.is_empty(), "{proposed:?}");
    let items = open_items(&fixture).await;
    assert_eq!(items[0].against.as_ref().map(|memory| memory.id), Some(earlier));
    assert_eq!(fixture.memory(earlier).await.status, Status::Active);
    decide(&fixture, Resolution::Confirm).await;
    assert_eq!(fixture.memory(earlier).await.status, Status::Superseded);
    let found = recalled(&fixture, "Which port does staging listen on?").await;
    assert_eq!(found[0], "Staging listens on port 9090.");
}

#[tokio::test]
async fn the_words_of_a_turn_are_no_memory_and_hide_none() {
    let fixture = EngineFixture::new().await;
    let earlier = state(&fixture, "Staging listens on port 8080.").await;
    for (turn, text) in
        ["Staging listens on port 9090.", "Staging listens on port 8080."].iter().enumerate()
    {
        let said = RecordTurnRequest {
            turn: format!("t-{turn}"),
            session: "s-1".into(),
            speaker: "user".into(),
            text: (*text).into(),
            ..RecordTurnRequest::default()
        };
        fixture.engine.sessions().record_turn(&agent("codex"), &said).await.unwrap();
    }
    let known = propose(&fixture, "Staging listens on port 8080.").await;
    assert_eq!((known.status, known.id), (RememberStatus::Duplicate, Some(earlier)));
    let new = propose(&fixture, "Staging listens on port 9090.").await;
    assert_eq!(new.status, RememberStatus::Proposed);
    let items = open_items(&fixture).await;
    assert_eq!(items[0].against.as_ref().map(|memory| memory.id), Some(earlier));
}
