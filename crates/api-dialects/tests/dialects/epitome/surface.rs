//! Instructions, tools and schemas as a client sees them.

use crate::tool_listing::{listing_tokens, tool_json};
use dialects::{DialectApi, Epitome};
use model::ErrorCode;
use serde_json::{Value, json};
use std::collections::HashSet;

const NINE: [&str; 9] = [
    "get_user_context",
    "update_profile",
    "list_tables",
    "query_table",
    "add_record",
    "search_memory",
    "save_memory",
    "query_graph",
    "review_memories",
];

fn names(tools: &[dialects::ToolSpec]) -> Vec<&str> {
    tools.iter().map(|tool| tool.name).collect()
}

#[test]
fn three_tools_are_listed_and_nine_more_accepted_by_name() {
    let epitome = Epitome::default();
    assert_eq!(names(epitome.tools()), ["recall", "memorize", "review"]);
    assert_eq!(names(epitome.unlisted_tools()), NINE);
}

#[test]
fn listing_all_lists_all_twelve_tools() {
    let epitome = Epitome::listing_all();
    let all: Vec<&str> = ["recall", "memorize", "review"].into_iter().chain(NINE).collect();
    assert_eq!(names(epitome.tools()), all);
    assert!(epitome.unlisted_tools().is_empty());
}

#[test]
fn a_tool_that_can_delete_says_so() {
    let epitome = Epitome::default();
    let destructive: Vec<(&str, bool, bool)> = epitome
        .tools()
        .iter()
        .map(|tool| (tool.name, tool.annotations.read_only, tool.annotations.destructive))
        .collect();
    assert_eq!(
        destructive,
        [("recall", true, false), ("memorize", false, true), ("review", false, true)]
    );
}

#[test]
fn errors_have_the_names_of_the_document() {
    let epitome = Epitome::default();
    for (code, name) in [
        (ErrorCode::ConsentRequired, "CONSENT_DENIED"),
        (ErrorCode::InvalidArgument, "INVALID_ARGS"),
        (ErrorCode::NotFound, "NOT_FOUND"),
        (ErrorCode::Unauthenticated, "UNAUTHORIZED"),
        (ErrorCode::Forbidden, "FORBIDDEN"),
        (ErrorCode::RateLimited, "RATE_LIMITED"),
        (ErrorCode::StorageFailed, "INTERNAL_ERROR"),
        (ErrorCode::Internal, "INTERNAL_ERROR"),
    ] {
        assert_eq!(epitome.error_code(code), name);
    }
    let known: HashSet<&str> =
        ErrorCode::ALL.iter().map(|code| epitome.error_code(*code)).collect();
    assert!(known.len() <= 7, "{known:?}");
}

#[test]
fn every_argument_is_described_and_unknown_ones_are_refused() {
    for tool in Epitome::listing_all().tools() {
        assert_eq!(tool.input["additionalProperties"], false, "{}", tool.name);
        for (name, schema) in
            tool.input.get("properties").and_then(Value::as_object).into_iter().flatten()
        {
            assert!(schema["description"].is_string(), "{}.{name}", tool.name);
        }
    }
}

#[test]
fn the_three_tools_cost_less_than_two_thousand_tokens() {
    let epitome = Epitome::default();
    let cost = listing_tokens(&Epitome::default());
    assert!(cost < 2_000, "{cost} tokens");
    assert!(epitome.instructions().chars().count() < 1_500);
}

#[test]
fn the_surface_changes_only_on_purpose() {
    let three: Vec<Value> = Epitome::default().tools().iter().map(tool_json).collect();
    insta::assert_json_snapshot!(
        "three_tools",
        json!({ "instructions": Epitome::default().instructions(), "tools": three })
    );
    let twelve: Vec<Value> = Epitome::listing_all().tools().iter().map(tool_json).collect();
    insta::assert_json_snapshot!("twelve_tools", twelve);
}
