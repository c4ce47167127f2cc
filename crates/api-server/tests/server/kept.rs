//! Connections that are used again: a client that was refused sends its next request on the same
//! one, so either it is still there, or the refusal has said that it is not.

use crate::bed::Bed;
use std::fmt::Display;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::thread::sleep;
use std::time::Duration;

/// How long the second part of a request lets the first one wait.
const APART: Duration = Duration::from_millis(150);

struct Kept(BufReader<TcpStream>);

impl Kept {
    fn to(bed: &Bed) -> Self {
        let stream = TcpStream::connect(bed.address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        stream.set_nodelay(true).unwrap();
        Self(BufReader::new(stream))
    }

    fn write(&mut self, text: &str) {
        self.0.get_mut().write_all(text.as_bytes()).unwrap();
    }

    /// Sends a head and, once it was surely read, its body of two bytes. Answers with the head of
    /// the answer.
    fn ask_in_two_parts(&mut self, head: &str) -> String {
        self.write(head);
        sleep(APART);
        self.write("{}");
        self.answer()
    }

    /// Whether the connection is good for one more request.
    #[track_caller]
    fn is_still_good(&mut self, bed: &Bed) {
        self.write(&format!("GET /healthz HTTP/1.1\r\nHost: {}\r\n\r\n", bed.address));
        assert!(self.answer().starts_with("http/1.1 200"));
    }

    /// The head of the next answer, once its body is read too.
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

/// The head of a request by nobody.
fn head(host: impl Display, length: usize) -> String {
    format!("POST /mcp HTTP/1.1\r\nHost: {host}\r\nContent-Length: {length}\r\n\r\n")
}

#[test]
fn a_connection_outlives_a_refusal_of_what_came_in_two_parts() {
    let bed = Bed::start();
    let mut kept = Kept::to(&bed);
    for _ in 0..3 {
        let refused = kept.ask_in_two_parts(&head(bed.address, 2));
        assert!(
            refused.starts_with("http/1.1 401") && !refused.contains("connection: close"),
            "{refused}"
        );
        kept.is_still_good(&bed);
    }
}

#[test]
fn a_foreign_host_is_told_so_whenever_the_rest_of_its_request_comes() {
    let bed = Bed::start();
    let mut kept = Kept::to(&bed);
    assert!(kept.ask_in_two_parts(&head("elsewhere.example", 2)).starts_with("http/1.1 403"));
    kept.is_still_good(&bed);
}

#[test]
fn a_refusal_that_ends_the_connection_says_so() {
    let bed = Bed::start();
    let mut kept = Kept::to(&bed);
    // Longer than anybody waits for it to come.
    kept.write(&head(bed.address, 1 << 40));
    let refused = kept.answer();
    assert!(
        refused.starts_with("http/1.1 401") && refused.contains("connection: close"),
        "{refused}"
    );
    assert_eq!(kept.0.read(&mut [0]).unwrap(), 0);
}

#[test]
fn whoever_never_sends_the_rest_is_refused_all_the_same() {
    let bed = Bed::start();
    let mut kept = Kept::to(&bed);
    kept.write(&head(bed.address, 2));
    let refused = kept.answer();
    assert!(
        refused.starts_with("http/1.1 401") && refused.contains("connection: close"),
        "{refused}"
    );
    assert_eq!(kept.0.read(&mut [0]).unwrap(), 0);
}
