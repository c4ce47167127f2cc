//! The busy handler of a connection: it waits for the lock in short sleeps of random length, up to
//! a timeout. SQLite's own busy timeout sleeps for up to 100 ms at a time, which starves some of
//! several busy processes.

use rusqlite::Connection;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

// A commit takes a few hundred microseconds on a fast disk: the first sleep is about one commit
// long, and the longest misses only a few.
const PAUSE_FIRST: Duration = Duration::from_micros(200);
const PAUSE_MAX: Duration = Duration::from_millis(5);

/// The timeout of a connection's busy handler, which can be changed while the connection is open.
#[derive(Debug, Clone)]
pub(crate) struct BusyHandler(Arc<AtomicU64>);

impl BusyHandler {
    /// Installs a busy handler with this timeout on a connection.
    pub(crate) fn install(conn: &mut Connection, timeout: Duration) -> rusqlite::Result<Self> {
        let handler = Self(Arc::new(AtomicU64::new(micros(timeout))));
        // The closure is owned by the connection, so the timeout is shared through an atomic.
        let limit = Arc::clone(&handler.0);
        let mut since = Instant::now();
        let mut jitter = Jitter::new();
        conn.busy_handler(Some(move |count: i32| {
            // SQLite counts the calls for one lock; 0 means that a new wait begins.
            if count == 0 {
                since = Instant::now();
            }
            let left = Duration::from_micros(limit.load(Ordering::Relaxed))
                .saturating_sub(since.elapsed());
            if left.is_zero() {
                return false;
            }
            std::thread::sleep(jitter.pause(count).min(left));
            true
        }))?;
        Ok(handler)
    }

    /// Changes the timeout.
    pub(crate) fn set_timeout(&self, timeout: Duration) {
        self.0.store(micros(timeout), Ordering::Relaxed);
    }
}

fn micros(timeout: Duration) -> u64 {
    u64::try_from(timeout.as_micros()).unwrap_or(u64::MAX)
}

/// A xorshift generator for sleep lengths, so that waiting processes do not wake up in step.
struct Jitter(u64);

impl Jitter {
    fn new() -> Self {
        use std::hash::{BuildHasher, RandomState};
        // Odd, because a xorshift generator that starts at 0 stays at 0.
        Self(RandomState::new().hash_one(std::process::id()) | 1)
    }

    /// Returns a random length between half and the whole of one that grows with each wait.
    fn pause(&mut self, count: i32) -> Duration {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        let growth = u32::try_from(count).unwrap_or(0).min(64) + 1;
        let whole = (PAUSE_FIRST * growth).min(PAUSE_MAX);
        whole / 2 + whole.mul_f64(0.5 * (self.0 >> 40) as f64 / f64::from(1 << 24))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pause_is_never_zero_and_never_long() {
        let mut jitter = Jitter::new();
        for count in [0, 1, 5, 100, i32::MAX] {
            let pause = jitter.pause(count);
            assert!(pause >= PAUSE_FIRST / 2 && pause <= PAUSE_MAX, "{count}: {pause:?}");
        }
    }
}
