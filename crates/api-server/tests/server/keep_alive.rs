//! Keep-alive connections: a client that was refused sends its next request on the same connection,
//! so it is either still open, or the refusal has announced that it closes.

use crate::server_fixture::ServerFixture;
use std::fmt::Display;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::thread::sleep;
use std::time::Duration;

/// Delay between the head of a request and its body.
const APART: Duration = Duration::from_millis(150);

struct KeepAliveConnection(BufReader<TcpStream>);

impl KeepAliveConnection {
    fn connect(server: &ServerFixture) -> Self {
        let stream = TcpStream::connect(server.address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        stream.set_nodelay(true).unwrap();
        Self(BufReader::new(stream))
    }

    fn write(&mut self, text: &str) {
        self.0.get_mut().write_all(text.as_bytes()).unwrap();
    }

    /// Sends a head and, once it was surely read, its body of two bytes. Returns the head of the
    /// response.
    fn send_in_two_parts(&mut self, head: &str) -> String {
        self.write(head);
        sleep(APART);
        self.write("{}");
        self.read_response()
    }

    /// Checks that the connection serves one more request.
    #[track_caller]
    fn check_still_open(&mut self, server: &ServerFixture) {
        self.write(&format!("GET /healthz HTTP/1.1\r\nHost: {}\r\n\r\n", server.address));
        assert!(self.read_response().starts_with("http/1.1 200"));
    }

    /// Reads the next response and returns its head.
    fn read_response(&mut self) -> String {
        let (mut head, mut length) = (String::new(), 0);
        while self.0.read_line(&mut head).unwrap() > 2 {
            let line = head.lines().last().unwrap().to_ascii_lowercase();
            if let Some(bytes) = line.strip_prefix("content-length: ") {
                length = bytes.parse().unwrap();
            }
        }
        self.0.read_exact(&mut vec![0; length]).unwrap();
        head.to_ascii_lowercase()
    }
}

/// Head of a request without a credential.
fn head(host: impl Display, length: usize) -> String {
    format!("POST /mcp HTTP/1.1\r\nHost: {host}\r\nContent-Length: {length}\r\n\r\n")
}

#[test]
fn a_connection_survives_a_refusal_of_a_request_in_two_parts() {
    let server = ServerFixture::start();
    let mut connection = KeepAliveConnection::connect(&server);
    for _ in 0..3 {
        let refused = connection.send_in_two_parts(&head(server.address, 2));
        assert!(
            refused.starts_with("http/1.1 401") && !refused.contains("connection: close"),
            "{refused}"
        );
        connection.check_still_open(&server);
    }
}

#[test]
fn a_foreign_host_is_refused_after_the_rest_of_its_request() {
    let server = ServerFixture::start();
    let mut connection = KeepAliveConnection::connect(&server);
    assert!(
        connection.send_in_two_parts(&head("elsewhere.example", 2)).starts_with("http/1.1 403")
    );
    connection.check_still_open(&server);
}

#[test]
fn a_refusal_that_ends_the_connection_says_so() {
    let server = ServerFixture::start();
    let mut connection = KeepAliveConnection::connect(&server);
    // Far more than the server would read.
    connection.write(&head(server.address, 1 << 40));
    let refused = connection.read_response();
    assert!(
        refused.starts_with("http/1.1 401") && refused.contains("connection: close"),
        "{refused}"
    );
    assert_eq!(connection.0.read(&mut [0]).unwrap(), 0);
}

#[test]
fn a_request_that_never_completes_is_refused() {
    let server = ServerFixture::start();
    let mut connection = KeepAliveConnection::connect(&server);
    connection.write(&head(server.address, 2));
    let refused = connection.read_response();
    assert!(
        refused.starts_with("http/1.1 401") && refused.contains("connection: close"),
        "{refused}"
    );
    assert_eq!(connection.0.read(&mut [0]).unwrap(), 0);
}
