//! The legacy REST API: its envelopes, and its response when it is turned off.

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

fn call(server: &Bed, tool: &str, body: &str) -> Answer {
    server.ask(Ask::post(&format!("/mcp/call/{tool}"), body))
}

#[track_caller]
fn refused(answer: &Answer, status: u16, code: &str) -> String {
    let body = answer.json();
    assert_eq!((answer.status, body["success"].as_bool()), (status, Some(false)), "{answer:?}");
    assert_eq!(body["error"]["code"], code);
    body["error"]["message"].as_str().unwrap().to_owned()
}

#[test]
fn the_list_names_every_tool_that_is_answered() {
    let server = bed();
    let answer = server.ask(Ask::new("GET", "/mcp/tools"));
    let tools = answer.json()["tools"].clone();
    let names: Vec<&str> =
        tools.as_array().unwrap().iter().map(|tool| tool["name"].as_str().unwrap()).collect();
    assert_eq!((answer.status, names), (200, vec!["echo", "wait", "tally", "fail", "fall", "say"]));
    let fields: Vec<&String> = tools[0].as_object().unwrap().keys().collect();
    assert_eq!(fields, ["description", "inputSchema", "name"]);
}

#[test]
fn a_call_is_answered_in_an_envelope_and_named_by_its_header() {
    let server = bed();
    let ask = Ask::post("/mcp/call/echo", json!({ "text": "hi" }).to_string())
        .header("X-Agent-ID", "claude");
    let answer = server.ask(ask);
    assert_eq!(answer.status, 200);
    let body = answer.json();
    assert_eq!(
        (body["success"].as_bool(), body["result"]["text"].as_str()),
        (Some(true), Some("hi"))
    );
    assert_eq!(
        (body["result"]["agent"].as_str(), body["result"]["tool"].as_str()),
        (Some("claude"), Some("echo"))
    );
    assert_eq!(call(&server, "tally", "").status, 200, "no body is no arguments");
}

#[test]
fn each_failure_has_its_status_and_its_code() {
    let server = bed();
    refused(&call(&server, "echo", "not json"), 400, "BAD_REQUEST");
    refused(&call(&server, "echo", "[1]"), 400, "BAD_REQUEST");
    let message = refused(&call(&server, "ekho", "{}"), 404, "not_found");
    assert!(message.contains("did you mean echo?"), "{message}");
    refused(&call(&server, "echo", "{}"), 400, "invalid_argument");
    for (code, status) in [("consent_required", 403), ("limit_exceeded", 400), ("internal", 500)] {
        refused(&call(&server, "fail", &json!({ "code": code }).to_string()), status, code);
    }
    refused(
        &call(&server, "fail", &json!({ "code": "rate_limited" }).to_string()),
        429,
        "SLOW_DOWN",
    );
}

#[test]
fn without_the_token_nothing_is_answered_and_the_envelope_says_so() {
    let server = bed();
    for ask in [Ask::new("GET", "/mcp/tools"), Ask::post("/mcp/call/echo", "{}")] {
        let answer = ask.send(server.address);
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
    let server = Bed::start_with(quipu_server::Endpoints::without_legacy);
    for ask in [Ask::new("GET", "/mcp/tools"), Ask::post("/mcp/call/recall", "{}")] {
        let message = refused(&server.ask(ask), 410, "LEGACY_ENDPOINT_DISABLED");
        assert!(message.contains("epitome_legacy_rest"), "{message}");
    }
    assert_eq!(
        server.rpc("tools/list", json!({}))["result"]["tools"][0]["name"],
        Value::from("echo")
    );
}
