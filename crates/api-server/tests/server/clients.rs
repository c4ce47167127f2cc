//! The official clients of both languages and generations, over both transports, with both
//! handshakes.

use crate::driver::OfficialClient::{self, Python1, Python2, TypeScript1, TypeScript2};
use crate::server_fixture::{ServerFixture, TOKEN};
use crate::stdio_relay::StdioRelay;
use serde_json::{Value, json};

/// Moment at which the server learns that a client cancelled a call.
#[derive(PartialEq)]
enum Cancellation {
    /// At once.
    Immediate,
    /// Time of the disconnect. The first Python client sends nothing; over HTTP the older
    /// protocol sends a separate message, which without sessions cannot be told apart from another
    /// client's.
    OnDisconnect,
}

fn plan(server: &Value, era: &str, steps: Value) -> Value {
    let client = json!({ "name": "official", "version": "9.9" });
    json!({ "server": server, "client": client, "era": era, "steps": steps })
}

fn endpoint(server: &ServerFixture) -> Value {
    let headers = json!({ "Authorization": format!("Bearer {TOKEN}") });
    json!({ "url": format!("http://{}/mcp", server.address), "headers": headers })
}

fn steps(gives_up: &Cancellation) -> Value {
    let once = json!({ "call": "tally", "field": "begun", "value": 1 });
    let then = json!({ "call": "tally", "field": "dropped", "value": 1 });
    let mut cancel = json!({ "cancel": "wait", "arguments": { "seconds": 3600 }, "once": once });
    if *gives_up == Cancellation::Immediate {
        cancel["then"] = then;
    }
    let echoes: Vec<Value> =
        (0..8).map(|n| json!({ "call": "echo", "arguments": { "text": n.to_string() } })).collect();
    json!([
        { "list": true },
        { "call": "echo", "arguments": { "text": "hi", "times": 2 } },
        { "call": "echo", "arguments": { "txt": "hi" } },
        { "call": "fail", "arguments": { "code": "not_found" } },
        { "call": "ekho" },
        { "call": "fall" },
        { "together": echoes },
        cancel,
        { "call": "echo", "arguments": { "text": "afterwards" } },
    ])
}

#[track_caller]
fn check(client: OfficialClient, server: &Value, era: &str, gives_up: &Cancellation) -> Value {
    let report = client.play(&plan(server, era, steps(gives_up)));
    assert_eq!(report["server"]["name"], "quipu", "{report:#}");
    assert_eq!(report["instructions"], "A test server. Call echo.");
    let expected = if era == "modern" { "2026-07-28" } else { "2025-11-25" };
    assert_eq!(report["protocol"], expected, "{report:#}");
    let [tools, echo, bad, failed, unknown, fall, together, cancelled, after] =
        report["steps"].as_array().unwrap().as_slice()
    else {
        panic!("not every step was played: {report:#}")
    };
    check_tools(tools);
    check_echo(echo, "hi");
    check_failure(bad, "invalid_argument", "did you mean `text`?");
    check_failure(failed, "not_found", "because you asked it to");
    check_failure(fall, "internal", "incident");
    assert_eq!(unknown["refused"]["code"], -32602, "{unknown}");
    assert!(
        unknown["refused"]["message"].as_str().unwrap().contains("The tools are `echo`, `wait`"),
        "{unknown}"
    );
    for (n, echo) in together.as_array().unwrap().iter().enumerate() {
        check_echo(echo, &n.to_string());
    }
    assert_eq!(cancelled["cancelled"], true, "{cancelled}");
    check_echo(after, "afterwards");
    echo["structured"].clone()
}

#[track_caller]
fn check_tools(tools: &Value) {
    let tools = tools.as_array().unwrap();
    let names: Vec<_> = tools.iter().map(|tool| tool["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["echo", "wait", "tally", "fail", "fall"]);
    assert_eq!(tools[0]["title"], "Echo");
    assert_eq!(tools[0]["annotations"]["readOnlyHint"], true);
    assert_eq!(tools[0]["outputSchema"]["required"], json!(["text", "agent"]));
}

#[track_caller]
fn check_echo(answer: &Value, text: &str) {
    assert_eq!(answer["failed"], false, "{answer}");
    assert_eq!(answer["structured"]["text"], text, "{answer}");
    let mirror: Value = serde_json::from_str(answer["text"].as_str().unwrap()).unwrap();
    assert_eq!(mirror, answer["structured"]);
}

#[track_caller]
fn check_failure(answer: &Value, code: &str, words: &str) {
    assert_eq!(answer["failed"], true, "{answer}");
    let text = answer["text"].as_str().unwrap();
    assert!(text.starts_with(&format!("{code}: ")) && text.contains(words), "{text}");
}

#[track_caller]
fn over_stdio(client: OfficialClient, era: &str, gives_up: &Cancellation) {
    let echoed = check(client, &StdioRelay::start().command(), era, gives_up);
    assert_eq!(echoed["agent"], "official");
    assert_eq!(echoed["client"], "official 9.9");
    assert_eq!(echoed["project"], "quipu");
    assert_eq!(echoed["session"], "s-1");
}

#[track_caller]
fn over_http(client: OfficialClient, era: &str, gives_up: &Cancellation) {
    let server = ServerFixture::start();
    let echoed = check(client, &endpoint(&server), era, gives_up);
    assert_eq!(echoed["owner"], "me");
    if era == "modern" {
        assert_eq!(echoed["agent"], "official");
    }
    // By now the client is gone, so a call that it cancelled must have ended too.
    server.wait_for("dropped");
}

#[test]
fn typescript_1_over_stdio() {
    over_stdio(TypeScript1, "legacy", &Cancellation::Immediate);
}

#[test]
fn typescript_1_over_http() {
    over_http(TypeScript1, "legacy", &Cancellation::OnDisconnect);
}

#[test]
fn typescript_2_over_stdio() {
    over_stdio(TypeScript2, "modern", &Cancellation::Immediate);
}

#[test]
fn typescript_2_over_stdio_with_the_older_handshake() {
    over_stdio(TypeScript2, "legacy", &Cancellation::Immediate);
}

#[test]
fn typescript_2_over_http() {
    over_http(TypeScript2, "modern", &Cancellation::Immediate);
}

#[test]
fn typescript_2_over_http_with_the_older_handshake() {
    over_http(TypeScript2, "legacy", &Cancellation::OnDisconnect);
}

#[test]
fn python_1_over_stdio() {
    over_stdio(Python1, "legacy", &Cancellation::OnDisconnect);
}

#[test]
fn python_1_over_http() {
    over_http(Python1, "legacy", &Cancellation::OnDisconnect);
}

#[test]
fn python_2_over_stdio() {
    over_stdio(Python2, "modern", &Cancellation::Immediate);
}

#[test]
fn python_2_over_stdio_with_the_older_handshake() {
    over_stdio(Python2, "legacy", &Cancellation::Immediate);
}

#[test]
fn python_2_over_http() {
    over_http(Python2, "modern", &Cancellation::Immediate);
}

#[test]
fn python_2_over_http_with_the_older_handshake() {
    over_http(Python2, "legacy", &Cancellation::OnDisconnect);
}

#[test]
fn two_clients_at_once_each_get_their_own_answers() {
    let server = ServerFixture::start();
    let play = |client: OfficialClient, words: &str| {
        let echoes: Vec<Value> = (0..50)
            .map(|n| json!({ "call": "echo", "arguments": { "text": format!("{words} {n}") } }))
            .collect();
        client.play(&plan(&endpoint(&server), "modern", json!([{ "together": echoes }])))
    };
    std::thread::scope(|scope| {
        let one = scope.spawn(|| play(TypeScript2, "one"));
        let other = scope.spawn(|| play(Python2, "other"));
        for (report, words) in [(one.join().unwrap(), "one"), (other.join().unwrap(), "other")] {
            for (n, echo) in report["steps"][0].as_array().unwrap().iter().enumerate() {
                check_echo(echo, &format!("{words} {n}"));
            }
        }
    });
}
