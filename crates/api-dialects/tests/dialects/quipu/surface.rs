//! Instructions, tools and schemas as a client sees them, and their cost in tokens.

use crate::tool_listing::{assert_examples_fit, listing_tokens, surface};
use dialects::{DialectApi, Quipu, ToolSpec};
use serde_json::json;

/// Bytes of the shown tool list for each token.
const SHOWN_RATIO: f64 = 4.18;

#[test]
fn the_whole_tool_list_costs_less_than_four_thousand_tokens() {
    let cost = listing_tokens(&Quipu::default());
    assert!(cost < 4_000, "{cost} tokens");
}

/// Returns the bytes of what clients show of the tool list: names, descriptions and arguments.
fn shown_bytes() -> usize {
    let shown = |tool: &ToolSpec| {
        json!({
            "name": tool.name, "description": tool.description, "parameters": tool.input
        })
        .to_string()
        .len()
    };
    Quipu::default().tools().iter().map(shown).sum()
}

#[test]
fn the_shown_part_of_the_tool_list_costs_less_than_2300_tokens() {
    // The ratio was measured with the tokenizer o200k.
    let tokens = shown_bytes() as f64 / SHOWN_RATIO;
    assert!(tokens < 2_300.0, "{tokens:.0} tokens, {} bytes", shown_bytes());
}

#[test]
fn tool_search_finds_recall_and_remember_first() {
    let dialect = Quipu::default();
    let documents: Vec<Vec<String>> = dialect.tools().iter().map(searched_words).collect();
    for query in [
        "memory",
        "what did we decide",
        "preferences",
        "past decisions",
        "remember this",
        "todo from last time",
    ] {
        let mut scored: Vec<(f64, &str)> = documents
            .iter()
            .zip(dialect.tools())
            .map(|(words, tool)| (bm25(query, words, &documents), tool.name))
            .collect();
        scored.sort_by(|one, other| other.0.total_cmp(&one.0));
        let mut first = [scored[0].1, scored[1].1];
        first.sort_unstable();
        assert_eq!(first, ["recall", "remember"], "{query}: {scored:?}");
        // Each client weighs words a little differently, so a close second is not enough.
        assert!(scored[1].0 > 1.1 * scored[2].0, "{query}: {scored:?}");
    }
}

/// Returns what tool searches of clients look at: name, title, description and argument names.
fn searched_words(tool: &ToolSpec) -> Vec<String> {
    let arguments: Vec<&str> =
        tool.input["properties"].as_object().unwrap().keys().map(String::as_str).collect();
    let text = format!(
        "{} {} {} {}",
        tool.name,
        tool.title,
        tool.description,
        arguments.join(" ").replace('_', " ")
    );
    let words = text.split(|c: char| !c.is_alphabetic()).filter(|word| !word.is_empty());
    words.map(str::to_lowercase).collect()
}

/// Scores a document for a query by BM25 with its usual parameters.
fn bm25(query: &str, words: &[String], all: &[Vec<String>]) -> f64 {
    let average = all.iter().map(Vec::len).sum::<usize>() as f64 / all.len() as f64;
    let score = |term: &str| {
        let count = words.iter().filter(|word| *word == term).count() as f64;
        let known = all.iter().filter(|one| one.iter().any(|word| word == term)).count() as f64;
        let rarity = (1.0 + (all.len() as f64 - known + 0.5) / (known + 0.5)).ln();
        let length = 0.25 + 0.75 * words.len() as f64 / average;
        rarity * count * 2.2 / (count + 1.2 * length)
    };
    query.split(' ').map(score).sum()
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
