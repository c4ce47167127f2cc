//! The profile in Quipu's own tools: recall says what the profile says, and a correction of one
//! changes the other.

use crate::fixture::DialectFixture;
use model::ErrorCode;
use serde_json::{Value, json};

async fn profile(fixture: &DialectFixture, patch: Value) -> Value {
    fixture.call("remember", json!({ "profile": patch })).await
}

async fn recalled(fixture: &DialectFixture, query: &str) -> Vec<(Value, String)> {
    let answer = fixture.call("recall", json!({ "query": query })).await;
    let memories = answer["memories"].as_array().unwrap().clone();
    memories
        .into_iter()
        .map(|memory| (memory["id"].clone(), memory["text"].as_str().unwrap().to_owned()))
        .collect()
}

#[tokio::test]
async fn recall_says_what_the_profile_says() {
    let fixture = DialectFixture::new().await;
    profile(
        &fixture,
        json!({"location": {"city": "Lisbon"}, "pets": [
            {"name": "Miso", "kind": "cat"}, {"name": "Rex", "kind": "dog"}
        ]}),
    )
    .await;
    profile(&fixture, json!({"location": {"city": "Porto"}})).await;
    let found = recalled(&fixture, "location city").await;
    assert!(found.iter().any(|(_, text)| text == "location city: Porto"), "{found:?}");
    assert!(found.iter().all(|(_, text)| !text.contains("Lisbon")), "{found:?}");
    let found = recalled(&fixture, "what kind of animal is Miso?").await;
    assert_eq!(found[0].1, "Miso (pets): kind: cat");
}

#[tokio::test]
async fn correcting_a_recalled_value_changes_the_profile() {
    let fixture = DialectFixture::new().await;
    profile(&fixture, json!({"location": {"city": "Lisbon"}})).await;
    let (id, _) = recalled(&fixture, "location city").await.remove(0);
    let done = fixture.call("correct", json!({"id": id, "text": "location city: Porto"})).await;
    assert_eq!(done["profile"]["changed"], json!(["location.city"]));
    let briefing = fixture.call("recall", json!({})).await["briefing"].clone();
    assert_eq!(briefing["profile"]["location"]["city"], "Porto");
    let vague = json!({"id": done["id"], "text": "somewhere warmer"});
    let refusal = fixture.call_refused("correct", vague).await;
    assert_eq!(refusal.code, ErrorCode::InvalidArgument);
    assert!(refusal.message.contains("location.city"), "{refusal}");
}
