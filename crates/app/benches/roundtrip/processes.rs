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
/// first recall, its private memory at both, and the first recall without a snapshot.
pub fn start(fixture: &RoundtripFixture, size: usize) -> Vec<String> {
    let mut initialize = Vec::new();
    let mut recall = Vec::new();
    let mut memory = [0.0; 2];
    for _ in 0..5 {
        let mut process = McpProcess::start(fixture);
        initialize.push(cpu_time_of(process.child.id()));
        memory[0] = private_mib_of(process.child.id());
        process.recall();
        recall.push(cpu_time_of(process.child.id()));
        memory[1] = private_mib_of(process.child.id());
        process.end();
    }
    let [idle, recalled] = memory.map(|mib| format!("{mib:.0}"));
    let (rebuild, rebuilt) = start_without_snapshot(fixture);
    let (initialize, recall) = (median_ms(initialize), median_ms(recall));
    vec![size.to_string(), initialize, recall, idle, recalled, rebuild, rebuilt]
}

/// Measures the CPU time until the first recall of a process that has to build the view, and its
/// private memory afterwards.
fn start_without_snapshot(fixture: &RoundtripFixture) -> (String, String) {
    std::fs::remove_file(fixture.snapshot()).expect("the snapshot is removed");
    let mut process = McpProcess::start(fixture);
    process.recall();
    let spent = cpu_time_of(process.child.id());
    let memory = private_mib_of(process.child.id());
    process.end();
    (median_ms(vec![spent]), format!("{memory:.0}"))
}

fn median_ms(mut all: Vec<Duration>) -> String {
    all.sort_unstable();
    format!("{:.1}", all[all.len() / 2].as_secs_f64() * 1e3)
}

pub fn print_starts(rows: &[Vec<String>]) {
    let head = [
        "memories",
        "until initialized (ms CPU)",
        "until the first recall (ms CPU)",
        "private memory, initialized (MiB)",
        "after the first recall (MiB)",
        "first recall without a snapshot (ms CPU)",
        "private memory after it (MiB)",
    ];
    print_table(
        "Start of `quipu mcp`",
        "A new process that loads the snapshot, medians of 5; and one that has to build the view.",
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
