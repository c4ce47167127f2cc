//! A running `quipu serve` on a free port.

use crate::test_env::TestEnv;
use serde_json::Value;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::thread::JoinHandle;

/// Arguments that start a server on a free port.
const SERVE: &[&str] = &["serve", "--listen", "127.0.0.1:0", "--json"];

/// A running `quipu serve`, killed when dropped.
pub struct ServerProcess {
    child: Child,
    startup: Value,
    log: Option<JoinHandle<std::io::Result<String>>>,
}

impl ServerProcess {
    pub fn start(env: &TestEnv) -> Self {
        Self::start_with(env, &[])
    }

    /// Starts a server with additional arguments.
    pub fn start_with(env: &TestEnv, words: &[&str]) -> Self {
        Self::spawn(&mut env.command(&[SERVE, words].concat()))
    }

    /// Starts a server with additional environment variables.
    pub fn start_with_variables(env: &TestEnv, variables: &[(&str, &str)]) -> Self {
        Self::spawn(env.command(SERVE).envs(variables.iter().copied()))
    }

    fn spawn(command: &mut Command) -> Self {
        let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        Self { child, startup: read_startup(&line), log: None }
    }

    /// Starts a server that logs at the level `trace`.
    pub fn start_logging(env: &TestEnv) -> Self {
        Self::spawn_logging(env.command(SERVE).env("QUIPU_LOG", "trace"))
    }

    /// Starts a server and collects its log.
    pub fn spawn_logging(command: &mut Command) -> Self {
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        // Read while it runs: the server would block on a full pipe.
        let mut log = child.stderr.take().unwrap();
        let log = std::thread::spawn(move || {
            let mut text = String::new();
            log.read_to_string(&mut text).map(|_| text)
        });
        Self { child, startup: read_startup(&line), log: Some(log) }
    }

    /// Terminates the server and returns its log.
    pub fn terminate_with_log(mut self) -> String {
        Command::new("kill").args(["-TERM", &self.child.id().to_string()]).status().unwrap();
        self.child.wait().unwrap();
        self.log.take().unwrap().join().unwrap().unwrap()
    }

    /// Sends a request with the token and one more header, which may replace `Host`, and returns
    /// the raw response.
    pub fn raw_request(&self, method: &str, path: &str, header: &str, token: &str) -> String {
        let mut stream = TcpStream::connect(self.address()).unwrap();
        let host = if header.starts_with("Host:") {
            String::new()
        } else {
            format!("Host: {}\r\n", self.address())
        };
        write!(
            stream,
            "{method} {path} HTTP/1.1\r\n{host}{header}\r\nAuthorization: Bearer {token}\r\n\
             Content-Length: 0\r\nConnection: close\r\n\r\n"
        )
        .unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    }

    /// Returns a field of the JSON that the server printed at startup.
    pub fn startup_field(&self, name: &str) -> &str {
        self.startup[name].as_str().unwrap()
    }

    /// Returns a new link to the dashboard.
    pub fn login_link(&self) -> String {
        let (status, body) =
            self.send("POST /v1/login-links", Some(self.startup_field("token")), "{}");
        assert_eq!(status, 200, "{body}");
        let link: Value = serde_json::from_str(&body).unwrap();
        format!("http://{}{}", self.address(), link["path"].as_str().unwrap())
    }

    pub fn address(&self) -> &str {
        self.startup_field("listening")
    }

    /// Sends a request and returns the status and body of the response.
    pub fn send(&self, head: &str, token: Option<&str>, body: &str) -> (u16, String) {
        self.send_with_header(head, "", token, body)
    }

    /// Sends a request with one more header, which ends with a line break.
    pub fn send_with_header(
        &self,
        head: &str,
        header: &str,
        token: Option<&str>,
        body: &str,
    ) -> (u16, String) {
        let mut stream = TcpStream::connect(self.address()).unwrap();
        let credential =
            token.map(|token| format!("Authorization: Bearer {token}\r\n")).unwrap_or_default();
        write!(
            stream,
            "{head} HTTP/1.1\r\nHost: {}\r\n{credential}{header}\
             Accept: application/json, text/event-stream\r\nContent-Type: application/json\r\n\
             Content-Length: {}\r\nConnection: close\r\n\r\n{body}",
            self.address(),
            body.len()
        )
        .unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let status = answer.split_whitespace().nth(1).unwrap().parse().unwrap();
        (status, answer.split_once("\r\n\r\n").unwrap().1.to_owned())
    }

    /// Sends a request; `None` when the server is gone before it has answered.
    pub fn try_send(&self, head: &str, token: Option<&str>, body: &str) -> Option<(u16, String)> {
        let mut stream = TcpStream::connect(self.address()).ok()?;
        let credential =
            token.map(|token| format!("Authorization: Bearer {token}\r\n")).unwrap_or_default();
        write!(
            stream,
            "{head} HTTP/1.1\r\nHost: {}\r\n{credential}\
             Accept: application/json, text/event-stream\r\nContent-Type: application/json\r\n\
             Content-Length: {}\r\nConnection: close\r\n\r\n{body}",
            self.address(),
            body.len()
        )
        .ok()?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer).ok()?;
        let status = answer.split_whitespace().nth(1)?.parse().ok()?;
        Some((status, answer.split_once("\r\n\r\n")?.1.to_owned()))
    }

    /// Kills the server with SIGKILL, as the system does when memory runs out.
    pub fn kill_now(&self) {
        Command::new("kill").args(["-KILL", &self.child.id().to_string()]).status().unwrap();
    }

    /// Terminates the server and returns its exit code.
    pub fn terminate(mut self) -> Option<i32> {
        Command::new("kill").args(["-TERM", &self.child.id().to_string()]).status().unwrap();
        self.child.wait().unwrap().code()
    }
}

/// Reads the line that the server prints, and the token in the file that it names.
fn read_startup(line: &str) -> Value {
    let mut startup: Value = serde_json::from_str(line).unwrap();
    assert_eq!(startup["token"], Value::Null, "a pipe is told no secret");
    let token = std::fs::read_to_string(startup["token_file"].as_str().unwrap()).unwrap();
    startup["token"] = token.trim().into();
    startup
}

impl Drop for ServerProcess {
    fn drop(&mut self) {
        // A failed test must leave no process behind; killing one that has ended is an error to
        // ignore.
        let _ = self.child.kill();
    }
}
