//! A temporary home directory, and the binary run in it with an otherwise empty environment.

use serde_json::Value;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use tempfile::TempDir;

/// Home directory and working directory of one test; both are removed with it.
pub struct TestEnv {
    root: TempDir,
}

/// Exit code and output of a run of the binary.
#[derive(Debug)]
pub struct QuipuOutput {
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

impl TestEnv {
    pub fn new() -> Self {
        let root = tempfile::tempdir().unwrap();
        std::fs::create_dir(root.path().join("work")).unwrap();
        Self { root }
    }

    /// Returns the home directory; the first command creates it.
    pub fn home(&self) -> PathBuf {
        self.root.path().join("home")
    }

    /// Returns the working directory of the commands.
    pub fn work(&self) -> PathBuf {
        self.root.path().join("work")
    }

    pub fn root(&self) -> &Path {
        self.root.path()
    }

    /// Returns a command that runs the binary.
    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_quipu"));
        command.args(arguments).env_clear().current_dir(self.work());
        command.env("HOME", self.root.path()).env("QUIPU_HOME", self.home()).env("COLUMNS", "80");
        command.env("TMPDIR", self.root.path()).stdin(Stdio::null());
        command
    }

    pub fn quipu(&self, arguments: &[&str]) -> QuipuOutput {
        run_to_end(&mut self.command(arguments), "")
    }

    /// Runs the binary with the given standard input.
    pub fn quipu_with_input(&self, arguments: &[&str], input: &str) -> QuipuOutput {
        run_to_end(self.command(arguments).stdin(Stdio::piped()), input)
    }

    /// Runs a command that must succeed, and returns its JSON output.
    pub fn json(&self, arguments: &[&str]) -> Value {
        let run = self.quipu(&[arguments, &["--json"]].concat());
        assert_eq!(run.code, Some(0), "{arguments:?}: {}", run.stderr);
        serde_json::from_str(&run.stdout)
            .unwrap_or_else(|error| panic!("{arguments:?}: {error}: {}", run.stdout))
    }
}

impl QuipuOutput {
    /// Returns standard output, after checking that the run succeeded.
    pub fn success(self) -> String {
        assert_eq!(self.code, Some(0), "{}{}", self.stdout, self.stderr);
        self.stdout
    }
}

/// Runs a command to its end.
pub fn run_to_end(command: &mut Command, input: &str) -> QuipuOutput {
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    if let Some(mut stdin) = child.stdin.take() {
        // The command may exit without reading its input.
        let _ = stdin.write_all(input.as_bytes());
    }
    let output = child.wait_with_output().unwrap();
    QuipuOutput {
        code: output.status.code(),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}
