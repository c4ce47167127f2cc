//! A clock that tests set and advance.

use model::Moment;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

/// A clock that only moves when a test moves it. Clones share the time.
#[derive(Debug, Clone)]
pub struct FakeClock(Arc<AtomicI64>);

impl FakeClock {
    /// Creates a clock that shows this moment.
    #[must_use]
    pub fn at(now: Moment) -> Self {
        Self(Arc::new(AtomicI64::new(now.0)))
    }

    /// Returns the current time of the clock.
    #[must_use]
    pub fn now(&self) -> Moment {
        Moment(self.0.load(Ordering::SeqCst))
    }

    /// Sets the time.
    pub fn set(&self, now: Moment) {
        self.0.store(now.0, Ordering::SeqCst);
    }

    /// Advances by this many seconds, or goes back when negative.
    pub fn advance(&self, seconds: i64) {
        self.set(self.now().plus_seconds(seconds));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clones_share_the_time() {
        let clock = FakeClock::at(Moment::from_seconds(100));
        let other = clock.clone();
        clock.advance(-40);
        assert_eq!(other.now(), Moment::from_seconds(60));
        other.set(Moment(7));
        assert_eq!(clock.now(), Moment(7));
    }
}
