//! Corrections that are easily lost: of spelling only, to the text of another node, and back to an
//! earlier text.

use super::{each, new_fixture};
use model::ErrorCode;
use serde_json::json;

#[tokio::test]
async fn a_correction_of_spelling_alone_replaces_the_old_node() {
    let fixture = new_fixture().await;
    let old = fixture.node("fact", "we use  postgresql.").await;
    let given = json!({"old_node_id": old, "new_content": "We use PostgreSQL."});
    let answer = fixture.call("memory_correct", given.clone()).await;
    assert_ne!(answer["new_node_id"], old);
    let nodes = fixture.call("memory_query", json!({})).await["nodes"].clone();
    assert_eq!(each(&nodes, "content"), ["We use PostgreSQL."]);
    let again = fixture.call("memory_correct", given).await;
    assert_eq!(again["new_node_id"], answer["new_node_id"], "and the same again changes nothing");
    assert!(again["notes"][0].as_str().unwrap().contains("already"), "{again}");
}

#[tokio::test]
async fn a_node_with_a_supersedes_edge_that_only_respells_its_target_replaces_it() {
    let fixture = new_fixture().await;
    let old = fixture.node("fact", "the api runs on port 8080.").await;
    let new = fixture.node_to("fact", "The API runs on port 8080.", "supersedes", old).await;
    let nodes = fixture.call("memory_query", json!({})).await["nodes"].clone();
    assert_eq!(each(&nodes, "id"), [new]);
    assert_eq!(fixture.call("memory_resolve", json!({"node_id": old})).await["resolved_id"], new);
}

#[tokio::test]
async fn a_correction_that_says_the_same_is_refused() {
    let fixture = new_fixture().await;
    let node = fixture.node("fact", "The port is 22.").await;
    let given = json!({"old_node_id": node, "new_content": " The port is 22. "});
    let refusal = fixture.call_refused("memory_correct", given).await;
    assert_eq!(refusal.code, ErrorCode::InvalidArgument);
    assert!(refusal.message.contains("already"), "{refusal}");
    assert_eq!(fixture.call("memory_stats", json!({})).await["superseded_count"], 0);
}

#[tokio::test]
async fn a_correction_may_return_to_an_earlier_text() {
    let fixture = new_fixture().await;
    let first = fixture.node("fact", "The port is 22.").await;
    let new = json!({"old_node_id": first, "new_content": "The port is 2222."});
    let second = fixture.call("memory_correct", new).await["new_node_id"].clone();
    for wrong in [&json!(first), &second] {
        let back = json!({"old_node_id": wrong, "new_content": "The port is 22."});
        let answer = fixture.call("memory_correct", back).await;
        let latest = fixture.call("memory_resolve", json!({"node_id": first})).await;
        assert_eq!(latest["latest"]["content"], "The port is 22.");
        assert_eq!(latest["resolved_id"], answer["new_node_id"]);
    }
}

#[tokio::test]
async fn a_correction_to_the_text_of_another_node_resolves_to_that_node() {
    let fixture = new_fixture().await;
    let wrong = fixture.node("fact", "Ada likes Bern.").await;
    let right = fixture.node("fact", "Ada likes Basel.").await;
    let given = json!({"old_node_id": wrong, "new_content": "Ada likes Basel.", "confidence": 0.2});
    let answer = fixture.call("memory_correct", given).await;
    assert_eq!((&answer["new_node_id"], &answer["supersedes"]), (&json!(right), &json!(true)));
    assert!(answer["notes"][0].as_str().unwrap().contains("already"), "{answer}");
    let nodes = fixture.call("memory_query", json!({})).await["nodes"].clone();
    assert_eq!(
        (each(&nodes, "id"), each(&nodes, "confidence")),
        (vec![&json!(right)], vec![&json!(0.9)])
    );
}

#[tokio::test]
async fn the_reason_of_a_correction_has_two_thousand_characters_at_most() {
    let fixture = new_fixture().await;
    let node = fixture.node("fact", "The port is 22.").await;
    let given = |length: usize| {
        json!({
            "old_node_id": node,
            "new_content": "It is 23.",
            "reason": "ä".repeat(length),
        })
    };
    assert_eq!(
        fixture.call_refused("memory_correct", given(2_001)).await.code,
        ErrorCode::LimitExceeded
    );
    fixture.call("memory_correct", given(2_000)).await;
}

#[tokio::test]
async fn an_edge_that_is_given_twice_is_one_edge() {
    let fixture = new_fixture().await;
    let ground = fixture.node("fact", "It rains.").await;
    let edge =
        |weight: f64| json!({"target_id": ground, "edge_type": "caused_by", "weight": weight});
    let given = json!({
        "event_type": "decision",
        "content": "Take an umbrella.",
        "edges": [edge(0.2), edge(0.7)],
    });
    let answer = fixture.call("memory_add", given).await;
    assert_eq!(answer["edges_created"], 2, "the edge and the chain's");
    let walk = json!({"start_id": answer["node_id"], "edge_types": ["caused_by"]});
    let walked = fixture.call("memory_traverse", walk).await;
    assert_eq!(each(&walked["edges_traversed"], "weight"), [&json!(0.7)]);
}

#[tokio::test]
async fn a_repeated_text_keeps_its_type_and_gains_the_new_edges() {
    let fixture = new_fixture().await;
    let ground = fixture.node("fact", "It rains.").await;
    let node = fixture.node("decision", "Take an umbrella.").await;
    fixture.call("session_start", json!({})).await;
    let edges = json!([{"target_id": ground, "edge_type": "caused_by"}]);
    let again = json!({"event_type": "fact", "content": "Take an umbrella.", "edges": edges});
    let answer = fixture.call("memory_add", again).await;
    assert_eq!((&answer["node_id"], &answer["duplicate"]), (&json!(node), &json!(true)));
    assert_eq!((&answer["event_type"], &answer["edges_created"]), (&json!("decision"), &json!(1)));
    assert_eq!(answer["session_id"], 1, "where it was said first");
    let walked = fixture
        .call("memory_traverse", json!({"start_id": node, "edge_types": ["caused_by"]}))
        .await;
    assert_eq!(each(&walked["visited"], "id"), [node, ground]);
}

#[tokio::test]
async fn contradictions_of_a_new_node_or_a_correction_are_reported_and_counted() {
    let fixture = new_fixture().await;
    let first = fixture.node("fact", "The API uses TLS.").await;
    let given = json!({"event_type": "fact", "content": "The API does not use TLS."});
    let added = fixture.call("memory_add", given).await;
    assert_eq!(each(&added["conflicts"], "node_id"), [first]);
    assert_eq!(added["edges_created"], 2, "the chain's and the contradiction's");
    let other = fixture.node("fact", "The team meets at nine.").await;
    let given = json!({"old_node_id": other, "new_content": "The public API uses TLS."});
    let corrected = fixture.call("memory_correct", given).await;
    assert_eq!(corrected["conflicts"].as_array().unwrap().len(), 1, "{corrected}");
}
