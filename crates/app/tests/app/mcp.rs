//! `quipu mcp` as a client starts it: the protocol over its pipes, and how the process ends.

use crate::test_env::TestEnv;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

/// A client of one process, which speaks an older version of the protocol.
pub struct McpTestClient {
    child: Child,
    stdin: Option<ChildStdin>,
    stdout: BufReader<ChildStdout>,
    sent: i64,
}

impl McpTestClient {
    pub fn start(command: &mut Command) -> Self {
        Self::start_with(command, json!({}))
    }

    /// Starts a client with capabilities.
    pub fn start_with(command: &mut Command, capabilities: Value) -> Self {
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let (stdin, stdout) = (child.stdin.take(), BufReader::new(child.stdout.take().unwrap()));
        let mut client = Self { child, stdin, stdout, sent: 0 };
        let hello = json!({
            "protocolVersion": "2025-06-18",
            "capabilities": capabilities,
            "clientInfo": {"name": "tester", "version": "1"},
        });
        let answer = client.request("initialize", hello);
        assert!(answer["instructions"].as_str().is_some_and(|text| !text.is_empty()), "{answer}");
        client.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        client
    }

    fn send(&mut self, message: &Value) {
        writeln!(self.stdin.as_mut().unwrap(), "{message}").unwrap();
    }

    /// Sends a line as it is.
    pub fn send_bytes(&mut self, line: &[u8]) {
        let stdin = self.stdin.as_mut().unwrap();
        stdin.write_all(line).and_then(|()| stdin.write_all(b"\n")).unwrap();
    }

    /// Returns the next message of the server.
    pub fn next_message(&mut self) -> Value {
        let mut line = String::new();
        assert_ne!(self.stdout.read_line(&mut line).unwrap(), 0, "the server left");
        serde_json::from_str(&line).unwrap()
    }

    pub fn request(&mut self, method: &str, parameters: Value) -> Value {
        self.sent += 1;
        let id = self.sent;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": parameters}));
        loop {
            let answer = self.next_message();
            if answer["id"] == id {
                return answer["result"].clone();
            }
        }
    }

    pub fn call(&mut self, tool: &str, arguments: Value) -> Value {
        let answer = self.request("tools/call", json!({"name": tool, "arguments": arguments}));
        assert_ne!(answer["isError"], true, "{answer}");
        answer["structuredContent"].clone()
    }

    /// Closes the other end of its standard error.
    pub fn close_stderr(&mut self) {
        drop(self.child.stderr.take().expect("standard error is a pipe"));
    }

    /// Returns the id of the process.
    pub fn process_id(&self) -> u32 {
        self.child.id()
    }

    /// Calls a tool, kills the process a moment later, and returns the answer if it came before.
    pub fn call_and_kill(
        &mut self,
        tool: &str,
        arguments: &Value,
        delay: std::time::Duration,
    ) -> Option<Value> {
        self.sent += 1;
        let call = json!({"name": tool, "arguments": arguments});
        self.send(&json!({
            "jsonrpc": "2.0", "id": self.sent, "method": "tools/call", "params": call,
        }));
        std::thread::sleep(delay);
        self.child.kill().unwrap();
        self.child.wait().unwrap();
        let lines = (&mut self.stdout).lines().map_while(Result::ok);
        // A line that was cut off acknowledges nothing.
        let mut answers = lines.filter_map(|line| serde_json::from_str::<Value>(&line).ok());
        let answer = answers.find(|answer| answer["id"] == self.sent)?;
        assert_ne!(answer["result"]["isError"], true, "{answer}");
        Some(answer["result"]["structuredContent"].clone())
    }

    /// Closes the pipe and returns the exit code of the process.
    pub fn disconnect(mut self) -> Option<i32> {
        drop(self.stdin.take());
        self.child.wait().unwrap().code()
    }
}

#[test]
fn a_client_connects_and_disconnects_and_the_process_exits_with_0() {
    let env = TestEnv::new();
    let mut client = McpTestClient::start(&mut env.command(&["mcp"]));
    assert_eq!(client.request("tools/list", json!({}))["tools"].as_array().unwrap().len(), 11);
    let answer = client.call("remember", json!({"text": "The kiln is fired on Fridays."}));
    assert_eq!(answer["happened"], "created");
    assert_eq!(client.disconnect(), Some(0));
    let memory = &env.json(&["show", "1"])["memories"][0];
    assert_eq!(
        (memory["by"].as_str(), memory["through"].as_str()),
        (Some("tester"), Some("quipu"))
    );
}

#[test]
fn two_clients_and_a_person_share_one_memory_at_once() {
    let env = TestEnv::new();
    let mut one = McpTestClient::start(&mut env.command(&["mcp"]));
    let mut two = McpTestClient::start(&mut env.command(&["mcp"]));
    one.call("remember", json!({"text": "The glaze is called celadon."}));
    assert_eq!(
        two.call("recall", json!({"query": "celadon"}))["memories"][0]["text"],
        "The glaze is called celadon."
    );
    env.quipu(&["correct", "1", "The glaze is called tenmoku."]).success();
    for client in [&mut one, &mut two] {
        let found = client.call("recall", json!({"query": "how is the glaze called"}));
        let texts: Vec<&str> = found["memories"]
            .as_array()
            .unwrap()
            .iter()
            .filter_map(|one| one["text"].as_str())
            .collect();
        assert_eq!(texts, ["The glaze is called tenmoku."]);
    }
    assert_eq!((one.disconnect(), two.disconnect()), (Some(0), Some(0)));
}

#[test]
fn scripts_read_word_for_word_what_agents_read() {
    let env = TestEnv::new();
    env.quipu(&["remember", "The glaze is called celadon.", "--tag", "glaze"]).success();
    env.quipu(&["remember", "--table", "firings", "--data", r#"{"cone": 6}"#]).success();
    let mut client = McpTestClient::start(&mut env.command(&["mcp"]));
    let mut check = |arguments: &[&str], tool: &str, asked: Value| {
        assert_eq!(env.json(arguments), client.call(tool, asked), "{arguments:?}");
    };
    check(&["recall", "celadon", "-n", "1"], "recall", json!({"query": "celadon", "limit": 1}));
    check(&["recall"], "recall", json!({}));
    check(
        &["verify", "the glaze is called celadon"],
        "verify",
        json!({"claim": "the glaze is called celadon"}),
    );
    check(&["tables", "firings"], "tables", json!({"table": "firings"}));
    let sql = "SELECT cone FROM firings";
    check(&["tables", "--sql", sql], "tables", json!({ "sql": sql }));
    check(&["forget", "--query", "celadon"], "forget", json!({"query": "celadon"}));
    check(&["review"], "review", json!({}));
    check(&["handoff"], "handoff", json!({}));
    check(&["reference"], "references", json!({}));
    assert_eq!(client.disconnect(), Some(0));
}

#[test]
fn project_and_session_come_from_the_environment_that_the_client_gives() {
    let env = TestEnv::new();
    let project = env.work().join("billing");
    std::fs::create_dir(&project).unwrap();
    let mut command = env.command(&["mcp"]);
    command.env("CLAUDE_PROJECT_DIR", &project).env("CLAUDE_CODE_SESSION_ID", "session-17");
    let mut client = McpTestClient::start(&mut command);
    client.call("remember", json!({"text": "Invoices have no gaps."}));
    client.call("remember", json!({"text": "Tea is in the left cupboard.", "project": "kitchen"}));
    assert_eq!(client.disconnect(), Some(0));
    let shown = env.json(&["show", "1", "2"]);
    assert_eq!(
        (&shown["memories"][0]["project"], &shown["memories"][1]["project"]),
        (&json!("billing"), &json!("kitchen"))
    );
    assert_eq!(env.json(&["session", "show", "session-17"])["memories"], 2);
}

#[test]
fn a_client_that_disconnects_without_a_message_is_not_an_error() {
    let env = TestEnv::new();
    let run = env.quipu_with_input(&["mcp"], "");
    assert_eq!((run.code, run.stdout.as_str(), run.stderr.as_str()), (Some(0), "", ""));
}

#[cfg(unix)]
#[test]
fn a_termination_signal_ends_the_process_at_once_with_0() {
    let env = TestEnv::new();
    for signal in ["-TERM", "-INT"] {
        let mut client = McpTestClient::start(&mut env.command(&["mcp"]));
        client.call("recall", json!({}));
        let asked =
            Command::new("kill").args([signal, &client.child.id().to_string()]).status().unwrap();
        assert!(asked.success());
        // Standard input stays open, so only the signal can end it.
        assert_eq!(client.child.wait().unwrap().code(), Some(0), "{signal}");
    }
}

#[test]
fn a_running_process_answers_from_the_restored_backup() {
    let env = TestEnv::new();
    env.quipu(&["remember", "The kiln fires on Mondays."]).success();
    env.quipu(&["backup", "copy.db"]).success();
    let mut client = McpTestClient::start(&mut env.command(&["mcp"]));
    client.call("remember", json!({"text": "The glaze is mixed on Fridays, beside the kiln."}));
    let texts = |answer: Value| -> Vec<String> {
        let memories = answer["memories"].as_array().unwrap();
        memories.iter().map(|memory| memory["text"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(texts(client.call("recall", json!({"query": "kiln"}))).len(), 2);
    env.quipu(&["restore", "copy.db", "--force"]).success();
    // The number of changes is the same as before: only the identity of the store shows that it was
    // replaced.
    env.quipu(&["remember", "The clay arrives on Sundays, for the kiln."]).success();
    let mut found = texts(client.call("recall", json!({"query": "kiln"})));
    found.sort();
    assert_eq!(found, ["The clay arrives on Sundays, for the kiln.", "The kiln fires on Mondays."]);
    client.disconnect();
}

/// A dialect with the number of its tools, a call that writes a text, a call that reads the newest
/// texts, and the field of the result that contains them.
type DialectCase =
    (&'static str, usize, fn(&str) -> (&'static str, Value), (&'static str, Value), &'static str);

fn dialect_cases() -> [DialectCase; 5] {
    [
        (
            "quipu",
            11,
            |text| ("remember", json!({ "text": text })),
            ("recall", json!({"query": "glaze"})),
            "memories",
        ),
        (
            "epitome",
            3,
            |text| ("memorize", json!({"text": text, "storage": "memory"})),
            ("recall", json!({})),
            "recentMemories",
        ),
        (
            "agentic",
            24,
            |text| ("memory_add", json!({"event_type": "fact", "content": text})),
            ("memory_query", json!({})),
            "nodes",
        ),
        (
            "librarian",
            7,
            |text| ("remember", json!({"title": "Glaze", "body": text})),
            ("recall", json!({})),
            "memories",
        ),
        (
            "codememory",
            11,
            |text| ("remember", json!({"content": text, "session_id": "workshop"})),
            ("list_recent", json!({})),
            "result",
        ),
    ]
}

#[test]
fn every_dialect_works_over_stdio_and_reads_what_the_others_wrote() {
    let env = TestEnv::new();
    let text = |dialect: &str| format!("The {dialect} bowl got a glaze of its own.");
    for (dialect, tools, write, ..) in dialect_cases() {
        let mut client = McpTestClient::start(&mut env.command(&["mcp", "--dialect", dialect]));
        let listed = client.request("tools/list", json!({}));
        assert_eq!(listed["tools"].as_array().unwrap().len(), tools, "{dialect}");
        let (tool, arguments) = write(&text(dialect));
        client.call(tool, arguments);
        assert_eq!(client.disconnect(), Some(0), "{dialect}");
    }
    for (dialect, _, _, (tool, arguments), field) in dialect_cases() {
        let mut client = McpTestClient::start(&mut env.command(&["mcp", "--dialect", dialect]));
        let answer = client.call(tool, arguments)[field].to_string();
        for (writer, ..) in dialect_cases() {
            assert!(answer.contains(&text(writer)), "{writer} -> {dialect}: {answer}");
        }
        assert_eq!(client.disconnect(), Some(0), "{dialect}");
    }
}

#[test]
fn an_unknown_dialect_is_refused_and_the_known_ones_are_listed() {
    let run = TestEnv::new().quipu(&["mcp", "--dialect", "klingon"]);
    assert_eq!(run.code, Some(2), "{}", run.stderr);
    for (dialect, ..) in dialect_cases() {
        assert!(run.stderr.contains(dialect), "{}", run.stderr);
    }
}
