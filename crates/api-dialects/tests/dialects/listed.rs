//! A tool as a client reads it in the list, what the list costs, and what every dialect's list is
//! held to.

use dialects::{Dialect, Tool};
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// A parameter as a contract has it: name, JSON type, whether it is required.
pub type Parameter = (&'static str, &'static str, bool);

/// A careful estimate of tokens: four bytes each, as compact JSON.
pub fn tokens(text: &str) -> usize {
    text.len().div_ceil(4)
}

/// The tool with everything that the protocol lists of it.
pub fn listed(tool: &Tool) -> Value {
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

/// What the list of tools costs every client.
pub fn cost(dialect: &dyn Dialect) -> usize {
    let tools: Vec<Value> = dialect.tools().iter().map(listed).collect();
    tokens(&json!({ "tools": tools }).to_string())
}

/// Everything a client reads before it calls anything, for a snapshot.
pub fn surface(dialect: &dyn Dialect) -> Value {
    let tools: Vec<Value> = dialect.tools().iter().map(listed).collect();
    json!({
        "instructions": dialect.instructions(),
        "estimated_tokens_of_the_list": cost(dialect),
        "tools": tools,
    })
}

/// Holds the tools and their parameters to a contract: these names in this order, these types, and
/// no other.
pub fn holds(dialect: &dyn Dialect, contract: &[(&str, &[Parameter])]) {
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

/// Holds every description to an example, and the first call of it to arguments that the tool has.
pub fn examples_fit(dialect: &dyn Dialect) {
    for tool in dialect.tools() {
        let (_, example) = tool.description.split_once("Example: ").expect(tool.name);
        let example = example.split(", then ").next().unwrap();
        let example: Value = serde_json::from_str(example).expect(tool.name);
        for name in example.as_object().unwrap().keys() {
            assert!(tool.input["properties"].get(name).is_some(), "{}: {name}", tool.name);
        }
    }
}
