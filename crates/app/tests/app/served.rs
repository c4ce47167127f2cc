//! The binary as a server, at a port that it chose itself.

use crate::place::Place;
use serde_json::Value;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::thread::JoinHandle;

/// A running `quipu serve`; it ends with the test.
pub struct Served {
    child: Child,
    told: Value,
    log: Option<JoinHandle<std::io::Result<String>>>,
}

impl Served {
    pub fn start(place: &Place) -> Self {
        Self::start_with(place, &[])
    }

    /// Starts one with more words on its command line.
    pub fn start_with(place: &Place, words: &[&str]) -> Self {
        let mut command =
            place.command(&[&["serve", "--listen", "127.0.0.1:0", "--json"], words].concat());
        let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        Self { child, told: serde_json::from_str(&line).unwrap(), log: None }
    }

    /// Starts one that writes everything it has to say to its log.
    pub fn start_logging(place: &Place) -> Self {
        let mut command = place.command(&["serve", "--listen", "127.0.0.1:0", "--json"]);
        let mut child = command
            .env("QUIPU_LOG", "trace")
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        // Read while it runs: a log that nobody reads stops whoever writes it.
        let mut log = child.stderr.take().unwrap();
        let log = std::thread::spawn(move || {
            let mut text = String::new();
            log.read_to_string(&mut text).map(|_| text)
        });
        Self { child, told: serde_json::from_str(&line).unwrap(), log: Some(log) }
    }

    /// Asks it to end, and gives what it wrote to its log.
    pub fn end_with_log(mut self) -> String {
        Command::new("kill").args(["-TERM", &self.child.id().to_string()]).status().unwrap();
        self.child.wait().unwrap();
        self.log.take().unwrap().join().unwrap().unwrap()
    }

    /// The whole answer to a request with the token and one more header, or another in place of its
    /// own.
    pub fn raw(&self, method: &str, path: &str, header: &str, token: &str) -> String {
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

    /// Something that it printed at its start.
    pub fn text(&self, name: &str) -> &str {
        self.told[name].as_str().unwrap()
    }

    pub fn address(&self) -> &str {
        self.text("listening")
    }

    /// The status and body of a request, sent by hand.
    pub fn send(&self, head: &str, token: Option<&str>, body: &str) -> (u16, String) {
        let mut stream = TcpStream::connect(self.address()).unwrap();
        let credential =
            token.map(|token| format!("Authorization: Bearer {token}\r\n")).unwrap_or_default();
        write!(
            stream,
            "{head} HTTP/1.1\r\nHost: {}\r\n{credential}Accept: application/json, text/event-stream\r\n\
             Content-Type: application/json\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
            self.address(),
            body.len()
        )
        .unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let status = answer.split_whitespace().nth(1).unwrap().parse().unwrap();
        (status, answer.split_once("\r\n\r\n").unwrap().1.to_owned())
    }

    /// Asks it to end, and waits.
    pub fn end(mut self) -> Option<i32> {
        Command::new("kill").args(["-TERM", &self.child.id().to_string()]).status().unwrap();
        self.child.wait().unwrap().code()
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        // A test that failed half-way leaves no process behind; one that ended is not there any
        // more.
        let _ = self.child.kill();
    }
}
