//! Lines on standard input that are not JSON: each gets an answer, and the process goes on.

use crate::mcp::McpTestClient;
use crate::test_env::TestEnv;
use serde_json::{Value, json};

#[test]
fn every_line_that_is_not_json_is_answered_in_every_dialect() {
    let env = TestEnv::new();
    let deep = format!("{{\"id\":41,\"params\":{}{}}}", "[".repeat(9_000), "]".repeat(9_000));
    let lines: [(&[u8], Value); 5] = [
        (
            b"{\"jsonrpc\":\"2.0\",\"id\":41,\"method\":\"tools/call\",\"params\":{\"x\":NaN}}",
            json!(41),
        ),
        (b"{\"id\":\"a\",\"method\":\"ping\",\"params\":{\"x\":\"\xff\xfe\"}}", json!("a")),
        (deep.as_bytes(), json!(41)),
        (b"hello", json!(null)),
        (b"{\"id\":41,\"method\":\"ping\"", json!(41)),
    ];
    for dialect in ["quipu", "agentic", "epitome", "librarian", "codememory"] {
        let mut client = McpTestClient::start(&mut env.command(&["mcp", "--dialect", dialect]));
        for (line, id) in &lines {
            client.send_bytes(line);
            let answer = client.next_message();
            assert_eq!((&answer["error"]["code"], &answer["id"]), (&json!(-32700), id), "{answer}");
        }
        assert!(!client.request("tools/list", json!({}))["tools"].as_array().unwrap().is_empty());
        assert_eq!(client.disconnect(), Some(0));
    }
}

#[test]
fn half_an_emoji_is_replaced_and_the_text_is_stored() {
    let env = TestEnv::new();
    let mut client = McpTestClient::start(&mut env.command(&["mcp"]));
    let params = r#"{"name":"remember","arguments":{"text":"The kiln is red \ud83d"}}"#;
    let line =
        format!("{{\"jsonrpc\":\"2.0\",\"id\":77,\"method\":\"tools/call\",\"params\":{params}}}");
    client.send_bytes(line.as_bytes());
    let answer = client.next_message();
    assert_eq!(answer["result"]["structuredContent"]["happened"], "created", "{answer}");
    let found = client.call("recall", json!({"query": "kiln"}));
    assert_eq!(found["memories"][0]["text"], "The kiln is red \u{fffd}");
    assert_eq!(client.disconnect(), Some(0));
}

#[test]
fn an_id_is_taken_as_a_number_and_as_a_text() {
    let env = TestEnv::new();
    let mut client = McpTestClient::start(&mut env.command(&["mcp", "--dialect", "librarian"]));
    client.call("remember", json!({"title": "Port", "body": "The port is 7717."}));
    for id in [json!(1), json!("1")] {
        let flagged = client.call("flag_memory", json!({"memory_id": id, "reason": "it moved"}));
        assert_eq!(flagged["memory_id"], "1");
    }
    assert_eq!(client.disconnect(), Some(0));
    let mut client = McpTestClient::start(&mut env.command(&["mcp"]));
    assert_eq!(client.call("recall", json!({"ids": ["1"]}))["memories"][0]["id"], 1);
    assert_eq!(client.disconnect(), Some(0));
}
