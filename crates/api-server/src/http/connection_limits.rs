//! The limits of connections and of what strangers may send, in one place. They are listed in
//! `docs/security.md`, and a test compares the two.

use std::time::Duration;

/// Time that the head of a request may take to arrive, from its first byte on; the first one on a
/// connection, from the moment it was accepted.
pub(super) const HEAD_TIMEOUT: Duration = Duration::from_secs(10);

/// Time that the body of a request may take to arrive.
pub(super) const BODY_TIMEOUT: Duration = Duration::from_secs(30);

/// Time after which the body of a request must keep its pace.
pub(super) const BODY_GRACE: Duration = Duration::from_secs(5);

/// Least pace of a body, in bytes per second.
// Far below any network in use, and far above what a sender needs to occupy a place for nothing.
pub(super) const BODY_PACE: usize = 4 << 10;

/// Time that a connection may stay open without a byte in either direction.
// A little longer than the keep-alive of common proxies and clients, so that they close first.
pub(super) const IDLE_TIMEOUT: Duration = Duration::from_secs(75);

/// Maximum size in bytes of a request to a path that needs no credential.
// Bodies of strangers are read before they take a place, so each connection may hold one.
pub(super) const STRANGER_BYTES_MAX: usize = 64 << 10;

/// Maximum number of connections from one address.
pub(super) const CONNECTIONS_PER_ADDRESS: usize = 256;

/// Maximum number of connections in all.
// Half of the usual limit of 1,024 open files; the memory needs some of the others.
pub(super) const CONNECTIONS_MAX: usize = 512;

/// Returns the maximum number of connections in all: at most half of the files that this process
/// may have open.
pub(super) fn connections_max() -> usize {
    open_files_max().map_or(CONNECTIONS_MAX, |files| CONNECTIONS_MAX.min(files / 2).max(1))
}

#[cfg(unix)]
fn open_files_max() -> Option<usize> {
    use rustix::process::{Resource, getrlimit};
    usize::try_from(getrlimit(Resource::Nofile).current?).ok()
}

#[cfg(not(unix))]
fn open_files_max() -> Option<usize> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::admission::{
        REQUESTS_AT_ONCE, SQL_AT_ONCE, SQL_QUEUED_PER_AGENT, STRANGERS_AT_ONCE,
    };

    /// The page that promises these limits.
    const PAGE: &str = include_str!("../../../../docs/security.md");

    #[test]
    fn every_limit_is_the_one_that_the_documents_promise() {
        for (limit, value) in [
            ("head of a request", format!("{} seconds", HEAD_TIMEOUT.as_secs())),
            ("body of a request", format!("{} seconds", BODY_TIMEOUT.as_secs())),
            ("pace of a body", format!("{} KiB per second", BODY_PACE >> 10)),
            ("grace of a body", format!("{} seconds", BODY_GRACE.as_secs())),
            ("idle connection", format!("{} seconds", IDLE_TIMEOUT.as_secs())),
            ("body of a stranger", format!("{} KiB", STRANGER_BYTES_MAX >> 10)),
            ("connections of one address", CONNECTIONS_PER_ADDRESS.to_string()),
            ("connections in all", CONNECTIONS_MAX.to_string()),
            ("requests of strangers at once", STRANGERS_AT_ONCE.to_string()),
            ("requests with a credential at once", REQUESTS_AT_ONCE.to_string()),
            ("SQL statements at once", SQL_AT_ONCE.to_string()),
            ("SQL statements of one agent that wait", SQL_QUEUED_PER_AGENT.to_string()),
        ] {
            let row = PAGE.lines().find(|line| line.starts_with(&format!("| {limit} |")));
            assert!(row.is_some_and(|row| row.contains(&value)), "{limit}: {value}, {row:?}");
        }
    }
}
