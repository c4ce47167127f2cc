//! Invalid arguments: wrong types, empty texts, numbers out of range, and nodes that do not exist
//! or were forgotten.

use super::{each, new_fixture};
use crate::fixture::DialectFixture;
use crate::invalid_arguments::{
    any_value_yields_a_result_or_an_error, wrong_types_are_refused_by_name,
};
use dialects::{Agentic, DialectApi, Quipu};
use model::ErrorCode;
use serde_json::{Value, json};

/// Returns valid arguments for a tool, given that node 1 and workspace 1 exist.
fn valid_arguments(tool: &str) -> Value {
    let range = json!({"type": "session", "session_id": 1});
    match tool {
        "conversation_log" => json!({"user_message": "Hello"}),
        "memory_add" => json!({"event_type": "fact", "content": "Another thing."}),
        "memory_traverse" => json!({"start_id": 1}),
        "memory_context" | "memory_resolve" | "memory_causal" => json!({"node_id": 1}),
        "memory_similar" => json!({"query_text": "thing"}),
        "memory_correct" => json!({"old_node_id": 1, "new_content": "A better thing."}),
        "memory_temporal" => json!({"range_a": range, "range_b": range}),
        "memory_ground" => json!({"claim": "A thing"}),
        "memory_evidence" | "memory_suggest" => json!({"query": "thing"}),
        "memory_workspace_create" => json!({"name": "w"}),
        "memory_workspace_add" => json!({"workspace_id": "ws_1", "path": "quipu:me"}),
        "memory_workspace_list" => json!({"workspace_id": "ws_1"}),
        "memory_workspace_query" => json!({"workspace_id": "ws_1", "query": "thing"}),
        "memory_workspace_compare" | "memory_workspace_xref" => {
            json!({"workspace_id": "ws_1", "item": "thing"})
        }
        _ => json!({}),
    }
}

async fn populated_fixture() -> DialectFixture {
    let fixture = new_fixture().await;
    fixture.node("fact", "A thing.").await;
    fixture.call("memory_workspace_create", json!({"name": "w"})).await;
    fixture.call("memory_workspace_add", json!({"workspace_id": "ws_1", "path": "quipu:me"})).await;
    fixture
}

#[tokio::test]
async fn an_argument_of_the_wrong_type_is_refused_by_name() {
    wrong_types_are_refused_by_name(
        &populated_fixture().await,
        &Agentic::default(),
        valid_arguments,
    )
    .await;
}

#[tokio::test]
async fn any_value_of_an_argument_yields_a_result_or_a_readable_error() {
    any_value_yields_a_result_or_an_error(
        &populated_fixture().await,
        Agentic::default().tools(),
        valid_arguments,
    )
    .await;
}

#[tokio::test]
async fn an_empty_required_text_is_refused() {
    let fixture = populated_fixture().await;
    for (tool, name) in [
        ("conversation_log", "user_message"),
        ("memory_add", "content"),
        ("memory_add", "event_type"),
        ("memory_correct", "new_content"),
        ("memory_workspace_create", "name"),
    ] {
        let mut given = valid_arguments(tool);
        given[name] = json!(" ");
        assert_eq!(
            fixture.call_refused(tool, given).await.code,
            ErrorCode::InvalidArgument,
            "{tool}.{name}"
        );
    }
    assert_eq!(
        fixture.call("memory_stats", json!({})).await["node_count"],
        1,
        "and nothing was stored"
    );
}

#[tokio::test]
async fn a_text_that_is_too_long_is_refused_by_name_with_the_limit() {
    let fixture = populated_fixture().await;
    let long = "word ".repeat(20_000);
    for (tool, name) in [
        ("memory_add", "content"),
        ("memory_correct", "new_content"),
        ("memory_correct", "reason"),
        ("memory_ground", "claim"),
        ("memory_workspace_query", "query"),
        ("memory_workspace_compare", "item"),
    ] {
        let mut given = valid_arguments(tool);
        given[name] = json!(long);
        let refusal = fixture.call_refused(tool, given).await;
        assert_eq!(refusal.code, ErrorCode::LimitExceeded, "{tool}.{name}: {refusal}");
        assert!(refusal.message.contains(name) && refusal.message.contains("limit"), "{refusal}");
    }
    for (tool, name) in [("memory_similar", "query_text"), ("memory_evidence", "query")] {
        let mut given = valid_arguments(tool);
        given[name] = json!(long);
        assert_eq!(
            fixture.call_refused(tool, given).await.code,
            ErrorCode::LimitExceeded,
            "{tool}.{name}"
        );
    }
}

#[tokio::test]
async fn a_number_out_of_range_is_refused_by_name() {
    let fixture = populated_fixture().await;
    for (tool, name, odd) in [
        ("memory_add", "confidence", json!(1e300)),
        ("memory_query", "min_confidence", json!(-0.1)),
        ("memory_query", "max_confidence", json!(1.1)),
        ("memory_traverse", "min_confidence", json!(7)),
        ("memory_similar", "min_similarity", json!(-1)),
        ("memory_correct", "confidence", json!(-1)),
        ("memory_quality", "low_confidence_threshold", json!(2)),
        ("memory_quality", "stale_decay_threshold", json!(-1)),
        ("memory_ground", "threshold", json!(-0.5)),
        ("session_start", "session_id", json!(-1)),
        ("session_start", "session_id", json!(i64::MAX)),
    ] {
        let mut given = valid_arguments(tool);
        given[name] = odd.clone();
        let refusal = fixture.call_refused(tool, given).await;
        assert_eq!(refusal.code, ErrorCode::InvalidArgument, "{tool}.{name} {odd}: {refusal}");
        let named = name.trim_start_matches("max_").trim_end_matches("_id");
        assert!(refusal.message.contains(named), "{tool}.{name} {odd}: {refusal}");
        assert!(refusal.message.len() < 200, "{tool}.{name}: {refusal}");
    }
}

#[tokio::test]
async fn an_unbounded_count_returns_everything() {
    let fixture = populated_fixture().await;
    for (tool, name) in [
        ("memory_query", "max_results"),
        ("memory_traverse", "max_results"),
        ("memory_similar", "top_k"),
        ("memory_quality", "max_examples"),
        ("memory_evidence", "max_results"),
        ("memory_suggest", "limit"),
        ("memory_workspace_query", "max_per_context"),
        ("memory_workspace_compare", "max_per_context"),
        ("memory_session_resume", "limit"),
    ] {
        for count in [json!(0), json!(u64::MAX)] {
            let mut given = valid_arguments(tool);
            given[name] = count;
            fixture.call(tool, given).await;
        }
    }
    let ever = json!({"created_after": i64::MIN, "created_before": i64::MAX});
    assert_eq!(fixture.call("memory_query", ever).await["count"], 1);
    let window = json!({"type": "time_window", "start": i64::MIN, "end": i64::MAX});
    let compared =
        fixture.call("memory_temporal", json!({"range_a": window, "range_b": window})).await;
    assert_eq!(compared["unchanged"], json!([1]));
}

#[tokio::test]
async fn a_node_that_was_never_there_or_was_forgotten_is_not_found_by_any_tool() {
    let fixture = populated_fixture().await;
    let gone = fixture.node("fact", "My old address is Elm Street 4.").await;
    fixture.sharing_memory(Quipu::default()).call("forget", json!({"ids": [gone]})).await;
    for id in [gone, 0, -1, i64::MAX] {
        let edges = json!([{"target_id": id, "edge_type": "supports"}]);
        let replaced = json!([{"target_id": id, "edge_type": "supersedes"}]);
        for (tool, given) in [
            ("memory_add", json!({"event_type": "fact", "content": "More.", "edges": edges})),
            ("memory_add", json!({"event_type": "fact", "content": "More.", "edges": replaced})),
            ("memory_traverse", json!({"start_id": id})),
            ("memory_context", json!({"node_id": id})),
            ("memory_correct", json!({"old_node_id": id, "new_content": "More."})),
            ("memory_resolve", json!({"node_id": id})),
            ("memory_causal", json!({"node_id": id})),
        ] {
            let refusal = fixture.call_refused(tool, given).await;
            assert_eq!(refusal.code, ErrorCode::NotFound, "{tool} {id}: {refusal}");
            assert!(refusal.message.contains(&id.to_string()), "{tool} {id}: {refusal}");
        }
    }
    let nodes = fixture.call("memory_query", json!({})).await["nodes"].clone();
    assert_eq!(each(&nodes, "content"), ["A thing."], "and nothing was added");
}

#[tokio::test]
async fn a_range_says_what_its_type_takes() {
    let fixture = populated_fixture().await;
    let session = json!({"type": "session", "session_id": 1});
    for (range, expected) in [
        (json!({"type": "session"}), "session_id"),
        (json!({"type": "session", "session_ids": [1]}), "session_id"),
        (json!({"type": "sessions", "session_id": 1}), "session_ids"),
        (json!({"type": "time_window", "start": 1}), "start and end"),
        (json!({"type": "time_window", "start": 1, "end": 2, "session_id": 1}), "nothing else"),
        (json!({"type": "decade"}), "time_window"),
        (json!({"session_id": 1}), "type"),
    ] {
        let refusal = fixture
            .call_refused("memory_temporal", json!({"range_a": session, "range_b": range}))
            .await;
        assert_eq!(refusal.code, ErrorCode::InvalidArgument, "{range}");
        assert!(refusal.message.contains("range_b"), "{range}: {refusal}");
        assert!(refusal.message.contains(expected), "{range}: {refusal}");
    }
}

#[tokio::test]
async fn an_unknown_workspace_is_refused_with_the_known_ones() {
    let empty = new_fixture().await;
    let refusal =
        empty.call_refused("memory_workspace_list", json!({"workspace_id": "ws_1"})).await;
    assert!(refusal.message.contains("memory_workspace_create"), "{refusal}");
    let fixture = populated_fixture().await;
    for odd in ["ws_2", "1", "", "ws_-1", "ws_99999999999999999999"] {
        let refusal =
            fixture.call_refused("memory_workspace_list", json!({"workspace_id": odd})).await;
        assert_eq!(refusal.code, ErrorCode::NotFound, "{odd}");
        assert!(refusal.message.contains("ws_1 (w)"), "{odd}: {refusal}");
    }
}
