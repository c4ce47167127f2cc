//! Instructions, tools and schemas as a client sees them, compared with the contract.

use crate::tool_listing::{ContractParameter, assert_contract, assert_examples_fit, surface};
use dialects::{DialectApi, Librarian, ToolSpec};
use serde_json::json;

/// Verbs of the contract with their parameters.
const CONTRACT: [(&str, &[ContractParameter]); 7] = [
    (
        "recall",
        &[
            ("query", "string", false),
            ("tags", "array", false),
            ("include_ids", "boolean", false),
            ("limit", "number", false),
        ],
    ),
    (
        "remember",
        &[
            ("title", "string", true),
            ("body", "string", true),
            ("applies_to", "array", false),
            ("confidence", "string", false),
            ("tags", "array", false),
        ],
    ),
    ("flag_memory", &[("memory_id", "string", true), ("reason", "string", true)]),
    (
        "store_handoff",
        &[
            ("title", "string", true),
            ("document_md", "string", true),
            ("project_key", "string", false),
            ("source_ref", "string", false),
            ("cwd", "string", false),
            ("harness", "string", false),
            ("tags", "array", false),
        ],
    ),
    (
        "list_handoffs",
        &[
            ("project_key", "string", false),
            ("cwd", "string", false),
            ("harness", "string", false),
            ("limit", "integer", false),
        ],
    ),
    (
        "claim_handoff",
        &[
            ("handoff_id", "string", true),
            ("claiming_agent_id", "string", false),
            ("claiming_harness", "string", false),
            ("claiming_source_ref", "string", false),
            ("claiming_cwd", "string", false),
        ],
    ),
    ("search_references", &[("query", "string", true), ("limit", "integer", false)]),
];

fn tool_named<'t>(tools: &'t [ToolSpec], name: &str) -> &'t ToolSpec {
    tools.iter().find(|tool| tool.name == name).unwrap()
}

#[test]
fn verbs_and_parameters_are_those_of_the_contract_and_no_other_is_listed() {
    assert_contract(&Librarian::default(), &CONTRACT);
}

#[test]
fn lists_are_lists_of_text() {
    let librarian = Librarian::default();
    for (verb, name) in [("recall", "tags"), ("remember", "tags"), ("remember", "applies_to")] {
        let tool = tool_named(librarian.tools(), verb);
        assert_eq!(tool.input["properties"][name]["items"]["type"], "string", "{verb}.{name}");
    }
}

#[test]
fn the_caller_is_not_an_argument_and_costs_no_tokens() {
    for tool in Librarian::default().tools() {
        assert!(
            !json!(tool.input).to_string().contains("agent_id\"") || tool.name == "claim_handoff"
        );
    }
}

#[test]
fn every_verb_has_annotations_an_output_schema_and_an_example_that_fits() {
    for tool in Librarian::default().tools() {
        assert_eq!(tool.output["type"], "object", "{}", tool.name);
        assert!(!tool.annotations.open_world && !tool.annotations.destructive, "{}", tool.name);
    }
    assert_examples_fit(&Librarian::default());
}

#[test]
fn the_instructions_are_short_enough_for_every_client() {
    assert!(Librarian::default().instructions().chars().count() < 1_500);
}

#[test]
fn the_surface_changes_only_on_purpose() {
    insta::assert_json_snapshot!("librarian_surface", surface(&Librarian::default()));
}
