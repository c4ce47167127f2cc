//! The tool listing of a dialect: its JSON, its cost in tokens, and checks against a contract.

use dialects::{DialectApi, ToolSpec};
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// Parameter of a contract: name, JSON type, and true if it is required.
pub type ContractParameter = (&'static str, &'static str, bool);

/// Estimates tokens at four bytes each, which is on the high side for English.
pub fn estimate_tokens(text: &str) -> usize {
    text.len().div_ceil(4)
}

/// Renders a tool as the protocol lists it.
pub fn tool_json(tool: &ToolSpec) -> Value {
    json!({
        "name": tool.name,
        "title": tool.title,
        "description": tool.description,
        "inputSchema": tool.input,
        "outputSchema": tool.output,
        "annotations": {
            "readOnlyHint": tool.annotations.read_only,
            "destructiveHint": tool.annotations.destructive,
            "idempotentHint": tool.annotations.idempotent,
            "openWorldHint": tool.annotations.open_world,
        },
    })
}

/// Returns the tokens that the tool list costs every client.
pub fn listing_tokens(dialect: &dyn DialectApi) -> usize {
    let tools: Vec<Value> = dialect.tools().iter().map(tool_json).collect();
    estimate_tokens(&json!({ "tools": tools }).to_string())
}

/// Returns everything that a client reads before its first call, for a snapshot.
pub fn surface(dialect: &dyn DialectApi) -> Value {
    let tools: Vec<Value> = dialect.tools().iter().map(tool_json).collect();
    json!({
        "instructions": dialect.instructions(),
        "estimated_tokens_of_the_list": listing_tokens(dialect),
        "tools": tools,
    })
}

/// Asserts that the tools and their parameters are those of a contract: the same names in the same
/// order, the same types, and no others.
pub fn assert_contract(dialect: &dyn DialectApi, contract: &[(&str, &[ContractParameter])]) {
    let names: Vec<&str> = dialect.tools().iter().map(|tool| tool.name).collect();
    assert_eq!(names, contract.iter().map(|(name, _)| *name).collect::<Vec<_>>());
    for (tool, (name, parameters)) in dialect.tools().iter().zip(contract) {
        let none = json!({});
        let listed = tool.input.get("properties").unwrap_or(&none).as_object().unwrap();
        let known: BTreeSet<&str> = parameters.iter().map(|(name, _, _)| *name).collect();
        assert_eq!(listed.keys().map(String::as_str).collect::<BTreeSet<_>>(), known, "{name}");
        let required = tool.input.get("required").cloned().unwrap_or(json!([]));
        for (parameter, kind, needed) in *parameters {
            let place = format!("{name}.{parameter}");
            assert_eq!(listed[*parameter]["type"], *kind, "{place}");
            assert!(listed[*parameter]["description"].is_string(), "{place}");
            assert_eq!(
                required.as_array().unwrap().contains(&json!(parameter)),
                *needed,
                "{place}"
            );
        }
    }
}

/// Asserts that every description has an example whose first call uses arguments of the tool.
pub fn assert_examples_fit(dialect: &dyn DialectApi) {
    for tool in dialect.tools() {
        let (_, example) = tool.description.split_once("Example: ").expect(tool.name);
        let example = example.split(", then ").next().unwrap();
        let example: Value = serde_json::from_str(example).expect(tool.name);
        for name in example.as_object().unwrap().keys() {
            assert!(tool.input["properties"].get(name).is_some(), "{}: {name}", tool.name);
        }
    }
}
