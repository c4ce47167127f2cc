//! The legacy REST API: its envelopes, and its response when it is turned off.

use crate::dialect::TestDialect;
use crate::raw_http::{RawRequest, RawResponse};
use crate::server_fixture::ServerFixture;
use crate::temporary_engine::TemporaryEngine;
use serde_json::{Value, json};
use std::sync::Arc;

fn server_with_legacy_rest() -> ServerFixture {
    let memory = tokio::runtime::Runtime::new().unwrap().block_on(TemporaryEngine::new()).unwrap();
    let engine = memory.engine();
    ServerFixture::start_with(move |endpoints| {
        endpoints.with_legacy_rest(engine, Arc::new(TestDialect::new())).unwrap()
    })
}

fn call(server: &ServerFixture, tool: &str, body: &str) -> RawResponse {
    server.ask(RawRequest::post(&format!("/mcp/call/{tool}"), body))
}

#[track_caller]
fn check_refused(answer: &RawResponse, status: u16, code: &str) -> String {
    let body = answer.json();
    assert_eq!((answer.status, body["success"].as_bool()), (status, Some(false)), "{answer:?}");
    assert_eq!(body["error"]["code"], code);
    body["error"]["message"].as_str().unwrap().to_owned()
}

#[test]
fn the_list_names_every_tool_that_is_answered() {
    let server = server_with_legacy_rest();
    let answer = server.ask(RawRequest::new("GET", "/mcp/tools"));
    let tools = answer.json()["tools"].clone();
    let names: Vec<&str> =
        tools.as_array().unwrap().iter().map(|tool| tool["name"].as_str().unwrap()).collect();
    assert_eq!((answer.status, names), (200, vec!["echo", "wait", "tally", "fail", "fall", "say"]));
    let fields: Vec<&String> = tools[0].as_object().unwrap().keys().collect();
    assert_eq!(fields, ["description", "inputSchema", "name"]);
}

#[test]
fn a_call_is_answered_in_an_envelope_and_its_agent_is_named_by_the_header() {
    let server = server_with_legacy_rest();
    let ask = RawRequest::post("/mcp/call/echo", json!({ "text": "hi" }).to_string())
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
    let server = server_with_legacy_rest();
    check_refused(&call(&server, "echo", "not json"), 400, "BAD_REQUEST");
    check_refused(&call(&server, "echo", "[1]"), 400, "BAD_REQUEST");
    let message = check_refused(&call(&server, "ekho", "{}"), 404, "not_found");
    assert!(message.contains("did you mean echo?"), "{message}");
    check_refused(&call(&server, "echo", "{}"), 400, "invalid_argument");
    for (code, status) in [("consent_required", 403), ("limit_exceeded", 400), ("internal", 500)] {
        check_refused(&call(&server, "fail", &json!({ "code": code }).to_string()), status, code);
    }
    check_refused(
        &call(&server, "fail", &json!({ "code": "rate_limited" }).to_string()),
        429,
        "SLOW_DOWN",
    );
}

#[test]
fn without_the_token_nothing_is_answered_and_the_envelope_says_so() {
    let server = server_with_legacy_rest();
    for ask in [RawRequest::new("GET", "/mcp/tools"), RawRequest::post("/mcp/call/echo", "{}")] {
        let answer = ask.send(server.address);
        assert!(answer.header("www-authenticate").is_some(), "{answer:?}");
        check_refused(&answer, 401, "UNAUTHORIZED");
    }
}

#[test]
fn a_page_of_another_site_is_refused_in_the_envelope_too() {
    let ask = RawRequest::post("/mcp/call/echo", "{}").header("Origin", "https://evil.example");
    check_refused(&server_with_legacy_rest().ask(ask), 403, "FORBIDDEN");
}

#[test]
fn when_it_is_turned_off_it_answers_410_and_how_to_turn_it_on() {
    let server = ServerFixture::start_with(quipu_server::Endpoints::with_legacy_rest_disabled);
    for ask in [RawRequest::new("GET", "/mcp/tools"), RawRequest::post("/mcp/call/recall", "{}")] {
        let message = check_refused(&server.ask(ask), 410, "LEGACY_ENDPOINT_DISABLED");
        assert!(message.contains("epitome_legacy_rest"), "{message}");
    }
    assert_eq!(
        server.rpc("tools/list", json!({}))["result"]["tools"][0]["name"],
        Value::from("echo")
    );
}
