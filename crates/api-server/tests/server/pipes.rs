//! MCP over a pipe, in both directions and to its end.

use crate::dialect::TestDialect;
use crate::stdio_relay::local_client;
use crate::temporary_engine::TemporaryEngine;
use quipu_server::StdioError;
use serde_json::{Value, json};
use std::sync::Arc;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufStream, DuplexStream};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

/// Client at the other end of a pipe.
struct PipeClient {
    stream: BufStream<DuplexStream>,
    serving: JoinHandle<Result<(), StdioError>>,
    stop: CancellationToken,
}

impl PipeClient {
    fn start() -> Self {
        let (ours, theirs) = tokio::io::duplex(1 << 16);
        let stop = CancellationToken::new();
        let serving = tokio::spawn({
            let stop = stop.clone();
            async move {
                let memory = TemporaryEngine::new().await.unwrap();
                let streams = tokio::io::split(theirs);
                quipu_server::serve_pipe(
                    memory.engine(),
                    Arc::new(TestDialect::new()),
                    local_client(),
                    streams,
                    stop,
                )
                .await
            }
        });
        Self { stream: BufStream::new(ours), serving, stop }
    }

    async fn initialized() -> Self {
        let mut piped = Self::start();
        piped.initialize().await;
        piped.notify("notifications/initialized", json!({})).await;
        piped
    }

    async fn initialize(&mut self) -> Value {
        let client = json!({ "name": "hand-made", "version": "1.2" });
        let params =
            json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client });
        self.request(0, "initialize", params).await
    }

    async fn discover(&mut self) -> Value {
        let meta = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {},
        });
        self.request(1, "server/discover", json!({ "_meta": meta })).await
    }

    async fn send(&mut self, message: Value) {
        self.stream.write_all(format!("{message}\n").as_bytes()).await.unwrap();
        self.stream.flush().await.unwrap();
    }

    async fn notify(&mut self, method: &str, params: Value) {
        self.send(json!({ "jsonrpc": "2.0", "method": method, "params": params })).await;
    }

    async fn call(&mut self, id: u32, tool: &str, arguments: Value) {
        let params = json!({ "name": tool, "arguments": arguments });
        self.send(json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params }))
            .await;
    }

    async fn next(&mut self) -> Value {
        let mut line = String::new();
        self.stream.read_line(&mut line).await.unwrap();
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line:?}"))
    }

    async fn request(&mut self, id: u32, method: &str, params: Value) -> Value {
        self.send(json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params })).await;
        self.next().await
    }

    /// Waits until a counter of the test dialect is one.
    async fn wait_for(&mut self, count: &str) {
        for id in 1000.. {
            self.call(id, "tally", json!({})).await;
            if self.next().await["result"]["structuredContent"][count] == 1 {
                return;
            }
            tokio::time::sleep(std::time::Duration::from_millis(10)).await;
        }
    }

    async fn disconnect(self) -> Result<(), StdioError> {
        drop(self.stream);
        self.serving.await.unwrap()
    }
}

#[tokio::test]
async fn the_agent_is_named_by_its_client_and_the_client_environment_is_passed_on() {
    let mut piped = PipeClient::initialized().await;
    piped.call(1, "echo", json!({ "text": "hi" })).await;
    let echoed = piped.next().await["result"]["structuredContent"].clone();
    let expected = json!({
        "text": "hi", "times": null, "owner": "me", "agent": "hand-made", "client": "hand-made 1.2",
        "tool": "echo", "project": "quipu", "session": "s-1", "cwd": "/somewhere",
    });
    assert_eq!(echoed, expected);
    piped.disconnect().await.unwrap();
}

#[tokio::test]
async fn a_cancelled_call_is_dropped_and_not_answered() {
    let mut piped = PipeClient::initialized().await;
    piped.call(1, "wait", json!({ "seconds": 3600 })).await;
    piped.wait_for("begun").await;
    piped
        .notify("notifications/cancelled", json!({ "requestId": 1, "reason": "changed my mind" }))
        .await;
    piped.wait_for("dropped").await;
    piped.call(2, "echo", json!({ "text": "next" })).await;
    assert_eq!(piped.next().await["id"], 2);
    piped.disconnect().await.unwrap();
}

#[tokio::test]
async fn a_panic_ends_one_call_and_not_the_connection() {
    let mut piped = PipeClient::initialized().await;
    piped.call(1, "fall", json!({})).await;
    assert_eq!(piped.next().await["result"]["isError"], true);
    piped.call(2, "echo", json!({ "text": "still here" })).await;
    assert_eq!(piped.next().await["result"]["isError"], false);
    piped.disconnect().await.unwrap();
}

#[tokio::test]
async fn a_disconnect_is_a_clean_end_at_any_moment() {
    PipeClient::start().disconnect().await.unwrap();
    PipeClient::initialized().await.disconnect().await.unwrap();
    let mut discovered = PipeClient::start();
    let answer = discovered.discover().await;
    assert_eq!(answer["result"]["instructions"], "A test server. Call echo.");
    discovered.disconnect().await.unwrap();
}

#[tokio::test]
async fn messages_before_the_handshake_are_ignored() {
    let mut piped = PipeClient::start();
    piped.notify("notifications/initialized", json!({})).await;
    piped.send(json!({ "jsonrpc": "2.0", "id": 9, "result": {} })).await;
    piped.discover().await;
    piped.notify("notifications/cancelled", json!({ "requestId": 1 })).await;
    let answer = piped.initialize().await;
    assert_eq!(answer["result"]["serverInfo"]["name"], "quipu", "{answer}");
    piped.call(2, "echo", json!({ "text": "hi" })).await;
    assert_eq!(piped.next().await["result"]["structuredContent"]["text"], "hi");
    piped.disconnect().await.unwrap();
}

#[tokio::test]
async fn a_stop_request_is_a_clean_end_at_any_moment() {
    for piped in [PipeClient::start(), PipeClient::initialized().await] {
        piped.stop.cancel();
        piped.serving.await.unwrap().unwrap();
    }
}

#[tokio::test]
async fn concurrent_calls_are_answered_in_the_order_they_end() {
    let mut piped = PipeClient::initialized().await;
    piped.call(1, "wait", json!({ "seconds": 0.3 })).await;
    piped.call(2, "echo", json!({ "text": "quick" })).await;
    assert_eq!(piped.next().await["id"], 2);
    assert_eq!(piped.next().await["id"], 1);
    piped.disconnect().await.unwrap();
}

#[tokio::test]
async fn an_invalid_line_is_answered_and_does_not_end_the_conversation() {
    let mut piped = PipeClient::initialized().await;
    let deep = format!("{{\"id\":1,\"x\":{}\n", "[".repeat(100_000));
    let odd: [(&[u8], Value); 7] = [
        (b"\xff\xfe\xfd\n", json!(null)),
        (b"{\"jsonrpc\": \"2.0\", \"id\": 1, \"method\": \"\xff\"}\n", json!(1)),
        (b"Content-Length: nine\r\n\r\n", json!(null)),
        (b"{\"jsonrpc\": \"2.0\", \"id\": \"a\", \"met\n", json!("a")),
        (b"\n{\"id\": 2, \"method\": \"ping\", \"params\": {\"x\": NaN}}\n", json!(2)),
        (deep.as_bytes(), json!(1)),
        (b"{\"id\": 3, \"params\": {\"x\": Infinity}}\n", json!(3)),
    ];
    for (line, id) in odd {
        piped.stream.write_all(line).await.unwrap();
        piped.stream.flush().await.unwrap();
        let answer = piped.next().await;
        assert_eq!(answer["error"]["code"], -32700, "{answer}");
        assert_eq!(answer["id"], id, "{answer}");
    }
    piped.call(7, "tally", json!({})).await;
    assert_eq!(piped.next().await["id"], 7);
    piped.disconnect().await.unwrap();
}

#[tokio::test]
async fn a_line_that_is_too_long_is_answered_with_its_id() {
    let mut piped = PipeClient::initialized().await;
    let text = "x".repeat(1 << 20);
    piped.stream.write_all(b"{\"method\": \"tools/call\", \"params\": \"").await.unwrap();
    for _ in 0..17 {
        piped.stream.write_all(text.as_bytes()).await.unwrap();
    }
    piped.stream.write_all(b"\", \"id\": 5}\n").await.unwrap();
    piped.stream.flush().await.unwrap();
    let answer = piped.next().await;
    assert_eq!((&answer["error"]["code"], &answer["id"]), (&json!(-32700), &json!(5)), "{answer}");
    piped.call(6, "tally", json!({})).await;
    assert_eq!(piped.next().await["id"], 6);
    piped.disconnect().await.unwrap();
}

#[tokio::test]
async fn half_a_surrogate_pair_is_replaced_and_the_call_goes_on() {
    let mut piped = PipeClient::initialized().await;
    let params = r#"{"name":"echo","arguments":{"text":"cut \ud83d"}}"#;
    let line =
        format!("{{\"jsonrpc\":\"2.0\",\"id\":4,\"method\":\"tools/call\",\"params\":{params}}}\n");
    piped.stream.write_all(line.as_bytes()).await.unwrap();
    piped.stream.flush().await.unwrap();
    let answer = piped.next().await;
    assert_eq!(answer["result"]["structuredContent"]["text"], "cut \u{fffd}", "{answer}");
    piped.disconnect().await.unwrap();
}

#[tokio::test]
async fn a_request_that_cannot_be_read_names_the_parameter_at_fault() {
    let mut piped = PipeClient::initialized().await;
    for (params, named) in [
        (json!({ "name": "echo", "arguments": [] }), "`arguments` must be an object"),
        (json!({ "name": "echo", "arguments": "{}" }), "`arguments` must be an object"),
        (json!({ "arguments": {} }), "`name` must be a string, but is missing"),
        (json!({ "name": 7 }), "`name` must be a string"),
        (json!([]), "`params` must be an object"),
    ] {
        let answer = piped.request(1, "tools/call", params).await;
        assert_eq!(answer["error"]["code"], -32602, "{answer}");
        assert!(answer["error"]["message"].as_str().unwrap().contains(named), "{answer}");
    }
    piped.disconnect().await.unwrap();
}

#[tokio::test]
async fn a_request_before_the_handshake_is_refused_and_the_handshake_can_follow() {
    let mut piped = PipeClient::start();
    let early = piped.request(1, "tools/list", json!({})).await;
    assert_eq!((&early["error"]["code"], &early["id"]), (&json!(-32600), &json!(1)), "{early}");
    let broken = piped.request(2, "initialize", json!({ "protocolVersion": 1 })).await;
    assert!(broken["error"]["message"].as_str().unwrap().contains("`protocolVersion`"), "{broken}");
    assert_eq!(piped.initialize().await["result"]["serverInfo"]["name"], "quipu");
    piped.disconnect().await.unwrap();
}

#[tokio::test]
async fn a_last_line_without_an_end_is_read() {
    let mut piped = PipeClient::initialized().await;
    let line = br#"{"jsonrpc":"2.0","id":4,"method":"ping"}"#;
    piped.stream.write_all(line).await.unwrap();
    piped.stream.shutdown().await.unwrap();
    assert_eq!(piped.next().await, json!({ "jsonrpc": "2.0", "id": 4, "result": {} }));
    piped.disconnect().await.unwrap();
}
