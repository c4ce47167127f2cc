//! OAuth against the real binary: the official clients with their own code, the conformance suite,
//! and every refusal of the consent page.

use crate::driver::OfficialClient::{self, Python1, Python2, TypeScript1, TypeScript2};
use crate::driver::{node, scripts, tool};
use crate::owner_browser::{BrowserResponse, OwnerBrowser, http_request, percent_decode};
use crate::server_process::ServerProcess;
use crate::test_env::TestEnv;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read};
use std::process::Stdio;

const CALLBACK: &str = "http://127.0.0.1:4711/callback";
const CHALLENGE: &str = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";
const VERIFIER: &str = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";

/// Returns grants with the same permission on every resource of the consent page.
fn grants_on_everything(permission: &str) -> Value {
    let resources = ["profile", "tables", "vectors", "graph", "memory", "handoffs", "references"];
    resources
        .iter()
        .map(|resource| ((*resource).to_owned(), json!(permission)))
        .collect::<serde_json::Map<_, _>>()
        .into()
}

fn plan(
    served: &ServerProcess,
    browser: &str,
    name: &str,
    scope: Option<&str>,
    era: &str,
    steps: &Value,
) -> Value {
    let oauth = json!({ "browser": browser, "name": name, "scope": scope });
    json!({
        "server": { "url": served.startup_field("mcp"), "oauth": oauth },
        "client": { "name": "official", "version": "9.9" },
        "era": era,
        "steps": steps,
    })
}

#[test]
fn every_official_client_authorizes_itself_and_acts_as_its_own_agent() {
    let env = TestEnv::new();
    let served = ServerProcess::start(&env);
    let clients: [(OfficialClient, &str); 6] = [
        (TypeScript1, "legacy"),
        (TypeScript2, "legacy"),
        (TypeScript2, "modern"),
        (Python1, "legacy"),
        (Python2, "legacy"),
        (Python2, "modern"),
    ];
    let browser = OwnerBrowser::log_in(&served).serve_browser(vec![grants_on_everything("write")]);
    for (at, (client, era)) in clients.into_iter().enumerate() {
        let thing = ["anchor", "barge", "crane", "dredger", "ensign", "fender"][at];
        let text = format!("The {thing} was painted by crew {at}.");
        let steps = json!([
            { "list": true },
            { "call": "remember", "arguments": { "text": text } },
            { "call": "recall", "arguments": { "query": text } },
        ]);
        let report =
            client.play(&plan(&served, &browser, &format!("Painter {at}"), None, era, &steps));
        assert_eq!(
            report["steps"][1]["structured"]["happened"], "created",
            "{client:?} {era}: {report:#}"
        );
        let found = &report["steps"][2]["structured"]["memories"][0];
        assert_eq!(found["text"], text, "{client:?} {era}: {report:#}");
        let by = env.json(&["show", &found["id"].to_string()])["memories"][0]["by"].to_string();
        assert!(by.contains(&format!("Painter {at} ")), "{by}");
    }
}

#[test]
fn a_client_that_may_only_read_asks_for_more_when_it_writes() {
    // Version 1 of the TypeScript client is left out: it refreshes its token instead of asking for
    // more permissions, and gives up.
    for (client, era) in
        [(TypeScript2, "legacy"), (TypeScript2, "modern"), (Python1, "legacy"), (Python2, "modern")]
    {
        let env = TestEnv::new();
        let served = ServerProcess::start(&env);
        let answers = vec![grants_on_everything("read"), grants_on_everything("write")];
        let browser = OwnerBrowser::log_in(&served).serve_browser(answers);
        let steps = json!([
            { "call": "recall", "arguments": { "query": "kiln" } },
            { "call": "remember", "arguments": { "text": "The kiln is blue." } },
        ]);
        let report = client.play(&plan(&served, &browser, "Potter", Some("read"), era, &steps));
        assert_eq!(report["steps"][0]["failed"], false, "{client:?}: {report:#}");
        assert_eq!(
            report["steps"][1]["structured"]["happened"], "created",
            "{client:?}: {report:#}"
        );
    }
}

/// A registered OAuth client, driven by the test.
struct RegisteredClient<'s> {
    served: &'s ServerProcess,
    id: String,
}

impl<'s> RegisteredClient<'s> {
    fn register(served: &'s ServerProcess, name: &str) -> Self {
        let body = json!({ "client_name": name, "redirect_uris": [CALLBACK] }).to_string();
        let (status, response) = served.send("POST /oauth/register", None, &body);
        assert_eq!(status, 201, "{response}");
        let response: Value = serde_json::from_str(&response).unwrap();
        Self { served, id: response["client_id"].as_str().unwrap().to_owned() }
    }

    /// Returns its authorization URL with some parameters changed; empty ones are left out.
    fn authorization_url(&self, changed: &[(&str, &str)]) -> String {
        let mcp = self.served.startup_field("mcp");
        let usual = [
            ("response_type", "code"),
            ("client_id", &self.id),
            ("redirect_uri", CALLBACK),
            ("code_challenge", CHALLENGE),
            ("code_challenge_method", "S256"),
            ("scope", "read write"),
            ("state", "x&y=<z>"),
            ("resource", mcp),
        ];
        let value = |name: &str, usual: &str| {
            changed
                .iter()
                .find(|(other, _)| *other == name)
                .map_or(usual, |(_, value)| value)
                .to_owned()
        };
        let pairs = usual.iter().map(|(name, usual)| (*name, value(name, usual)));
        let query: Vec<String> = pairs
            .filter(|(_, value)| !value.is_empty())
            .map(|(name, value)| format!("{name}={}", percent_encode(&value)))
            .collect();
        format!("http://{}/oauth/authorize?{}", self.served.address(), query.join("&"))
    }

    fn exchange_code(&self, back: &str) -> Value {
        let code = parameter(back, "code").unwrap();
        let body = format!(
            "grant_type=authorization_code&client_id={}&code={code}&code_verifier={VERIFIER}\
             &redirect_uri={}",
            self.id,
            percent_encode(CALLBACK)
        );
        let kind = [("Content-Type", "application/x-www-form-urlencoded")];
        let response = http_request(self.served.address(), "POST", "/oauth/token", &kind, &body);
        assert_eq!(response.status, 200, "{}", response.body);
        serde_json::from_str(&response.body).unwrap()
    }

    fn call(&self, token: &str, tool: &str, arguments: &Value) -> (u16, String) {
        let call = json!({ "name": tool, "arguments": arguments });
        let message = json!({ "jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": call });
        self.served.send("POST /mcp", Some(token), &message.to_string())
    }
}

fn percent_encode(text: &str) -> String {
    text.bytes().map(|byte| format!("%{byte:02X}")).collect()
}

fn parameter(url: &str, name: &str) -> Option<String> {
    let query = url.split_once('?')?.1;
    let value = query.split('&').find_map(|pair| pair.strip_prefix(&format!("{name}=")))?;
    Some(percent_decode(&value.replace('+', " ")))
}

#[track_caller]
fn cannot_be_framed(page: &BrowserResponse) {
    let policy = &page.headers["content-security-policy"];
    assert!(
        policy.contains("frame-ancestors 'none'") && policy.contains("script-src 'self'"),
        "{policy}"
    );
    assert_eq!(page.headers["x-frame-options"], "DENY");
    assert_eq!(page.headers["cache-control"], "no-store");
}

#[test]
fn the_consent_page_shows_the_client_and_grants_each_resource_separately() {
    let env = TestEnv::new();
    let served = ServerProcess::start(&env);
    let (owner, program) =
        (OwnerBrowser::log_in(&served), RegisteredClient::register(&served, "Editor <b>\u{202e}"));
    let page = owner.open_consent_page(&program.authorization_url(&[]));
    cannot_be_framed(&page);
    for shown in
        ["Editor &lt;b&gt;", "127.0.0.1", CALLBACK, "read and write", "The name is not verified"]
    {
        assert!(page.body.contains(shown), "{shown}: {}", page.body);
    }
    assert!(!page.body.contains("name=\"erase\""), "no program asks for deletions");
    let grants = json!({ "vectors": "read", "tables": "write", "profile": "none" });
    let back = owner.decide(&program.authorization_url(&[]), "allow", &grants);
    assert!(back.starts_with(CALLBACK), "{back}");
    assert_eq!(parameter(&back, "state").as_deref(), Some("x&y=<z>"));
    assert_eq!(parameter(&back, "iss").unwrap(), format!("http://{}", served.address()));
    let tokens = program.exchange_code(&back);
    assert_eq!(tokens["scope"], "read write");
    let token = tokens["access_token"].as_str().unwrap();
    let refused = |tool, arguments: Value| {
        program.call(token, tool, &arguments).1.contains("consent_required")
    };
    assert!(!refused("recall", json!({ "query": "kiln" })));
    assert!(!refused("remember", json!({ "table": "meals", "data": { "food": "soup" } })));
    assert!(refused("remember", json!({ "text": "The kiln is blue." })));
    assert!(refused("handoff", json!({ "action": "list" })));
}

#[test]
fn a_missing_grant_names_the_page_that_sets_it() {
    let env = TestEnv::new();
    let served = ServerProcess::start(&env);
    let (owner, program) =
        (OwnerBrowser::log_in(&served), RegisteredClient::register(&served, "Editor"));
    let back =
        owner.decide(&program.authorization_url(&[]), "allow", &json!({ "tables": "write" }));
    let token = program.exchange_code(&back)["access_token"].as_str().unwrap().to_owned();
    let response = program.call(&token, "remember", &json!({ "text": "x" })).1;
    let response: Value = serde_json::from_str(&response).unwrap();
    let text = response["result"]["content"][0]["text"].as_str().unwrap();
    let detail = |name: &str| {
        let lines = text.lines().filter_map(|line| line.split_once(": "));
        lines.into_iter().find(|(known, _)| *known == name).map(|(_, value)| value)
    };
    let named = (detail("resource"), detail("permission"));
    assert_eq!(named, (Some("vectors/memories"), Some("write")), "{text}");
    let page = detail("page").unwrap();
    let path = page.split_once(served.address()).unwrap().1;
    assert!(owner.open(path).body.contains("What it may do"), "{page}");
}

#[test]
fn a_denied_client_gets_an_error_and_no_code() {
    let env = TestEnv::new();
    let served = ServerProcess::start(&env);
    let (owner, program) =
        (OwnerBrowser::log_in(&served), RegisteredClient::register(&served, "Editor"));
    let back = owner.decide(&program.authorization_url(&[]), "deny", &json!({}));
    assert_eq!(parameter(&back, "error").as_deref(), Some("access_denied"));
    assert_eq!(parameter(&back, "state").as_deref(), Some("x&y=<z>"));
    assert!(parameter(&back, "iss").is_some() && parameter(&back, "code").is_none(), "{back}");
    let log = env.json(&["audit", "list", "-n", "50"]).to_string();
    assert!(log.contains("did not let Editor "), "{log}");
}

#[test]
fn a_suspicious_request_is_shown_to_the_owner_and_not_redirected() {
    let env = TestEnv::new();
    let served = ServerProcess::start(&env);
    let (owner, program) =
        (OwnerBrowser::log_in(&served), RegisteredClient::register(&served, "Editor"));
    for changed in [
        ("client_id", "qpc_unknown"),
        ("client_id", ""),
        ("redirect_uri", "https://evil.example/cb"),
        ("redirect_uri", "http://127.0.0.1:4711/callback/../other"),
        ("redirect_uri", "http://localhost:4711/callback"),
    ] {
        let page = owner.open_consent_page(&program.authorization_url(&[changed]));
        assert_eq!(page.status, 400, "{changed:?}");
        cannot_be_framed(&page);
        assert!(
            !page.headers.contains_key("location") && !page.body.contains("evil.example"),
            "{}",
            page.body
        );
    }
    // RFC 8252: a loopback redirect may use any port.
    assert_eq!(
        owner
            .open_consent_page(
                &program.authorization_url(&[("redirect_uri", "http://127.0.0.1:9/callback")])
            )
            .status,
        200
    );
}

#[test]
fn errors_of_the_client_are_reported_in_its_redirect() {
    let env = TestEnv::new();
    let served = ServerProcess::start(&env);
    let (owner, program) =
        (OwnerBrowser::log_in(&served), RegisteredClient::register(&served, "Editor"));
    for (changed, error) in [
        (("code_challenge", ""), "invalid_request"),
        (("code_challenge_method", "plain"), "invalid_request"),
        (("code_challenge_method", ""), "invalid_request"),
        (("response_type", "token"), "unsupported_response_type"),
        (("scope", "admin"), "invalid_scope"),
        (("resource", "https://evil.example/mcp"), "invalid_target"),
    ] {
        let page = owner.open_consent_page(&program.authorization_url(&[changed]));
        assert_eq!((page.status, page.headers.get("location")), (400, None), "{changed:?}");
        assert!(
            page.body.contains(&format!("{CALLBACK}?error={error}&amp;")),
            "{changed:?}: {}",
            page.body
        );
    }
}

#[test]
fn only_a_logged_in_owner_can_give_consent() {
    let env = TestEnv::new();
    let served = ServerProcess::start(&env);
    let (owner, program) =
        (OwnerBrowser::log_in(&served), RegisteredClient::register(&served, "Editor"));
    let consent = program
        .authorization_url(&[])
        .split_once(served.address())
        .unwrap()
        .1
        .replace("authorize", "consent");
    let stranger = http_request(served.address(), "GET", &consent, &[("Accept", "text/html")], "");
    assert_eq!(stranger.status, 303);
    let login = &stranger.headers["location"];
    assert_eq!(percent_decode(login.strip_prefix("/login?next=").unwrap()), consent);
    let request = json!({
        "client_id": program.id,
        "redirect_uri": CALLBACK,
        "response_type": "code",
        "code_challenge": CHALLENGE,
        "code_challenge_method": "S256",
    });
    let body =
        json!({ "request": request, "decision": "allow", "grants": grants_on_everything("write") });
    assert_eq!(owner.send("POST", "/v1/consent", "", &body).status, 403, "without the form token");
    let key =
        env.json(&["keys", "create", "--agent", "codex", "--scope", "write", "--grant", "*=write"]);
    let (status, response) =
        served.send("POST /v1/consent", Some(key["key"].as_str().unwrap()), &body.to_string());
    assert_eq!(status, 403, "{response}");
    let own =
        json!({ "request": request, "decision": "allow", "grants": grants_on_everything("none") });
    let response = owner.send("POST", "/v1/consent", &owner.form_token(), &own);
    assert_eq!(response.status, 400, "consent without any grant is a mistake: {}", response.body);
}

#[test]
fn a_client_disconnected_on_the_agents_page_loses_access_at_once() {
    let env = TestEnv::new();
    let served = ServerProcess::start(&env);
    let (owner, program) =
        (OwnerBrowser::log_in(&served), RegisteredClient::register(&served, "Editor"));
    let back =
        owner.decide(&program.authorization_url(&[]), "allow", &grants_on_everything("read"));
    let tokens = program.exchange_code(&back);
    let token = tokens["access_token"].as_str().unwrap();
    assert_eq!(program.call(token, "recall", &json!({})).0, 200);
    let page = owner.open("/agents").body;
    assert!(page.contains("Editor ") && page.contains("DELETE /v1/connections/1"), "{page}");
    let ended = owner.send("DELETE", "/v1/connections/1", &owner.form_token(), &json!({}));
    assert_eq!(ended.status, 200, "{}", ended.body);
    assert_eq!(program.call(token, "recall", &json!({})).0, 401);
    assert!(!owner.open("/agents").body.contains("/v1/connections/"));
}

#[test]
fn a_client_document_inside_a_private_network_is_never_fetched() {
    let env = TestEnv::new();
    let inner = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    inner.set_nonblocking(true).unwrap();
    let document = format!("https://{}/client.json", inner.local_addr().unwrap());
    for on in [false, true] {
        std::fs::create_dir_all(env.home()).unwrap();
        std::fs::write(env.home().join("config.toml"), format!("client_documents = {on}\n"))
            .unwrap();
        let served = ServerProcess::start(&env);
        let (_, response) = served.send("GET /.well-known/oauth-authorization-server", None, "");
        let response: Value = serde_json::from_str(&response).unwrap();
        assert_eq!(response["client_id_metadata_document_supported"], on);
        let (owner, program) =
            (OwnerBrowser::log_in(&served), RegisteredClient::register(&served, "Editor"));
        let page = owner.open_consent_page(&program.authorization_url(&[("client_id", &document)]));
        assert_eq!(page.status, 400, "{}", page.body);
        assert_eq!(page.body.contains("cannot be reached from here"), on, "{}", page.body);
    }
    assert!(inner.accept().is_err(), "somebody connected");
}

#[test]
fn the_binary_passes_the_authorization_scenarios_of_the_conformance_suite() {
    let env = TestEnv::new();
    let served = ServerProcess::start(&env);
    let owner = OwnerBrowser::log_in(&served);
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let redirect = format!("http://127.0.0.1:{port}/callback");
    let body = json!({ "client_name": "Suite", "redirect_uris": [redirect] });
    let (_, response) = served.send("POST /oauth/register", None, &body.to_string());
    let id =
        serde_json::from_str::<Value>(&response).unwrap()["client_id"].as_str().unwrap().to_owned();
    let issuer = format!("http://{}", served.address());
    let suite = tool("node/node_modules").join("conformance-0.2/dist/index.js");
    let mut command = node(&[]);
    command.arg(suite).args(["authorization", "--url", &issuer, "--client-id", &id]);
    command.args(["--resource", served.startup_field("mcp"), "-p", &port.to_string()]);
    let mut suite =
        command.current_dir(scripts()).env("NO_COLOR", "1").stdout(Stdio::piped()).spawn().unwrap();
    let mut said = BufReader::new(suite.stdout.take().unwrap());
    let mut all = String::new();
    let mut line = String::new();
    while said.read_line(&mut line).unwrap() > 0 {
        if let Some(at) = line.find(&format!("{issuer}/oauth/authorize?")) {
            let url = line[at..].split_whitespace().next().unwrap();
            let back = owner.decide(url, "allow", &grants_on_everything("write"));
            let (host, path) = back.strip_prefix("http://").unwrap().split_once('/').unwrap();
            http_request(host, "GET", &format!("/{path}"), &[], "");
        }
        all.push_str(&line);
        line.clear();
    }
    said.read_to_string(&mut all).unwrap();
    assert!(suite.wait().unwrap().success(), "{all}");
    assert!(all.contains("authorization-code-grant") && !all.contains('✗'), "{all}");
}
