//! Keep-alive connections: a client that was refused sends its next request on the same connection,
//! so it is either still open, or the refusal has announced that it closes.

use crate::bed::Bed;
use std::fmt::Display;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::thread::sleep;
use std::time::Duration;

/// Delay between the head of a request and its body.
const APART: Duration = Duration::from_millis(150);

struct Kept(BufReader<TcpStream>);

impl Kept {
    fn to(server: &Bed) -> Self {
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
    fn ask_in_two_parts(&mut self, head: &str) -> String {
        self.write(head);
        sleep(APART);
        self.write("{}");
        self.answer()
    }

    /// Checks that the connection serves one more request.
    #[track_caller]
    fn is_still_good(&mut self, server: &Bed) {
        self.write(&format!("GET /healthz HTTP/1.1\r\nHost: {}\r\n\r\n", server.address));
        assert!(self.answer().starts_with("http/1.1 200"));
    }

    /// Reads the next response and returns its head.
    fn answer(&mut self) -> String {
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
fn a_connection_outlives_a_refusal_of_what_came_in_two_parts() {
    let server = Bed::start();
    let mut connection = Kept::to(&server);
    for _ in 0..3 {
        let refused = connection.ask_in_two_parts(&head(server.address, 2));
        assert!(
            refused.starts_with("http/1.1 401") && !refused.contains("connection: close"),
            "{refused}"
        );
        connection.is_still_good(&server);
    }
}

#[test]
fn a_foreign_host_is_told_so_whenever_the_rest_of_its_request_comes() {
    let server = Bed::start();
    let mut connection = Kept::to(&server);
    assert!(connection.ask_in_two_parts(&head("elsewhere.example", 2)).starts_with("http/1.1 403"));
    connection.is_still_good(&server);
}

#[test]
fn a_refusal_that_ends_the_connection_says_so() {
    let server = Bed::start();
    let mut connection = Kept::to(&server);
    // Far more than the server would read.
    connection.write(&head(server.address, 1 << 40));
    let refused = connection.answer();
    assert!(
        refused.starts_with("http/1.1 401") && refused.contains("connection: close"),
        "{refused}"
    );
    assert_eq!(connection.0.read(&mut [0]).unwrap(), 0);
}

#[test]
fn whoever_never_sends_the_rest_is_refused_all_the_same() {
    let server = Bed::start();
    let mut connection = Kept::to(&server);
    connection.write(&head(server.address, 2));
    let refused = connection.answer();
    assert!(
        refused.starts_with("http/1.1 401") && refused.contains("connection: close"),
        "{refused}"
    );
    assert_eq!(connection.0.read(&mut [0]).unwrap(), 0);
}
