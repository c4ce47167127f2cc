//! What a client reads before it calls anything, held against the contract word for word.

use crate::listed::{listed, tokens};
use dialects::{CodeMemory, Dialect, LIST};
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// A parameter as the contract has it: name, JSON type, whether it is required.
type Parameter = (&'static str, &'static str, bool);

/// Each tool with its parameters.
const CONTRACT: [(&str, &[Parameter]); 11] = [
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
fn the_tools_are_the_eleven_of_the_contract() {
    let names: Vec<&str> = CodeMemory::default().tools().iter().map(|tool| tool.name).collect();
    assert_eq!(names, CONTRACT.map(|(name, _)| name));
}

#[test]
fn every_parameter_has_the_name_and_type_of_the_contract_and_no_other_is_listed() {
    let dialect = CodeMemory::default();
    for (name, parameters) in CONTRACT {
        let tool = dialect.tools().iter().find(|tool| tool.name == name).unwrap();
        let none = json!({});
        let listed = tool.input.get("properties").unwrap_or(&none).as_object().unwrap();
        let known: BTreeSet<&str> = parameters.iter().map(|(name, _, _)| *name).collect();
        assert_eq!(listed.keys().map(String::as_str).collect::<BTreeSet<_>>(), known, "{name}");
        let required = tool.input.get("required").cloned().unwrap_or(json!([]));
        for (parameter, kind, needed) in parameters {
            assert_eq!(listed[*parameter]["type"], *kind, "{name}.{parameter}");
            assert!(listed[*parameter]["description"].is_string(), "{name}.{parameter}");
            assert_eq!(
                required.as_array().unwrap().contains(&json!(parameter)),
                *needed,
                "{name}.{parameter}"
            );
        }
    }
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
        let listed = tool.output["properties"].get(LIST).is_some_and(|schema| schema["type"] == "array");
        assert_eq!(listed, gives_a_list, "{}", tool.name);
    }
}

#[test]
fn every_description_has_an_example_that_names_only_known_arguments() {
    for tool in CodeMemory::default().tools() {
        let (_, example) = tool.description.split_once("Example: ").expect(tool.name);
        let example: Value = serde_json::from_str(example).expect(tool.name);
        for name in example.as_object().unwrap().keys() {
            assert!(tool.input["properties"].get(name).is_some(), "{}: {name}", tool.name);
        }
    }
}

#[test]
fn the_instructions_are_short_enough_for_every_client() {
    assert!(CodeMemory::default().instructions().chars().count() < 1_500);
}

#[test]
fn the_surface_changes_only_on_purpose() {
    let dialect = CodeMemory::default();
    let tools: Vec<Value> = dialect.tools().iter().map(listed).collect();
    let cost = tokens(&json!({ "tools": tools }).to_string());
    insta::assert_json_snapshot!(
        "codememory_surface",
        json!({
            "instructions": dialect.instructions(),
            "estimated_tokens_of_the_list": cost,
            "tools": tools,
        })
    );
}
