//! A clock that stands where it is put: each document is told, and each question asked, on its own date.

use engine::{Clock, SystemClock};
use model::Moment;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

/// A clock that stands where it is put; its clones show the same time.
#[derive(Debug, Clone)]
pub(super) struct StandingClock(Arc<AtomicI64>);

impl StandingClock {
    /// A clock that shows the time of the machine until it is put elsewhere.
    pub fn new() -> Self {
        Self(Arc::new(AtomicI64::new(SystemClock.now().0)))
    }

    /// Puts it at a moment; at the time of the machine when there is none.
    pub fn put(&self, moment: Option<Moment>) {
        let moment = moment.unwrap_or_else(|| SystemClock.now());
        self.0.store(moment.0, Ordering::SeqCst);
    }
}

impl Clock for StandingClock {
    fn now(&self) -> Moment {
        Moment(self.0.load(Ordering::SeqCst))
    }
}
