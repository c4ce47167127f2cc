//! Tells the running sessions of agents apart, whatever name they bear: by the process that serves
//! a pipe, by the session id that this server gave at the handshake, or by the connection.

use axum::http::HeaderMap;
use model::{ConnectionId, ContentHash};
use std::fmt::Write;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU64, Ordering};

/// Header that carries the id of a session over HTTP. Ids are given out and accepted, but nothing
/// is stored about them, so that a restart loses nothing.
pub(crate) const SESSION_HEADER: &str = "mcp-session-id";

/// Number of characters that identify a session in the store.
const DIGEST_CHARS: usize = 16;

/// Random text that tells this process from others.
static PROCESS: LazyLock<String> = LazyLock::new(random_text);

/// Number of the next pipe or connection.
static NEXT: AtomicU64 = AtomicU64::new(1);

/// Connection of a request over HTTP, attached to each request.
#[derive(Debug, Clone, Copy)]
pub(crate) struct HttpConnection(u64);

impl HttpConnection {
    /// Numbers a new connection.
    pub fn new() -> Self {
        Self(NEXT.fetch_add(1, Ordering::Relaxed))
    }
}

/// Identifies the client of a new pipe.
pub(crate) fn pipe_connection() -> ConnectionId {
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    ConnectionId::process(&format!("{}-{number}", *PROCESS))
}

/// Identifies the client of a request: by its session, else by its connection.
pub(crate) fn http_connection(
    headers: &HeaderMap,
    connection: Option<HttpConnection>,
) -> Option<ConnectionId> {
    let session = headers.get(SESSION_HEADER).filter(|id| !id.is_empty());
    // The id comes from the client, so that its length is bounded by hashing it.
    let digest = session.map(|id| ContentHash::of_bytes(id.as_bytes()).to_string());
    digest
        .map(|digest| ConnectionId::session(digest.get(..DIGEST_CHARS).unwrap_or(&digest)))
        .or_else(|| {
            connection.map(|HttpConnection(number)| {
                ConnectionId::connection(&format!("{}-{number}", *PROCESS))
            })
        })
}

/// Returns a new session id.
pub(crate) fn new_session_id() -> String {
    random_text()
}

fn random_text() -> String {
    let mut bytes = [0_u8; 16];
    if getrandom::fill(&mut bytes).is_err() {
        // Not secret: it only has to differ from that of other processes.
        bytes[..4].copy_from_slice(&std::process::id().to_be_bytes());
        bytes[4..12].copy_from_slice(&NEXT.fetch_add(1, Ordering::Relaxed).to_be_bytes());
    }
    bytes.iter().fold(String::new(), |mut text, byte| {
        // Writing to a String cannot fail.
        _ = write!(text, "{byte:02x}");
        text
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_counts_before_the_connection_that_it_comes_over() {
        let mut headers = HeaderMap::new();
        let (first, second) = (HttpConnection::new(), HttpConnection::new());
        assert_ne!(http_connection(&headers, Some(first)), http_connection(&headers, Some(second)));
        assert_eq!(http_connection(&headers, None), None);
        headers.insert(SESSION_HEADER, "abc".parse().unwrap());
        assert_eq!(http_connection(&headers, Some(first)), http_connection(&headers, Some(second)));
        let mut others = HeaderMap::new();
        others.insert(SESSION_HEADER, "abd".parse().unwrap());
        assert_ne!(http_connection(&headers, None), http_connection(&others, None));
    }

    #[test]
    fn no_two_pipes_are_the_same() {
        assert_ne!(pipe_connection(), pipe_connection());
        assert_ne!(new_session_id(), new_session_id());
    }
}
