//! Instructions, tools and schemas as a client sees them, and their cost in tokens.

use crate::tool_listing::{assert_examples_fit, listing_tokens, surface};
use dialects::{DialectApi, Quipu};

#[test]
fn the_whole_tool_list_costs_less_than_four_thousand_tokens() {
    let cost = listing_tokens(&Quipu::default());
    assert!(cost < 4_000, "{cost} tokens");
}

#[test]
fn the_instructions_are_short_enough_for_every_client() {
    let instructions = Quipu::default().instructions().to_owned();
    assert!(instructions.chars().count() < 1_500, "{} characters", instructions.chars().count());
    assert!(instructions.starts_with("Quipu is the owner's long-term memory"));
}

#[test]
fn the_tools_are_the_eleven_of_the_contract_in_a_fixed_order() {
    let names: Vec<&str> = Quipu::default().tools().iter().map(|tool| tool.name).collect();
    assert_eq!(
        names,
        [
            "recall",
            "remember",
            "correct",
            "forget",
            "review",
            "verify",
            "explore",
            "tables",
            "handoff",
            "references",
            "session"
        ]
    );
}

#[test]
fn every_argument_has_a_type_and_every_schema_is_an_object() {
    for tool in Quipu::default().tools() {
        assert_eq!(tool.input["type"], "object", "{}", tool.name);
        assert_eq!(tool.output["type"], "object", "{}", tool.name);
        for (name, schema) in tool.input["properties"].as_object().unwrap() {
            assert!(schema["type"].is_string(), "{}.{name}", tool.name);
            assert!(schema.get("format").is_none(), "{}.{name}", tool.name);
        }
    }
}

#[test]
fn every_description_has_an_example_that_names_only_known_arguments() {
    assert_examples_fit(&Quipu::default());
}

#[test]
fn recall_and_remember_are_always_loaded() {
    let daily: Vec<&str> = Quipu::default()
        .tools()
        .iter()
        .filter(|tool| tool.always_load)
        .map(|tool| tool.name)
        .collect();
    assert_eq!(daily, ["recall", "remember"]);
}

#[test]
fn the_surface_changes_only_on_purpose() {
    insta::assert_json_snapshot!("quipu_surface", surface(&Quipu::default()));
}
