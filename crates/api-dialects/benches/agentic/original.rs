//! The original program as a child process that answers calls over stdio.

use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Duration;
use tempfile::TempDir;
use testkit::bench::cpu_time_of;

/// Variable that names the program.
const PROGRAM_VARIABLE: &str = "AGENTIC_MEMORY_MCP";
/// Name of the program on the path.
const PROGRAM: &str = "agentic-memory-mcp";

/// Running server of the original program.
pub struct OriginalProgram {
    process: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    next_id: u64,
    /// Directory of its file, deleted with it.
    home: Option<TempDir>,
}

impl OriginalProgram {
    /// Starts the program with a file; `None` if it is not installed.
    pub fn start(file: &[u8]) -> Option<Self> {
        let program = find_program()?;
        let home = tempfile::tempdir().unwrap();
        let memory = home.path().join("brain.amem");
        std::fs::write(&memory, file).unwrap();
        // It answers from its own index only after it has saved the file and read it again.
        let mut first = Self::run(&program, &memory, home);
        let node = json!({"event_type": "fact", "content": "The index is written with this."});
        first.measure("memory_add", &node);
        first.request("shutdown", json!({}));
        let home = first.stop();
        Some(Self::run(&program, &memory, home))
    }

    fn run(program: &Path, memory: &Path, home: TempDir) -> Self {
        let mut process = Command::new(program)
            .args(["serve", "--memory"])
            .arg(memory)
            // It keeps ledgers and caches in the home directory, and rolls up large files.
            .env("HOME", home.path())
            .env("AMEM_STORAGE_BUDGET_MODE", "off")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let (input, output) = (process.stdin.take().unwrap(), process.stdout.take().unwrap());
        let output = BufReader::new(output);
        let mut started = Self { process, input, output, next_id: 0, home: Some(home) };
        let client = json!({"name": "bench", "version": "1"});
        started.request(
            "initialize",
            json!({"protocolVersion": "2024-11-05", "capabilities": {}, "clientInfo": client}),
        );
        started
    }

    /// Waits for a program that was told to shut down, and returns its directory.
    fn stop(mut self) -> TempDir {
        self.process.wait().unwrap();
        self.home.take().unwrap()
    }

    /// Returns the CPU time of each call of a tool.
    pub fn measure(&mut self, tool: &str, arguments: &Value) -> Duration {
        let before = cpu_time_of(self.process.id());
        let answer = self.request("tools/call", json!({"name": tool, "arguments": arguments}));
        assert!(answer["result"]["isError"] != json!(true), "{tool}: {answer}");
        cpu_time_of(self.process.id()).saturating_sub(before)
    }

    fn request(&mut self, method: &str, params: Value) -> Value {
        self.next_id += 1;
        let call =
            json!({"jsonrpc": "2.0", "id": self.next_id, "method": method, "params": params});
        writeln!(self.input, "{call}").unwrap();
        let mut line = String::new();
        self.output.read_line(&mut line).unwrap();
        serde_json::from_str(&line).unwrap()
    }
}

impl Drop for OriginalProgram {
    fn drop(&mut self) {
        _ = self.process.kill();
        _ = self.process.wait();
    }
}

fn find_program() -> Option<PathBuf> {
    if let Some(named) = std::env::var_os(PROGRAM_VARIABLE) {
        return Some(named.into());
    }
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|folder| folder.join(PROGRAM)).find(|file| file.is_file())
}
