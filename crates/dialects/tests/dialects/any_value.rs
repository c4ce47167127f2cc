//! Whatever value stands in whichever argument: a tool answers as its schema says, or refuses in a sentence. It never
//! breaks, and never calls a caller's mistake its own.

use crate::house::House;
use dialects::Tool;
use model::ErrorCode;
use serde_json::{Value, json};

/// Values that somebody, or some model, puts where something else was meant.
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

/// Puts every value into every argument of these tools, and into every field of one, beside arguments that fit.
pub async fn any_value_is_answered_or_refused(
    house: &House,
    tools: &[Tool],
    fitting: impl Fn(&str) -> Value,
) {
    for tool in tools {
        house.call(tool.name, fitting(tool.name)).await;
        for place in places(&Value::Object(tool.input.clone())) {
            for value in values() {
                let mut given = fitting(tool.name);
                put(&mut given, &place, value.clone());
                let shown: String = format!("{} {place:?}: {value}", tool.name).chars().take(120).collect();
                match house.try_call("claude", tool.name, given).await {
                    Ok(answer) => house.fits(tool.name, &answer),
                    Err(failure) => {
                        let told: String = failure.to_string().chars().take(300).collect();
                        let ours = [ErrorCode::Internal, ErrorCode::StorageFailed];
                        assert!(!ours.contains(&failure.code), "{shown}: {told}");
                        assert!((10..1_000).contains(&failure.message.len()), "{shown}: {told}");
                    }
                }
            }
        }
    }
}

/// The arguments, and the fields of those that have some, each by the names that lead there.
fn places(schema: &Value) -> Vec<Vec<String>> {
    let forms = schema["anyOf"].as_array().into_iter().flatten().chain([schema]);
    let properties = forms.filter_map(|form| form["properties"].as_object()).flatten();
    let below = |(name, inner): (&String, &Value)| {
        let deeper = places(inner).into_iter().map(|rest| [vec![name.clone()], rest].concat());
        [vec![name.clone()]].into_iter().chain(deeper).collect::<Vec<_>>()
    };
    properties.flat_map(below).collect()
}

fn put(given: &mut Value, place: &[String], value: Value) {
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
