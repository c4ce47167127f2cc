//! A home that vanishes, and the binary run in it with an environment of nothing but what the test
//! says.

use serde_json::Value;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use tempfile::TempDir;

/// A home, and a directory to stand in, of one test.
pub struct Place {
    root: TempDir,
}

/// How a run of the binary ended.
#[derive(Debug)]
pub struct Run {
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

impl Place {
    pub fn new() -> Self {
        let root = tempfile::tempdir().unwrap();
        std::fs::create_dir(root.path().join("work")).unwrap();
        Self { root }
    }

    /// The data directory; it is not there before the first command.
    pub fn home(&self) -> PathBuf {
        self.root.path().join("home")
    }

    /// The directory that commands are run in.
    pub fn work(&self) -> PathBuf {
        self.root.path().join("work")
    }

    pub fn root(&self) -> &Path {
        self.root.path()
    }

    /// The binary, ready to be run.
    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_quipu"));
        command.args(arguments).env_clear().current_dir(self.work());
        command.env("HOME", self.root.path()).env("QUIPU_HOME", self.home()).env("COLUMNS", "80");
        command.env("TMPDIR", self.root.path()).stdin(Stdio::null());
        command
    }

    pub fn quipu(&self, arguments: &[&str]) -> Run {
        finished(&mut self.command(arguments), "")
    }

    /// The same with something on standard input.
    pub fn quipu_reading(&self, arguments: &[&str], input: &str) -> Run {
        finished(self.command(arguments).stdin(Stdio::piped()), input)
    }

    /// The JSON that a command answers; it must end well.
    pub fn json(&self, arguments: &[&str]) -> Value {
        let run = self.quipu(&[arguments, &["--json"]].concat());
        assert_eq!(run.code, Some(0), "{arguments:?}: {}", run.stderr);
        serde_json::from_str(&run.stdout)
            .unwrap_or_else(|error| panic!("{arguments:?}: {error}: {}", run.stdout))
    }
}

impl Run {
    /// What was said, after making sure that it ended well.
    pub fn done(self) -> String {
        assert_eq!(self.code, Some(0), "{}{}", self.stdout, self.stderr);
        self.stdout
    }
}

/// Runs a command to its end.
pub fn finished(command: &mut Command, input: &str) -> Run {
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    if let Some(mut stdin) = child.stdin.take() {
        // A command that does not read its input is no fault of the test.
        let _ = stdin.write_all(input.as_bytes());
    }
    let output = child.wait_with_output().unwrap();
    Run {
        code: output.status.code(),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}
