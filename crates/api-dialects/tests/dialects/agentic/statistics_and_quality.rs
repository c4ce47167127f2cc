//! Statistics, quality, and the comparison of periods.

use super::new_fixture;
use serde_json::json;

#[tokio::test]
async fn memory_stats_counts_current_nodes() {
    let fixture = new_fixture().await;
    let fact = fixture.node("fact", "The sky is blue.").await;
    fixture.node_to("decision", "Paint it blue.", "caused_by", fact).await;
    fixture
        .call("memory_correct", json!({"old_node_id": fact, "new_content": "The sky is grey."}))
        .await;
    let stats = fixture.call("memory_stats", json!({})).await;
    assert_eq!((&stats["node_count"], &stats["superseded_count"]), (&json!(2), &json!(1)));
    assert_eq!(stats["edge_count"], 3, "caused_by, temporal_next, supersedes");
    let types = json!({
        "fact": 0,
        "decision": 1,
        "inference": 0,
        "correction": 1,
        "skill": 0,
        "episode": 0,
    });
    assert_eq!(stats["type_counts"], types);
    assert_eq!(stats["session_count"], 1);
    assert!(stats["file_size_bytes"].as_u64().unwrap() > 0);
    assert!(stats["dimension"].as_u64().unwrap() > 0);
}

#[tokio::test]
async fn memory_quality_finds_each_kind_of_weakness() {
    let fixture = new_fixture().await;
    let fact = fixture.node("fact", "Traffic doubles.").await;
    fixture.node_to("decision", "Buy a server.", "caused_by", fact).await;
    let baseless = fixture.node("decision", "Paint the server red.").await;
    let doubt =
        json!({"event_type": "inference", "content": "Red ones run faster.", "confidence": 0.3});
    let doubt = fixture.call("memory_add", doubt).await["node_id"].clone();
    fixture.call("session_start", json!({})).await;
    let orphan = fixture.node("skill", "Whistling.").await;
    let answer = fixture.call("memory_quality", json!({})).await;
    assert_eq!(answer["status"], "fail", "a decision without a ground");
    let summary = &answer["summary"];
    assert_eq!((&summary["nodes"], &summary["stale_count"]), (&json!(5), &json!(0)));
    assert_eq!(answer["examples"]["low_confidence"], json!([doubt]));
    assert_eq!(answer["examples"]["orphan"], json!([orphan]));
    assert_eq!(answer["examples"]["unsupported_decisions"], json!([baseless]));
    for field in [
        "edges",
        "low_confidence_count",
        "orphan_count",
        "decisions_without_support_count",
        "contradiction_edges",
        "supersedes_edges",
    ] {
        assert!(summary[field].is_u64(), "{field}");
    }
}

#[tokio::test]
async fn fresh_nodes_are_not_stale_and_corrections_do_not_lower_quality() {
    let fixture = new_fixture().await;
    let fact = fixture.node("fact", "The port is 22.").await;
    fixture.node_to("fact", "The host is alpha.", "related_to", fact).await;
    fixture
        .call("memory_correct", json!({"old_node_id": fact, "new_content": "The port is 2222."}))
        .await;
    let answer = fixture.call("memory_quality", json!({})).await;
    assert_eq!(answer["status"], "pass", "{answer}");
    assert_eq!(answer["summary"]["supersedes_edges"], 1);
    fixture.clock.advance(300 * 86_400);
    let later = fixture.call("memory_quality", json!({})).await;
    assert_eq!(later["summary"]["stale_count"], 2, "{later}");
    let lenient = fixture
        .call("memory_quality", json!({"stale_decay_threshold": 0.01, "max_examples": 1}))
        .await;
    assert_eq!(lenient["summary"]["stale_count"], 0);
    assert!(
        fixture
            .call_refused("memory_quality", json!({"low_confidence_threshold": 2.0}))
            .await
            .message
            .contains("between")
    );
}

#[tokio::test]
async fn memory_temporal_compares_sessions() {
    let fixture = new_fixture().await;
    fixture.call("session_start", json!({})).await;
    let unchanged = fixture.node("fact", "The host is alpha.").await;
    let old = fixture.node("fact", "The port is 22.").await;
    fixture.call("session_start", json!({})).await;
    let new = fixture
        .call("memory_correct", json!({"old_node_id": old, "new_content": "The port is 2222."}))
        .await;
    let added = fixture.node("fact", "The user is root.").await;
    let given = json!({"range_a": {"type": "session", "session_id": 1},
        "range_b": {"type": "sessions", "session_ids": [2]}});
    let answer = fixture.call("memory_temporal", given).await;
    assert_eq!(answer["added"], json!([new["new_node_id"], added]));
    assert_eq!(answer["corrected"], json!([[old, new["new_node_id"]]]));
    assert_eq!(
        (&answer["unchanged"], &answer["potentially_stale"]),
        (&json!([unchanged]), &json!([]))
    );
    let summary =
        json!({"added_count": 2, "corrected_count": 1, "unchanged_count": 1, "stale_count": 0});
    assert_eq!(answer["summary"], summary);
}

#[tokio::test]
async fn memory_temporal_compares_time_windows_and_lists_stale_nodes() {
    let fixture = new_fixture().await;
    let old = fixture.node("fact", "Old news.").await;
    let at = fixture.call("memory_resolve", json!({"node_id": old})).await["latest"]["created_at"]
        .as_i64()
        .unwrap();
    fixture.engine.flush().await;
    fixture.clock.advance(400 * 86_400);
    let new = fixture.node("fact", "New news.").await;
    let window = |start: i64, end: i64| json!({"type": "time_window", "start": start, "end": end});
    let given = json!({"range_a": window(0, at), "range_b": window(at + 1, at * 2)});
    let answer = fixture.call("memory_temporal", given).await;
    assert_eq!((&answer["added"], &answer["potentially_stale"]), (&json!([new]), &json!([old])));
    let refusal = fixture
        .call_refused("memory_temporal", json!({"range_a": window(2, 1), "range_b": window(0, 1)}))
        .await;
    assert!(refusal.message.contains("ends before"), "{refusal}");
    let unknown = json!({"range_a": {"type": "decade"}, "range_b": window(0, 1)});
    assert!(fixture.call_refused("memory_temporal", unknown).await.message.contains("time_window"));
    let missing =
        json!({"range_a": {"type": "session", "session_id": 77}, "range_b": window(0, 1)});
    assert_eq!(fixture.call("memory_temporal", missing).await["summary"]["unchanged_count"], 0);
}
