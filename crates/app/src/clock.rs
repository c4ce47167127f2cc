//! A clock that shows the time it is set to, so that the demo can play half a year in a second and
//! an evaluation can ask each question on its own date.

use engine::{Clock, SystemClock};
use model::Moment;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

/// A clock that shows the time it was last set to; its clones share that time.
#[derive(Debug, Clone)]
pub struct SettableClock(Arc<AtomicI64>);

impl SettableClock {
    /// Creates a clock set to the current system time.
    pub fn new() -> Self {
        Self(Arc::new(AtomicI64::new(SystemClock.now().0)))
    }

    /// Sets the time.
    pub fn set(&self, moment: Moment) {
        self.0.store(moment.0, Ordering::SeqCst);
    }
}

impl Clock for SettableClock {
    fn now(&self) -> Moment {
        Moment(self.0.load(Ordering::SeqCst))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_and_its_clone_show_the_time_that_either_was_set_to() {
        let clock = SettableClock::new();
        let clone = clock.clone();
        clone.set(Moment(7));
        assert_eq!((clock.now(), clone.now()), (Moment(7), Moment(7)));
    }
}
