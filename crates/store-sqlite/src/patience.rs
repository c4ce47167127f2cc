//! How a connection waits for another that holds the lock: short sleeps of uneven length, up to a
//! limit. SQLite's own waiting sleeps up to 100 ms at a time, which starves some of several eager
//! processes.

use rusqlite::Connection;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

const PAUSE_FIRST: Duration = Duration::from_micros(200);
const PAUSE_MAX: Duration = Duration::from_millis(5);

/// How long a connection waits; it can be changed while the connection lives.
#[derive(Debug, Clone)]
pub(crate) struct Patience(Arc<AtomicU64>);

impl Patience {
    /// Makes a connection wait this long for others.
    pub(crate) fn install(conn: &mut Connection, timeout: Duration) -> rusqlite::Result<Self> {
        let patience = Self(Arc::new(AtomicU64::new(micros(timeout))));
        let limit = Arc::clone(&patience.0);
        let mut since = Instant::now();
        let mut dice = Dice::new();
        conn.busy_handler(Some(move |count: i32| {
            if count == 0 {
                since = Instant::now();
            }
            let left = Duration::from_micros(limit.load(Ordering::Relaxed))
                .saturating_sub(since.elapsed());
            if left.is_zero() {
                return false;
            }
            std::thread::sleep(dice.pause(count).min(left));
            true
        }))?;
        Ok(patience)
    }

    /// Waits this long from now on.
    pub(crate) fn set(&self, timeout: Duration) {
        self.0.store(micros(timeout), Ordering::Relaxed);
    }
}

fn micros(timeout: Duration) -> u64 {
    u64::try_from(timeout.as_micros()).unwrap_or(u64::MAX)
}

/// Uneven numbers, so that waiting processes do not wake in step. Nothing secret hangs on them.
struct Dice(u64);

impl Dice {
    fn new() -> Self {
        use std::hash::{BuildHasher, RandomState};
        Self(RandomState::new().hash_one(std::process::id()) | 1)
    }

    /// Between half and the whole of a length that grows with the times waited.
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
    fn a_pause_is_never_nothing_and_never_long() {
        let mut dice = Dice::new();
        for count in [0, 1, 5, 100, i32::MAX] {
            let pause = dice.pause(count);
            assert!(pause >= PAUSE_FIRST / 2 && pause <= PAUSE_MAX, "{count}: {pause:?}");
        }
    }
}
