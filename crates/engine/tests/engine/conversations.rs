//! Messages of a conversation that are stored one by one: small talk asks for no review, and a
//! change that a message tells is noticed.

use crate::fixture::{EngineFixture, agent, owner};
use engine::remember::{RememberOutcome, RememberRequest};
use engine::review::ListReviewsRequest;
use model::{MemoryId, Status};

async fn remember(fixture: &EngineFixture, text: &str) -> RememberOutcome {
    let input = RememberRequest::text(text);
    fixture.engine.memories().remember(&agent("a"), &input).await.unwrap()
}

/// Stores messages one after the other. Returns the number of open review items.
async fn reviews_of(messages: &[&str]) -> usize {
    let fixture = EngineFixture::new().await;
    for message in messages {
        remember(&fixture, message).await;
    }
    let all = ListReviewsRequest::default();
    fixture.engine.reviews().list(&owner(), &all).await.unwrap().items.len()
}

async fn status(fixture: &EngineFixture, id: Option<MemoryId>) -> Status {
    fixture.memory(id.unwrap()).await.status
}

#[tokio::test]
async fn small_talk_asks_for_no_review() {
    let messages = [
        "Take care, Sam! I'll catch up with you later.",
        "Take care, buddy. Hang in there!",
        "I'm thinking of making a strawberry shortcake. Is that hard?",
        "I'm thinking of making a sourdough shortcake instead. It was fun last time.",
        "Sorry to hear that, Sam. How are you?",
        "Sorry to hear that things haven't been going well, Sam. What happened?",
        "It's always been calming and fun. You should come along.",
        "Haven't tried it yet, but it looks calming and fun. Thanks!",
    ];
    assert_eq!(reviews_of(&messages).await, 0);
}

#[tokio::test]
async fn a_change_told_in_a_message_asks_for_a_review() {
    let messages = [
        "Nice to meet you! I live in Porto, close to the river.",
        "Guess what? I no longer live in Porto. See you!",
    ];
    assert_eq!(reviews_of(&messages).await, 1);
}

#[tokio::test]
async fn an_explicit_change_replaces_at_once() {
    for (earlier, later) in [
        ("The API listens on port 8080", "We changed the API's port to 9090"),
        ("The Q3 budget is 40k.", "Finance cut the Q3 budget to 32k."),
        ("My phone is a Pixel 6.", "I replaced my Pixel 6 with a Fairphone 5."),
    ] {
        let fixture = EngineFixture::new().await;
        let old = remember(&fixture, earlier).await.id;
        let new = remember(&fixture, later).await;
        assert_eq!(status(&fixture, old).await, Status::Superseded, "{later}");
        assert_eq!(status(&fixture, new.id).await, Status::Active, "{later}");
    }
}

#[tokio::test]
async fn the_same_value_in_other_words_replaces_nothing() {
    let fixture = EngineFixture::new().await;
    let first = remember(&fixture, "I'm down to 78 kilos").await.id;
    let second = remember(&fixture, "My weight: down to 78 kilos").await;
    assert!(second.superseded.is_empty() && second.conflicts.is_empty());
    assert_eq!(status(&fixture, first).await, Status::Active);
}
