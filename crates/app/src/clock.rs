//! A clock that shows the time it is set to, so that the demo can play half a year in a second and
//! an evaluation can ask each question on its own date.

use engine::{Clock, SystemClock};
use model::Moment;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

/// A clock that shows the time it was last set to; its clones share that time.
#[derive(Debug, Clone)]
pub struct StandingClock(Arc<AtomicI64>);

impl StandingClock {
    /// Creates a clock set to the current system time.
    pub fn new() -> Self {
        Self(Arc::new(AtomicI64::new(SystemClock.now().0)))
    }

    /// Sets the time.
    pub fn put(&self, moment: Moment) {
        self.0.store(moment.0, Ordering::SeqCst);
    }
}

impl Clock for StandingClock {
    fn now(&self) -> Moment {
        Moment(self.0.load(Ordering::SeqCst))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_and_its_clone_stand_where_either_was_put() {
        let clock = StandingClock::new();
        let clone = clock.clone();
        clone.put(Moment(7));
        assert_eq!((clock.now(), clone.now()), (Moment(7), Moment(7)));
    }
}
