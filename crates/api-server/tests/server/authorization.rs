//! Authorization over HTTP, and the responses to unauthorized requests.

use crate::dialect::TestDialect;
use crate::raw_http::{RawRequest, RawResponse};
use crate::server_fixture::{ServerFixture, TOKEN, any_port, config};
use crate::temporary_engine::TemporaryEngine;
use engine::Caller;
use model::OwnerId;
use quipu_server::{Endpoints, HttpConfig, HttpError, PublicUrl, Readiness};
use serde_json::json;
use std::net::SocketAddr;
use std::sync::Arc;
use tokio::runtime::Runtime;

fn ping() -> RawRequest {
    RawRequest::message(&json!({ "jsonrpc": "2.0", "id": 1, "method": "ping" }))
}

#[track_caller]
fn check_refused(answer: &RawResponse, status: u16, code: &str) {
    assert_eq!(answer.status, status, "{answer:?}");
    assert_eq!(answer.header("content-type"), Some("application/json"), "{answer:?}");
    let error = &answer.json()["error"];
    assert_eq!(error["code"], code, "{answer:?}");
    assert_eq!(error["status"], status, "the body agrees with the status: {answer:?}");
    for part in ["message", "hint"] {
        assert!(error[part].as_str().is_some_and(|text| !text.is_empty()), "{part}: {answer:?}");
    }
    assert_eq!(answer.header("access-control-allow-origin"), None, "{answer:?}");
}

#[test]
fn the_owners_token_is_accepted() {
    let server = ServerFixture::start();
    let answer = server.ask(ping());
    assert_eq!(answer.status, 200, "{answer:?}");
    assert_eq!(answer.json()["result"], json!({}));
    assert_eq!(answer.header("cache-control"), Some("no-store"));
    assert_eq!(answer.header("x-content-type-options"), Some("nosniff"));
}

#[test]
fn nothing_answers_without_the_token_except_health() {
    let server = ServerFixture::start();
    for ask in [
        ping(),
        RawRequest::new("GET", "/mcp"),
        RawRequest::new("DELETE", "/mcp"),
        RawRequest::new("GET", "/no/such/path"),
        RawRequest::new("GET", "/"),
        RawRequest::new("GET", "/healthz/"),
        RawRequest::new("GET", "/mcp/../healthz"),
        RawRequest::new("OPTIONS", "/mcp"),
        RawRequest::new("GET", "//healthz"),
    ] {
        let answer = ask.send(server.address);
        check_refused(&answer, 401, "unauthenticated");
        assert_eq!(answer.header("www-authenticate"), Some("Bearer"), "{answer:?}");
    }
    let health = RawRequest::new("GET", "/healthz").send(server.address);
    assert_eq!((health.status, health.body.as_str()), (200, r#"{"status":"ok"}"#));
}

#[test]
fn a_refusal_on_the_path_of_epitome_carries_its_code() {
    let server = ServerFixture::start();
    let answer = RawRequest::new("POST", "/mcp/epitome").send(server.address);
    check_refused(&answer, 401, "UNAUTHORIZED");
    assert_eq!(answer.header("www-authenticate"), Some("Bearer"), "{answer:?}");
}

#[test]
fn a_wrong_token_is_refused() {
    let server = ServerFixture::start();
    for wrong in
        ["Bearer wrong", "Bearer ", "Basic dXNlcjpwYXNz", TOKEN, &format!("Bearer {TOKEN}x")]
    {
        let answer = ping().header("Authorization", wrong).send(server.address);
        check_refused(&answer, 401, "unauthenticated");
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
fn a_server_whose_store_fails_is_healthy_and_not_ready() {
    let server = ServerFixture::start_with(|endpoints| {
        endpoints.with_readiness(Readiness::with_check(|| async { false }))
    });
    let ready = RawRequest::new("GET", "/readyz").send(server.address);
    assert_eq!((ready.status, ready.body.as_str()), (503, r#"{"status":"failing"}"#));
    let health = RawRequest::new("GET", "/healthz").send(server.address);
    assert_eq!((health.status, health.body.as_str()), (200, r#"{"status":"ok"}"#));
}

#[test]
fn a_foreign_host_is_refused_on_every_path_even_with_the_token() {
    let server = ServerFixture::start();
    for path in ["/mcp", "/healthz", "/no/such/path"] {
        for host in ["evil.example", "evil.example:7717", "127.0.0.1.evil.example"] {
            check_refused(
                &server.ask(RawRequest::new("GET", path).header("Host", host)),
                403,
                "forbidden",
            );
        }
    }
    assert_eq!(server.ask(ping().header("Host", "localhost:1234")).status, 200);
}

#[test]
fn a_foreign_origin_is_refused_on_every_path_even_with_the_token() {
    let server = ServerFixture::start();
    for path in ["/mcp", "/healthz", "/no/such/path"] {
        for origin in ["http://evil.example", "null", "http://localhost:3000", "https://127.0.0.1"]
        {
            check_refused(
                &server.ask(RawRequest::new("GET", path).header("Origin", origin)),
                403,
                "forbidden",
            );
        }
    }
    let own = format!("http://{}", server.address);
    assert_eq!(server.ask(ping().header("Origin", &own)).status, 200);
}

#[test]
fn every_preflight_is_refused() {
    let server = ServerFixture::start();
    for origin in ["http://evil.example".to_owned(), format!("http://{}", server.address)] {
        let preflight = RawRequest::new("OPTIONS", "/mcp")
            .header("Origin", &origin)
            .header("Access-Control-Request-Method", "POST")
            .header("Access-Control-Request-Headers", "authorization, content-type");
        check_refused(&preflight.send(server.address), 403, "forbidden");
    }
}

#[test]
fn only_post_is_served_under_a_dialects_path() {
    let server = ServerFixture::start();
    for method in ["GET", "DELETE", "PUT", "PATCH", "OPTIONS"] {
        let answer =
            server.ask(RawRequest::new(method, "/mcp").header("Accept", "text/event-stream"));
        check_refused(&answer, 405, "invalid_argument");
        assert_eq!(answer.header("allow"), Some("POST"), "{method}");
    }
}

#[test]
fn a_dialect_that_is_switched_off_says_so_to_every_method() {
    let server = ServerFixture::start();
    let owner = Caller::person(OwnerId::me());
    let switched = server.engine.engine();
    Runtime::new()
        .unwrap()
        .block_on(switched.admin().switch_dialect(&owner, model::Dialect::Quipu, false))
        .unwrap();
    for ask in [ping(), RawRequest::new("GET", "/mcp"), RawRequest::new("DELETE", "/mcp")] {
        let answer = server.ask(ask);
        check_refused(&answer, 403, "forbidden");
        assert!(answer.body.contains("turned the dialect quipu off"), "{answer:?}");
    }
}

#[test]
fn nothing_is_served_below_or_next_to_the_paths() {
    let server = ServerFixture::start();
    for path in ["/", "/mcp/", "/mcp/x/y", "/MCP", "/.well-known/oauth-protected-resource/mcp"] {
        check_refused(&server.ask(RawRequest::post(path, "{}")), 404, "not_found");
    }
}

#[test]
fn a_request_longer_than_a_mebibyte_is_refused() {
    let server = ServerFixture::start();
    let long = |bytes: usize| {
        let params = json!({ "x": "y".repeat(bytes) });
        json!({ "jsonrpc": "2.0", "id": 1, "method": "ping", "params": params })
    };
    assert_eq!(server.ask(RawRequest::message(&long((1 << 20) - 200))).status, 200);
    check_refused(&server.ask(RawRequest::message(&long(1 << 20))), 413, "limit_exceeded");
    check_refused(&server.ask(RawRequest::message(&long(4 << 20))), 413, "limit_exceeded");
    check_refused(
        &server.ask(RawRequest::new("POST", "/mcp").header("Content-Length", "99999999999")),
        413,
        "limit_exceeded",
    );
}

#[test]
fn an_invalid_message_is_an_error_with_the_id_of_the_request() {
    let server = ServerFixture::start();
    let bodies = [
        ("{bad", -32700, json!(null)),
        ("", -32700, json!(null)),
        (r#"{"id": 7, "method": "ping", "params": NaN}"#, -32700, json!(7)),
        ("{}", -32600, json!(null)),
        ("[1]", -32600, json!(null)),
        (r#"{"jsonrpc": "2.0", "id": "a"}"#, -32600, json!("a")),
    ];
    for (body, code, id) in bodies {
        let answer = server.ask(RawRequest::post("/mcp", body));
        assert_eq!(answer.status, 400, "{answer:?}");
        assert_eq!(answer.json()["error"]["code"], code, "{answer:?}");
        assert_eq!((&answer.json()["id"], &answer.json()["jsonrpc"]), (&id, &json!("2.0")));
    }
}

#[test]
fn half_a_surrogate_pair_does_not_stop_a_call() {
    let server = ServerFixture::start();
    let body = r#"{"jsonrpc": "2.0", "id": 1, "method": "tools/call",
        "params": {"name": "echo", "arguments": {"text": "cut \ud83d"}}}"#;
    let answer = server.ask(RawRequest::post("/mcp", body)).json();
    assert_eq!(answer["result"]["structuredContent"]["text"], "cut \u{fffd}", "{answer}");
}

#[test]
fn a_client_that_accepts_json_anything_or_says_nothing_is_served() {
    let server = ServerFixture::start();
    let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "ping" });
    for accept in [None, Some("application/json"), Some("*/*"), Some("text/html, */*;q=0.1")] {
        let request = RawRequest::json("POST", "/mcp", &body);
        let request = accept.into_iter().fold(request, |one, kind| one.header("Accept", kind));
        let answer = server.ask(request);
        assert_eq!(answer.status, 200, "{accept:?}: {answer:?}");
        assert_eq!(answer.header("content-type"), Some("application/json"));
        assert_eq!(answer.json()["result"], json!({}));
    }
}

#[test]
fn a_client_without_json_is_refused_in_json() {
    let server = ServerFixture::start();
    let text = RawRequest::new("POST", "/mcp").header("Content-Type", "text/plain");
    check_refused(
        &server.ask(text.clone().header("Accept", "application/json, text/event-stream")),
        415,
        "invalid_argument",
    );
    check_refused(&server.ask(text.clone()), 415, "invalid_argument");
    let refused = server.ask(RawRequest::post("/mcp", "{}").header("Accept", "x"));
    assert_eq!(refused.status, 400, "one of two Accept headers is enough: {refused:?}");
    let page = RawRequest::json("POST", "/mcp", &json!({})).header("Accept", "text/html");
    let refused = server.ask(page);
    check_refused(&refused, 406, "invalid_argument");
}

#[test]
fn nothing_is_served_to_other_machines_without_a_password() {
    let runtime = Runtime::new().unwrap();
    let memory = runtime.block_on(TemporaryEngine::new()).unwrap();
    let serving = |address: &str, public: Option<&str>| {
        let address: SocketAddr = address.parse().unwrap();
        let bound = runtime.block_on(async { quipu_server::bind(address).await.unwrap() });
        let public = public.map(|url| PublicUrl::new(url).unwrap());
        let config = HttpConfig { public_url: public, ..config(&memory) };
        runtime.block_on(bound.into_server(config, Endpoints::new()))
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
    let server = ServerFixture::start();
    let runtime = Runtime::new().unwrap();
    let refused = runtime.block_on(quipu_server::bind(server.address)).unwrap_err();
    assert!(matches!(refused, HttpError::InUse(address) if address == server.address), "{refused}");
    assert!(refused.to_string().contains(&server.address.to_string()), "{refused}");
}

#[test]
fn a_path_that_would_match_more_than_itself_is_refused() {
    let runtime = Runtime::new().unwrap();
    for path in ["mcp", "/{*any}", "/*", "/healthz", "/readyz", ""] {
        let memory = runtime.block_on(TemporaryEngine::new()).unwrap();
        let endpoints =
            Endpoints::new().dialect(path, memory.engine(), Arc::new(TestDialect::new())).unwrap();
        let bound = runtime.block_on(quipu_server::bind(any_port())).unwrap();
        let refused = runtime.block_on(bound.into_server(config(&memory), endpoints)).unwrap_err();
        assert!(matches!(refused, HttpError::BadPath(_)), "{path}: {refused}");
    }
}
