//! MCP over a pipe, in both directions and to its end.

use crate::dialect::TestDialect;
use crate::memory::Memory;
use crate::relayed::local;
use quipu_server::StdioError;
use serde_json::{Value, json};
use std::sync::Arc;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufStream, DuplexStream};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

/// Client at the other end of a pipe.
struct Piped {
    stream: BufStream<DuplexStream>,
    serving: JoinHandle<Result<(), StdioError>>,
    stop: CancellationToken,
}

impl Piped {
    fn start() -> Self {
        let (ours, theirs) = tokio::io::duplex(1 << 16);
        let stop = CancellationToken::new();
        let serving = tokio::spawn({
            let stop = stop.clone();
            async move {
                let memory = Memory::new().await.unwrap();
                let streams = tokio::io::split(theirs);
                quipu_server::pipe(
                    memory.engine(),
                    Arc::new(TestDialect::new()),
                    local(),
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
        piped.tell("notifications/initialized", json!({})).await;
        piped
    }

    async fn initialize(&mut self) -> Value {
        let client = json!({ "name": "hand-made", "version": "1.2" });
        let params =
            json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client });
        self.ask(0, "initialize", params).await
    }

    async fn discover(&mut self) -> Value {
        let meta = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {},
        });
        self.ask(1, "server/discover", json!({ "_meta": meta })).await
    }

    async fn send(&mut self, message: Value) {
        self.stream.write_all(format!("{message}\n").as_bytes()).await.unwrap();
        self.stream.flush().await.unwrap();
    }

    async fn tell(&mut self, method: &str, params: Value) {
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

    async fn ask(&mut self, id: u32, method: &str, params: Value) -> Value {
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

    async fn hang_up(self) -> Result<(), StdioError> {
        drop(self.stream);
        self.serving.await.unwrap()
    }
}

#[tokio::test]
async fn the_agent_is_named_by_its_client_and_the_surroundings_are_passed_on() {
    let mut piped = Piped::initialized().await;
    piped.call(1, "echo", json!({ "text": "hi" })).await;
    let echoed = piped.next().await["result"]["structuredContent"].clone();
    let expected = json!({
        "text": "hi", "times": null, "owner": "me", "agent": "hand-made", "client": "hand-made 1.2",
        "tool": "echo", "project": "quipu", "session": "s-1", "cwd": "/somewhere",
    });
    assert_eq!(echoed, expected);
    piped.hang_up().await.unwrap();
}

#[tokio::test]
async fn a_cancelled_call_is_given_up_and_not_answered() {
    let mut piped = Piped::initialized().await;
    piped.call(1, "wait", json!({ "seconds": 3600 })).await;
    piped.wait_for("begun").await;
    piped
        .tell("notifications/cancelled", json!({ "requestId": 1, "reason": "changed my mind" }))
        .await;
    piped.wait_for("dropped").await;
    piped.call(2, "echo", json!({ "text": "next" })).await;
    assert_eq!(piped.next().await["id"], 2);
    piped.hang_up().await.unwrap();
}

#[tokio::test]
async fn a_panic_ends_one_call_and_not_the_connection() {
    let mut piped = Piped::initialized().await;
    piped.call(1, "fall", json!({})).await;
    assert_eq!(piped.next().await["result"]["isError"], true);
    piped.call(2, "echo", json!({ "text": "still here" })).await;
    assert_eq!(piped.next().await["result"]["isError"], false);
    piped.hang_up().await.unwrap();
}

#[tokio::test]
async fn hanging_up_is_a_clean_end_at_any_moment() {
    Piped::start().hang_up().await.unwrap();
    Piped::initialized().await.hang_up().await.unwrap();
    let mut discovered = Piped::start();
    let answer = discovered.discover().await;
    assert_eq!(answer["result"]["instructions"], "A test server. Call echo.");
    discovered.hang_up().await.unwrap();
}

#[tokio::test]
async fn what_comes_before_the_beginning_is_passed_over() {
    let mut piped = Piped::start();
    piped.tell("notifications/initialized", json!({})).await;
    piped.send(json!({ "jsonrpc": "2.0", "id": 9, "result": {} })).await;
    piped.discover().await;
    piped.tell("notifications/cancelled", json!({ "requestId": 1 })).await;
    let answer = piped.initialize().await;
    assert_eq!(answer["result"]["serverInfo"]["name"], "quipu", "{answer}");
    piped.call(2, "echo", json!({ "text": "hi" })).await;
    assert_eq!(piped.next().await["result"]["structuredContent"]["text"], "hi");
    piped.hang_up().await.unwrap();
}

#[tokio::test]
async fn being_told_to_stop_is_a_clean_end_at_any_moment() {
    for piped in [Piped::start(), Piped::initialized().await] {
        piped.stop.cancel();
        piped.serving.await.unwrap().unwrap();
    }
}

#[tokio::test]
async fn calls_under_way_are_answered_in_the_order_they_end() {
    let mut piped = Piped::initialized().await;
    piped.call(1, "wait", json!({ "seconds": 0.3 })).await;
    piped.call(2, "echo", json!({ "text": "quick" })).await;
    assert_eq!(piped.next().await["id"], 2);
    assert_eq!(piped.next().await["id"], 1);
    piped.hang_up().await.unwrap();
}

#[tokio::test]
async fn a_line_that_is_no_text_or_no_message_does_not_end_the_conversation() {
    let mut piped = Piped::initialized().await;
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
    piped.hang_up().await.unwrap();
}
