//! One memory: what is done through Quipu's own dialect takes effect here, and the other way round.

use super::{each, house};
use crate::house::House;
use dialects::{Dialect, Quipu};
use engine::Caller;
use model::{AgentName, ErrorCode, OwnerId};
use serde_json::{Value, json};

/// Calls a tool of Quipu's own dialect on the same memory.
async fn quipu(house: &House, tool: &str, given: Value) -> Value {
    let caller = Caller::agent(OwnerId::me(), AgentName::new("codex"), model::Dialect::Quipu);
    let given = given.as_object().unwrap().clone();
    Quipu::default().call(&house.engine, &caller, tool, given).await.unwrap()
}

#[tokio::test]
async fn what_one_writes_the_other_finds() {
    let house = house().await;
    let there = quipu(
        &house,
        "remember",
        json!({"text": "The staging host is alpha.", "kind": "preference"}),
    )
    .await;
    let here = house.call("memory_similar", json!({"query_text": "staging host"})).await;
    assert_eq!(
        (&here["matches"][0]["node_id"], &here["matches"][0]["event_type"]),
        (&there["id"], &json!("preference"))
    );
    let listed = house.call("memory_query", json!({"event_types": ["preference"]})).await;
    assert_eq!(listed["count"], 1);
    house.node("decision", "We ship on Tuesdays.").await;
    let found = quipu(&house, "recall", json!({"query": "when do we ship"})).await;
    assert_eq!(found["memories"][0]["text"], "We ship on Tuesdays.");
}

#[tokio::test]
async fn a_correction_made_in_one_holds_in_both() {
    let house = house().await;
    let old = house.node("fact", "The port is 22.").await;
    let new = quipu(&house, "correct", json!({"id": old, "text": "The port is 2222."})).await;
    assert_eq!(
        house.call("memory_resolve", json!({"node_id": old})).await["resolved_id"],
        new["id"]
    );
    let newer = json!({"old_node_id": old, "new_content": "The port is 22222."});
    house.call("memory_correct", newer).await;
    let found = quipu(&house, "recall", json!({"query": "port"})).await;
    assert_eq!(each(&found["memories"], "text"), ["The port is 22222."]);
}

#[tokio::test]
async fn what_is_forgotten_in_one_is_gone_in_the_other() {
    let house = house().await;
    let node = house.node("fact", "My old address is Elm Street 4.").await;
    quipu(&house, "forget", json!({"ids": [node]})).await;
    assert_eq!(
        house.refused("memory_resolve", json!({"node_id": node})).await.code,
        ErrorCode::NotFound
    );
    let again = json!({"event_type": "fact", "content": "My old address is Elm Street 4."});
    assert_eq!(house.refused("memory_add", again).await.code, ErrorCode::Forgotten);
}

#[tokio::test]
async fn a_secret_is_refused_here_as_everywhere() {
    let house = house().await;
    let token = format!("The token is ghp_{}", "aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1dE3fG5");
    let refusal =
        house.refused("memory_add", json!({"event_type": "fact", "content": token})).await;
    assert_eq!(refusal.code, ErrorCode::SecretRefused);
}
