//! Connections and requests of strangers: however many there are and however slowly they send, the
//! owner and agents are answered.

use crate::raw_http::RawRequest;
use crate::server_fixture::ServerFixture;
use axum::routing::post;
use serde_json::json;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

/// More connections than one address may have, and more requests than there are places.
const MANY: usize = 300;

/// A server with a path that needs no credential.
fn server_with_open_path() -> ServerFixture {
    let echo = post(|body: String| async move { body });
    ServerFixture::start_with(|endpoints| endpoints.open_route("/open", echo))
}

fn connect(server: &ServerFixture, begin: &str) -> TcpStream {
    let mut stream = TcpStream::connect(server.address).unwrap();
    stream.write_all(begin.as_bytes()).unwrap();
    stream
}

/// Returns true when the server closed a connection.
fn is_closed(mut stream: &TcpStream) -> bool {
    stream.set_read_timeout(Some(Duration::from_secs(2))).unwrap();
    match stream.read(&mut [0; 1]) {
        Ok(bytes) => bytes == 0,
        Err(error) => error.kind() == std::io::ErrorKind::ConnectionReset,
    }
}

fn answers_the_owner(server: &ServerFixture) -> bool {
    server.call("echo", json!({ "text": "hello" }))["result"]["isError"] == false
}

#[test]
fn half_sent_requests_of_strangers_take_no_place() {
    let server = server_with_open_path();
    let half =
        format!("POST /open HTTP/1.1\r\nHost: {}\r\nContent-Length: 9\r\n\r\n{{", server.address);
    let strangers: Vec<_> = (0..MANY).map(|_| connect(&server, &half)).collect();
    // The last of them is served, so all of them have been read.
    let (mut last, mut answer) = (strangers.last().unwrap(), [0; 12]);
    last.write_all(b"\"open\":1}").unwrap();
    last.read_exact(&mut answer).unwrap();
    assert_eq!(&answer, b"HTTP/1.1 200");
    assert!(answers_the_owner(&server));
    assert_eq!(RawRequest::post("/open", "whole").send(server.address).body, "whole");
}

#[test]
fn silent_connections_make_room_for_new_ones() {
    let server = server_with_open_path();
    let silent: Vec<_> = (0..MANY).map(|_| connect(&server, "")).collect();
    assert!(answers_the_owner(&server));
    assert!(is_closed(&silent[0]));
    assert!(!is_closed(silent.last().unwrap()));
}

#[test]
fn a_stranger_sends_less_than_an_agent() {
    let server = server_with_open_path();
    let long = "x".repeat(100 << 10);
    assert_eq!(RawRequest::post("/open", &long).send(server.address).status, 413);
    assert_ne!(server.ask(RawRequest::post("/mcp", &long)).status, 413);
}
