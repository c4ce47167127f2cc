//! Real processes: CPU time until the first answer, and memory of twenty idle ones.

use crate::fixture::RoundtripFixture;
use serde_json::json;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Duration;
use testkit::bench::{cpu_time_of, print_table, private_mib_of};

const IDLE: usize = 20;

/// A running `quipu mcp`.
pub struct McpProcess {
    child: Child,
    stdin: ChildStdin,
    stdout: BufReader<ChildStdout>,
}

impl McpProcess {
    /// Starts a process and initializes it.
    pub fn start(fixture: &RoundtripFixture) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_quipu"))
            .args(["mcp"])
            .env("QUIPU_HOME", fixture.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("the program starts");
        let stdin = child.stdin.take().expect("its stdin");
        let stdout = BufReader::new(child.stdout.take().expect("its stdout"));
        let mut process = Self { child, stdin, stdout };
        process.request(json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": {"name": "bench", "version": "1"},
        }}));
        writeln!(
            process.stdin,
            "{}",
            json!({"jsonrpc": "2.0", "method": "notifications/initialized"})
        )
        .expect("sent");
        process
    }

    fn recall(&mut self) {
        let call =
            json!({"name": "recall", "arguments": {"query": "when was the data of the server"}});
        self.request(json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call}));
    }

    /// Stores a text.
    pub fn remember(&mut self, text: &str) {
        let call = json!({"name": "remember", "arguments": {"text": text}});
        self.request(json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call}));
    }

    fn request(&mut self, message: serde_json::Value) {
        writeln!(self.stdin, "{message}").expect("the process takes it");
        let mut line = String::new();
        self.stdout.read_line(&mut line).expect("the process answers");
        assert!(line.contains("result") && !line.contains("\"isError\":true"), "{line}");
    }

    /// Closes its standard input and waits for it to exit.
    pub fn end(mut self) {
        drop(self.stdin);
        assert!(self.child.wait().expect("it ends").success());
    }
}

/// Measures the CPU time of a new process, in milliseconds, until it is initialized and until its
/// first recall.
pub fn start(fixture: &RoundtripFixture, size: usize) -> Vec<String> {
    let mut initialize = Vec::new();
    let mut recall = Vec::new();
    for _ in 0..5 {
        let mut process = McpProcess::start(fixture);
        initialize.push(cpu_time_of(process.child.id()));
        process.recall();
        recall.push(cpu_time_of(process.child.id()));
        process.end();
    }
    vec![size.to_string(), median_ms(initialize), median_ms(recall)]
}

fn median_ms(mut all: Vec<Duration>) -> String {
    all.sort_unstable();
    format!("{:.1}", all[all.len() / 2].as_secs_f64() * 1e3)
}

pub fn print_starts(rows: &[Vec<String>]) {
    let head = ["memories", "until initialized (ms CPU)", "until the first recall (ms CPU)"];
    print_table(
        "Start of `quipu mcp`",
        "CPU time of a new process that loads the snapshot; medians of 5.",
        &head,
        rows,
    );
}

/// Measures the memory of idle processes on one store, initialized and after a recall each.
pub fn print(fixture: &RoundtripFixture) {
    let mut all: Vec<McpProcess> = (0..IDLE).map(|_| McpProcess::start(fixture)).collect();
    let initialized = largest_memory(&all);
    all.iter_mut().for_each(McpProcess::recall);
    let recalled = largest_memory(&all);
    all.into_iter().for_each(McpProcess::end);
    let rows = [vec![IDLE.to_string(), format!("{initialized:.1}"), format!("{recalled:.1}")]];
    let head = [
        "processes",
        "private memory of the largest, initialized (MiB)",
        "after a recall each (MiB)",
    ];
    print_table("Idle `quipu mcp` processes", "On one store of 1,000 memories.", &head, &rows);
}

fn largest_memory(all: &[McpProcess]) -> f64 {
    all.iter().map(|process| private_mib_of(process.child.id())).fold(0.0, f64::max)
}
