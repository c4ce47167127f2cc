//! Claims of a handoff by several running sessions that bear the same name: exactly one wins.

use crate::mcp::McpTestClient;
use crate::server_process::ServerProcess;
use crate::test_env::TestEnv;
use serde_json::{Value, json};
use std::net::SocketAddr;
use std::thread;
use testkit::raw_http::{RawRequest, RawResponse};

const DOCUMENT: &str = "## Start & intent\na\n## Journey\nb\n## Current state\nc\n\
                        ## What's left\nd\n## Open questions\ne";
const ROUNDS: usize = 8;

fn handoff(title: &str) -> Value {
    json!({"title": title, "document_md": DOCUMENT})
}

fn librarian(env: &TestEnv) -> McpTestClient {
    McpTestClient::start(&mut env.command(&["mcp", "--dialect", "librarian"]))
}

/// Returns the text of a failed call.
fn failure(result: &Value) -> &str {
    assert_eq!(result["isError"], true, "{result}");
    result["content"][0]["text"].as_str().unwrap()
}

#[test]
fn of_two_processes_of_the_same_client_exactly_one_wins_every_race() {
    let env = TestEnv::new();
    let (mut one, mut two) = (librarian(&env), librarian(&env));
    for round in 0..ROUNDS {
        let stored = one.call("store_handoff", handoff(&format!("Task {round}")));
        let claim = json!({"name": "claim_handoff", "arguments": {
            "handoff_id": stored["handoff_id"], "claiming_cwd": "/src", "claiming_harness": "cli",
            "claiming_source_ref": "run-8", "claiming_agent_id": "somebody",
        }});
        let results = thread::scope(|scope| {
            let racing = [&mut one, &mut two]
                .map(|client| scope.spawn(|| client.request("tools/call", claim.clone())));
            racing.map(|racer| racer.join().unwrap())
        });
        let won = results.iter().filter(|result| result["isError"] != true).count();
        assert_eq!(won, 1, "{results:?}");
        let lost = results.iter().find(|result| result["isError"] == true).unwrap();
        let (error, winner) = (failure(lost), &results.iter().find(|r| r != &lost).unwrap());
        let claim = &winner["structuredContent"]["claim"];
        assert!(error.contains("\nstatus: 409\n"), "{error}");
        assert!(error.contains("\nclaimed_by: tester"), "{error}");
        let noted = ["agent_id", "harness", "source_ref", "cwd"];
        let noted = noted.map(|name| format!("claiming_{name}"));
        for name in noted.iter().map(String::as_str).chain(["claimed_at"]) {
            let line = format!("\n{name}: {}", claim[name].as_str().unwrap());
            assert!(error.contains(&line), "{line}: {error}");
        }
        let message = error.lines().next().unwrap();
        assert!(message.contains("another session of tester"), "{message}");
        assert!(message.contains("run-8") && message.contains("/src"), "{message}");
    }
    assert_eq!((one.disconnect(), two.disconnect()), (Some(0), Some(0)));
}

#[test]
fn a_claim_stays_with_its_session_after_the_process_has_ended() {
    let env = TestEnv::new();
    let mut one = librarian(&env);
    let stored = one.call("store_handoff", handoff("Task"));
    let claim = json!({"handoff_id": stored["handoff_id"]});
    one.call("claim_handoff", claim.clone());
    one.call("claim_handoff", claim.clone());
    assert_eq!(one.disconnect(), Some(0));
    let mut two = librarian(&env);
    let again = two.request("tools/call", json!({"name": "claim_handoff", "arguments": claim}));
    assert!(failure(&again).contains("status: 409"), "{again}");
    assert!(failure(&again).contains("quipu handoff release 1"), "{again}");
    env.quipu(&["handoff", "release", "1"]).success();
    two.call("claim_handoff", claim);
    assert_eq!(two.disconnect(), Some(0));
}

/// A caller over HTTP with the owner's token.
struct HttpCaller<'s> {
    server: &'s ServerProcess,
    session: Option<String>,
}

impl<'s> HttpCaller<'s> {
    /// Begins an MCP session.
    fn with_session(server: &'s ServerProcess) -> Self {
        let mut caller = Self { server, session: None };
        let client = json!({"name": "claude-code", "version": "1"});
        let params =
            json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client});
        let answer = caller.send("initialize", params);
        caller.session = answer.header("mcp-session-id").map(str::to_owned);
        assert!(caller.session.is_some(), "{answer:?}");
        caller
    }

    fn send(&self, method: &str, params: Value) -> RawResponse {
        let body = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
        let address: SocketAddr = self.server.address().parse().unwrap();
        let token = format!("Bearer {}", self.server.startup_field("token"));
        let request = RawRequest::json("POST", "/mcp/librarian", &body)
            .header("Authorization", &token)
            .header("User-Agent", "claude-code/2.1")
            .header("Connection", "close");
        let session = self.session.iter();
        session.fold(request, |one, id| one.header("Mcp-Session-Id", id)).send(address)
    }

    fn call(&self, tool: &str, arguments: Value) -> Value {
        let answer = self.send("tools/call", json!({"name": tool, "arguments": arguments}));
        assert_eq!(answer.status, 200, "{answer:?}");
        answer.json()["result"].clone()
    }
}

#[test]
fn of_two_callers_with_one_token_the_session_that_claims_first_wins() {
    let env = TestEnv::new();
    let served = ServerProcess::start(&env);
    let (one, two) = (HttpCaller::with_session(&served), HttpCaller::with_session(&served));
    for round in 0..ROUNDS {
        let stored = one.call("store_handoff", handoff(&format!("Task {round}")));
        let claim = json!({"handoff_id": stored["structuredContent"]["handoff_id"]});
        let results = thread::scope(|scope| {
            let racing = [&one, &two]
                .map(|caller| scope.spawn(|| caller.call("claim_handoff", claim.clone())));
            racing.map(|racer| racer.join().unwrap())
        });
        let won: Vec<bool> = results.iter().map(|result| result["isError"] != true).collect();
        assert_eq!(won.iter().filter(|won| **won).count(), 1, "{results:?}");
        let winner = if won[0] { &one } else { &two };
        assert_ne!(winner.call("claim_handoff", claim)["isError"], true, "the same session again");
    }
    assert_eq!(served.terminate(), Some(0));
}

#[test]
fn a_caller_without_a_session_claims_once() {
    let env = TestEnv::new();
    let served = ServerProcess::start(&env);
    let caller = HttpCaller { server: &served, session: None };
    let stored = caller.call("store_handoff", handoff("Task"));
    let claim = json!({"handoff_id": stored["structuredContent"]["handoff_id"]});
    let claims = [caller.call("claim_handoff", claim.clone()), caller.call("claim_handoff", claim)];
    assert_eq!((&claims[0]["isError"], &claims[1]["isError"]), (&json!(false), &json!(true)));
    assert_eq!(served.terminate(), Some(0));
}
