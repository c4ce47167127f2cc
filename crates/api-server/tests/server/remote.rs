//! OAuth over HTTP: a client discovers the endpoints, registers, gets the access that the owner
//! allowed, and is refused for everything that is not exactly right.

use crate::bed::{Bed, TOKEN};
use crate::wire::{Answer, Ask};
use model::{OwnerId, Permission};
use oauth::{AuthorizeRequest, Desk};
use serde_json::{Value, json};
use std::sync::Arc;
use tokio::runtime::Runtime;

const VERIFIER: &str = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
const CHALLENGE: &str = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";
const CALLBACK: &str = "http://127.0.0.1:4711/callback";

/// A registered OAuth client.
struct Program {
    bed: Bed,
    desk: Arc<Desk>,
    id: String,
}

impl Program {
    fn registered() -> Self {
        let (server, authorization_server) = Bed::start_remote();
        let body = json!({ "redirect_uris": [CALLBACK], "client_name": "Editor" });
        let answer = register(&server, &body.to_string());
        assert_eq!(answer.status, 201, "{answer:?}");
        let id = answer.json()["client_id"].as_str().unwrap().to_owned();
        Self { bed: server, desk: authorization_server, id }
    }

    fn resource(&self, path: &str) -> String {
        format!("http://{}{path}", self.bed.address)
    }

    /// Returns the code that the client gets when the owner consents.
    fn code(&self, path: &str, scope: Permission) -> String {
        let request = AuthorizeRequest {
            response_type: Some("code".into()),
            client_id: Some(self.id.clone()),
            redirect_uri: Some(CALLBACK.into()),
            code_challenge: Some(CHALLENGE.into()),
            code_challenge_method: Some("S256".into()),
            resource: Some(self.resource(path)),
            ..AuthorizeRequest::default()
        };
        let now = self.bed.memory.engine().now();
        let consent = Runtime::new()
            .unwrap()
            .block_on(self.desk.ask(&request, &self.bed.address.to_string(), now))
            .unwrap();
        let back = self.desk.agree(&consent, OwnerId::me(), scope, now).unwrap();
        let code = back.split("code=").nth(1).unwrap();
        code.split('&').next().unwrap().to_owned()
    }

    fn exchange(&self, code: &str, more: &[(&str, &str)]) -> Answer {
        let resource = self.resource("/mcp");
        let fields = [
            ("grant_type", "authorization_code"),
            ("client_id", &self.id),
            ("code", code),
            ("code_verifier", VERIFIER),
            ("redirect_uri", CALLBACK),
            ("resource", &resource),
        ];
        let replaced = |name: &str| more.iter().any(|(other, _)| *other == name);
        let remaining = fields.into_iter().filter(|(name, _)| !replaced(name));
        post(&self.bed, "/oauth/token", &remaining.chain(more.iter().copied()).collect::<Vec<_>>())
    }

    fn refresh(&self, token: &str) -> Answer {
        let fields =
            [("grant_type", "refresh_token"), ("client_id", &self.id), ("refresh_token", token)];
        post(&self.bed, "/oauth/token", &fields)
    }

    /// Returns the tokens for `/mcp` and the paths below.
    fn tokens(&self, scope: Permission) -> Value {
        let answer = self.exchange(&self.code("/mcp", scope), &[]);
        assert_eq!(answer.status, 200, "{answer:?}");
        assert_eq!(answer.header("cache-control"), Some("no-store"));
        answer.json()
    }

    fn access(&self, scope: Permission) -> String {
        self.tokens(scope)["access_token"].as_str().unwrap().to_owned()
    }

    fn call(&self, path: &str, token: &str, tool: &str, arguments: &Value) -> Answer {
        let call = json!({ "name": tool, "arguments": arguments });
        let message = json!({ "jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": call });
        let ask = Ask::post(path, message.to_string()).header("MCP-Protocol-Version", "2025-11-25");
        ask.header("Authorization", &format!("Bearer {token}")).send(self.bed.address)
    }

    fn hello(&self, token: &str) -> Answer {
        self.call("/mcp", token, "echo", &json!({ "text": "hello" }))
    }
}

fn register(server: &Bed, body: &str) -> Answer {
    Ask::post("/oauth/register", body).send(server.address)
}

fn post(server: &Bed, path: &str, fields: &[(&str, &str)]) -> Answer {
    let body = form_urlencoded::Serializer::new(String::new()).extend_pairs(fields).finish();
    Ask::form(path, body).send(server.address)
}

#[track_caller]
fn refused(answer: &Answer, status: u16, error: &str) {
    assert_eq!((answer.status, &answer.json()["error"]), (status, &json!(error)), "{answer:?}");
    assert!(answer.header("access-control-allow-origin").is_none());
}

#[test]
fn a_program_finds_its_way_from_the_refusal_to_the_endpoints() {
    let (server, _) = Bed::start_remote();
    let origin = format!("http://{}", server.address);
    for path in ["/mcp", "/mcp/quipu"] {
        let answer = Ask::post(path, "{}").send(server.address);
        assert_eq!(answer.status, 401);
        let document = format!("/.well-known/oauth-protected-resource{path}");
        let expected =
            format!("Bearer resource_metadata=\"{origin}{document}\", scope=\"read write\"");
        assert_eq!(answer.header("www-authenticate"), Some(expected.as_str()));
        let resource = Ask::new("GET", &document).send(server.address).json();
        assert_eq!(resource["resource"], format!("{origin}{path}"));
        assert_eq!(resource["authorization_servers"], json!([origin]));
    }
    let metadata =
        Ask::new("GET", "/.well-known/oauth-authorization-server").send(server.address).json();
    assert_eq!(metadata["issuer"], origin);
    assert_eq!(metadata["token_endpoint"], format!("{origin}/oauth/token"));
    assert_eq!(metadata["code_challenge_methods_supported"], json!(["S256"]));
    let elsewhere =
        Ask::new("GET", "/.well-known/oauth-protected-resource/v1").send(server.address);
    assert_eq!((elsewhere.status, elsewhere.header("www-authenticate")), (401, Some("Bearer")));
}

#[test]
fn a_program_that_was_told_localhost_reads_localhost_everywhere() {
    let (server, _) = Bed::start_remote();
    let host = format!("localhost:{}", server.address.port());
    let at = |path: &str| Ask::new("GET", path).header("Host", &host).send(server.address).json();
    let refused = Ask::post("/mcp", "{}").header("Host", &host).send(server.address);
    assert!(
        refused
            .header("www-authenticate")
            .unwrap()
            .contains(&format!("\"http://{host}/.well-known/"))
    );
    assert_eq!(
        at("/.well-known/oauth-protected-resource/mcp")["resource"],
        format!("http://{host}/mcp")
    );
    assert_eq!(at("/.well-known/oauth-authorization-server")["issuer"], format!("http://{host}"));
}

#[test]
fn a_token_opens_what_it_was_made_for_as_the_agent_it_stands_for() {
    let program = Program::registered();
    let body = program.hello(&program.access(Permission::Read)).json();
    let agent = body["result"]["structuredContent"]["agent"].as_str().unwrap().to_owned();
    assert!(agent.starts_with("Editor "), "{agent}");
    assert_eq!(body["result"]["structuredContent"]["owner"], "me");
}

#[test]
fn a_token_for_another_endpoint_opens_nothing() {
    let program = Program::registered();
    let code = program.code("/mcp/quipu", Permission::Write);
    let answer = program.exchange(&code, &[("resource", &program.resource("/mcp/quipu"))]);
    let token = answer.json()["access_token"].as_str().unwrap().to_owned();
    let wrong = program.hello(&token);
    assert_eq!(wrong.status, 401, "{wrong:?}");
    assert!(
        wrong.header("www-authenticate").unwrap().contains("error=\"invalid_token\""),
        "{wrong:?}"
    );
    assert_eq!(program.call("/mcp/quipu", &token, "recall", &json!({})).status, 200);
}

#[test]
fn a_token_opens_from_the_header_alone() {
    let program = Program::registered();
    let token = program.access(Permission::Write);
    let message = json!({ "jsonrpc": "2.0", "id": 7, "method": "ping" }).to_string();
    assert_eq!(
        Ask::post(&format!("/mcp/t/{token}"), message).send(program.bed.address).status,
        401
    );
}

#[test]
fn an_access_token_ends_after_its_hour_and_a_refresh_token_gives_the_next() {
    let program = Program::registered();
    let first = program.tokens(Permission::Write);
    program.bed.memory.pass(3_600);
    assert_eq!(program.hello(first["access_token"].as_str().unwrap()).status, 401);
    let next = program.refresh(first["refresh_token"].as_str().unwrap()).json();
    assert_eq!(program.hello(next["access_token"].as_str().unwrap()).status, 200);
    program.bed.memory.pass(31 * 24 * 3_600);
    refused(&program.refresh(next["refresh_token"].as_str().unwrap()), 400, "invalid_grant");
}

#[test]
fn a_refresh_token_that_is_used_twice_shuts_everybody_out() {
    let program = Program::registered();
    let first = program.tokens(Permission::Write);
    let stolen = first["refresh_token"].as_str().unwrap();
    let second = program.refresh(stolen).json();
    assert_eq!(program.hello(second["access_token"].as_str().unwrap()).status, 200);
    refused(&program.refresh(stolen), 400, "invalid_grant");
    assert_eq!(program.hello(second["access_token"].as_str().unwrap()).status, 401);
    refused(&program.refresh(second["refresh_token"].as_str().unwrap()), 400, "invalid_grant");
}

#[test]
fn a_code_is_good_once_for_a_minute_and_for_what_it_was_made() {
    let program = Program::registered();
    let code = || program.code("/mcp", Permission::Write);
    for (field, value, error) in [
        ("code_verifier", "a-verifier-of-somebody-else-0123456789-0123456789", "invalid_grant"),
        ("redirect_uri", "http://127.0.0.1:4711/other", "invalid_grant"),
        ("resource", "https://evil.example/mcp", "invalid_target"),
        ("resource", &program.resource("/mcp/quipu"), "invalid_target"),
        ("code", "qpo_0000", "invalid_grant"),
        ("grant_type", "password", "unsupported_grant_type"),
        ("code_verifier", "", "invalid_request"),
        ("client_id", "", "invalid_request"),
    ] {
        refused(&program.exchange(&code(), &[(field, value)]), 400, error);
    }
    let late = code();
    program.bed.memory.pass(61);
    refused(&program.exchange(&late, &[]), 400, "invalid_grant");
    let used = code();
    let first = program.exchange(&used, &[]).json();
    refused(&program.exchange(&used, &[]), 400, "invalid_grant");
    assert_eq!(
        program.hello(first["access_token"].as_str().unwrap()).status,
        401,
        "its tokens are revoked"
    );
}

#[test]
fn a_program_that_is_not_known_is_told_to_register_again() {
    let program = Program::registered();
    let code = program.code("/mcp", Permission::Write);
    refused(&program.exchange(&code, &[("client_id", "qpc_unknown")]), 401, "invalid_client");
    let revoke =
        post(&program.bed, "/oauth/revoke", &[("client_id", "qpc_unknown"), ("token", "x")]);
    refused(&revoke, 401, "invalid_client");
}

#[test]
fn what_is_given_back_opens_nothing_from_then_on() {
    let program = Program::registered();
    let tokens = program.tokens(Permission::Write);
    let give_back = |token: &str| {
        post(&program.bed, "/oauth/revoke", &[("client_id", &program.id), ("token", token)]).status
    };
    assert_eq!(give_back("qpr_unknown"), 200);
    assert_eq!(program.hello(tokens["access_token"].as_str().unwrap()).status, 200);
    assert_eq!(give_back(tokens["refresh_token"].as_str().unwrap()), 200);
    assert_eq!(program.hello(tokens["access_token"].as_str().unwrap()).status, 401);
}

#[test]
fn a_token_that_may_only_read_is_sent_to_ask_for_more_when_it_writes() {
    let program = Program::registered();
    let token = program.access(Permission::Read);
    for (tool, arguments) in [
        ("remember", json!({ "text": "The kiln is blue." })),
        ("review", json!({ "action": "flag", "memory": 1, "reason": "x" })),
    ] {
        let answer = program.call("/mcp/quipu", &token, tool, &arguments);
        assert_eq!(answer.status, 403, "{answer:?}");
        let expected = format!(
            "Bearer error=\"insufficient_scope\", \
             resource_metadata=\"{}\", scope=\"read write\"",
            program.resource("/.well-known/oauth-protected-resource/mcp/quipu")
        );
        assert_eq!(answer.header("www-authenticate"), Some(expected.as_str()));
    }
    // Listing with the same tool is reading. The owner has granted nothing, so it fails as a tool
    // result.
    let listed = program.call("/mcp/quipu", &token, "review", &json!({ "action": "list" }));
    assert_eq!(listed.status, 200, "{listed:?}");
    assert!(listed.body.contains("consent_required"), "{listed:?}");
}

#[test]
fn a_key_that_may_only_read_is_told_in_the_answer() {
    let program = Program::registered();
    let key = program.bed.key("me", "codex", Permission::Read);
    let answer =
        program.call("/mcp/quipu", key.secret.reveal(), "remember", &json!({ "text": "x" }));
    assert_eq!(answer.status, 200, "{answer:?}");
    assert!(answer.body.contains("has no write scope"), "{answer:?}");
}

#[test]
fn what_strangers_post_is_bounded_and_must_be_what_it_says() {
    let (server, _) = Bed::start_remote();
    refused(&register(&server, "{bad"), 400, "invalid_client_metadata");
    refused(
        &register(&server, r#"{"redirect_uris": ["http://evil.example/cb"]}"#),
        400,
        "invalid_redirect_uri",
    );
    refused(
        &register(&server, r#"{"redirect_uris": ["javascript:alert(1)"]}"#),
        400,
        "invalid_redirect_uri",
    );
    let long =
        json!({ "redirect_uris": [CALLBACK], "client_name": "x".repeat(40_000) }).to_string();
    refused(&register(&server, &long), 413, "invalid_request");
    refused(
        &Ask::form("/oauth/register", "redirect_uris=x").send(server.address),
        400,
        "invalid_request",
    );
    refused(&Ask::post("/oauth/token", "{}").send(server.address), 400, "invalid_request");
    let twice = [("grant_type", "refresh_token"), ("grant_type", "refresh_token")];
    refused(&post(&server, "/oauth/token", &twice), 400, "invalid_request");
}

#[test]
fn a_flood_of_registrations_waits_and_nobody_else_does() {
    let program = Program::registered();
    let body = json!({ "redirect_uris": [CALLBACK] }).to_string();
    let limited = (0..100)
        .map(|_| register(&program.bed, &body))
        .find(|answer| answer.status != 201)
        .unwrap();
    refused(&limited, 429, "temporarily_unavailable");
    assert!(limited.header("retry-after").is_some());
    assert_eq!(program.hello(&program.access(Permission::Read)).status, 200);
}

#[test]
fn no_page_of_another_site_reaches_any_of_it() {
    let (server, _) = Bed::start_remote();
    for path in [
        "/oauth/register",
        "/oauth/token",
        "/oauth/revoke",
        "/.well-known/oauth-authorization-server",
        "/.well-known/oauth-protected-resource/mcp",
    ] {
        for method in ["GET", "POST", "OPTIONS"] {
            let ask = Ask::new(method, path).header("Origin", "https://evil.example");
            let answer = ask.header("Access-Control-Request-Method", "POST").send(server.address);
            assert_eq!(answer.status, 403, "{method} {path}");
            assert!(!format!("{answer:?}").contains("access-control-"), "{answer:?}");
        }
    }
}

#[test]
fn the_owners_token_and_keys_open_as_before() {
    let program = Program::registered();
    assert_eq!(program.hello(TOKEN).status, 200);
    let key = program.bed.key("me", "codex", Permission::Read);
    assert_eq!(program.hello(key.secret.reveal()).status, 200);
    assert_eq!(program.hello("qpa_0000").status, 401);
}
