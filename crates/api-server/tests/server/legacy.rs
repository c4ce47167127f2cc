//! A contract's older way in, over plain requests: its envelopes, and what is said when it is
//! turned off.

use crate::bed::Bed;
use crate::dialect::TestDialect;
use crate::memory::Memory;
use crate::wire::{Answer, Ask};
use serde_json::{Value, json};
use std::sync::Arc;

fn bed() -> Bed {
    let memory = tokio::runtime::Runtime::new().unwrap().block_on(Memory::new()).unwrap();
    let engine = memory.engine();
    Bed::start_with(move |endpoints| {
        endpoints.legacy(engine, Arc::new(TestDialect::new())).unwrap()
    })
}

fn call(bed: &Bed, tool: &str, body: &str) -> Answer {
    bed.ask(Ask::post(&format!("/mcp/call/{tool}"), body))
}

#[track_caller]
fn refused(answer: &Answer, status: u16, code: &str) -> String {
    let told = answer.json();
    assert_eq!((answer.status, told["success"].as_bool()), (status, Some(false)), "{answer:?}");
    assert_eq!(told["error"]["code"], code);
    told["error"]["message"].as_str().unwrap().to_owned()
}

#[test]
fn the_list_names_every_tool_that_is_answered() {
    let bed = bed();
    let answer = bed.ask(Ask::new("GET", "/mcp/tools"));
    let tools = answer.json()["tools"].clone();
    let names: Vec<&str> =
        tools.as_array().unwrap().iter().map(|tool| tool["name"].as_str().unwrap()).collect();
    assert_eq!((answer.status, names), (200, vec!["echo", "wait", "tally", "fail", "fall", "say"]));
    let fields: Vec<&String> = tools[0].as_object().unwrap().keys().collect();
    assert_eq!(fields, ["description", "inputSchema", "name"]);
}

#[test]
fn a_call_is_answered_in_an_envelope_and_named_by_its_header() {
    let bed = bed();
    let ask = Ask::post("/mcp/call/echo", json!({ "text": "hi" }).to_string())
        .header("X-Agent-ID", "claude");
    let answer = bed.ask(ask);
    assert_eq!(answer.status, 200);
    let told = answer.json();
    assert_eq!(
        (told["success"].as_bool(), told["result"]["text"].as_str()),
        (Some(true), Some("hi"))
    );
    assert_eq!(
        (told["result"]["agent"].as_str(), told["result"]["tool"].as_str()),
        (Some("claude"), Some("echo"))
    );
    assert_eq!(call(&bed, "tally", "").status, 200, "no body is no arguments");
}

#[test]
fn each_failure_has_its_status_and_its_code() {
    let bed = bed();
    refused(&call(&bed, "echo", "not json"), 400, "BAD_REQUEST");
    refused(&call(&bed, "echo", "[1]"), 400, "BAD_REQUEST");
    let message = refused(&call(&bed, "ekho", "{}"), 404, "not_found");
    assert!(message.contains("did you mean echo?"), "{message}");
    refused(&call(&bed, "echo", "{}"), 400, "invalid_argument");
    for (code, status) in [("consent_required", 403), ("limit_exceeded", 400), ("internal", 500)] {
        refused(&call(&bed, "fail", &json!({ "code": code }).to_string()), status, code);
    }
    refused(&call(&bed, "fail", &json!({ "code": "rate_limited" }).to_string()), 429, "SLOW_DOWN");
}

#[test]
fn without_the_token_nothing_is_answered_and_the_envelope_says_so() {
    let bed = bed();
    for ask in [Ask::new("GET", "/mcp/tools"), Ask::post("/mcp/call/echo", "{}")] {
        let answer = ask.send(bed.address);
        assert!(answer.header("www-authenticate").is_some(), "{answer:?}");
        refused(&answer, 401, "UNAUTHORIZED");
    }
}

#[test]
fn a_page_of_another_site_is_refused_in_the_envelope_too() {
    let ask = Ask::post("/mcp/call/echo", "{}").header("Origin", "https://evil.example");
    refused(&bed().ask(ask), 403, "FORBIDDEN");
}

#[test]
fn when_it_is_turned_off_it_is_gone_and_says_how_to_turn_it_on() {
    let bed = Bed::start_with(quipu_server::Endpoints::without_legacy);
    for ask in [Ask::new("GET", "/mcp/tools"), Ask::post("/mcp/call/recall", "{}")] {
        let message = refused(&bed.ask(ask), 410, "LEGACY_ENDPOINT_DISABLED");
        assert!(message.contains("epitome_legacy_rest"), "{message}");
    }
    assert_eq!(bed.rpc("tools/list", json!({}))["result"]["tools"][0]["name"], Value::from("echo"));
}
