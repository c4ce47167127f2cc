//! Invalid arguments for every tool of a dialect: a value of each wrong type for every parameter,
//! and an unknown argument, must be refused by name. Any value in any parameter or field of one
//! must yield a result that fits the schema or a readable error, and never an internal one.

use crate::fixture::DialectFixture;
use dialects::{DialectApi, ToolSpec};
use model::ErrorCode;
use serde_json::{Value, json};

/// Asserts that wrong types and unknown arguments are refused by name. `sound` returns valid
/// arguments for a tool.
pub async fn arguments_are_refused_by_name(
    fixture: &DialectFixture,
    dialect: &dyn DialectApi,
    sound: impl Fn(&str) -> Value,
) {
    wrong_types_are_refused_by_name(fixture, dialect, &sound).await;
    for tool in dialect.tools() {
        refused_by_name(fixture, tool.name, &sound(tool.name), "surprise", json!(1)).await;
    }
}

/// Asserts that wrong types are refused by name.
pub async fn wrong_types_are_refused_by_name(
    fixture: &DialectFixture,
    dialect: &dyn DialectApi,
    sound: impl Fn(&str) -> Value,
) {
    for tool in dialect.tools() {
        let sound = sound(tool.name);
        for (name, parameter) in tool.input["properties"].as_object().unwrap() {
            for odd in values_of_other_types(parameter["type"].as_str().unwrap()) {
                refused_by_name(fixture, tool.name, &sound, name, odd).await;
            }
        }
    }
}

/// Puts each of many values into every argument of the tools, and into every field of one, next to
/// valid arguments.
pub async fn any_value_yields_a_result_or_an_error(
    fixture: &DialectFixture,
    tools: &[ToolSpec],
    fitting: impl Fn(&str) -> Value,
) {
    for tool in tools {
        fixture.call(tool.name, fitting(tool.name)).await;
        for place in argument_paths(&Value::Object(tool.input.clone())) {
            for value in values() {
                let mut given = fitting(tool.name);
                set_at_path(&mut given, &place, value.clone());
                let shown: String =
                    format!("{} {place:?}: {value}", tool.name).chars().take(120).collect();
                match fixture.try_call("claude", tool.name, given).await {
                    Ok(answer) => fixture.assert_fits_schema(tool.name, &answer),
                    Err(failure) => {
                        let text: String = failure.to_string().chars().take(300).collect();
                        let ours = [ErrorCode::Internal, ErrorCode::StorageFailed];
                        assert!(!ours.contains(&failure.code), "{shown}: {text}");
                        assert!((10..1_000).contains(&failure.message.len()), "{shown}: {text}");
                    }
                }
            }
        }
    }
}

async fn refused_by_name(
    fixture: &DialectFixture,
    tool: &str,
    sound: &Value,
    name: &str,
    odd: Value,
) {
    let mut given = sound.clone();
    given[name] = odd;
    let refusal = match fixture.try_call("claude", tool, given.clone()).await {
        Ok(answer) => panic!("{tool} takes {given}: {answer}"),
        Err(refusal) => refusal,
    };
    assert_eq!(refusal.code, ErrorCode::InvalidArgument, "{tool} {given}: {refusal}");
    assert!(refusal.message.contains(name), "{tool} {given}: {refusal}");
}

fn values_of_other_types(kind: &str) -> Vec<Value> {
    match kind {
        "string" => vec![json!(7), json!(true), json!(["a"]), json!({"a": 1})],
        "integer" => vec![json!("7"), json!(1.5), json!(1e30), json!(true), json!([7])],
        "number" => vec![json!("0.5"), json!(true), json!([0.5])],
        "boolean" => vec![json!("yes"), json!(1)],
        "array" => vec![json!("a"), json!(7), json!({"a": 1}), json!([[[]]])],
        "object" => vec![json!("a"), json!(7), json!(true)],
        other => panic!("no invalid values for the type {other}"),
    }
}

/// Values that a person or a model might send by mistake.
fn values() -> Vec<Value> {
    let deep = (0..200).fold(json!(null), |inner, _| json!([inner]));
    vec![
        json!(null),
        json!(true),
        json!(0),
        json!(-1),
        json!(1),
        json!(i64::MIN),
        json!(u64::MAX),
        json!(0.5),
        json!(1e308),
        json!(""),
        json!(" \t\n"),
        json!("\u{0}\u{202e}\u{feff}"),
        json!("🦀'\"`;--\\ %s {} <b>"),
        json!("x".repeat(70_000)),
        json!("1"),
        json!([]),
        json!([null]),
        json!({}),
        json!({"": null, "a.b": {"c": []}}),
        deep,
    ]
}

/// Returns the paths of all arguments and of their fields.
fn argument_paths(schema: &Value) -> Vec<Vec<String>> {
    let forms = schema["anyOf"].as_array().into_iter().flatten().chain([schema]);
    let properties = forms.filter_map(|form| form["properties"].as_object()).flatten();
    let below = |(name, inner): (&String, &Value)| {
        let deeper =
            argument_paths(inner).into_iter().map(|rest| [vec![name.clone()], rest].concat());
        [vec![name.clone()]].into_iter().chain(deeper).collect::<Vec<_>>()
    };
    properties.flat_map(below).collect()
}

fn set_at_path(given: &mut Value, place: &[String], value: Value) {
    let [above @ .., last] = place else { return };
    let mut here = given;
    for name in above {
        if !here[name].is_object() {
            here[name] = json!({});
        }
        here = &mut here[name];
    }
    here[last] = value;
}
