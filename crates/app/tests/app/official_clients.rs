//! The official MCP clients and conformance suites against the real binary.

use crate::driver::OfficialClient::{self, Python1, Python2, TypeScript1, TypeScript2};
use crate::server_process::ServerProcess;
use crate::suites::{Suite, failing, scenario_output};
use crate::test_env::TestEnv;
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// Each client with a protocol version that it supports.
const CLIENTS: [(OfficialClient, &str); 6] = [
    (TypeScript1, "legacy"),
    (TypeScript2, "legacy"),
    (TypeScript2, "modern"),
    (Python1, "legacy"),
    (Python2, "legacy"),
    (Python2, "modern"),
];

/// Scenarios that need a tool, prompt or resource which only the test fixture of the server crate
/// has, and those of an extension that Quipu does not offer; the suites do not score the latter.
const EXCUSED: &[&str] = &[
    "elicitation-",
    "http-custom-header-server-validation",
    "input-required-result-",
    "json-schema-2020-12",
    "logging-set-level",
    "prompts-get-",
    "resources-read-",
    "resources-subscribe",
    "resources-templates-read",
    "resources-unsubscribe",
    "server-stateless",
    "tasks-",
    "tools-call-",
];

fn over_stdio(env: &TestEnv) -> Value {
    let home = env.home().to_str().unwrap().to_owned();
    json!({
        "command": env!("CARGO_BIN_EXE_quipu"),
        "args": ["mcp"],
        "env": { "QUIPU_HOME": home, "QUIPU_PROJECT": "harbour" },
    })
}

fn over_http(served: &ServerProcess) -> Value {
    let headers = json!({ "Authorization": format!("Bearer {}", served.startup_field("token")) });
    json!({ "url": served.startup_field("mcp"), "headers": headers })
}

/// Returns the steps of a client: it writes a memory and reads it back, calls a tool with a wrong
/// argument, and runs eight recalls at once.
fn plan(server: &Value, era: &str, text: &str) -> Value {
    let recall = json!({ "call": "recall", "arguments": { "query": text } });
    json!({
        "server": server,
        "client": { "name": "official", "version": "9.9" },
        "era": era,
        "steps": [
            { "list": true },
            { "call": "remember", "arguments": { "text": text } },
            recall,
            { "call": "remember", "arguments": { "txt": text } },
            { "together": vec![recall; 8] },
        ],
    })
}

#[track_caller]
fn check(client: OfficialClient, server: &Value, era: &str, text: &str) {
    let report = client.play(&plan(server, era, text));
    let protocol = if era == "modern" { "2026-07-28" } else { "2025-11-25" };
    assert_eq!(report["protocol"], protocol, "{client:?}: {report:#}");
    let [tools, remembered, recalled, refused, together] =
        report["steps"].as_array().unwrap().as_slice()
    else {
        panic!("not every step was played: {report:#}")
    };
    assert_eq!(tools.as_array().unwrap().len(), 11);
    assert_eq!(remembered["structured"]["happened"], "created", "{client:?}: {remembered}");
    assert_recalled(recalled, text);
    assert_eq!(refused["failed"], true);
    assert!(refused["text"].as_str().unwrap().contains("did you mean `text`?"), "{refused}");
    together.as_array().unwrap().iter().for_each(|one| assert_recalled(one, text));
}

#[track_caller]
fn assert_recalled(answer: &Value, text: &str) {
    assert_eq!(answer["structured"]["memories"][0]["text"], text, "{answer}");
    let mirror: Value = serde_json::from_str(answer["text"].as_str().unwrap()).unwrap();
    assert_eq!(mirror, answer["structured"]);
}

/// Returns a text that only this client writes.
fn client_text(at: usize) -> String {
    let thing = ["anchor", "barge", "crane", "dredger", "ensign", "fender"][at];
    format!("The {thing} was painted by crew {at}.")
}

#[test]
fn every_official_client_remembers_and_recalls_over_stdio() {
    let env = TestEnv::new();
    for (at, (client, era)) in CLIENTS.into_iter().enumerate() {
        check(client, &over_stdio(&env), era, &client_text(at));
    }
    let shown = env.json(&["show", "1"]);
    assert_eq!(shown["memories"][0]["by"], "official");
    assert_eq!(shown["memories"][0]["project"], "harbour");
}

#[test]
fn every_official_client_remembers_and_recalls_over_http() {
    let env = TestEnv::new();
    let served = ServerProcess::start(&env);
    for (at, (client, era)) in CLIENTS.into_iter().enumerate() {
        check(client, &over_http(&served), era, &client_text(at));
    }
    assert_eq!(env.json(&["status"])["memories"]["active"], CLIENTS.len());
}

#[test]
fn two_official_clients_at_once_share_one_memory() {
    let env = TestEnv::new();
    let served = ServerProcess::start(&env);
    std::thread::scope(|scope| {
        scope.spawn(|| check(TypeScript2, &over_http(&served), "modern", &client_text(0)));
        scope.spawn(|| check(Python2, &over_stdio(&env), "modern", &client_text(1)));
    });
    assert_eq!(env.json(&["status"])["memories"]["active"], 2);
}

#[track_caller]
fn passes_suite(suite: Suite) {
    let env = TestEnv::new();
    let served = ServerProcess::start(&env);
    assert_eq!(
        failing(suite, served.startup_field("mcp"), served.startup_field("token"), EXCUSED),
        BTreeSet::new()
    );
}

#[test]
fn the_binary_passes_the_older_conformance_suite_except_fixture_scenarios() {
    passes_suite(Suite::Active);
}

#[test]
fn the_binary_passes_2025_11_25_except_fixture_scenarios() {
    passes_suite(Suite::Requirements("2025-11-25"));
}

#[test]
fn the_binary_passes_2026_07_28_except_fixture_scenarios() {
    passes_suite(Suite::Requirements("2026-07-28"));
}

#[test]
fn the_binary_fails_only_what_cannot_be_tested_without_a_fixture_in_the_stateless_scenario() {
    let env = TestEnv::new();
    let served = ServerProcess::start(&env);
    let suite = Suite::Requirements("2026-07-28");
    let report = scenario_output(
        suite,
        "server-stateless",
        served.startup_field("mcp"),
        served.startup_field("token"),
    );
    assert!(report.contains("Passed: 21/25"), "{report}");
    assert_eq!(report.matches("Not testable").count(), 4, "{report}");
}
