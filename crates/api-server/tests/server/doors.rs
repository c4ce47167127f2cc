//! Authorization over HTTP, and the responses to unauthorized requests.

use crate::bed::{Bed, TOKEN, any_port, config};
use crate::dialect::TestDialect;
use crate::memory::Memory;
use crate::wire::{Answer, Ask};
use engine::Caller;
use model::OwnerId;
use quipu_server::{Endpoints, HttpConfig, HttpError, PublicUrl};
use serde_json::json;
use std::net::SocketAddr;
use std::sync::Arc;
use tokio::runtime::Runtime;

fn ping() -> Ask {
    Ask::message(&json!({ "jsonrpc": "2.0", "id": 1, "method": "ping" }))
}

#[track_caller]
fn refused(answer: &Answer, status: u16, code: &str) {
    assert_eq!(answer.status, status, "{answer:?}");
    assert_eq!(answer.header("content-type"), Some("application/json"), "{answer:?}");
    let error = &answer.json()["error"];
    assert_eq!(error["code"], code, "{answer:?}");
    for part in ["message", "hint"] {
        assert!(error[part].as_str().is_some_and(|text| !text.is_empty()), "{part}: {answer:?}");
    }
    assert_eq!(answer.header("access-control-allow-origin"), None, "{answer:?}");
}

#[test]
fn the_token_opens_the_door() {
    let server = Bed::start();
    let answer = server.ask(ping());
    assert_eq!(answer.status, 200, "{answer:?}");
    assert_eq!(answer.json()["result"], json!({}));
    assert_eq!(answer.header("cache-control"), Some("no-store"));
    assert_eq!(answer.header("x-content-type-options"), Some("nosniff"));
}

#[test]
fn nothing_answers_without_the_token_except_health() {
    let server = Bed::start();
    for ask in [
        ping(),
        Ask::new("GET", "/mcp"),
        Ask::new("DELETE", "/mcp"),
        Ask::new("GET", "/no/such/path"),
        Ask::new("GET", "/"),
        Ask::new("GET", "/healthz/"),
        Ask::new("GET", "/mcp/../healthz"),
        Ask::new("OPTIONS", "/mcp"),
        Ask::new("GET", "//healthz"),
    ] {
        let answer = ask.send(server.address);
        refused(&answer, 401, "unauthenticated");
        assert_eq!(answer.header("www-authenticate"), Some("Bearer"), "{answer:?}");
    }
    let health = Ask::new("GET", "/healthz").send(server.address);
    assert_eq!((health.status, health.body.as_str()), (200, r#"{"status":"ok"}"#));
}

#[test]
fn a_wrong_token_opens_nothing() {
    let server = Bed::start();
    for wrong in
        ["Bearer wrong", "Bearer ", "Basic dXNlcjpwYXNz", TOKEN, &format!("Bearer {TOKEN}x")]
    {
        let answer = ping().header("Authorization", wrong).send(server.address);
        refused(&answer, 401, "unauthenticated");
        assert_eq!(
            answer.header("www-authenticate"),
            Some(r#"Bearer error="invalid_token""#),
            "{wrong}"
        );
    }
    assert!(
        !ping().header("Authorization", "Bearer wrong").send(server.address).body.contains(TOKEN)
    );
}

#[test]
fn health_says_when_it_is_not_well() {
    let server = Bed::start_with(|endpoints| endpoints.healthy_while(|| async { false }));
    let health = Ask::new("GET", "/healthz").send(server.address);
    assert_eq!((health.status, health.body.as_str()), (503, r#"{"status":"failing"}"#));
}

#[test]
fn a_foreign_host_is_refused_on_every_path_even_with_the_token() {
    let server = Bed::start();
    for path in ["/mcp", "/healthz", "/no/such/path"] {
        for host in ["evil.example", "evil.example:7717", "127.0.0.1.evil.example"] {
            refused(&server.ask(Ask::new("GET", path).header("Host", host)), 403, "forbidden");
        }
    }
    assert_eq!(server.ask(ping().header("Host", "localhost:1234")).status, 200);
}

#[test]
fn a_foreign_origin_is_refused_on_every_path_even_with_the_token() {
    let server = Bed::start();
    for path in ["/mcp", "/healthz", "/no/such/path"] {
        for origin in ["http://evil.example", "null", "http://localhost:3000", "https://127.0.0.1"]
        {
            refused(&server.ask(Ask::new("GET", path).header("Origin", origin)), 403, "forbidden");
        }
    }
    let own = format!("http://{}", server.address);
    assert_eq!(server.ask(ping().header("Origin", &own)).status, 200);
}

#[test]
fn no_page_learns_by_preflight_that_it_may_ask() {
    let server = Bed::start();
    for origin in ["http://evil.example".to_owned(), format!("http://{}", server.address)] {
        let preflight = Ask::new("OPTIONS", "/mcp")
            .header("Origin", &origin)
            .header("Access-Control-Request-Method", "POST")
            .header("Access-Control-Request-Headers", "authorization, content-type");
        refused(&preflight.send(server.address), 403, "forbidden");
    }
}

#[test]
fn only_post_is_served_under_a_dialects_path() {
    let server = Bed::start();
    for method in ["GET", "DELETE", "PUT", "PATCH", "OPTIONS"] {
        let answer = server.ask(Ask::new(method, "/mcp").header("Accept", "text/event-stream"));
        refused(&answer, 405, "invalid_argument");
        assert_eq!(answer.header("allow"), Some("POST"), "{method}");
    }
}

#[test]
fn a_dialect_that_is_switched_off_says_so_to_every_method() {
    let server = Bed::start();
    let owner = Caller::person(OwnerId::me());
    let switched = server.memory.engine();
    Runtime::new()
        .unwrap()
        .block_on(switched.admin().switch_dialect(&owner, model::Dialect::Quipu, false))
        .unwrap();
    for ask in [ping(), Ask::new("GET", "/mcp"), Ask::new("DELETE", "/mcp")] {
        let answer = server.ask(ask);
        refused(&answer, 403, "forbidden");
        assert!(answer.body.contains("turned the dialect quipu off"), "{answer:?}");
    }
}

#[test]
fn nothing_is_served_below_or_beside_the_paths() {
    let server = Bed::start();
    for path in ["/", "/mcp/", "/mcp/x/y", "/MCP", "/.well-known/oauth-protected-resource/mcp"] {
        refused(&server.ask(Ask::post(path, "{}")), 404, "not_found");
    }
}

#[test]
fn a_request_longer_than_a_mebibyte_is_refused() {
    let server = Bed::start();
    let long = |bytes: usize| {
        let params = json!({ "x": "y".repeat(bytes) });
        json!({ "jsonrpc": "2.0", "id": 1, "method": "ping", "params": params })
    };
    assert_eq!(server.ask(Ask::message(&long((1 << 20) - 200))).status, 200);
    refused(&server.ask(Ask::message(&long(1 << 20))), 413, "limit_exceeded");
    refused(&server.ask(Ask::message(&long(4 << 20))), 413, "limit_exceeded");
    refused(
        &server.ask(Ask::new("POST", "/mcp").header("Content-Length", "99999999999")),
        413,
        "limit_exceeded",
    );
}

#[test]
fn what_is_no_message_of_the_protocol_is_a_parse_error() {
    let server = Bed::start();
    for body in ["{bad", "", "{}", "[1]", "\"x\""] {
        let answer = server.ask(Ask::post("/mcp", body));
        assert_eq!(answer.status, 400, "{answer:?}");
        assert_eq!(answer.json()["error"]["code"], -32700, "{answer:?}");
        assert_eq!(answer.json()["jsonrpc"], "2.0");
    }
}

#[test]
fn a_client_that_does_not_speak_json_is_told_so_in_json() {
    let server = Bed::start();
    let text = Ask::new("POST", "/mcp").header("Content-Type", "text/plain");
    refused(
        &server.ask(text.clone().header("Accept", "application/json, text/event-stream")),
        415,
        "invalid_argument",
    );
    refused(
        &server.ask(Ask::new("POST", "/mcp").header("Content-Type", "application/json")),
        406,
        "invalid_argument",
    );
}

#[test]
fn where_other_machines_reach_it_nothing_is_served_without_a_password() {
    let runtime = Runtime::new().unwrap();
    let memory = runtime.block_on(Memory::new()).unwrap();
    let serving = |address: &str, public: Option<&str>| {
        let address: SocketAddr = address.parse().unwrap();
        let bound = runtime.block_on(async { quipu_server::bind(address).await.unwrap() });
        let public = public.map(|url| PublicUrl::new(url).unwrap());
        let _inside = runtime.enter();
        bound.serving(HttpConfig { public, ..config(&memory) }, Endpoints::new())
    };
    for (address, public) in [
        ("0.0.0.0:0", None),
        ("[::]:0", None),
        ("127.0.0.1:0", Some("https://memory.example")),
        ("0.0.0.0:0", Some("http://localhost:7717")),
    ] {
        let refused = serving(address, public).unwrap_err();
        assert!(matches!(refused, HttpError::NoPassword(_)), "{refused}");
    }
    assert!(serving("127.0.0.1:0", Some("http://localhost:7717")).is_ok());
}

#[test]
fn a_port_in_use_is_named() {
    let server = Bed::start();
    let runtime = Runtime::new().unwrap();
    let refused = runtime.block_on(quipu_server::bind(server.address)).unwrap_err();
    assert!(matches!(refused, HttpError::InUse(address) if address == server.address), "{refused}");
    assert!(refused.to_string().contains(&server.address.to_string()), "{refused}");
}

#[test]
fn a_path_that_would_match_more_than_itself_is_refused() {
    let runtime = Runtime::new().unwrap();
    for path in ["mcp", "/{*any}", "/*", "/healthz", ""] {
        let memory = runtime.block_on(Memory::new()).unwrap();
        let endpoints =
            Endpoints::new().dialect(path, memory.engine(), Arc::new(TestDialect::new())).unwrap();
        let bound = runtime.block_on(quipu_server::bind(any_port())).unwrap();
        let refused = bound.serving(config(&memory), endpoints).unwrap_err();
        assert!(matches!(refused, HttpError::BadPath(_)), "{path}: {refused}");
    }
}
