//! HTTP/1.1 by hand, so that a test can send what no client library would.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on should fail")]

use serde_json::Value;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

/// What to send. `Host` and `Content-Length` are filled in unless they are given.
#[derive(Debug, Clone)]
pub struct Ask {
    line: String,
    headers: Vec<(String, String)>,
    body: Vec<u8>,
}

/// What came back.
#[derive(Debug)]
pub struct Answer {
    /// The number on its first line.
    pub status: u16,
    /// Its headers, their names in small letters.
    pub headers: Vec<(String, String)>,
    /// What follows them.
    pub body: String,
}

impl Ask {
    /// A request without a body.
    #[must_use]
    pub fn new(method: &str, path: &str) -> Self {
        Self { line: format!("{method} {path} HTTP/1.1"), headers: Vec::new(), body: Vec::new() }
    }

    /// A POST of one message of the protocol.
    #[must_use]
    pub fn message(message: &Value) -> Self {
        Self::post("/mcp", message.to_string())
    }

    /// A request whose body is JSON.
    #[must_use]
    pub fn json(method: &str, path: &str, body: &Value) -> Self {
        let ask = Self { body: body.to_string().into_bytes(), ..Self::new(method, path) };
        ask.header("Content-Type", "application/json")
    }

    /// A POST as clients of the protocol send it.
    #[must_use]
    pub fn post(path: &str, body: impl AsRef<[u8]>) -> Self {
        Self { body: body.as_ref().to_vec(), ..Self::new("POST", path) }
            .header("Content-Type", "application/json")
            .header("Accept", "application/json, text/event-stream")
    }

    /// A POST of a form.
    #[must_use]
    pub fn form(path: &str, body: impl AsRef<[u8]>) -> Self {
        let ask = Self { body: body.as_ref().to_vec(), ..Self::new("POST", path) };
        ask.header("Content-Type", "application/x-www-form-urlencoded")
    }

    /// The same with one header more.
    #[must_use]
    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Sends it and reads the whole answer.
    #[must_use]
    pub fn send(self, to: SocketAddr) -> Answer {
        let mut stream = self.start(to);
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).unwrap();
        Answer::read(&String::from_utf8(answer).unwrap())
    }

    /// Sends it and leaves the answer to the caller.
    #[must_use]
    pub fn start(self, to: SocketAddr) -> TcpStream {
        let mut stream = TcpStream::connect(to).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        stream.write_all(self.head(to).as_bytes()).unwrap();
        stream.write_all(&self.body).unwrap();
        stream
    }

    fn head(&self, to: SocketAddr) -> String {
        let given =
            |name: &str| self.headers.iter().any(|(header, _)| header.eq_ignore_ascii_case(name));
        let mut head = format!("{}\r\nConnection: close\r\n", self.line);
        if !given("Host") {
            head += &format!("Host: {to}\r\n");
        }
        if !given("Content-Length") {
            head += &format!("Content-Length: {}\r\n", self.body.len());
        }
        for (name, value) in &self.headers {
            head += &format!("{name}: {value}\r\n");
        }
        head + "\r\n"
    }
}

impl Answer {
    fn read(text: &str) -> Self {
        let (head, body) =
            text.split_once("\r\n\r\n").unwrap_or_else(|| panic!("no answer but {text:?}"));
        let mut lines = head.lines();
        let status = lines.next().unwrap().split(' ').nth(1).unwrap().parse().unwrap();
        let header = |line: &str| {
            let (name, value) = line.split_once(": ").unwrap();
            (name.to_ascii_lowercase(), value.to_owned())
        };
        Self { status, headers: lines.map(header).collect(), body: body.to_owned() }
    }

    /// A header by its name in small letters.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(header, _)| header == name).map(|(_, value)| value.as_str())
    }

    /// The body as JSON.
    #[must_use]
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }
}
