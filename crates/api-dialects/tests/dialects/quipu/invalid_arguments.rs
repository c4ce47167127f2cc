//! Invalid arguments.

use crate::fixture::DialectFixture;
use crate::invalid_arguments::any_value_yields_a_result_or_an_error;
use dialects::{DialectApi, Quipu};
use serde_json::{Value, json};

/// Returns valid arguments for a tool, given that memory 1 and the entity Ada exist.
fn valid_arguments(tool: &str) -> Value {
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
async fn any_value_of_an_argument_yields_a_result_or_a_readable_error() {
    let fixture = DialectFixture::new().await;
    fixture.remember("Ada met Bo in Lisbon.").await;
    any_value_yields_a_result_or_an_error(&fixture, Quipu::default().tools(), valid_arguments)
        .await;
}
