//! A clock that is set by hand, so that half a year can be told in a second.

use engine::Clock;
use model::Moment;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

/// A clock that is set by hand; its clones show the same time.
#[derive(Debug, Clone)]
pub(super) struct StoryClock(Arc<AtomicI64>);

impl StoryClock {
    pub fn at(now: Moment) -> Self {
        Self(Arc::new(AtomicI64::new(now.0)))
    }

    pub fn set(&self, now: Moment) {
        self.0.store(now.0, Ordering::SeqCst);
    }
}

impl Clock for StoryClock {
    fn now(&self) -> Moment {
        Moment(self.0.load(Ordering::SeqCst))
    }
}
