//! Real processes: how soon a new one answers, and what twenty idle ones take.

use crate::house::House;
use serde_json::json;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Duration;
use testkit::bench::{cpu_of, table, unshared_mib_of};

const IDLE: usize = 20;

/// A `quipu mcp` of its own.
struct Process {
    child: Child,
    stdin: ChildStdin,
    stdout: BufReader<ChildStdout>,
}

impl Process {
    fn start(house: &House) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_quipu"))
            .args(["mcp"])
            .env("QUIPU_HOME", house.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("the program starts");
        let stdin = child.stdin.take().expect("its stdin");
        let stdout = BufReader::new(child.stdout.take().expect("its stdout"));
        let mut process = Self { child, stdin, stdout };
        process.request(json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
            "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}
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

    fn request(&mut self, message: serde_json::Value) {
        writeln!(self.stdin, "{message}").expect("the process takes it");
        let mut line = String::new();
        self.stdout.read_line(&mut line).expect("the process answers");
        assert!(line.contains("result"), "{line}");
    }

    /// Closes its stdin, and waits for it to end by itself.
    fn end(mut self) {
        drop(self.stdin);
        assert!(self.child.wait().expect("it ends").success());
    }
}

/// CPU from the start of a new process to its first answer, in milliseconds: to the greeting, and
/// to a recall.
pub fn start(house: &House, size: usize) -> Vec<String> {
    let mut greeted = Vec::new();
    let mut recalled = Vec::new();
    for _ in 0..5 {
        let mut process = Process::start(house);
        greeted.push(cpu_of(process.child.id()));
        process.recall();
        recalled.push(cpu_of(process.child.id()));
        process.end();
    }
    vec![size.to_string(), middle_ms(greeted), middle_ms(recalled)]
}

fn middle_ms(mut all: Vec<Duration>) -> String {
    all.sort_unstable();
    format!("{:.1}", all[all.len() / 2].as_secs_f64() * 1e3)
}

pub fn print_starts(rows: &[Vec<String>]) {
    let head = ["memories", "to the greeting (ms CPU)", "to the first recall (ms CPU)"];
    table(
        "Start of `quipu mcp`",
        "CPU of a new process; medians of 5, from the snapshot.",
        &head,
        rows,
    );
}

/// What idle processes on one store take: after the greeting, and after a recall each.
pub fn print(house: &House) {
    let mut all: Vec<Process> = (0..IDLE).map(|_| Process::start(house)).collect();
    let greeted = largest(&all);
    all.iter_mut().for_each(Process::recall);
    let recalled = largest(&all);
    all.into_iter().for_each(Process::end);
    let rows = [vec![IDLE.to_string(), format!("{greeted:.1}"), format!("{recalled:.1}")]];
    let head =
        ["processes", "unshared memory of the largest, greeted (MiB)", "after a recall each (MiB)"];
    table("Idle `quipu mcp` processes", "On one store of 1,000 memories.", &head, &rows);
}

fn largest(all: &[Process]) -> f64 {
    all.iter().map(|process| unshared_mib_of(process.child.id())).fold(0.0, f64::max)
}
