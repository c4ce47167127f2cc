//! Authentication with keys: each of the three places they can be sent in, whom they identify, and
//! that they are never repeated.

use crate::raw_http::{RawRequest, RawResponse};
use crate::server_fixture::{ServerFixture, TOKEN};
use model::Permission;
use serde_json::{Value, json};

fn echo(path: &str, arguments: &Value) -> RawRequest {
    let call = json!({ "name": "echo", "arguments": arguments });
    let message = json!({ "jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": call });
    RawRequest::post(path, message.to_string()).header("MCP-Protocol-Version", "2025-11-25")
}

fn hello(path: &str) -> RawRequest {
    echo(path, &json!({ "text": "hello" }))
}

#[track_caller]
fn check_identity(answer: &RawResponse, owner: &str, agent: &str) {
    let echoed = &answer.json()["result"]["structuredContent"];
    assert_eq!((&echoed["owner"], &echoed["agent"]), (&json!(owner), &json!(agent)), "{answer:?}");
}

#[test]
fn a_key_authenticates_from_each_of_its_three_places_as_its_owner_and_agent() {
    let server = ServerFixture::start();
    for (owner, agent) in [("me", "codex"), ("ada", "cursor")] {
        let key = server.key(owner, agent, Permission::Read);
        let key = key.secret.reveal();
        let bearer = hello("/mcp").header("Authorization", &format!("Bearer {key}"));
        check_identity(&bearer.send(server.address), owner, agent);
        check_identity(&hello("/mcp").header("X-API-Key", key).send(server.address), owner, agent);
        check_identity(&hello(&format!("/mcp/t/{key}")).send(server.address), owner, agent);
    }
}

#[test]
fn a_wrong_truncated_or_revoked_key_is_refused_and_not_repeated() {
    let server = ServerFixture::start();
    let key = server.key("me", "codex", Permission::Write);
    let whole = key.secret.reveal().to_owned();
    server.revoke("me", key.id);
    let cut = &whole[..whole.len() - 1];
    let stranger = format!("qp_{}", "0".repeat(72));
    for wrong in [whole.as_str(), cut, &stranger] {
        for ask in [
            hello("/mcp").header("Authorization", &format!("Bearer {wrong}")),
            hello("/mcp").header("X-API-Key", wrong),
            hello(&format!("/mcp/t/{wrong}")),
        ] {
            let answer = ask.send(server.address);
            assert_eq!(answer.status, 401, "{answer:?}");
            assert!(!format!("{answer:?}").contains(wrong), "{answer:?}");
        }
    }
}

#[test]
fn the_owners_token_is_accepted_in_headers_and_never_in_a_path() {
    let server = ServerFixture::start();
    assert_eq!(hello("/mcp").header("X-API-Key", TOKEN).send(server.address).status, 200);
    assert_eq!(hello(&format!("/mcp/t/{TOKEN}")).send(server.address).status, 401);
}

#[test]
fn several_credentials_at_once_are_refused() {
    let server = ServerFixture::start();
    let key = server.key("me", "codex", Permission::Read);
    let key = key.secret.reveal();
    let bearer = format!("Bearer {key}");
    for ask in [
        hello("/mcp").header("Authorization", &bearer).header("X-API-Key", key),
        hello(&format!("/mcp/t/{key}")).header("X-API-Key", key),
        hello("/mcp").header("Authorization", &bearer).header("Authorization", &bearer),
    ] {
        assert_eq!(ask.send(server.address).status, 401);
    }
}

#[test]
fn an_agent_name_may_be_repeated_and_not_changed() {
    let server = ServerFixture::start();
    let key = server.key("me", "codex", Permission::Read);
    let ask = |header: &str| {
        hello("/mcp").header("X-API-Key", key.secret.reveal()).header("X-Agent-ID", header)
    };
    check_identity(&ask("codex").send(server.address), "me", "codex");
    for other in ["cursor", "Codex", "", "codex, cursor"] {
        let answer = ask(other).send(server.address);
        assert_eq!(answer.status, 403, "{other}: {answer:?}");
        assert_eq!(answer.json()["error"]["code"], "forbidden");
    }
    let call_as = |agent: Value| {
        let ask = echo("/mcp", &json!({ "text": "x", "agent_id": agent }));
        ask.header("X-API-Key", key.secret.reveal()).send(server.address).body
    };
    assert!(call_as(json!("cursor")).contains("forbidden"), "{}", call_as(json!("cursor")));
    assert!(call_as(json!(7)).contains("forbidden"));
    // The test dialect has no such argument, so the right name gets as far as the schema check.
    assert!(call_as(json!("codex")).contains("invalid_argument"), "{}", call_as(json!("codex")));
}

#[test]
fn a_path_with_a_key_in_it_is_never_repeated() {
    let server = ServerFixture::start();
    let key = server.key("me", "codex", Permission::Read);
    let key = key.secret.reveal();
    for path in [format!("/nowhere/t/{key}"), format!("/mcp/t/{key}/more")] {
        for ask in [RawRequest::new("GET", &path), RawRequest::post(&path, "{}")] {
            let answer = ask.clone().send(server.address);
            assert!(!format!("{answer:?}").contains(key), "{answer:?}");
            let answer = server.ask(ask);
            assert!(!format!("{answer:?}").contains(key), "{answer:?}");
        }
    }
}

/// TypeScript SDK 1.10 to 1.25.3 gave one client the answer of another when their request ids were
/// equal (CVE-2026-25536).
#[test]
fn clients_with_equal_request_ids_get_their_own_answers() {
    let server = ServerFixture::start();
    let keys: Vec<_> =
        (0..64).map(|n| (n, server.key("me", &format!("agent-{n}"), Permission::Read))).collect();
    std::thread::scope(|scope| {
        for (n, key) in &keys {
            let address = server.address;
            scope.spawn(move || {
                let text = format!("canary-{n}");
                let ask =
                    echo("/mcp", &json!({ "text": text })).header("X-API-Key", key.secret.reveal());
                let answer = ask.send(address);
                assert_eq!(answer.json()["result"]["structuredContent"]["text"], json!(text));
                check_identity(&answer, "me", &format!("agent-{n}"));
            });
        }
    });
}
