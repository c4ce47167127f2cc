//! What a client reads before it calls anything.

use crate::listed::{cost, listed};
use dialects::{Agentic, Dialect};
use serde_json::{Value, json};

/// The document: each tool with its arguments; `!` behind what is required.
const DOCUMENT: &[(&str, &[&str])] = &[
    ("conversation_log", &["user_message", "agent_response", "topic"]),
    ("memory_add", &["event_type!", "content!", "confidence", "edges"]),
    (
        "memory_query",
        &[
            "event_types",
            "min_confidence",
            "max_confidence",
            "session_ids",
            "created_after",
            "created_before",
            "max_results",
            "sort_by",
        ],
    ),
    (
        "memory_traverse",
        &["start_id!", "edge_types", "direction", "max_depth", "max_results", "min_confidence"],
    ),
    ("memory_context", &["node_id!", "depth"]),
    ("memory_similar", &["query_text", "query_vec", "top_k", "min_similarity", "event_types"]),
    ("memory_correct", &["old_node_id!", "new_content!", "confidence", "reason"]),
    ("memory_resolve", &["node_id!"]),
    ("memory_causal", &["node_id!", "max_depth"]),
    ("memory_temporal", &["range_a!", "range_b!"]),
    ("memory_quality", &["low_confidence_threshold", "stale_decay_threshold", "max_examples"]),
    ("memory_stats", &[]),
    ("memory_ground", &["claim!", "threshold"]),
    ("memory_evidence", &["query!", "max_results"]),
    ("memory_suggest", &["query!", "limit"]),
    ("memory_workspace_create", &["name!"]),
    ("memory_workspace_add", &["workspace_id!", "path!", "role", "label"]),
    ("memory_workspace_list", &["workspace_id!"]),
    ("memory_workspace_query", &["workspace_id!", "query!", "max_per_context"]),
    ("memory_workspace_compare", &["workspace_id!", "item!", "max_per_context"]),
    ("memory_workspace_xref", &["workspace_id!", "item!"]),
    ("session_start", &["session_id", "metadata"]),
    ("session_end", &["session_id", "create_episode", "summary"]),
    ("memory_session_resume", &["limit"]),
];

#[test]
fn the_tools_and_their_arguments_are_those_of_the_document() {
    let agentic = Agentic::default();
    let names: Vec<&str> = agentic.tools().iter().map(|tool| tool.name).collect();
    assert_eq!(names, DOCUMENT.iter().map(|(name, _)| *name).collect::<Vec<_>>());
    for (tool, (name, arguments)) in agentic.tools().iter().zip(DOCUMENT) {
        let properties = tool.input["properties"].as_object().unwrap();
        let mut known: Vec<&str> = properties.keys().map(String::as_str).collect();
        let mut documented: Vec<&str> =
            arguments.iter().map(|argument| argument.trim_end_matches('!')).collect();
        known.sort_unstable();
        documented.sort_unstable();
        assert_eq!(known, documented, "{name}");
        let required = tool.input.get("required").and_then(Value::as_array).cloned().unwrap_or_default();
        let wanted: Vec<&str> = arguments.iter().filter_map(|argument| argument.strip_suffix('!')).collect();
        assert_eq!(required.iter().map(|name| name.as_str().unwrap()).collect::<Vec<_>>(), wanted, "{name}");
    }
}

#[test]
fn every_argument_is_described() {
    for tool in Agentic::default().tools() {
        for (name, schema) in tool.input["properties"].as_object().unwrap() {
            assert!(schema["description"].is_string(), "{}.{name}", tool.name);
        }
    }
}

#[test]
fn the_list_costs_less_than_two_thirds_of_the_originals() {
    let cost = cost(&Agentic::default());
    assert!(cost < 6_500, "{cost} tokens");
    assert!(Agentic::default().instructions().chars().count() < 1_500);
}

#[test]
fn the_surface_changes_only_on_purpose() {
    let agentic = Agentic::default();
    let tools: Vec<Value> = agentic.tools().iter().map(listed).collect();
    insta::assert_json_snapshot!(
        "agentic_surface",
        json!({ "instructions": agentic.instructions(), "tools": tools })
    );
}
