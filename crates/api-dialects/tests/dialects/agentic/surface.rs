//! Instructions, tools and schemas as a client sees them.

use crate::tool_listing::{
    ContractParameter, assert_contract, assert_examples_fit, listing_tokens, tool_json,
};
use dialects::{Agentic, DialectApi};
use serde_json::{Value, json};

/// Tools of the document with their parameters.
const DOCUMENT: &[(&str, &[ContractParameter])] = &[
    (
        "conversation_log",
        &[
            ("user_message", "string", false),
            ("agent_response", "string", false),
            ("topic", "string", false),
        ],
    ),
    (
        "memory_add",
        &[
            ("event_type", "string", true),
            ("content", "string", true),
            ("confidence", "number", false),
            ("edges", "array", false),
        ],
    ),
    (
        "memory_query",
        &[
            ("event_types", "array", false),
            ("min_confidence", "number", false),
            ("max_confidence", "number", false),
            ("session_ids", "array", false),
            ("created_after", "integer", false),
            ("created_before", "integer", false),
            ("max_results", "integer", false),
            ("sort_by", "string", false),
        ],
    ),
    (
        "memory_traverse",
        &[
            ("start_id", "integer", true),
            ("edge_types", "array", false),
            ("direction", "string", false),
            ("max_depth", "integer", false),
            ("max_results", "integer", false),
            ("min_confidence", "number", false),
        ],
    ),
    ("memory_context", &[("node_id", "integer", true), ("depth", "integer", false)]),
    (
        "memory_similar",
        &[
            ("query_text", "string", false),
            ("query_vec", "array", false),
            ("top_k", "integer", false),
            ("min_similarity", "number", false),
            ("event_types", "array", false),
        ],
    ),
    (
        "memory_correct",
        &[
            ("old_node_id", "integer", true),
            ("new_content", "string", true),
            ("confidence", "number", false),
            ("reason", "string", false),
        ],
    ),
    ("memory_resolve", &[("node_id", "integer", true)]),
    ("memory_causal", &[("node_id", "integer", true), ("max_depth", "integer", false)]),
    ("memory_temporal", &[("range_a", "object", true), ("range_b", "object", true)]),
    (
        "memory_quality",
        &[
            ("low_confidence_threshold", "number", false),
            ("stale_decay_threshold", "number", false),
            ("max_examples", "integer", false),
        ],
    ),
    ("memory_stats", &[]),
    ("memory_ground", &[("claim", "string", true), ("threshold", "number", false)]),
    ("memory_evidence", &[("query", "string", true), ("max_results", "integer", false)]),
    ("memory_suggest", &[("query", "string", true), ("limit", "integer", false)]),
    ("memory_workspace_create", &[("name", "string", true)]),
    (
        "memory_workspace_add",
        &[
            ("workspace_id", "string", true),
            ("path", "string", true),
            ("role", "string", false),
            ("label", "string", false),
        ],
    ),
    ("memory_workspace_list", &[("workspace_id", "string", true)]),
    (
        "memory_workspace_query",
        &[
            ("workspace_id", "string", true),
            ("query", "string", true),
            ("max_per_context", "integer", false),
        ],
    ),
    (
        "memory_workspace_compare",
        &[
            ("workspace_id", "string", true),
            ("item", "string", true),
            ("max_per_context", "integer", false),
        ],
    ),
    ("memory_workspace_xref", &[("workspace_id", "string", true), ("item", "string", true)]),
    ("session_start", &[("session_id", "integer", false), ("metadata", "object", false)]),
    (
        "session_end",
        &[
            ("session_id", "integer", false),
            ("create_episode", "boolean", false),
            ("summary", "string", false),
        ],
    ),
    ("memory_session_resume", &[("limit", "integer", false)]),
];

#[test]
fn the_tools_and_their_parameters_are_those_of_the_document() {
    assert_contract(&Agentic::default(), DOCUMENT);
}

#[test]
fn lists_hold_what_the_document_says() {
    let agentic = Agentic::default();
    for (tool, parameter, kind) in [
        ("memory_add", "edges", "object"),
        ("memory_query", "event_types", "string"),
        ("memory_query", "session_ids", "integer"),
        ("memory_traverse", "edge_types", "string"),
        ("memory_similar", "query_vec", "number"),
        ("memory_similar", "event_types", "string"),
    ] {
        let listed = agentic.tools().iter().find(|listed| listed.name == tool).unwrap();
        assert_eq!(
            listed.input["properties"][parameter]["items"]["type"], kind,
            "{tool}.{parameter}"
        );
    }
}

#[test]
fn every_description_has_an_example_that_fits() {
    assert_examples_fit(&Agentic::default());
}

#[test]
fn the_list_costs_less_than_two_thirds_of_the_originals() {
    let cost = listing_tokens(&Agentic::default());
    assert!(cost < 6_500, "{cost} tokens");
    assert!(Agentic::default().instructions().chars().count() < 1_500);
}

#[test]
fn the_surface_changes_only_on_purpose() {
    let agentic = Agentic::default();
    let tools: Vec<Value> = agentic.tools().iter().map(tool_json).collect();
    insta::assert_json_snapshot!(
        "agentic_surface",
        json!({ "instructions": agentic.instructions(), "tools": tools })
    );
}
