//! Odd arguments: for every parameter of every tool a value of each wrong type, and an argument that there is not.
//! Each is refused by its name; nothing is taken for something else, and nothing falls over.

use crate::house::House;
use dialects::Dialect;
use model::ErrorCode;
use serde_json::{Value, json};

/// Holds every tool to it. `sound` gives arguments of a tool that would be taken.
pub async fn arguments_are_refused_by_name(
    house: &House,
    dialect: &dyn Dialect,
    sound: impl Fn(&str) -> Value,
) {
    for tool in dialect.tools() {
        let sound = sound(tool.name);
        for (name, parameter) in tool.input["properties"].as_object().unwrap() {
            for odd in odd_values(parameter["type"].as_str().unwrap()) {
                refused_by_name(house, tool.name, &sound, name, odd).await;
            }
        }
        refused_by_name(house, tool.name, &sound, "surprise", json!(1)).await;
    }
}

async fn refused_by_name(house: &House, tool: &str, sound: &Value, name: &str, odd: Value) {
    let mut given = sound.clone();
    given[name] = odd;
    let refusal = match house.try_call("claude", tool, given.clone()).await {
        Ok(answer) => panic!("{tool} takes {given}: {answer}"),
        Err(refusal) => refusal,
    };
    assert_eq!(refusal.code, ErrorCode::InvalidArgument, "{tool} {given}: {refusal}");
    assert!(refusal.message.contains(name), "{tool} {given}: {refusal}");
}

fn odd_values(kind: &str) -> Vec<Value> {
    match kind {
        "string" => vec![json!(7), json!(true), json!(["a"]), json!({"a": 1})],
        "integer" => vec![json!("7"), json!(1.5), json!(1e30), json!(true), json!([7])],
        "number" => vec![json!("0.5"), json!(true), json!([0.5])],
        "boolean" => vec![json!("yes"), json!(1)],
        "array" => vec![json!("a"), json!(7), json!({"a": 1}), json!([[[]]])],
        "object" => vec![json!("a"), json!(7), json!(true)],
        other => panic!("nothing is odd about {other} yet"),
    }
}
