//! Responses to the protocol's requests over HTTP, with both of its handshakes.

use crate::raw_http::RawRequest;
use crate::server_fixture::ServerFixture;
use serde_json::{Value, json};
use std::net::Shutdown;

/// Sends a request of the revision 2026-07-28, which is complete without a handshake.
fn modern(server: &ServerFixture, method: &str, mut params: Value) -> Value {
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
        "io.modelcontextprotocol/clientInfo": { "name": "hand-made", "version": "0.0.1" },
    });
    params["_meta"] = meta;
    let message = json!({ "jsonrpc": "2.0", "id": "a", "method": method, "params": params });
    let mut ask = RawRequest::message(&message)
        .header("MCP-Protocol-Version", "2026-07-28")
        .header("Mcp-Method", method);
    if let Some(name) = params["name"].as_str() {
        ask = ask.header("Mcp-Name", name);
    }
    server.ask(ask).json()
}

/// Returns the error of a failed call, as its text says it: `code: message; hint`.
#[track_caller]
fn call_error(answer: &Value) -> Value {
    let result = &answer["result"];
    assert_eq!(result["isError"], true, "{answer}");
    assert!(result.get("structuredContent").is_none(), "{answer}");
    let text = result["content"][0]["text"].as_str().unwrap();
    let (code, rest) = text.split_once(": ").unwrap();
    let (message, hint) = rest.rsplit_once("; ").unwrap();
    json!({ "code": code, "message": message, "hint": hint })
}

#[test]
fn the_older_handshake_returns_the_server_info() {
    let server = ServerFixture::start();
    let client = json!({ "name": "hand-made", "version": "0" });
    for version in ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"] {
        let params =
            json!({ "protocolVersion": version, "capabilities": {}, "clientInfo": client });
        let message =
            json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params });
        let answer = server.ask(RawRequest::message(&message));
        let session = answer.header("mcp-session-id").unwrap();
        assert!(session.len() >= 32, "{session}");
        let result = &answer.json()["result"];
        assert_eq!(result["protocolVersion"], version);
        assert_eq!(result["serverInfo"]["name"], "quipu");
        assert_eq!(result["serverInfo"]["title"], "Quipu");
        assert_eq!(result["serverInfo"]["version"], env!("CARGO_PKG_VERSION"));
        assert_eq!(result["instructions"], "A test server. Call echo.");
        assert_eq!(result["capabilities"], json!({ "tools": {}, "prompts": {} }));
    }
}

#[test]
fn discovery_returns_the_server_info() {
    let server = ServerFixture::start();
    let answer = modern(&server, "server/discover", json!({}));
    let result = &answer["result"];
    let versions = result["supportedVersions"].as_array().unwrap();
    assert!(
        versions.contains(&json!("2026-07-28")) && versions.contains(&json!("2025-11-25")),
        "{answer}"
    );
    assert_eq!(result["_meta"]["io.modelcontextprotocol/serverInfo"]["name"], "quipu");
    assert_eq!(result["instructions"], "A test server. Call echo.");
    assert_eq!(result["cacheScope"], "private");
}

#[test]
fn tools_are_listed_in_the_dialects_order_with_everything_a_client_needs() {
    let server = ServerFixture::start();
    for answer in [server.rpc("tools/list", json!({})), modern(&server, "tools/list", json!({}))] {
        let tools = answer["result"]["tools"].as_array().unwrap();
        let names: Vec<_> = tools.iter().map(|tool| tool["name"].as_str().unwrap()).collect();
        assert_eq!(names, ["echo", "wait", "tally", "fail", "fall"]);
        assert_eq!(answer["result"]["cacheScope"], "private");
        let echo = &tools[0];
        assert_eq!(echo["title"], "Echo");
        assert_eq!(echo["inputSchema"]["required"], json!(["text"]));
        assert_eq!(echo["outputSchema"]["type"], "object");
        assert_eq!(echo["_meta"], json!({ "anthropic/alwaysLoad": true }));
        assert!(tools[1].get("_meta").is_none());
        let expected = json!({
            "title": "Echo", "readOnlyHint": true, "destructiveHint": false, "idempotentHint": true,
            "openWorldHint": false,
        });
        assert_eq!(echo["annotations"], expected);
    }
}

#[test]
fn a_page_of_tools_that_does_not_exist_is_refused() {
    let server = ServerFixture::start();
    assert_eq!(server.rpc("tools/list", json!({ "cursor": "2" }))["error"]["code"], -32602);
}

#[test]
fn an_answer_comes_as_structure_and_as_the_same_text() {
    let server = ServerFixture::start();
    for answer in [
        server.call("echo", json!({ "text": "hi", "times": 2 })),
        modern(
            &server,
            "tools/call",
            json!({ "name": "echo", "arguments": { "text": "hi", "times": 2 } }),
        ),
    ] {
        let result = &answer["result"];
        assert_eq!(result["structuredContent"]["text"], "hi");
        assert_eq!(result["structuredContent"]["times"], 2);
        let text: Value =
            serde_json::from_str(result["content"][0]["text"].as_str().unwrap()).unwrap();
        assert_eq!(text, result["structuredContent"]);
    }
}

#[test]
fn the_caller_is_whom_the_token_stands_for_and_named_as_the_client_says() {
    let server = ServerFixture::start();
    let answer =
        modern(&server, "tools/call", json!({ "name": "echo", "arguments": { "text": "hi" } }));
    let echoed = &answer["result"]["structuredContent"];
    assert_eq!(echoed["owner"], "me");
    assert_eq!(echoed["agent"], "hand-made");
    assert_eq!(echoed["client"], "hand-made 0.0.1");
    assert_eq!(echoed["tool"], "echo");
}

#[test]
fn an_older_client_is_named_by_its_user_agent() {
    let server = ServerFixture::start();
    let params = json!({ "name": "echo", "arguments": { "text": "hi" } });
    let message = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params });
    let named = server
        .ask(RawRequest::message(&message).header("User-Agent", "codex/0.166.0 (linux)"))
        .json();
    assert_eq!(named["result"]["structuredContent"]["agent"], "codex");
    assert_eq!(named["result"]["structuredContent"]["client"], "codex/0.166.0 (linux)");
    let nameless = server.ask(RawRequest::message(&message)).json();
    assert_eq!(nameless["result"]["structuredContent"]["agent"], "unknown");
}

#[test]
fn bad_arguments_are_a_failure_that_says_how_to_correct_them() {
    let server = ServerFixture::start();
    let error = call_error(&server.call("echo", json!({ "txt": "hi", "times": "two" })));
    assert_eq!(error["code"], "invalid_argument");
    let message = error["message"].as_str().unwrap();
    for part in [
        "no argument `txt` (did you mean `text`?)",
        "`text` is missing: a string, for example \"hello\"",
        "`times` must be an integer, not the string \"two\", for example 1",
    ] {
        assert!(message.contains(part), "{part}: {message}");
    }
}

#[test]
fn a_tool_that_is_accepted_but_not_listed_answers_and_is_checked_against_its_schema() {
    let server = ServerFixture::start();
    for answer in [
        server.call("say", json!({ "text": "hi" })),
        modern(&server, "tools/call", json!({ "name": "say", "arguments": { "text": "hi" } })),
    ] {
        assert_eq!(answer["result"]["structuredContent"]["tool"], "say", "{answer}");
    }
    assert_eq!(call_error(&server.call("say", json!({})))["code"], "invalid_argument");
    assert!(!server.rpc("tools/list", json!({})).to_string().contains("\"say\""));
}

#[test]
fn a_failure_carries_the_dialects_own_code() {
    let server = ServerFixture::start();
    assert_eq!(
        call_error(&server.call("fail", json!({ "code": "rate_limited" })))["code"],
        "SLOW_DOWN"
    );
    assert_eq!(call_error(&server.call("fail", json!({ "code": "conflict" })))["code"], "conflict");
}

#[test]
fn an_unknown_tool_is_refused_with_the_tools_there_are() {
    let server = ServerFixture::start();
    for answer in
        [server.call("ekho", json!({})), modern(&server, "tools/call", json!({ "name": "ekho" }))]
    {
        assert_eq!(answer["error"]["code"], -32602, "{answer}");
        let message = answer["error"]["message"].as_str().unwrap();
        assert_eq!(
            message,
            "there is no tool `ekho`; did you mean `echo`? \
             The tools are `echo`, `wait`, `tally`, `fail`, `fall`."
        );
        assert_eq!(answer["error"]["data"]["error"]["code"], "not_found");
    }
}

#[test]
fn a_failure_keeps_its_code_and_its_advice() {
    let server = ServerFixture::start();
    let error = call_error(&server.call("fail", json!({ "code": "store_busy" })));
    assert_eq!(error["code"], "store_busy");
    assert_eq!(error["message"], "it failed because you asked it to");
    assert_eq!(error["hint"], "Nothing was written. Call again in a moment.");
    let params = json!({ "name": "fail", "arguments": { "code": "store_busy" } });
    let structured = modern(&server, "tools/call", params)["result"]["structuredContent"].clone();
    assert_eq!(structured["error"]["code"], "store_busy", "{structured}");
    assert_eq!(structured["error"]["retryable"], true);
}

#[test]
fn a_panic_ends_one_call_and_nothing_else() {
    let server = ServerFixture::start();
    let error = call_error(&server.call("fall", json!({})));
    assert_eq!(error["code"], "internal");
    assert!(error["message"].as_str().unwrap().contains("incident"), "{error}");
    assert!(!error.to_string().contains("always falls"), "the cause stays inside: {error}");
    assert_eq!(server.call("echo", json!({ "text": "still here" }))["result"]["isError"], false);
}

#[test]
fn a_call_is_cancelled_when_its_client_disconnects() {
    let server = ServerFixture::start();
    let params = json!({ "name": "wait", "arguments": { "seconds": 3600 } });
    let message = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params });
    let ask = RawRequest::message(&message)
        .header("Authorization", &format!("Bearer {}", crate::server_fixture::TOKEN));
    let stream = ask.send_only(server.address);
    server.wait_for("begun");
    stream.shutdown(Shutdown::Both).unwrap();
    server.wait_for("dropped");
    assert_eq!(server.tally()["ended"], 0);
}

#[test]
fn a_request_in_progress_is_answered_before_the_server_stops() {
    let server = ServerFixture::start();
    let params = json!({ "name": "wait", "arguments": { "seconds": 0.5 } });
    let message = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params });
    let ask = RawRequest::message(&message)
        .header("Authorization", &format!("Bearer {}", crate::server_fixture::TOKEN));
    let address = server.address;
    let asking = std::thread::spawn(move || ask.send(address));
    server.wait_for("begun");
    server.request_stop();
    assert_eq!(asking.join().unwrap().json()["result"]["structuredContent"]["waited"], 0.5);
    server.stop().unwrap();
}
