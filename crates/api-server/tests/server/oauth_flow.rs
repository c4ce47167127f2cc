//! OAuth over HTTP: a client discovers the endpoints, registers, gets the access that the owner
//! allowed, and is refused for everything that is not exactly right.

use crate::raw_http::{RawRequest, RawResponse};
use crate::server_fixture::{ServerFixture, TOKEN};
use model::{OwnerId, Permission};
use oauth::{AuthorizationServer, AuthorizeRequest};
use serde_json::{Value, json};
use std::sync::Arc;
use tokio::runtime::Runtime;

const VERIFIER: &str = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
const CHALLENGE: &str = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";
const CALLBACK: &str = "http://127.0.0.1:4711/callback";

/// A registered OAuth client.
struct OAuthClient {
    server: ServerFixture,
    authorization_server: Arc<AuthorizationServer>,
    id: String,
}

impl OAuthClient {
    fn registered() -> Self {
        let (server, authorization_server) = ServerFixture::start_with_oauth();
        let body = json!({ "redirect_uris": [CALLBACK], "client_name": "Editor" });
        let answer = register(&server, &body.to_string());
        assert_eq!(answer.status, 201, "{answer:?}");
        let id = answer.json()["client_id"].as_str().unwrap().to_owned();
        Self { server, authorization_server, id }
    }

    fn resource(&self, path: &str) -> String {
        format!("http://{}{path}", self.server.address)
    }

    /// Returns the code that the client gets when the owner consents.
    fn authorization_code(&self, path: &str, scope: Permission) -> String {
        self.authorization_code_for(Some(self.resource(path)), scope)
    }

    /// Returns the code for a resource, or for none.
    fn authorization_code_for(&self, resource: Option<String>, scope: Permission) -> String {
        let request = AuthorizeRequest {
            response_type: Some("code".into()),
            client_id: Some(self.id.clone()),
            redirect_uri: Some(CALLBACK.into()),
            code_challenge: Some(CHALLENGE.into()),
            code_challenge_method: Some("S256".into()),
            resource,
            ..AuthorizeRequest::default()
        };
        let now = self.server.engine.engine().now();
        let runtime = Runtime::new().unwrap();
        let consent = runtime
            .block_on(self.authorization_server.authorize(
                &request,
                &self.server.address.to_string(),
                now,
            ))
            .unwrap();
        let approved = self.authorization_server.approve(&consent, OwnerId::me(), scope, now);
        let back = runtime.block_on(approved).unwrap();
        let code = back.split("code=").nth(1).unwrap();
        code.split('&').next().unwrap().to_owned()
    }

    fn exchange(&self, code: &str, more: &[(&str, &str)]) -> RawResponse {
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
        post(
            &self.server,
            "/oauth/token",
            &remaining.chain(more.iter().copied()).collect::<Vec<_>>(),
        )
    }

    fn refresh(&self, token: &str) -> RawResponse {
        let fields =
            [("grant_type", "refresh_token"), ("client_id", &self.id), ("refresh_token", token)];
        post(&self.server, "/oauth/token", &fields)
    }

    /// Returns the tokens for `/mcp` and the paths below.
    fn tokens(&self, scope: Permission) -> Value {
        let answer = self.exchange(&self.authorization_code("/mcp", scope), &[]);
        assert_eq!(answer.status, 200, "{answer:?}");
        assert_eq!(answer.header("cache-control"), Some("no-store"));
        answer.json()
    }

    fn access(&self, scope: Permission) -> String {
        self.tokens(scope)["access_token"].as_str().unwrap().to_owned()
    }

    fn call(&self, path: &str, token: &str, tool: &str, arguments: &Value) -> RawResponse {
        let call = json!({ "name": tool, "arguments": arguments });
        let message = json!({ "jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": call });
        let ask = RawRequest::post(path, message.to_string())
            .header("MCP-Protocol-Version", "2025-11-25");
        ask.header("Authorization", &format!("Bearer {token}")).send(self.server.address)
    }

    fn hello(&self, token: &str) -> RawResponse {
        self.call("/mcp", token, "echo", &json!({ "text": "hello" }))
    }
}

fn register(server: &ServerFixture, body: &str) -> RawResponse {
    RawRequest::post("/oauth/register", body).send(server.address)
}

fn post(server: &ServerFixture, path: &str, fields: &[(&str, &str)]) -> RawResponse {
    let body = form_urlencoded::Serializer::new(String::new()).extend_pairs(fields).finish();
    RawRequest::form(path, body).send(server.address)
}

#[track_caller]
fn check_refused(answer: &RawResponse, status: u16, error: &str) {
    assert_eq!((answer.status, &answer.json()["error"]), (status, &json!(error)), "{answer:?}");
    assert!(answer.header("access-control-allow-origin").is_none());
}

#[test]
fn a_client_discovers_the_endpoints_from_the_refusal() {
    let (server, _) = ServerFixture::start_with_oauth();
    let origin = format!("http://{}", server.address);
    for path in ["/mcp", "/mcp/quipu"] {
        let answer = RawRequest::post(path, "{}").send(server.address);
        assert_eq!(answer.status, 401);
        let document = format!("/.well-known/oauth-protected-resource{path}");
        let expected =
            format!("Bearer resource_metadata=\"{origin}{document}\", scope=\"read write\"");
        assert_eq!(answer.header("www-authenticate"), Some(expected.as_str()));
        let resource = RawRequest::new("GET", &document).send(server.address).json();
        assert_eq!(resource["resource"], format!("{origin}{path}"));
        assert_eq!(resource["authorization_servers"], json!([origin]));
    }
    let metadata = RawRequest::new("GET", "/.well-known/oauth-authorization-server")
        .send(server.address)
        .json();
    assert_eq!(metadata["issuer"], origin);
    assert_eq!(metadata["token_endpoint"], format!("{origin}/oauth/token"));
    assert_eq!(metadata["code_challenge_methods_supported"], json!(["S256"]));
    let elsewhere =
        RawRequest::new("GET", "/.well-known/oauth-protected-resource/v1").send(server.address);
    assert_eq!((elsewhere.status, elsewhere.header("www-authenticate")), (401, Some("Bearer")));
}

#[test]
fn a_client_that_uses_localhost_reads_localhost_everywhere() {
    let (server, _) = ServerFixture::start_with_oauth();
    let host = format!("localhost:{}", server.address.port());
    let at =
        |path: &str| RawRequest::new("GET", path).header("Host", &host).send(server.address).json();
    let refused = RawRequest::post("/mcp", "{}").header("Host", &host).send(server.address);
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
fn a_token_gives_access_to_its_resource_as_its_agent() {
    let program = OAuthClient::registered();
    let body = program.hello(&program.access(Permission::Read)).json();
    let agent = body["result"]["structuredContent"]["agent"].as_str().unwrap().to_owned();
    assert!(agent.starts_with("Editor "), "{agent}");
    assert_eq!(body["result"]["structuredContent"]["owner"], "me");
}

#[test]
fn a_token_for_another_endpoint_is_refused() {
    let program = OAuthClient::registered();
    let code = program.authorization_code("/mcp/quipu", Permission::Write);
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
fn a_token_without_a_resource_opens_the_tools_only() {
    let program = OAuthClient::registered();
    let code = program.authorization_code_for(None, Permission::Write);
    let tokens = program.exchange(&code, &[("resource", "")]).json();
    let token = tokens["access_token"].as_str().unwrap_or_else(|| panic!("{tokens}"));
    assert_eq!(program.hello(token).status, 200);
    let other =
        RawRequest::new("POST", "/fixture").header("Authorization", &format!("Bearer {token}"));
    assert_eq!(other.send(program.server.address).status, 401);
}

#[test]
fn a_token_is_accepted_in_the_header_only() {
    let program = OAuthClient::registered();
    let token = program.access(Permission::Write);
    let message = json!({ "jsonrpc": "2.0", "id": 7, "method": "ping" }).to_string();
    assert_eq!(
        RawRequest::post(&format!("/mcp/t/{token}"), message).send(program.server.address).status,
        401
    );
}

#[test]
fn an_access_token_expires_after_an_hour_and_can_be_refreshed() {
    let program = OAuthClient::registered();
    let first = program.tokens(Permission::Write);
    program.server.engine.advance_seconds(3_600);
    assert_eq!(program.hello(first["access_token"].as_str().unwrap()).status, 401);
    let next = program.refresh(first["refresh_token"].as_str().unwrap()).json();
    assert_eq!(program.hello(next["access_token"].as_str().unwrap()).status, 200);
    program.server.engine.advance_seconds(31 * 24 * 3_600);
    check_refused(&program.refresh(next["refresh_token"].as_str().unwrap()), 400, "invalid_grant");
}

#[test]
fn a_refresh_token_that_is_used_twice_revokes_all_tokens() {
    let program = OAuthClient::registered();
    let first = program.tokens(Permission::Write);
    let stolen = first["refresh_token"].as_str().unwrap();
    let second = program.refresh(stolen).json();
    assert_eq!(program.hello(second["access_token"].as_str().unwrap()).status, 200);
    check_refused(&program.refresh(stolen), 400, "invalid_grant");
    assert_eq!(program.hello(second["access_token"].as_str().unwrap()).status, 401);
    check_refused(
        &program.refresh(second["refresh_token"].as_str().unwrap()),
        400,
        "invalid_grant",
    );
}

#[test]
fn a_code_is_valid_once_for_a_minute_and_for_its_own_request() {
    let program = OAuthClient::registered();
    let code = || program.authorization_code("/mcp", Permission::Write);
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
        check_refused(&program.exchange(&code(), &[(field, value)]), 400, error);
    }
    let late = code();
    program.server.engine.advance_seconds(61);
    check_refused(&program.exchange(&late, &[]), 400, "invalid_grant");
    let used = code();
    let first = program.exchange(&used, &[]).json();
    check_refused(&program.exchange(&used, &[]), 400, "invalid_grant");
    assert_eq!(
        program.hello(first["access_token"].as_str().unwrap()).status,
        401,
        "its tokens are revoked"
    );
}

#[test]
fn an_unknown_client_gets_invalid_client() {
    let program = OAuthClient::registered();
    let code = program.authorization_code("/mcp", Permission::Write);
    check_refused(&program.exchange(&code, &[("client_id", "qpc_unknown")]), 401, "invalid_client");
    let revoke =
        post(&program.server, "/oauth/revoke", &[("client_id", "qpc_unknown"), ("token", "x")]);
    check_refused(&revoke, 401, "invalid_client");
}

#[test]
fn a_revoked_token_is_refused() {
    let program = OAuthClient::registered();
    let tokens = program.tokens(Permission::Write);
    let give_back = |token: &str| {
        post(&program.server, "/oauth/revoke", &[("client_id", &program.id), ("token", token)])
            .status
    };
    assert_eq!(give_back("qpr_unknown"), 200);
    assert_eq!(program.hello(tokens["access_token"].as_str().unwrap()).status, 200);
    assert_eq!(give_back(tokens["refresh_token"].as_str().unwrap()), 200);
    assert_eq!(program.hello(tokens["access_token"].as_str().unwrap()).status, 401);
}

#[test]
fn a_read_only_token_gets_a_scope_challenge_when_it_writes() {
    let program = OAuthClient::registered();
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
fn a_read_only_key_is_refused_in_the_tool_result() {
    let program = OAuthClient::registered();
    let key = program.server.key("me", "codex", Permission::Read);
    let answer =
        program.call("/mcp/quipu", key.secret.reveal(), "remember", &json!({ "text": "x" }));
    assert_eq!(answer.status, 200, "{answer:?}");
    assert!(answer.body.contains("has no write scope"), "{answer:?}");
}

#[test]
fn unauthenticated_posts_are_bounded_and_checked() {
    let (server, _) = ServerFixture::start_with_oauth();
    check_refused(&register(&server, "{bad"), 400, "invalid_client_metadata");
    check_refused(
        &register(&server, r#"{"redirect_uris": ["http://evil.example/cb"]}"#),
        400,
        "invalid_redirect_uri",
    );
    check_refused(
        &register(&server, r#"{"redirect_uris": ["javascript:alert(1)"]}"#),
        400,
        "invalid_redirect_uri",
    );
    let long =
        json!({ "redirect_uris": [CALLBACK], "client_name": "x".repeat(40_000) }).to_string();
    check_refused(&register(&server, &long), 413, "invalid_request");
    check_refused(
        &RawRequest::form("/oauth/register", "redirect_uris=x").send(server.address),
        400,
        "invalid_request",
    );
    check_refused(
        &RawRequest::post("/oauth/token", "{}").send(server.address),
        400,
        "invalid_request",
    );
    let twice = [("grant_type", "refresh_token"), ("grant_type", "refresh_token")];
    check_refused(&post(&server, "/oauth/token", &twice), 400, "invalid_request");
}

#[test]
fn a_flood_of_registrations_is_limited_and_affects_nobody_else() {
    let program = OAuthClient::registered();
    let body = json!({ "redirect_uris": [CALLBACK] }).to_string();
    let limited = (0..100)
        .map(|_| register(&program.server, &body))
        .find(|answer| answer.status != 201)
        .unwrap();
    check_refused(&limited, 429, "temporarily_unavailable");
    assert!(limited.header("retry-after").is_some());
    assert_eq!(program.hello(&program.access(Permission::Read)).status, 200);
}

#[test]
fn invalid_tokens_are_limited_and_never_keep_a_valid_one_from_its_refresh() {
    let program = OAuthClient::registered();
    let mut tokens = program.tokens(Permission::Write);
    for junk in ["qpr_junk", ""] {
        let mut refused = (0..1_000).map(|_| program.refresh(junk));
        let limited = refused.find(|answer| answer.status == 429).unwrap();
        check_refused(&limited, 429, "temporarily_unavailable");
        let answer = program.refresh(tokens["refresh_token"].as_str().unwrap());
        assert_eq!(answer.status, 200, "{answer:?}");
        tokens = answer.json();
    }
}

#[test]
fn no_page_of_another_site_reaches_the_oauth_endpoints() {
    let (server, _) = ServerFixture::start_with_oauth();
    for path in [
        "/oauth/register",
        "/oauth/token",
        "/oauth/revoke",
        "/.well-known/oauth-authorization-server",
        "/.well-known/oauth-protected-resource/mcp",
    ] {
        for method in ["GET", "POST", "OPTIONS"] {
            let ask = RawRequest::new(method, path).header("Origin", "https://evil.example");
            let answer = ask.header("Access-Control-Request-Method", "POST").send(server.address);
            assert_eq!(answer.status, 403, "{method} {path}");
            assert!(!format!("{answer:?}").contains("access-control-"), "{answer:?}");
        }
    }
}

#[test]
fn the_owners_token_and_keys_still_work_with_oauth() {
    let program = OAuthClient::registered();
    assert_eq!(program.hello(TOKEN).status, 200);
    let key = program.server.key("me", "codex", Permission::Read);
    assert_eq!(program.hello(key.secret.reveal()).status, 200);
    assert_eq!(program.hello("qpa_0000").status, 401);
}
