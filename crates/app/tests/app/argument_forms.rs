//! Arguments in the forms in which hosts and models send them, over every tool of every dialect: an
//! empty optional is one that was not given, and a number in quotes is a number. Each call of the
//! authorization matrix is repeated with every other argument of its tool.

use crate::authorization_matrix::{RequiredPermission, dialects, rows_of};
use crate::mcp::McpTestClient;
use crate::test_env::TestEnv;
use serde_json::{Value, json};

/// Fields of results that differ between two equal calls.
const VOLATILE: [&str; 2] = ["access_count", "timingMs"];

/// A tool as it is listed.
struct ListedTool {
    name: String,
    input: Value,
}

impl ListedTool {
    /// Returns the optional arguments with their schemas, without those in `given`.
    fn optional(&self, given: &Value) -> Vec<(&str, &Value)> {
        let required = self.input["required"].as_array().cloned().unwrap_or_default();
        let properties = self.input["properties"].as_object().into_iter().flatten();
        properties
            .map(|(name, schema)| (name.as_str(), schema))
            .filter(|(name, _)| !required.contains(&json!(name)) && given.get(name).is_none())
            .collect()
    }
}

fn list_tools(client: &mut McpTestClient) -> Vec<ListedTool> {
    let listed = client.request("tools/list", json!({}));
    let tool = |tool: &Value| ListedTool {
        name: tool["name"].as_str().unwrap().to_owned(),
        input: tool["inputSchema"].clone(),
    };
    listed["tools"].as_array().unwrap().iter().map(tool).collect()
}

/// Returns the types that a schema names, also those of its alternatives.
fn types(schema: &Value) -> Vec<&str> {
    let own = match &schema["type"] {
        Value::Array(names) => names.iter().filter_map(Value::as_str).collect(),
        Value::String(name) => vec![name.as_str()],
        _ => Vec::new(),
    };
    let branches = ["anyOf", "oneOf"].into_iter().filter_map(|name| schema[name].as_array());
    own.into_iter().chain(branches.flatten().flat_map(types)).collect()
}

/// Returns the empty values that an argument of this schema can have.
fn empty_values(schema: &Value) -> Vec<Value> {
    let empty = |name: &str| match name {
        "string" => Some(json!("")),
        "array" => Some(json!([])),
        "object" => Some(json!({})),
        _ => None,
    };
    let mut found: Vec<Value> = types(schema).into_iter().filter_map(empty).collect();
    found.push(Value::Null);
    found
}

fn with(arguments: &Value, name: &str, value: Value) -> Value {
    let mut changed = arguments.clone();
    changed[name] = value;
    changed
}

/// Calls a tool and returns what the client gets. Of a write only its failure is the same when it
/// is repeated.
fn outcome(
    client: &mut McpTestClient,
    tool: &str,
    arguments: &Value,
    needs: RequiredPermission,
) -> Value {
    let answer = client.request("tools/call", json!({"name": tool, "arguments": arguments}));
    let failed = answer["isError"] == true;
    match needs {
        RequiredPermission::Write if !failed => json!("done"),
        _ => json!([failed, stable_text(answer["content"][0]["text"].as_str().unwrap())]),
    }
}

/// Returns the text of a result without the fields that differ between equal calls.
fn stable_text(text: &str) -> Value {
    let Ok(mut value) = serde_json::from_str(text) else { return json!(text) };
    remove_volatile(&mut value);
    value
}

fn remove_volatile(value: &mut Value) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(remove_volatile),
        Value::Object(fields) => {
            fields.retain(|name, _| !VOLATILE.contains(&name.as_str()));
            fields.values_mut().for_each(remove_volatile);
        }
        _ => {}
    }
}

/// Calls every tool of every dialect with each pair of arguments that `pairs` makes for one of its
/// optional ones, and lists those whose results differ. Returns the number of pairs.
fn compare(pairs: fn(&Value, &str, &Value) -> Vec<(Value, Value)>) -> usize {
    let (mut count, mut differing) = (0, Vec::new());
    for (dialect, _) in dialects(&TestEnv::new()) {
        let env = TestEnv::new();
        env.quipu(&["remember", "Lunch with Ada Lovelace in Paris."]).success();
        let mut client = McpTestClient::start(&mut env.command(&["mcp", "--dialect", &dialect]));
        let tools = list_tools(&mut client);
        for (name, arguments, needs) in rows_of(&dialect) {
            let Some(tool) = tools.iter().find(|tool| tool.name == name) else { continue };
            for (argument, schema) in tool.optional(&arguments) {
                for (one, other) in pairs(&arguments, argument, schema) {
                    count += 1;
                    let expected = outcome(&mut client, name, &one, needs);
                    let found = outcome(&mut client, name, &other, needs);
                    if expected != found {
                        differing.push(format!("{dialect} {name} {other}: {found} not {expected}"));
                    }
                }
            }
        }
        assert_eq!(client.disconnect(), Some(0));
    }
    assert!(differing.is_empty(), "{}", differing.join("\n"));
    count
}

#[test]
fn an_empty_optional_is_one_that_was_not_given_in_every_tool_of_every_dialect() {
    let count = compare(|arguments, name, schema| {
        let pair = |value| (arguments.clone(), with(arguments, name, value));
        empty_values(schema).into_iter().map(pair).collect()
    });
    assert!(count > 200, "only {count} arguments were tried");
}

#[test]
fn a_number_in_quotes_is_a_number_in_every_tool_of_every_dialect() {
    let count = compare(|arguments, name, schema| {
        if !types(schema).contains(&"integer") {
            return Vec::new();
        }
        vec![(with(arguments, name, json!(5)), with(arguments, name, json!("5")))]
    });
    assert!(count > 40, "only {count} arguments were tried");
}
