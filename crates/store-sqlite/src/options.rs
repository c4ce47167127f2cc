//! How a store is opened. The defaults are right for a person's machine and for a server.

use std::time::Duration;

/// How a store is opened.
#[derive(Debug, Clone)]
pub struct Options {
    /// How long a write waits for another process before it fails as busy.
    pub busy_timeout: Duration,
    /// Most connections that read one owner's memory at the same time.
    pub readers_max: usize,
    /// Most memories that are kept open; past it, the one unused for longest is closed.
    pub owners_max: usize,
    /// Most pages that a database file may grow to; past it, a write fails as on a full disk.
    pub pages_max: Option<u32>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            busy_timeout: Duration::from_secs(10),
            readers_max: 3,
            owners_max: 64,
            pages_max: None,
        }
    }
}
