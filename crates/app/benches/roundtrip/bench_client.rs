//! Two minimal blocking clients: JSON lines over a pair of pipes, and HTTP/1.1 over a keep-alive
//! connection. They do as little as possible, so that the measurement is of the server.

use crate::fixture::RoundtripFixture;
use crate::server_runtime::ServerRuntime;
use dialects::DialectApi;
use engine::ClientEnvironment;
use model::OwnerId;
use serde_json::{Value, json};
use server::{Endpoints, HttpConfig, LocalClient, OwnerToken};
use std::io::{BufRead, BufReader, PipeReader, PipeWriter, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;
use tokio::net::unix::pipe::{Receiver, Sender};
use tokio_util::sync::CancellationToken;

const TOKEN: &str = "qp_benchmark_token_that_opens_nothing_else_0000";
const VERSION: &str = "2025-06-18";

pub enum BenchClient {
    Pipe { reader: BufReader<PipeReader>, writer: PipeWriter, next: u64 },
    Http { stream: BufReader<TcpStream>, host: String, secret: String, next: u64 },
}

/// An HTTP server on the loopback interface.
pub struct BenchServer {
    address: SocketAddr,
}

impl BenchServer {
    pub fn start(
        fixture: &RoundtripFixture,
        runtime: &ServerRuntime,
        dialect: Arc<dyn DialectApi>,
    ) -> Self {
        let endpoints = Endpoints::new()
            .dialect("/mcp", Arc::clone(&fixture.engine), dialect)
            .expect("a known dialect");
        let address = "127.0.0.1:0".parse().expect("an address");
        let (owner, token) = (OwnerId::me(), OwnerToken::new(TOKEN).expect("a token"));
        let config =
            HttpConfig { owner, token, credentials: fixture.credentials(), public_url: None };
        let bound = runtime.run(server::bind(address)).expect("a free port");
        let listening = runtime.run(bound.into_server(config, endpoints)).expect("a path");
        let address = listening.address();
        runtime.start(listening.serve(std::future::pending()));
        Self { address }
    }

    /// Opens a keep-alive connection with a secret.
    pub fn connect(&self, secret: &str) -> BenchClient {
        let stream = TcpStream::connect(self.address).expect("a connection");
        stream.set_nodelay(true).expect("no delay");
        let (host, secret) = (self.address.to_string(), secret.to_owned());
        BenchClient::Http { stream: BufReader::new(stream), host, secret, next: 0 }
    }

    /// Opens a keep-alive connection with the token of the first owner.
    pub fn connect_as_owner(&self) -> BenchClient {
        self.connect(TOKEN)
    }
}

impl BenchClient {
    /// Opens an initialized connection over a pair of pipes.
    pub fn pipe(
        fixture: &RoundtripFixture,
        runtime: &ServerRuntime,
        dialect: Arc<dyn DialectApi>,
    ) -> Self {
        let ((requests, writer), (reader, answers)) = (new_pipe(), new_pipe());
        let local =
            LocalClient { owner: OwnerId::me(), surroundings: ClientEnvironment::default() };
        let engine = Arc::clone(&fixture.engine);
        runtime.start(async move {
            let ends =
                (Receiver::from_owned_fd(requests.into()), Sender::from_owned_fd(answers.into()));
            let ends = (ends.0.expect("a pipe"), ends.1.expect("a pipe"));
            server::serve_pipe(engine, dialect, local, ends, CancellationToken::new()).await
        });
        let mut wire = Self::Pipe { reader: BufReader::new(reader), writer, next: 0 };
        let client = json!({"name": "bench", "version": "1"});
        wire.request(
            "initialize",
            json!({"protocolVersion": VERSION, "capabilities": {}, "clientInfo": client}),
        );
        wire.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        wire
    }

    /// Calls a tool, whatever it answers: under load a call may be rejected.
    pub fn try_call(&mut self, tool: &str, arguments: Value) -> Value {
        self.request("tools/call", json!({"name": tool, "arguments": arguments}))
    }

    /// Calls a tool; the answer must not be an error.
    pub fn call(&mut self, tool: &str, arguments: Value) -> Value {
        let answer = self.try_call(tool, arguments);
        assert_ne!(answer["result"]["isError"], true, "{answer}");
        assert!(answer["result"].is_object(), "{answer}");
        answer
    }

    fn request(&mut self, method: &str, params: Value) -> Value {
        let id = self.next();
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        self.receive()
    }

    fn next(&mut self) -> u64 {
        let (Self::Pipe { next, .. } | Self::Http { next, .. }) = self;
        *next += 1;
        *next
    }

    fn send(&mut self, message: &Value) {
        let body = message.to_string();
        match self {
            Self::Pipe { writer, .. } => {
                writer.write_all(format!("{body}\n").as_bytes()).expect("the pipe takes it");
            }
            Self::Http { stream, host, secret, .. } => {
                let request = format!(
                    "POST /mcp HTTP/1.1\r\nHost: {host}\r\nAuthorization: Bearer {secret}\r\n\
                     Content-Type: application/json\r\n\
                     Accept: application/json, text/event-stream\r\n\
                     MCP-Protocol-Version: {VERSION}\r\nContent-Length: {}\r\n\r\n{body}",
                    body.len()
                );
                stream.get_mut().write_all(request.as_bytes()).expect("the connection takes it");
            }
        }
    }

    fn receive(&mut self) -> Value {
        let body = match self {
            Self::Pipe { reader, .. } => {
                let mut line = String::new();
                reader.read_line(&mut line).expect("a line comes back");
                line.into_bytes()
            }
            Self::Http { stream, .. } => read_response(stream),
        };
        serde_json::from_slice(&body).expect("an answer is JSON")
    }
}

fn new_pipe() -> (PipeReader, PipeWriter) {
    std::io::pipe().expect("a pipe")
}

fn read_response(stream: &mut BufReader<TcpStream>) -> Vec<u8> {
    let mut length = 0;
    loop {
        let mut line = String::new();
        stream.read_line(&mut line).expect("a header comes back");
        let line = line.trim().to_ascii_lowercase();
        if line.is_empty() {
            break;
        }
        if let Some(value) = line.strip_prefix("content-length:") {
            length = value.trim().parse().expect("a length");
        }
    }
    let mut body = vec![0; length];
    stream.read_exact(&mut body).expect("the body comes back");
    body
}
