//! Project and session of a call, as clients tell them beside its arguments: in `_meta`, as roots,
//! or in a header. A recall prefers the project of its caller.

use crate::mcp::McpTestClient;
use crate::server_process::ServerProcess;
use crate::test_env::TestEnv;
use serde_json::{Value, json};

#[test]
fn project_and_session_come_from_what_codex_sends_with_a_call() {
    let env = TestEnv::new();
    let mut client = McpTestClient::start(&mut env.command(&["mcp"]));
    let turn = json!({"turn_id": "t-1", "workspaces": {"/home/ada/shop": {"has_changes": true}}});
    for (text, turn) in [
        ("Invoices have no gaps.", turn.clone()),
        ("Refunds take three days.", turn.to_string().into()),
    ] {
        let meta = json!({
            "sessionId": "codex-17", "threadId": "thread-1", "x-codex-turn-metadata": turn,
        });
        let call = json!({"name": "remember", "arguments": {"text": text}, "_meta": meta});
        let answer = client.request("tools/call", call);
        assert_eq!(answer["structuredContent"]["happened"], "created", "{answer}");
    }
    assert_eq!(client.disconnect(), Some(0));
    for memory in env.json(&["show", "1", "2"])["memories"].as_array().unwrap() {
        assert_eq!(memory["project"], "shop", "{memory}");
    }
    assert_eq!(env.json(&["session", "show", "codex-17"])["memories"], 2);
}

#[test]
fn the_project_comes_from_the_roots_that_a_client_offers() {
    let env = TestEnv::new();
    let capabilities = json!({"roots": {"listChanged": true}});
    let mut client = McpTestClient::start_with(&mut env.command(&["mcp"]), capabilities);
    let asked = client.next_message();
    assert_eq!(asked["method"], "roots/list", "{asked}");
    let roots = json!({"roots": [{"uri": "file:///home/ada/my%20shop", "name": "Shop"}]});
    let answer = json!({"jsonrpc": "2.0", "id": asked["id"], "result": roots});
    client.send_bytes(answer.to_string().as_bytes());
    // The answer is taken in beside the calls, so the first of them may be too early for it.
    let project = |client: &mut McpTestClient, number: usize| {
        let text = format!("Invoice {number} has no gaps.");
        let id = client.call("remember", json!({ "text": text }))["id"].clone();
        env.json(&["show", &id.to_string()])["memories"][0]["project"].clone()
    };
    let told = (0..50).map(|number| project(&mut client, number)).find(|found| !found.is_null());
    assert_eq!(told, Some(json!("my shop")));
    assert_eq!(client.disconnect(), Some(0));
}

/// Calls a tool over HTTP with a header that names the project, and returns the result.
fn call(server: &ServerProcess, project: &str, tool: &str, arguments: &Value) -> Value {
    let params = json!({"name": tool, "arguments": arguments});
    let call = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params});
    let header = format!("X-Quipu-Project: {project}\r\n");
    let token = Some(server.startup_field("token"));
    let (status, body) = server.send_with_header("POST /mcp", &header, token, &call.to_string());
    assert_eq!(status, 200, "{body}");
    serde_json::from_str::<Value>(&body).unwrap()["result"]["structuredContent"].clone()
}

#[test]
fn one_decision_in_five_projects_is_shown_once_as_that_of_the_caller() {
    let env = TestEnv::new();
    let decision = "We decided to deploy on Tuesdays only.";
    for project in ["a", "b", "c", "d", "e"] {
        env.quipu(&["remember", decision, "--kind", "decision", "--project", project]).success();
    }
    let server = ServerProcess::start(&env);
    let everywhere = json!({"query": "when do we deploy", "project": "*"});
    for arguments in [json!({"query": "when do we deploy"}), everywhere] {
        let found = call(&server, "/home/ada/c", "recall", &arguments);
        let memories = found["memories"].as_array().unwrap();
        assert_eq!((memories.len(), &memories[0]["id"]), (1, &json!(3)), "{found}");
    }
    let decisions = call(&server, "d", "recall", &json!({}))["briefing"]["decisions"].clone();
    assert_eq!(decisions.as_array().map(Vec::len), Some(1), "{decisions}");
    assert_eq!(decisions[0]["project"], "d", "{decisions}");
    server.terminate();
}

#[test]
fn a_missing_resource_is_named_in_the_error() {
    let env = TestEnv::new();
    for (dialect, uri) in [("quipu", "quipu://memory/77"), ("agentic", "amem://node/77")] {
        let mut client = McpTestClient::start(&mut env.command(&["mcp", "--dialect", dialect]));
        let params = json!({ "uri": uri });
        let read = json!({"jsonrpc": "2.0", "id": 9, "method": "resources/read", "params": params});
        client.send_bytes(read.to_string().as_bytes());
        let error = client.next_message()["error"].clone();
        assert_eq!((&error["code"], &error["data"]["uri"]), (&json!(-32002), &json!(uri)));
        assert_eq!(client.disconnect(), Some(0));
    }
}
