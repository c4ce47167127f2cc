//! What is said over a pipe: in this process over a pair of streams, and over stdin and stdout of another.

use crate::bed::testbed;
use crate::dialect::TestDialect;
use crate::memory::Memory;
use engine::Surroundings;
use model::OwnerId;
use quipu_server::{Local, StdioError};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufStream, DuplexStream};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

/// A client at the other end of a pipe.
struct Piped {
    stream: BufStream<DuplexStream>,
    serving: JoinHandle<Result<(), StdioError>>,
    stop: CancellationToken,
}

impl Piped {
    fn start() -> Self {
        let (ours, theirs) = tokio::io::duplex(1 << 16);
        let stop = CancellationToken::new();
        let around = Surroundings {
            project: Some("quipu".to_owned()),
            session: Some("s-1".to_owned()),
            cwd: Some("/somewhere".to_owned()),
        };
        let local = Local { owner: OwnerId::me(), surroundings: around };
        let serving = tokio::spawn({
            let stop = stop.clone();
            async move {
                let memory = Memory::new().await.unwrap();
                let streams = tokio::io::split(theirs);
                quipu_server::pipe(memory.engine(), Arc::new(TestDialect::new()), local, streams, stop).await
            }
        });
        Self { stream: BufStream::new(ours), serving, stop }
    }

    async fn initialized() -> Self {
        let mut piped = Self::start();
        let client = json!({ "name": "hand-made", "version": "1.2" });
        let params = json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client });
        piped.ask(0, "initialize", params).await;
        piped.tell("notifications/initialized", json!({})).await;
        piped
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
        self.send(json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params })).await;
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

    /// Until the count of the test dialect is one.
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
        "text": "hi", "times": null, "owner": "me", "agent": "hand-made", "client": "hand-made 1.2", "tool": "echo",
        "project": "quipu", "session": "s-1", "cwd": "/somewhere",
    });
    assert_eq!(echoed, expected);
    piped.hang_up().await.unwrap();
}

#[tokio::test]
async fn a_cancelled_call_is_given_up_and_not_answered() {
    let mut piped = Piped::initialized().await;
    piped.call(1, "wait", json!({ "seconds": 3600 })).await;
    piped.wait_for("begun").await;
    piped.tell("notifications/cancelled", json!({ "requestId": 1, "reason": "changed my mind" })).await;
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
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let answer = discovered.ask(1, "server/discover", json!({ "_meta": meta })).await;
    assert_eq!(answer["result"]["instructions"], "A testbed. Call echo.");
    discovered.hang_up().await.unwrap();
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

/// The testbed as a process of its own.
fn process() -> Child {
    let mut command = Command::new(testbed());
    command.arg("stdio").stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap()
}

#[test]
fn a_process_whose_stdin_closes_before_the_first_request_exits_cleanly() {
    let mut child = process();
    drop(child.stdin.take());
    assert!(child.wait().unwrap().success());
}

#[test]
fn a_process_answers_what_it_was_asked_before_its_stdin_closed() {
    let mut child = process();
    let params = json!({ "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": { "name": "c", "version": "1" } });
    let mut stdin = child.stdin.take().unwrap();
    for message in [
        json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params }),
        json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": { "name": "echo", "arguments": { "text": "hi" } } }),
    ] {
        writeln!(stdin, "{message}").unwrap();
    }
    drop(stdin);
    let lines: Vec<String> =
        BufReader::new(child.stdout.take().unwrap()).lines().map(Result::unwrap).collect();
    assert_eq!(lines.len(), 2, "nothing but answers on stdout: {lines:?}");
    let answer: Value = serde_json::from_str(&lines[1]).unwrap();
    assert_eq!(answer["result"]["structuredContent"]["text"], "hi");
    assert!(child.wait().unwrap().success());
}
