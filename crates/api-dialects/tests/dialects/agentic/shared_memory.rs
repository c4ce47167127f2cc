//! The memory is shared: what is done through Quipu's own dialect takes effect here, and vice
//! versa.

use super::{each, new_fixture};
use crate::fixture::DialectFixture;
use dialects::{DialectApi, Quipu};
use engine::Caller;
use model::{AgentName, ErrorCode, OwnerId};
use serde_json::{Value, json};

/// Calls a tool of Quipu's own dialect on the same memory.
async fn quipu(fixture: &DialectFixture, tool: &str, given: Value) -> Value {
    let caller = Caller::agent(OwnerId::me(), AgentName::new("claude"), model::Dialect::Quipu);
    let given = given.as_object().unwrap().clone();
    Quipu::default().call(&fixture.engine, &caller, tool, given).await.unwrap()
}

#[tokio::test]
async fn what_one_writes_the_other_finds() {
    let fixture = new_fixture().await;
    let there = quipu(
        &fixture,
        "remember",
        json!({"text": "The staging host is alpha.", "kind": "preference"}),
    )
    .await;
    let here = fixture.call("memory_similar", json!({"query_text": "staging host"})).await;
    assert_eq!(
        (&here["matches"][0]["node_id"], &here["matches"][0]["event_type"]),
        (&there["id"], &json!("preference"))
    );
    let listed = fixture.call("memory_query", json!({"event_types": ["preference"]})).await;
    assert_eq!(listed["count"], 1);
    fixture.node("decision", "We ship on Tuesdays.").await;
    let found = quipu(&fixture, "recall", json!({"query": "when do we ship"})).await;
    assert_eq!(found["memories"][0]["text"], "We ship on Tuesdays.");
}

#[tokio::test]
async fn a_correction_made_in_one_holds_in_both() {
    let fixture = new_fixture().await;
    let old = fixture.node("fact", "The port is 22.").await;
    let new = quipu(&fixture, "correct", json!({"id": old, "text": "The port is 2222."})).await;
    assert_eq!(
        fixture.call("memory_resolve", json!({"node_id": old})).await["resolved_id"],
        new["id"]
    );
    let newer = json!({"old_node_id": old, "new_content": "The port is 22222."});
    fixture.call("memory_correct", newer).await;
    let found = quipu(&fixture, "recall", json!({"query": "port"})).await;
    assert_eq!(each(&found["memories"], "text"), ["The port is 22222."]);
}

#[tokio::test]
async fn what_is_forgotten_in_one_is_gone_in_the_other() {
    let fixture = new_fixture().await;
    let node = fixture.node("fact", "My old address is Elm Street 4.").await;
    quipu(&fixture, "forget", json!({"ids": [node]})).await;
    assert_eq!(
        fixture.call_refused("memory_resolve", json!({"node_id": node})).await.code,
        ErrorCode::NotFound
    );
    let again = json!({"event_type": "fact", "content": "My old address is Elm Street 4."});
    assert_eq!(fixture.call_refused("memory_add", again).await.code, ErrorCode::Forgotten);
}

#[tokio::test]
async fn a_secret_is_refused_here_as_everywhere() {
    let fixture = new_fixture().await;
    let token = format!("The token is ghp_{}", "aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1dE3fG5");
    let refusal =
        fixture.call_refused("memory_add", json!({"event_type": "fact", "content": token})).await;
    assert_eq!(refusal.code, ErrorCode::SecretRefused);
}
