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
async fn an_invalid_line_does_not_end_the_conversation() {
    let mut piped = PipeClient::initialized().await;
    let odd: [&[u8]; 5] = [
        b"\xff\xfe\xfd\n",
        b"{\"jsonrpc\": \"2.0\", \"id\": 1, \"method\": \"\xff\"}\n",
        b"Content-Length: nine\r\n\r\n",
        b"{\"jsonrpc\": \"2.0\", \"id\": 1, \"met\n",
        b"\n",
    ];
    for line in odd {
        piped.stream.write_all(line).await.unwrap();
    }
    piped.call(7, "tally", json!({})).await;
    assert_eq!(piped.next().await["id"], 7);
    piped.disconnect().await.unwrap();
}
