//! Instructions, tools and schemas as a client sees them, compared with the contract.

use crate::tool_listing::{ContractParameter, assert_contract, assert_examples_fit, surface};
use dialects::{CodeMemory, DialectApi, LIST_FIELD};
use serde_json::json;

/// Tools of the contract with their parameters.
const CONTRACT: [(&str, &[ContractParameter]); 11] = [
    (
        "remember",
        &[
            ("content", "string", true),
            ("session_id", "string", true),
            ("kind", "string", false),
            ("summary", "string", false),
            ("tags", "string", false),
            ("priority", "integer", false),
            ("metadata_json", "string", false),
        ],
    ),
    (
        "search_memory",
        &[
            ("query", "string", true),
            ("session_id", "string", true),
            ("limit", "integer", false),
            ("top_p", "number", false),
        ],
    ),
    ("list_recent", &[("limit", "integer", false)]),
    ("list_entities", &[("memory_id", "integer", true)]),
    (
        "upsert_entity",
        &[
            ("name", "string", true),
            ("entity_type", "string", false),
            ("observations_json", "string", false),
            ("memory_id", "integer", false),
        ],
    ),
    (
        "add_relation",
        &[
            ("source", "string", true),
            ("target", "string", true),
            ("relation_type", "string", true),
            ("memory_id", "integer", false),
        ],
    ),
    ("get_entity", &[("name", "string", true)]),
    ("get_context_graph", &[("query", "string", false), ("limit", "integer", false)]),
    (
        "maintenance",
        &[
            ("action", "string", true),
            ("confirm", "boolean", false),
            ("session_id", "string", false),
            ("older_than_days", "integer", false),
        ],
    ),
    ("diagnostics", &[]),
    ("health", &[]),
];

#[test]
fn tools_and_parameters_are_those_of_the_contract_and_no_other_is_listed() {
    assert_contract(&CodeMemory::default(), &CONTRACT);
}

#[test]
fn the_actions_of_maintenance_are_the_four_of_the_contract() {
    let dialect = CodeMemory::default();
    let tool = dialect.tools().iter().find(|tool| tool.name == "maintenance").unwrap();
    assert_eq!(
        tool.input["properties"]["action"]["enum"],
        json!(["vacuum", "purge_all", "purge_session", "prune_older_than"])
    );
    assert!(tool.annotations.destructive);
}

#[test]
fn tools_that_give_lists_say_so_in_their_schema() {
    for tool in CodeMemory::default().tools() {
        let gives_a_list = ["search_memory", "list_recent", "list_entities"].contains(&tool.name);
        let listed = tool.output["properties"]
            .get(LIST_FIELD)
            .is_some_and(|schema| schema["type"] == "array");
        assert_eq!(listed, gives_a_list, "{}", tool.name);
    }
}

#[test]
fn every_description_has_an_example_that_names_only_known_arguments() {
    assert_examples_fit(&CodeMemory::default());
}

#[test]
fn the_instructions_are_short_enough_for_every_client() {
    assert!(CodeMemory::default().instructions().chars().count() < 1_500);
}

#[test]
fn the_surface_changes_only_on_purpose() {
    insta::assert_json_snapshot!("codememory_surface", surface(&CodeMemory::default()));
}
