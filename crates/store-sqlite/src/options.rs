//! Options of a store. The defaults suit both a personal machine and a server.

use std::time::Duration;

/// Options for opening a store.
#[derive(Debug, Clone)]
pub struct Options {
    /// Time that a write waits for another process before it fails as busy.
    pub busy_timeout: Duration,
    /// Maximum number of connections that read one owner's memory at the same time.
    pub readers_max: usize,
    /// Maximum number of open memories; beyond it, the least recently used one is closed.
    pub owners_max: usize,
    /// Maximum size of a database file in pages; beyond it, a write fails as on a full disk.
    pub pages_max: Option<u32>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            // Far longer than any commit, but bounded, so that a stuck process is reported.
            busy_timeout: Duration::from_secs(10),
            readers_max: 3,
            // Each open memory costs a thread and up to `readers_max` + 1 connections.
            owners_max: 64,
            pages_max: None,
        }
    }
}
