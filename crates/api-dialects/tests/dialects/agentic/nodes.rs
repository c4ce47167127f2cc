//! Adding, logging, correcting and resolving nodes.

use super::{each, new_fixture};
use model::ErrorCode;
use serde_json::json;

#[tokio::test]
async fn memory_add_answers_as_documented() {
    let fixture = new_fixture().await;
    let first = fixture.node("fact", "The team is in Berlin.").await;
    let edges = json!([{"target_id": first, "edge_type": "caused_by", "weight": 0.5}]);
    let given = json!({
        "event_type": "decision",
        "content": "Stand-ups are at nine.",
        "confidence": 0.6,
        "edges": edges,
    });
    let answer = fixture.call("memory_add", given).await;
    assert_eq!(answer["event_type"], "decision");
    assert_eq!(
        answer["edges_created"], 2,
        "the edge that was asked for and the one of the session's chain"
    );
    let node =
        &fixture.call("memory_query", json!({"event_types": ["decision"]})).await["nodes"][0];
    assert_eq!((&node["id"], &node["confidence"]), (&answer["node_id"], &json!(0.6)));
}

#[tokio::test]
async fn memory_add_defaults_to_a_confidence_of_0_9_and_refuses_one_out_of_range() {
    let fixture = new_fixture().await;
    fixture.node("fact", "Water boils.").await;
    let node = &fixture.call("memory_query", json!({})).await["nodes"][0];
    assert_eq!(node["confidence"], json!(0.9));
    for confidence in [-0.1, 1.5] {
        let given = json!({"event_type": "fact", "content": "x y", "confidence": confidence});
        let refusal = fixture.call_refused("memory_add", given).await;
        assert!(refusal.message.starts_with("confidence must"), "{refusal}");
    }
}

#[tokio::test]
async fn every_documented_event_type_and_edge_type_is_accepted() {
    let fixture = new_fixture().await;
    let start = fixture.node("fact", "The beginning of everything.").await;
    for event_type in ["fact", "decision", "inference", "correction", "skill", "episode"] {
        let given =
            json!({"event_type": event_type, "content": format!("One {event_type} of many")});
        assert_eq!(fixture.call("memory_add", given).await["event_type"], event_type);
    }
    let edge_types = [
        "caused_by",
        "derived_from",
        "supports",
        "contradicts",
        "related_to",
        "part_of",
        "temporal_next",
        "supersedes",
    ];
    for edge_type in edge_types {
        fixture
            .node_to("inference", &format!("It is linked by {edge_type}"), edge_type, start)
            .await;
    }
    let walked = fixture
        .call(
            "memory_traverse",
            json!({"start_id": start, "direction": "backward", "max_depth": 1, "max_results": 50,
            "edge_types": edge_types}),
        )
        .await;
    let mut names: Vec<&str> = each(&walked["edges_traversed"], "edge_type")
        .iter()
        .map(|name| name.as_str().unwrap())
        .collect();
    names.sort_unstable();
    let mut all = edge_types;
    all.sort_unstable();
    assert_eq!(names, all, "derived_from stays derived_from");
}

#[tokio::test]
async fn an_unknown_type_is_refused_with_the_known_ones() {
    let fixture = new_fixture().await;
    let first = fixture.node("fact", "Something is known.").await;
    let refusal =
        fixture.call_refused("memory_add", json!({"event_type": "opinion", "content": "x"})).await;
    assert!(
        refusal.message.contains("`opinion`") && refusal.message.contains("episode"),
        "{refusal}"
    );
    let edges = json!([{"target_id": first, "edge_type": "likes"}]);
    let refusal = fixture
        .call_refused("memory_add", json!({"event_type": "fact", "content": "x", "edges": edges}))
        .await;
    assert!(
        refusal.message.contains("`likes`") && refusal.message.contains("temporal_next"),
        "{refusal}"
    );
}

#[tokio::test]
async fn a_bad_edge_leaves_no_node_and_no_session_behind() {
    let fixture = new_fixture().await;
    let edges = json!([{"target_id": 9_999, "edge_type": "supports"}]);
    let given = json!({"event_type": "fact", "content": "A fact on sand", "edges": edges});
    let refusal = fixture.call_refused("memory_add", given).await;
    assert_eq!(refusal.code, ErrorCode::NotFound);
    assert!(refusal.message.contains("9999"), "{refusal}");
    let stats = fixture.call("memory_stats", json!({})).await;
    assert_eq!((&stats["node_count"], &stats["session_count"]), (&json!(0), &json!(0)));
}

#[tokio::test]
async fn a_weight_outside_its_range_is_refused() {
    let fixture = new_fixture().await;
    let first = fixture.node("fact", "Something is known.").await;
    let edges = json!([{"target_id": first, "edge_type": "supports", "weight": 1.5}]);
    let given = json!({"event_type": "fact", "content": "More is known.", "edges": edges});
    assert!(fixture.call_refused("memory_add", given).await.message.starts_with("weight must"));
}

#[tokio::test]
async fn content_at_the_limit_is_stored_and_beyond_it_refused() {
    let fixture = new_fixture().await;
    let refusal = fixture
        .call_refused("memory_add", json!({"event_type": "fact", "content": "a".repeat(65_537)}))
        .await;
    assert_eq!(refusal.code, ErrorCode::LimitExceeded);
    fixture.node("fact", &"a".repeat(65_536)).await;
    fixture.node("fact", "A short one is found beside it.").await;
    let found = fixture.call("memory_similar", json!({"query_text": "a short one"})).await;
    assert_eq!(found["count"], 1, "one endless word stops nothing");
}

#[tokio::test]
async fn the_same_words_again_are_the_same_node() {
    let fixture = new_fixture().await;
    let first = fixture.node("fact", "The office is in Toronto.").await;
    let again = fixture
        .call("memory_add", json!({"event_type": "fact", "content": "The office is in Toronto."}))
        .await;
    assert_eq!((&again["node_id"], &again["duplicate"]), (&json!(first), &json!(true)));
    assert_eq!(again["edges_created"], 0);
}

#[tokio::test]
async fn conversation_log_needs_a_message_and_is_linked_to_the_previous_entry() {
    let fixture = new_fixture().await;
    let refusal = fixture.call_refused("conversation_log", json!({"topic": "debugging"})).await;
    assert!(refusal.message.contains("user_message"), "{refusal}");
    let first = fixture
        .call("conversation_log", json!({"user_message": "Why is CI red?", "topic": "ci"}))
        .await;
    assert_eq!(first["edges_created"], 0);
    let second = fixture
        .call("conversation_log", json!({"agent_response": "A pinned action was removed."}))
        .await;
    assert_eq!(second["edges_created"], 1);
    let walked = fixture.call("memory_traverse", json!({"start_id": first["node_id"]})).await;
    assert_eq!(walked["visited"][1]["id"], second["node_id"]);
    assert_eq!(walked["edges_traversed"][0]["edge_type"], "temporal_next");
    assert_eq!(walked["visited"][0]["confidence"], json!(0.85));
    assert_eq!(walked["visited"][0]["title"], "ci");
}

#[tokio::test]
async fn memory_correct_keeps_its_confidence_and_its_reason() {
    let fixture = new_fixture().await;
    let old = fixture.node("fact", "The API listens on port 8080.").await;
    let given = json!({
        "old_node_id": old,
        "new_content": "The API listens on port 9090.",
        "confidence": 0.7,
        "reason": "it clashed",
    });
    let answer = fixture.call("memory_correct", given).await;
    assert_eq!(
        answer,
        json!({
            "new_node_id": answer["new_node_id"],
            "old_node_id": old,
            "supersedes": true,
            "reason": "it clashed",
        })
    );
    let latest = fixture.call("memory_resolve", json!({"node_id": old})).await["latest"].clone();
    assert_eq!(latest["confidence"], json!(0.7));
    assert_eq!(latest["metadata"]["reason"], "it clashed");
    assert_eq!(latest["event_type"], "correction");
}

#[tokio::test]
async fn memory_correct_defaults_to_a_confidence_of_0_95() {
    let fixture = new_fixture().await;
    let old = fixture.node("fact", "The API listens on port 8080.").await;
    let answer = fixture
        .call("memory_correct", json!({"old_node_id": old, "new_content": "It listens on 9090."}))
        .await;
    assert_eq!(answer["reason"], json!(null));
    let latest = fixture.call("memory_resolve", json!({"node_id": old})).await["latest"].clone();
    assert_eq!(latest["confidence"], json!(0.95));
}

#[tokio::test]
async fn a_corrected_node_keeps_its_confidence_and_leaves_every_search() {
    let fixture = new_fixture().await;
    let old = fixture.node("fact", "The API listens on port 8080.").await;
    fixture
        .call(
            "memory_correct",
            json!({"old_node_id": old, "new_content": "The API listens on port 9090."}),
        )
        .await;
    let walked = fixture
        .call(
            "memory_traverse",
            json!({"start_id": old, "direction": "backward", "edge_types": ["supersedes"]}),
        )
        .await;
    assert_eq!(walked["visited"][0]["confidence"], json!(0.9));
    assert_eq!(walked["visited"][0]["status"], "superseded");
    for (tool, given, list) in [
        ("memory_query", json!({}), "nodes"),
        ("memory_similar", json!({"query_text": "API port", "min_similarity": 0.0}), "matches"),
        ("memory_evidence", json!({"query": "API port"}), "evidence"),
        ("memory_suggest", json!({"query": "API port"}), "suggestions"),
    ] {
        let answer = fixture.call(tool, given).await;
        let contents = each(&answer[list], "content");
        assert_eq!(contents, ["The API listens on port 9090."], "{tool}");
    }
}

#[tokio::test]
async fn memory_resolve_gives_the_newest_correction() {
    let fixture = new_fixture().await;
    let first = fixture.node("fact", "The office is in Toronto.").await;
    fixture
        .call(
            "memory_correct",
            json!({"old_node_id": first, "new_content": "The office is in Vancouver."}),
        )
        .await;
    let third = fixture
        .call(
            "memory_correct",
            json!({"old_node_id": first, "new_content": "The office is in Montreal."}),
        )
        .await;
    let answer = fixture.call("memory_resolve", json!({"node_id": first})).await;
    assert_eq!(answer["original_id"], first);
    assert_eq!(answer["resolved_id"], third["new_node_id"]);
    assert_eq!(answer["is_latest"], false);
    assert_eq!(answer["latest"]["content"], "The office is in Montreal.");
    let again = fixture.call("memory_resolve", json!({"node_id": answer["resolved_id"]})).await;
    assert_eq!(
        (&again["is_latest"], &again["resolved_id"]),
        (&json!(true), &answer["resolved_id"])
    );
}

#[tokio::test]
async fn a_supersedes_edge_replaces_its_target() {
    let fixture = new_fixture().await;
    let old = fixture.node("decision", "We use tabs.").await;
    let new = fixture.node_to("decision", "We use spaces.", "supersedes", old).await;
    assert_eq!(fixture.call("memory_resolve", json!({"node_id": old})).await["resolved_id"], new);
    let listed = fixture.call("memory_query", json!({})).await;
    assert_eq!(each(&listed["nodes"], "id"), [new]);
}

#[tokio::test]
async fn a_node_that_is_not_there_is_named_in_the_refusal() {
    let fixture = new_fixture().await;
    for (tool, given) in [
        ("memory_correct", json!({"old_node_id": 9_999, "new_content": "x"})),
        ("memory_resolve", json!({"node_id": 9_999})),
        ("memory_context", json!({"node_id": 9_999})),
        ("memory_causal", json!({"node_id": 9_999})),
        ("memory_traverse", json!({"start_id": 9_999})),
    ] {
        let refusal = fixture.call_refused(tool, given).await;
        assert_eq!(refusal.code, ErrorCode::NotFound, "{tool}");
        assert!(refusal.message.contains("9999"), "{tool}: {refusal}");
    }
}
