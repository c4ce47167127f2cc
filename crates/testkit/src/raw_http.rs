//! Hand-written HTTP/1.1, so that a test can send requests that no client library would.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a failing fixture fails the test")]

use serde_json::Value;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

/// A request. `Host` and `Content-Length` are added unless they are set.
#[derive(Debug, Clone)]
pub struct RawRequest {
    line: String,
    headers: Vec<(String, String)>,
    body: Vec<u8>,
}

/// A response.
#[derive(Debug)]
pub struct RawResponse {
    pub status: u16,
    /// Headers with lower-case names.
    pub headers: Vec<(String, String)>,
    pub body: String,
}

impl RawRequest {
    /// Creates a request without a body.
    #[must_use]
    pub fn new(method: &str, path: &str) -> Self {
        Self { line: format!("{method} {path} HTTP/1.1"), headers: Vec::new(), body: Vec::new() }
    }

    /// Creates a POST of one MCP message.
    #[must_use]
    pub fn message(message: &Value) -> Self {
        Self::post("/mcp", message.to_string())
    }

    /// Creates a request with a JSON body.
    #[must_use]
    pub fn json(method: &str, path: &str, body: &Value) -> Self {
        let request = Self { body: body.to_string().into_bytes(), ..Self::new(method, path) };
        request.header("Content-Type", "application/json")
    }

    /// Creates a POST with the headers that MCP clients send.
    #[must_use]
    pub fn post(path: &str, body: impl AsRef<[u8]>) -> Self {
        Self { body: body.as_ref().to_vec(), ..Self::new("POST", path) }
            .header("Content-Type", "application/json")
            .header("Accept", "application/json, text/event-stream")
    }

    /// Creates a POST of a form.
    #[must_use]
    pub fn form(path: &str, body: impl AsRef<[u8]>) -> Self {
        let request = Self { body: body.as_ref().to_vec(), ..Self::new("POST", path) };
        request.header("Content-Type", "application/x-www-form-urlencoded")
    }

    /// Adds a header.
    #[must_use]
    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Sends the request and reads the whole response.
    #[must_use]
    pub fn send(self, to: SocketAddr) -> RawResponse {
        let mut stream = self.send_only(to);
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).unwrap();
        RawResponse::parse(&String::from_utf8(answer).unwrap())
    }

    /// Sends the request and returns the stream to read the response from.
    #[must_use]
    pub fn send_only(self, to: SocketAddr) -> TcpStream {
        let mut stream = TcpStream::connect(to).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        stream.write_all(self.head(to).as_bytes()).unwrap();
        stream.write_all(&self.body).unwrap();
        stream
    }

    fn head(&self, to: SocketAddr) -> String {
        let is_set =
            |name: &str| self.headers.iter().any(|(header, _)| header.eq_ignore_ascii_case(name));
        let mut head = format!("{}\r\nConnection: close\r\n", self.line);
        if !is_set("Host") {
            head += &format!("Host: {to}\r\n");
        }
        if !is_set("Content-Length") {
            head += &format!("Content-Length: {}\r\n", self.body.len());
        }
        for (name, value) in &self.headers {
            head += &format!("{name}: {value}\r\n");
        }
        head + "\r\n"
    }
}

impl RawResponse {
    fn parse(text: &str) -> Self {
        let (head, body) =
            text.split_once("\r\n\r\n").unwrap_or_else(|| panic!("not a response: {text:?}"));
        let mut lines = head.lines();
        let status = lines.next().unwrap().split(' ').nth(1).unwrap().parse().unwrap();
        let header = |line: &str| {
            let (name, value) = line.split_once(": ").unwrap();
            (name.to_ascii_lowercase(), value.to_owned())
        };
        Self { status, headers: lines.map(header).collect(), body: body.to_owned() }
    }

    /// Returns a header by its lower-case name.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(header, _)| header == name).map(|(_, value)| value.as_str())
    }

    /// Parses the body as JSON.
    #[must_use]
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }
}
