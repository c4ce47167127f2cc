//! What a client reads before it calls anything, held against the contract word for word.

use crate::listed::{listed, tokens};
use dialects::{Dialect, Librarian, Tool};
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// A parameter as the contract has it: name, JSON type, whether it is required.
type Parameter = (&'static str, &'static str, bool);

/// Each verb with its parameters.
const CONTRACT: [(&str, &[Parameter]); 7] = [
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

fn tool_named<'t>(tools: &'t [Tool], name: &str) -> &'t Tool {
    tools.iter().find(|tool| tool.name == name).unwrap()
}

#[test]
fn the_verbs_are_the_seven_of_the_contract_in_its_order() {
    let names: Vec<&str> = Librarian::default().tools().iter().map(|tool| tool.name).collect();
    assert_eq!(names, CONTRACT.map(|(name, _)| name));
}

#[test]
fn every_parameter_has_the_name_and_type_of_the_contract_and_no_other_is_listed() {
    let librarian = Librarian::default();
    for (verb, parameters) in CONTRACT {
        let tool = tool_named(librarian.tools(), verb);
        let listed = tool.input["properties"].as_object().unwrap();
        let known: BTreeSet<&str> = parameters.iter().map(|(name, _, _)| *name).collect();
        assert_eq!(listed.keys().map(String::as_str).collect::<BTreeSet<_>>(), known, "{verb}");
        let required = tool.input.get("required").cloned().unwrap_or(json!([]));
        for (name, kind, needed) in parameters {
            assert_eq!(listed[*name]["type"], *kind, "{verb}.{name}");
            assert!(listed[*name]["description"].is_string(), "{verb}.{name}");
            assert_eq!(required.as_array().unwrap().contains(&json!(name)), *needed, "{verb}.{name}");
        }
    }
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
fn who_calls_is_filled_in_by_the_server_and_costs_no_model_a_token() {
    for tool in Librarian::default().tools() {
        assert!(!json!(tool.input).to_string().contains("agent_id\"") || tool.name == "claim_handoff");
    }
}

#[test]
fn every_verb_has_annotations_an_output_schema_and_an_example_that_fits() {
    for tool in Librarian::default().tools() {
        assert_eq!(tool.output["type"], "object", "{}", tool.name);
        assert!(!tool.annotations.open_world && !tool.annotations.destructive, "{}", tool.name);
        let (_, example) = tool.description.split_once("Example: ").expect(tool.name);
        let example: Value = serde_json::from_str(example).expect(tool.name);
        for name in example.as_object().unwrap().keys() {
            assert!(tool.input["properties"].get(name).is_some(), "{}: {name}", tool.name);
        }
    }
}

#[test]
fn the_instructions_are_short_enough_for_every_client() {
    assert!(Librarian::default().instructions().chars().count() < 1_500);
}

#[test]
fn the_surface_changes_only_on_purpose() {
    let librarian = Librarian::default();
    let tools: Vec<Value> = librarian.tools().iter().map(listed).collect();
    let cost = tokens(&json!({ "tools": tools }).to_string());
    insta::assert_json_snapshot!(
        "librarian_surface",
        json!({
            "instructions": librarian.instructions(),
            "estimated_tokens_of_the_list": cost,
            "tools": tools,
        })
    );
}
