//! The authorization matrix: every route and every tool of every dialect, called with every kind of
//! credential. A dialect, tool or route that has no row fails the test.

mod rows;

use crate::server_process::ServerProcess;
use crate::test_env::TestEnv;
pub use rows::RequiredPermission;
use rows::{OPEN_ROUTES, OTHER_ROUTES, ROWS};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::sync::atomic::{AtomicBool, Ordering};

/// Text that only its owner may see.
const CANARY: &str = "canary-of-the-owner-4711";

/// A server with two owners, each with data in its memory.
pub struct MatrixServer {
    pub served: ServerProcess,
    pub env: TestEnv,
}

impl MatrixServer {
    fn new() -> Self {
        let env = TestEnv::new();
        env.quipu(&["remember", CANARY, "--tag", CANARY]).success();
        env.quipu(&[
            "remember",
            "--table",
            "meals",
            "--data",
            &format!(r#"{{"food": "{CANARY}"}}"#),
        ])
        .success();
        env.quipu(&["remember", "Lunch with Ada Lovelace in Paris", "--owner", "other"]).success();
        Self { served: ServerProcess::start(&env), env }
    }

    fn token(&self) -> String {
        self.served.startup_field("token").to_owned()
    }

    /// Creates a key of an owner, for an agent that has exactly these grants.
    pub fn key(&self, owner: &str, scope: &str, grants: &[&str]) -> String {
        let agent = format!("{owner}-{scope}-{}", grants.join("-").replace(['*', '='], "x"));
        let mut words =
            vec!["keys", "create", "--owner", owner, "--agent", &agent, "--scope", scope];
        grants.iter().for_each(|grant| words.extend(["--grant", grant]));
        self.env.json(&words)["key"].as_str().unwrap().to_owned()
    }

    /// Calls a tool and returns the status and body, whatever they are.
    pub fn call(
        &self,
        path: &str,
        credential: Option<&str>,
        tool: &str,
        arguments: &Value,
    ) -> (u16, String) {
        let call = json!({ "name": tool, "arguments": arguments });
        let message = json!({ "jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": call });
        self.served.send(&format!("POST {path}"), credential, &message.to_string())
    }

    fn tools(&self, path: &str) -> Vec<String> {
        let message = json!({ "jsonrpc": "2.0", "id": 7, "method": "tools/list", "params": {} });
        let (_, body) =
            self.served.send(&format!("POST {path}"), Some(&self.token()), &message.to_string());
        let listed: Value = serde_json::from_str(&body).unwrap();
        let tools =
            listed["result"]["tools"].as_array().unwrap_or_else(|| panic!("{path}: {body}"));
        tools.iter().map(|tool| tool["name"].as_str().unwrap().to_owned()).collect()
    }
}

/// Returns every operation of the REST interface from its OpenAPI description, with 1 for every
/// path parameter.
fn operations(town: &MatrixServer) -> Vec<(String, String)> {
    let (_, body) = town.served.send("GET /v1/openapi.json", Some(&town.token()), "");
    let output: Value =
        serde_json::from_str(&body).unwrap_or_else(|error| panic!("{error}: {body}"));
    let mut all = Vec::new();
    for (path, item) in output["paths"].as_object().unwrap() {
        let parts: Vec<&str> =
            path.split('/').map(|part| if part.starts_with('{') { "1" } else { part }).collect();
        for method in ["get", "post", "put", "patch", "delete"]
            .into_iter()
            .filter(|method| item.get(method).is_some())
        {
            all.push((method.to_uppercase(), parts.join("/")));
        }
    }
    assert!(all.len() > 30, "{all:?}");
    all
}

/// Returns every route that needs a credential: those of the table, of the REST interface, and of
/// the dialects.
fn routes_with_credential(town: &MatrixServer) -> Vec<String> {
    let mut all: Vec<String> = OTHER_ROUTES.iter().map(|path| (*path).to_owned()).collect();
    all.extend(operations(town).into_iter().map(|(_, path)| path));
    all.extend(dialects(&town.env).into_iter().map(|(_, path)| path));
    all.sort();
    all.dedup();
    all
}

/// Returns every dialect with its path, as listed by the command line.
pub fn dialects(env: &TestEnv) -> Vec<(String, String)> {
    let said = env.quipu(&["mcp", "--dialect", "none-of-them"]).stderr;
    let listed = said.split("possible values: ").nth(1).unwrap().split(']').next().unwrap();
    let path =
        |name: &str| if name == "quipu" { "/mcp".to_owned() } else { format!("/mcp/{name}") };
    listed.split(", ").map(|name| (name.to_owned(), path(name))).collect()
}

pub fn rows_of<'r>(
    dialect: &'r str,
) -> impl Iterator<Item = (&'static str, Value, RequiredPermission)> + 'r {
    ROWS.iter().filter(move |row| row.0 == dialect).map(|(dialect, tool, arguments, needs)| {
        let arguments = serde_json::from_str(arguments);
        (*tool, arguments.unwrap_or_else(|error| panic!("{dialect} {tool}: {error}")), *needs)
    })
}

/// Returns the reason why the policy refused a call; `None` if it did not.
pub fn refusal(body: &str) -> Option<&'static str> {
    if body.contains("has no write scope") || body.contains("has no read scope") {
        Some("scope")
    } else if body.contains("quipu grants set") {
        Some("grant")
    } else {
        None
    }
}

#[test]
fn every_tool_of_every_dialect_has_its_row_and_every_row_its_tool() {
    let town = MatrixServer::new();
    for (dialect, path) in dialects(&town.env) {
        let listed = town.tools(&path);
        for tool in &listed {
            let known = rows_of(&dialect).any(|(row, _, _)| row == tool);
            assert!(known, "`{tool}` of {dialect} has no row: give it one in matrix/rows.rs");
        }
        for (row, _, _) in rows_of(&dialect) {
            let there = listed.iter().any(|tool| tool == row);
            assert!(there || rows::UNLISTED_TOOLS.contains(&row), "{dialect} has no tool `{row}`");
        }
    }
    let spoken = dialects(&town.env);
    for (dialect, ..) in ROWS {
        assert!(spoken.iter().any(|(name, _)| name == dialect), "{dialect} is not served");
    }
}

/// mcp-memory-service let a read scope store and delete through MCP (CVE-2026-49291).
#[test]
fn every_tool_checks_its_own_scope_and_grants() {
    let town = MatrixServer::new();
    let all = town.key("me", "write", &["*=write"]);
    let reader = town.key("me", "read", &["*=write"]);
    let granted_read = town.key("me", "write", &["*=read"]);
    let ungranted = town.key("me", "write", &[]);
    for (dialect, path) in dialects(&town.env) {
        for (tool, arguments, needs) in rows_of(&dialect) {
            let answer = |key: &str| {
                let (status, body) = town.call(&path, Some(key), tool, &arguments);
                assert_eq!(status, 200, "{dialect} {tool}: {body}");
                (refusal(&body), body)
            };
            let expect = |key: &str, expected: Option<&str>, who: &str| {
                let (refused, body) = answer(key);
                assert_eq!(refused, expected, "{dialect} {tool} {arguments} for {who}: {body}");
            };
            expect(&all, None, "a key that may do everything");
            expect(
                &reader,
                (needs == RequiredPermission::Write).then_some("scope"),
                "a key that may only read",
            );
            expect(
                &granted_read,
                (needs == RequiredPermission::Write).then_some("grant"),
                "an agent that was granted to read",
            );
            expect(
                &ungranted,
                (needs != RequiredPermission::Nothing).then_some("grant"),
                "an agent without grants",
            );
        }
    }
}

#[test]
fn no_tool_answers_without_a_credential() {
    let town = MatrixServer::new();
    for (dialect, path) in dialects(&town.env) {
        for (tool, arguments, _) in rows_of(&dialect) {
            for credential in [None, Some("qp_wrong"), Some("")] {
                let (status, body) = town.call(&path, credential, tool, &arguments);
                assert_eq!(status, 401, "{dialect} {tool}: {body}");
                assert!(!body.contains(CANARY), "{dialect} {tool}");
            }
        }
    }
}

#[test]
fn no_tool_of_another_owner_ever_shows_the_canary() {
    let town = MatrixServer::new();
    let other = town.key("other", "write", &["*=write"]);
    for (dialect, path) in dialects(&town.env) {
        for (tool, arguments, _) in rows_of(&dialect) {
            let (_, body) = town.call(&path, Some(&other), tool, &arguments);
            assert!(!body.contains(CANARY), "{dialect} {tool}: {body}");
            let through_url = town.call(&format!("{path}/t/{other}"), None, tool, &arguments).1;
            assert!(
                !through_url.contains(CANARY) && !through_url.contains(&other),
                "{dialect} {tool}"
            );
        }
    }
}

#[test]
fn every_tool_call_is_audited_with_agent_and_tool() {
    let town = MatrixServer::new();
    let mut expected = Vec::new();
    let all = town.key("me", "write", &["*=write"]);
    for (dialect, path) in dialects(&town.env) {
        for (tool, arguments, _) in rows_of(&dialect) {
            town.call(&path, Some(&all), tool, &arguments);
            expected.push((dialect.clone(), tool));
        }
    }
    let MatrixServer { served, env } = town;
    assert_eq!(served.terminate(), Some(0));
    let log = env.json(&["audit", "list", "--agent", "me-write-xxwrite", "-n", "1000"]);
    let events = log["events"].as_array().unwrap();
    for (dialect, tool) in expected {
        let logged =
            events.iter().any(|event| event["dialect"] == *dialect && event["tool"] == tool);
        assert!(logged, "{tool} of {dialect} left no event");
    }
    let report = env.json(&["audit", "verify"]);
    assert_eq!(report["holds"], true, "{report}");
}

/// Every route, requested in every way that a page of another site could.
#[test]
fn foreign_host_and_origin_get_403_on_every_route() {
    let town = MatrixServer::new();
    for path in routes_with_credential(&town)
        .into_iter()
        .chain(OPEN_ROUTES.iter().map(|path| (*path).to_owned()))
    {
        for header in [
            "Host: evil.example",
            "Origin: http://evil.example",
            "Origin: null",
            "Origin: http://127.0.0.1.evil.example",
            "Origin: http://evil.example\r\nAccess-Control-Request-Method: POST",
        ] {
            for method in ["GET", "POST", "OPTIONS"] {
                let answer = town.served.raw_request(method, &path, header, &town.token());
                assert!(answer.starts_with("HTTP/1.1 403 "), "{method} {path} {header}: {answer}");
                assert!(!answer.to_lowercase().contains("access-control-"), "{answer}");
            }
        }
    }
}

/// mcp-memory-service served documents without authentication (CVE-2026-50027).
#[test]
fn route_list_without_token_is_all_401_but_health() {
    let town = MatrixServer::new();
    for path in routes_with_credential(&town) {
        for method in ["GET", "POST", "PUT", "DELETE", "HEAD"] {
            let (status, body) = town.served.send(&format!("{method} {path}"), None, "");
            let open = ["/healthz", "/readyz"].contains(&&*path);
            assert_eq!(status == 401, !open, "{method} {path}: {status} {body}");
            assert!(!body.contains(CANARY) && !body.contains("sqlite"), "{body}");
        }
    }
}

#[test]
fn every_resource_and_prompt_checks_owner_and_grants() {
    let town = MatrixServer::new();
    let (other, ungranted) =
        (town.key("other", "write", &["*=write"]), town.key("me", "write", &[]));
    let mut read = 0;
    for (dialect, path) in dialects(&town.env) {
        let ask = |key: Option<&str>, method: &str, params: &Value| {
            let message = json!({ "jsonrpc": "2.0", "id": 7, "method": method, "params": params });
            town.served.send(&format!("POST {path}"), key, &message.to_string())
        };
        let listed = |method: &str, what: &str| -> Vec<Value> {
            let (_, body) = ask(Some(&town.token()), method, &json!({}));
            let output: Value = serde_json::from_str(&body).unwrap();
            output["result"][what].as_array().cloned().unwrap_or_default()
        };
        let resources = listed("resources/list", "resources");
        let asked = resources.iter().map(|one| ("resources/read", json!({ "uri": one["uri"] })));
        let prompts = listed("prompts/list", "prompts");
        let asked = asked.chain(
            prompts
                .iter()
                .map(|one| ("prompts/get", json!({ "name": one["name"], "arguments": {} }))),
        );
        for (method, params) in asked {
            read += 1;
            assert_eq!(ask(None, method, &params).0, 401, "{dialect} {params}");
            for (who, key) in [("another owner", &other), ("an agent without grants", &ungranted)] {
                let (_, body) = ask(Some(key), method, &params);
                assert!(!body.contains(CANARY), "{dialect} {params} for {who}: {body}");
            }
        }
    }
    assert!(read > 0, "no dialect has a resource or a prompt");
}

#[test]
fn every_rest_operation_checks_owner_scope_and_grants() {
    let town = MatrixServer::new();
    let reader = town.key("me", "read", &["*=write"]);
    let ungranted = town.key("me", "write", &[]);
    let other = town.key("other", "write", &["*=write"]);
    for (method, path) in operations(&town) {
        let ask = |key: &str| town.served.send(&format!("{method} {path}"), Some(key), "{}");
        let harmless = path == "/v1/openapi.json";
        let (status, body) = ask(&ungranted);
        assert!(
            harmless || (400..500).contains(&status),
            "{method} {path} without grants: {status} {body}"
        );
        assert!(!body.contains(CANARY), "{method} {path} without grants: {body}");
        let (status, body) = ask(&reader);
        let refused = (400..500).contains(&status);
        assert!(
            method == "GET" || refused || rows::READ_ONLY_OPERATIONS.contains(&path.as_str()),
            "{method} {path} with a key that reads: {status} {body}"
        );
        let (_, body) = ask(&other);
        assert!(!body.contains(CANARY), "{method} {path} of another owner: {body}");
    }
}

/// Routes without a credential have limits of their own.
#[test]
fn every_route_and_message_passes_the_rate_limit_of_its_agent() {
    let town = MatrixServer::new();
    let key = town.key("me", "write", &["*=write"]);
    let list = json!({ "jsonrpc": "2.0", "id": 7, "method": "tools/list", "params": {} });
    let message = list.to_string();
    let mut all = operations(&town);
    all.extend(OTHER_ROUTES.iter().map(|path| ("GET".to_owned(), (*path).to_owned())));
    all.push(("POST".to_owned(), "/mcp".to_owned()));
    let ended = AtomicBool::new(false);
    std::thread::scope(|scope| {
        // Each class of calls has a bucket of its own, which these keep empty.
        for method in ["GET", "POST"] {
            let (address, key, ended) = (town.served.address(), &key, &ended);
            scope.spawn(move || RequestFlood::connect(address, key).run(method, ended));
        }
        for (method, path) in
            all.into_iter().filter(|(_, path)| !["/healthz", "/readyz"].contains(&path.as_str()))
        {
            let body = if path == "/mcp" { message.as_str() } else { "{}" };
            let limited = (0..2_000).any(|_| {
                let (status, answer) =
                    town.served.send(&format!("{method} {path}"), Some(&key), body);
                status == 429 || path == "/mcp" && answer.contains("rate limit")
            });
            // Set first: a failed assertion must not leave the threads running.
            ended.store(!limited, Ordering::Relaxed);
            assert!(limited, "{method} {path} is not limited");
        }
        ended.store(true, Ordering::Relaxed);
    });
    assert_eq!(town.served.send("GET /v1/openapi.json", Some(&town.token()), "").0, 200);
}

/// A connection that sends requests faster than a bucket fills.
struct RequestFlood {
    stream: BufReader<TcpStream>,
    head: String,
}

impl RequestFlood {
    /// Number of requests that are sent at once.
    const BATCH: usize = 50;

    fn connect(address: &str, key: &str) -> Self {
        let stream = TcpStream::connect(address).unwrap();
        stream.set_nodelay(true).unwrap();
        let head = format!("Host: {address}\r\nAuthorization: Bearer {key}\r\n");
        Self { stream: BufReader::new(stream), head }
    }

    /// Sends requests for nothing until it is ended.
    fn run(mut self, method: &str, ended: &AtomicBool) {
        let head = &self.head;
        let one = format!("{method} /nothing HTTP/1.1\r\n{head}Content-Length: 0\r\n\r\n");
        let batch = one.repeat(Self::BATCH);
        while !ended.load(Ordering::Relaxed) {
            self.stream.get_mut().write_all(batch.as_bytes()).unwrap();
            (0..Self::BATCH).for_each(|_| self.read_response());
        }
    }

    fn read_response(&mut self) {
        let (mut head, mut length) = (String::new(), 0);
        while self.stream.read_line(&mut head).unwrap() > 2 {
            let line = head.lines().last().unwrap().to_ascii_lowercase();
            if let Some(bytes) = line.strip_prefix("content-length: ") {
                length = bytes.parse().unwrap();
            }
        }
        self.stream.read_exact(&mut vec![0; length]).unwrap();
    }
}

#[test]
fn open_routes_show_nothing_of_any_memory() {
    let town = MatrixServer::new();
    for path in OPEN_ROUTES {
        for method in ["GET", "POST", "PUT", "DELETE", "HEAD"] {
            let (status, body) = town.served.send(&format!("{method} {path}"), None, "{}");
            assert!(status < 500 && !body.contains(CANARY), "{method} {path}: {status} {body}");
        }
    }
    for (_, path) in dialects(&town.env) {
        let document = format!("/.well-known/oauth-protected-resource{path}");
        assert!(
            OPEN_ROUTES.contains(&document.as_str()),
            "{document} has no row: give it one in matrix/rows.rs"
        );
    }
}

/// A secret is removed from every request before anything could log it.
#[test]
fn secrets_never_reach_logs_errors_or_answers() {
    let env = TestEnv::new();
    env.quipu(&["remember", "something"]).success();
    let served = ServerProcess::start_logging(&env);
    let key =
        env.json(&["keys", "create", "--agent", "codex", "--scope", "write", "--grant", "*=write"]);
    let key = key["key"].as_str().unwrap().to_owned();
    let token = served.startup_field("token").to_owned();
    let call = json!({ "name": "recall", "arguments": { "query": "x" } });
    let ask = json!({ "jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": call });
    let mut said = String::new();
    for (path, credential) in [
        ("/mcp".to_owned(), Some(key.clone())),
        ("/mcp".to_owned(), Some(token.clone())),
        (format!("/mcp/t/{key}"), None),
        (format!("/mcp/t/{token}"), None),
        (format!("/nowhere/t/{key}"), None),
        (format!("/mcp/t/{key}/more"), Some(token.clone())),
    ] {
        said.push_str(
            &served.send(&format!("POST {path}"), credential.as_deref(), &ask.to_string()).1,
        );
        said.push_str(&served.send(&format!("POST {path}"), credential.as_deref(), "{broken").1);
    }
    said.push_str(&served.terminate_with_log());
    for secret in [&key, &token] {
        assert!(!said.contains(&secret[12..]), "a secret leaked");
    }
    let files = walk(&env.home());
    assert!(!files.iter().any(|bytes| contains(bytes, key.as_bytes())), "a key is stored in clear");
}

/// Returns the content of every file below a directory.
pub fn walk(directory: &std::path::Path) -> Vec<Vec<u8>> {
    let mut files = Vec::new();
    for entry in directory.read_dir().unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files.extend(walk(&path))
        } else {
            files.push(std::fs::read(&path).unwrap())
        }
    }
    files
}

pub fn contains(bytes: &[u8], wanted: &[u8]) -> bool {
    bytes.windows(wanted.len()).any(|window| window == wanted)
}
