//! The JSON examples of the document, verbatim.

use super::new_fixture;
use serde_json::{Value, json};

#[tokio::test]
async fn every_documented_result_has_its_fields() {
    let fixture = new_fixture().await;
    let root = fixture.node("fact", "Traffic doubles every month.").await;
    fixture.node_to("decision", "We move to two servers.", "caused_by", root).await;
    fixture.call("session_end", json!({"summary": "Chose servers."})).await;
    for (tool, given, documented) in [
        (
            "memory_add",
            json!({"event_type": "fact", "content": "The sky is blue.",
                "edges": [{"target_id": root, "edge_type": "related_to", "weight": 1.0}]}),
            json!({"node_id": 42, "event_type": "fact", "edges_created": 1}),
        ),
        (
            "memory_resolve",
            json!({"node_id": root}),
            json!({"original_id": 1, "resolved_id": 5, "is_latest": false, "latest": {}}),
        ),
        (
            "memory_causal",
            json!({"node_id": root}),
            json!({"root_id": 1, "dependent_count": 3, "affected_decisions": 1,
                "affected_inferences": 2, "dependents": []}),
        ),
        (
            "memory_stats",
            json!({}),
            json!({"node_count": 142, "edge_count": 215, "dimension": 128, "session_count": 8,
                "type_counts": {}, "file_size_bytes": 12800}),
        ),
        (
            "memory_ground",
            json!({"claim": "Traffic doubles every month"}),
            json!({"status": "verified", "claim": "...", "confidence": 0.85, "evidence": []}),
        ),
        (
            "memory_session_resume",
            json!({}),
            json!({"current_session": 8, "last_episode": {}, "recent_decisions": [],
                "recent_facts": [], "total_loaded": 12}),
        ),
    ] {
        let answer = fixture.call(tool, given).await;
        for (field, example) in documented.as_object().unwrap() {
            let found = answer
                .get(field)
                .unwrap_or_else(|| panic!("{tool}: {field} is missing in {answer}"));
            assert!(
                same_type(found, example),
                "{tool}.{field}: {found} is not of the type of {example}"
            );
        }
    }
}

/// Returns true if two values have the same JSON type.
fn same_type(one: &Value, other: &Value) -> bool {
    matches!(
        (one, other),
        (Value::Bool(_), Value::Bool(_))
            | (Value::String(_), Value::String(_))
            | (Value::Array(_), Value::Array(_))
            | (Value::Object(_), Value::Object(_))
    ) || one.is_i64() && other.is_i64()
        || one.is_f64() && other.is_f64()
}

#[tokio::test]
async fn every_documented_argument_runs_as_it_is_written() {
    let fixture = new_fixture().await;
    fixture.node("fact", "The sky is blue.").await;
    fixture.call("memory_query", json!({"event_types": ["fact", "decision"]})).await;
    fixture
        .call("conversation_log", json!({"user_message": "Hello", "topic": "project-setup"}))
        .await;
    fixture.call("conversation_log", json!({"agent_response": "Hi", "topic": "debugging"})).await;
    let ranges = [
        json!({"type": "time_window", "start": 0, "end": 4_102_444_800_000_000_i64}),
        json!({"type": "session", "session_id": 1}),
        json!({"type": "sessions", "session_ids": [1]}),
    ];
    for range_a in &ranges {
        for range_b in &ranges {
            let answer = fixture
                .call("memory_temporal", json!({"range_a": range_a, "range_b": range_b}))
                .await;
            assert_eq!(answer["summary"]["unchanged_count"], 3, "{range_a} {range_b}");
        }
    }
}
