//! Invalid arguments.

use crate::house::House;
use crate::odd::any_value_is_answered_or_refused;
use dialects::{Dialect, Quipu};
use serde_json::{Value, json};

/// Returns valid arguments for a tool, given that memory 1 and the entity Ada exist.
fn sound(tool: &str) -> Value {
    match tool {
        "remember" => json!({"text": "Ada met Bo in Paris."}),
        "correct" => json!({"id": 1, "text": "Ada met Bo in Rome."}),
        "forget" => json!({"ids": [1], "dry_run": true}),
        "verify" => json!({"claim": "Ada met Bo"}),
        "explore" => json!({"entity": "Ada"}),
        "references" => json!({"query": "ports"}),
        "session" => json!({"action": "start"}),
        _ => json!({}),
    }
}

#[tokio::test]
async fn whatever_stands_in_an_argument_is_answered_or_refused_in_a_sentence() {
    let fixture = House::new().await;
    fixture.remember("Ada met Bo in Lisbon.").await;
    any_value_is_answered_or_refused(&fixture, Quipu::default().tools(), sound).await;
}
