//! OAuth against the real binary: the official clients with their own code, the conformance suite,
//! and every refusal of the consent page.

use crate::driver::Client::{self, Python1, Python2, TypeScript1, TypeScript2};
use crate::driver::{node, scripts, tool};
use crate::owner::{Owner, Page, ask, decoded};
use crate::place::Place;
use crate::served::Served;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read};
use std::process::Stdio;

const CALLBACK: &str = "http://127.0.0.1:4711/callback";
const CHALLENGE: &str = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";
const VERIFIER: &str = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";

/// Returns grants with the same permission on every resource of the consent page.
fn everywhere(permission: &str) -> Value {
    let resources = ["profile", "tables", "vectors", "graph", "memory", "handoffs", "references"];
    resources
        .iter()
        .map(|resource| ((*resource).to_owned(), json!(permission)))
        .collect::<serde_json::Map<_, _>>()
        .into()
}

fn plan(
    served: &Served,
    browser: &str,
    name: &str,
    scope: Option<&str>,
    era: &str,
    steps: &Value,
) -> Value {
    let oauth = json!({ "browser": browser, "name": name, "scope": scope });
    json!({
        "server": { "url": served.text("mcp"), "oauth": oauth },
        "client": { "name": "official", "version": "9.9" },
        "era": era,
        "steps": steps,
    })
}

#[test]
fn every_official_client_comes_in_by_its_own_code_and_acts_as_its_own_agent() {
    let env = Place::new();
    let served = Served::start(&env);
    let clients: [(Client, &str); 6] = [
        (TypeScript1, "legacy"),
        (TypeScript2, "legacy"),
        (TypeScript2, "modern"),
        (Python1, "legacy"),
        (Python2, "legacy"),
        (Python2, "modern"),
    ];
    let browser = Owner::come_in(&served).browser(vec![everywhere("write")]);
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
        let env = Place::new();
        let served = Served::start(&env);
        let answers = vec![everywhere("read"), everywhere("write")];
        let browser = Owner::come_in(&served).browser(answers);
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
struct Program<'s> {
    served: &'s Served,
    id: String,
}

impl<'s> Program<'s> {
    fn registered(served: &'s Served, name: &str) -> Self {
        let body = json!({ "client_name": name, "redirect_uris": [CALLBACK] }).to_string();
        let (status, response) = served.send("POST /oauth/register", None, &body);
        assert_eq!(status, 201, "{response}");
        let response: Value = serde_json::from_str(&response).unwrap();
        Self { served, id: response["client_id"].as_str().unwrap().to_owned() }
    }

    /// Returns its authorization URL with some parameters changed; empty ones are left out.
    fn url(&self, changed: &[(&str, &str)]) -> String {
        let mcp = self.served.text("mcp");
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
            .map(|(name, value)| format!("{name}={}", encoded(&value)))
            .collect();
        format!("http://{}/oauth/authorize?{}", self.served.address(), query.join("&"))
    }

    fn exchanged(&self, back: &str) -> Value {
        let code = parameter(back, "code").unwrap();
        let body = format!(
            "grant_type=authorization_code&client_id={}&code={code}&code_verifier={VERIFIER}\
             &redirect_uri={}",
            self.id,
            encoded(CALLBACK)
        );
        let kind = [("Content-Type", "application/x-www-form-urlencoded")];
        let response = ask(self.served.address(), "POST", "/oauth/token", &kind, &body);
        assert_eq!(response.status, 200, "{}", response.body);
        serde_json::from_str(&response.body).unwrap()
    }

    fn call(&self, token: &str, tool: &str, arguments: &Value) -> (u16, String) {
        let call = json!({ "name": tool, "arguments": arguments });
        let message = json!({ "jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": call });
        self.served.send("POST /mcp", Some(token), &message.to_string())
    }
}

fn encoded(text: &str) -> String {
    text.bytes().map(|byte| format!("%{byte:02X}")).collect()
}

fn parameter(url: &str, name: &str) -> Option<String> {
    let query = url.split_once('?')?.1;
    let value = query.split('&').find_map(|pair| pair.strip_prefix(&format!("{name}=")))?;
    Some(decoded(&value.replace('+', " ")))
}

#[track_caller]
fn cannot_be_framed(page: &Page) {
    let policy = &page.headers["content-security-policy"];
    assert!(
        policy.contains("frame-ancestors 'none'") && policy.contains("script-src 'self'"),
        "{policy}"
    );
    assert_eq!(page.headers["x-frame-options"], "DENY");
    assert_eq!(page.headers["cache-control"], "no-store");
}

#[test]
fn the_owner_sees_who_asks_where_the_answer_goes_and_gives_each_place_by_itself() {
    let env = Place::new();
    let served = Served::start(&env);
    let (owner, program) =
        (Owner::come_in(&served), Program::registered(&served, "Editor <b>\u{202e}"));
    let page = owner.asked(&program.url(&[]));
    cannot_be_framed(&page);
    for shown in
        ["Editor &lt;b&gt;", "127.0.0.1", CALLBACK, "read and write", "Nobody has checked its name"]
    {
        assert!(page.body.contains(shown), "{shown}: {}", page.body);
    }
    let grants = json!({ "vectors": "read", "tables": "write", "profile": "none" });
    let back = owner.decide(&program.url(&[]), "allow", &grants);
    assert!(back.starts_with(CALLBACK), "{back}");
    assert_eq!(parameter(&back, "state").as_deref(), Some("x&y=<z>"));
    assert_eq!(parameter(&back, "iss").unwrap(), format!("http://{}", served.address()));
    let tokens = program.exchanged(&back);
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
fn a_missing_grant_names_the_page_where_the_owner_gives_it() {
    let env = Place::new();
    let served = Served::start(&env);
    let (owner, program) = (Owner::come_in(&served), Program::registered(&served, "Editor"));
    let back = owner.decide(&program.url(&[]), "allow", &json!({ "tables": "write" }));
    let token = program.exchanged(&back)["access_token"].as_str().unwrap().to_owned();
    let response = program.call(&token, "remember", &json!({ "text": "x" })).1;
    let response: Value = serde_json::from_str(&response).unwrap();
    let response: Value =
        serde_json::from_str(response["result"]["content"][0]["text"].as_str().unwrap()).unwrap();
    let details = &response["error"]["details"];
    assert_eq!(
        (&details["resource"], &details["permission"]),
        (&json!("vectors/memories"), &json!("write")),
        "{response}"
    );
    let page = details["page"].as_str().unwrap();
    let path = page.split_once(served.address()).unwrap().1;
    assert!(owner.open(path).body.contains("What it may do"), "{page}");
}

#[test]
fn whoever_is_denied_is_told_so_and_gets_no_code() {
    let env = Place::new();
    let served = Served::start(&env);
    let (owner, program) = (Owner::come_in(&served), Program::registered(&served, "Editor"));
    let back = owner.decide(&program.url(&[]), "deny", &json!({}));
    assert_eq!(parameter(&back, "error").as_deref(), Some("access_denied"));
    assert_eq!(parameter(&back, "state").as_deref(), Some("x&y=<z>"));
    assert!(parameter(&back, "iss").is_some() && parameter(&back, "code").is_none(), "{back}");
    let log = env.json(&["audit", "list", "-n", "50"]).to_string();
    assert!(log.contains("did not let Editor "), "{log}");
}

#[test]
fn what_may_be_an_attack_is_shown_to_the_person_and_sent_nowhere() {
    let env = Place::new();
    let served = Served::start(&env);
    let (owner, program) = (Owner::come_in(&served), Program::registered(&served, "Editor"));
    for changed in [
        ("client_id", "qpc_unknown"),
        ("client_id", ""),
        ("redirect_uri", "https://evil.example/cb"),
        ("redirect_uri", "http://127.0.0.1:4711/callback/../other"),
        ("redirect_uri", "http://localhost:4711/callback"),
    ] {
        let page = owner.asked(&program.url(&[changed]));
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
        owner.asked(&program.url(&[("redirect_uri", "http://127.0.0.1:9/callback")])).status,
        200
    );
}

#[test]
fn what_the_program_does_wrong_it_is_told_by_a_link() {
    let env = Place::new();
    let served = Served::start(&env);
    let (owner, program) = (Owner::come_in(&served), Program::registered(&served, "Editor"));
    for (changed, error) in [
        (("code_challenge", ""), "invalid_request"),
        (("code_challenge_method", "plain"), "invalid_request"),
        (("code_challenge_method", ""), "invalid_request"),
        (("response_type", "token"), "unsupported_response_type"),
        (("scope", "admin"), "invalid_scope"),
        (("resource", "https://evil.example/mcp"), "invalid_target"),
    ] {
        let page = owner.asked(&program.url(&[changed]));
        assert_eq!((page.status, page.headers.get("location")), (400, None), "{changed:?}");
        assert!(
            page.body.contains(&format!("{CALLBACK}?error={error}&amp;")),
            "{changed:?}: {}",
            page.body
        );
    }
}

#[test]
fn nobody_but_the_owner_in_a_visit_is_asked_or_answers() {
    let env = Place::new();
    let served = Served::start(&env);
    let (owner, program) = (Owner::come_in(&served), Program::registered(&served, "Editor"));
    let consent =
        program.url(&[]).split_once(served.address()).unwrap().1.replace("authorize", "consent");
    let stranger = ask(served.address(), "GET", &consent, &[("Accept", "text/html")], "");
    assert_eq!(stranger.status, 303);
    let login = &stranger.headers["location"];
    assert_eq!(decoded(login.strip_prefix("/login?next=").unwrap()), consent);
    let request = json!({
        "client_id": program.id,
        "redirect_uri": CALLBACK,
        "response_type": "code",
        "code_challenge": CHALLENGE,
        "code_challenge_method": "S256",
    });
    let body = json!({ "request": request, "decision": "allow", "grants": everywhere("write") });
    assert_eq!(owner.send("POST", "/v1/consent", "", &body).status, 403, "without the form token");
    let key =
        env.json(&["keys", "create", "--agent", "codex", "--scope", "write", "--grant", "*=write"]);
    let (status, response) =
        served.send("POST /v1/consent", Some(key["key"].as_str().unwrap()), &body.to_string());
    assert_eq!(status, 403, "{response}");
    let own = json!({ "request": request, "decision": "allow", "grants": everywhere("none") });
    let response = owner.send("POST", "/v1/consent", &owner.form_token(), &own);
    assert_eq!(response.status, 400, "consent without any grant is a mistake: {}", response.body);
}

#[test]
fn a_program_that_is_shut_out_on_the_agents_page_is_out_at_once() {
    let env = Place::new();
    let served = Served::start(&env);
    let (owner, program) = (Owner::come_in(&served), Program::registered(&served, "Editor"));
    let back = owner.decide(&program.url(&[]), "allow", &everywhere("read"));
    let tokens = program.exchanged(&back);
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
fn a_program_known_by_a_document_inside_a_network_is_never_fetched() {
    let env = Place::new();
    let inner = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    inner.set_nonblocking(true).unwrap();
    let document = format!("https://{}/client.json", inner.local_addr().unwrap());
    for on in [false, true] {
        std::fs::create_dir_all(env.home()).unwrap();
        std::fs::write(env.home().join("config.toml"), format!("client_documents = {on}\n"))
            .unwrap();
        let served = Served::start(&env);
        let (_, response) = served.send("GET /.well-known/oauth-authorization-server", None, "");
        let response: Value = serde_json::from_str(&response).unwrap();
        assert_eq!(response["client_id_metadata_document_supported"], on);
        let (owner, program) = (Owner::come_in(&served), Program::registered(&served, "Editor"));
        let page = owner.asked(&program.url(&[("client_id", &document)]));
        assert_eq!(page.status, 400, "{}", page.body);
        assert_eq!(page.body.contains("cannot be reached from here"), on, "{}", page.body);
    }
    assert!(inner.accept().is_err(), "somebody connected");
}

#[test]
fn the_binary_passes_the_authorization_scenarios_of_the_conformance_suite() {
    let env = Place::new();
    let served = Served::start(&env);
    let owner = Owner::come_in(&served);
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
    command.args(["--resource", served.text("mcp"), "-p", &port.to_string()]);
    let mut suite =
        command.current_dir(scripts()).env("NO_COLOR", "1").stdout(Stdio::piped()).spawn().unwrap();
    let mut said = BufReader::new(suite.stdout.take().unwrap());
    let mut all = String::new();
    let mut line = String::new();
    while said.read_line(&mut line).unwrap() > 0 {
        if let Some(at) = line.find(&format!("{issuer}/oauth/authorize?")) {
            let url = line[at..].split_whitespace().next().unwrap();
            let back = owner.decide(url, "allow", &everywhere("write"));
            let (host, path) = back.strip_prefix("http://").unwrap().split_once('/').unwrap();
            ask(host, "GET", &format!("/{path}"), &[], "");
        }
        all.push_str(&line);
        line.clear();
    }
    said.read_to_string(&mut all).unwrap();
    assert!(suite.wait().unwrap().success(), "{all}");
    assert!(all.contains("authorization-code-grant") && !all.contains('✗'), "{all}");
}
