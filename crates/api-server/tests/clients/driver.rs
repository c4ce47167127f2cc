//! Runs the scripts in this folder: the official MCP clients run a plan and report. Plans are
//! described in plan.md.

use serde_json::Value;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Time after which a script counts as stuck.
const TIMEOUT: Duration = Duration::from_secs(120);

/// An official client.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OfficialClient {
    TypeScript1,
    TypeScript2,
    Python1,
    Python2,
}

impl OfficialClient {
    /// Runs a plan and returns the report.
    pub fn play(self, plan: &Value) -> Value {
        let mut command = self.command();
        command.current_dir(scripts()).stdin(Stdio::piped());
        let output = run_to_end(command, plan.to_string().as_bytes());
        serde_json::from_str(&output.stdout).unwrap_or_else(|error| {
            panic!("{self:?} reported nothing ({error}):\n{}\n{}", output.stdout, output.stderr)
        })
    }

    fn command(self) -> Command {
        match self {
            Self::TypeScript1 => node(&["ts1.mjs"]),
            Self::TypeScript2 => node(&["ts2.mjs"]),
            Self::Python1 => python("py1", "py1.py"),
            Self::Python2 => python("py2", "py2.py"),
        }
    }
}

/// Command that runs the installed Node with these arguments.
pub fn node(args: &[&str]) -> Command {
    let packages = tool("node/node_modules");
    let machine = if cfg!(target_arch = "aarch64") { "arm64" } else { "x64" };
    let mut command =
        Command::new(tool(&format!("node/node_modules/node-linux-{machine}/bin/node")));
    command.args(args).env("CLIENT_PACKAGES", packages);
    command
}

fn python(folder: &str, script: &str) -> Command {
    let mut command = Command::new(tool(&format!("{folder}/bin/python")));
    command.arg(script).env("PYTHONDONTWRITEBYTECODE", "1");
    command
}

/// Path of something in `.tools`. A client that is not installed is a failed test, never a skipped
/// one.
pub fn tool(path: &str) -> PathBuf {
    let path = root().join(".tools").join(path);
    assert!(path.exists(), "{} is not installed: run `cargo xtask check` once", path.display());
    path
}

/// Path of this folder.
pub fn scripts() -> PathBuf {
    root().join("crates/api-server/tests/clients")
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .ancestors()
        .nth(2)
        .expect("every crate is two folders below the root")
}

/// Output of a process.
pub struct ProcessOutput {
    pub stdout: String,
    pub stderr: String,
}

/// Runs a command to its end, successful or not; kills it when it is stuck.
pub fn run_to_end(mut command: Command, stdin: &[u8]) -> ProcessOutput {
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let (stdout, stderr) = (read(child.stdout.take()), read(child.stderr.take()));
    child.stdin.take().expect("it is piped").write_all(stdin).expect("the script reads its plan");
    wait_for_exit(&mut child, &command);
    ProcessOutput {
        stdout: stdout.join().expect("reading"),
        stderr: stderr.join().expect("reading"),
    }
}

fn read(stream: Option<impl Read + Send + 'static>) -> JoinHandle<String> {
    let mut stream = stream.expect("it is piped");
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        _ = stream.read_to_end(&mut bytes);
        String::from_utf8_lossy(&bytes).into_owned()
    })
}

fn wait_for_exit(child: &mut Child, command: &Command) {
    let started = Instant::now();
    while child.try_wait().expect("it is our child").is_none() {
        if started.elapsed() > TIMEOUT {
            _ = child.kill();
            panic!("{command:?} is stuck");
        }
        std::thread::sleep(Duration::from_millis(10));
    }
}
