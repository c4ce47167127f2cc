//! Progress handler: checks a running statement every few steps and stops it when it exceeds its
//! limits. A single step is short, because values are limited in size and no function is worse than
//! linear in them.

use crate::{Bounds, Meter, SqlError, meter::held_by_sqlite};
use model::limits;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

/// Number of steps between two checks. A step may create a value of the maximum size, so memory can
/// exceed its limit by that size times this number before it is noticed.
pub(crate) const STEPS_BETWEEN_LOOKS: u16 = 100;

/// Maximum number of checks without a look at the clock, which costs more than the rest of a check.
const LOOKS_PER_CLOCK_MAX: u32 = 8;
/// Interval between two looks at the clock that counts as slow; then every check looks at it.
const CLOCK_IS_LATE: Duration = Duration::from_millis(2);

const RUNNING: u8 = 0;
const TOO_SLOW: u8 = 1;
const TOO_MANY_STEPS: u8 = 2;
const TOO_MUCH_MEMORY: u8 = 3;

/// Reason to stop the running statement, if any. Set by the progress handler, and checked by
/// functions that may themselves take long.
#[derive(Debug)]
pub(crate) struct Verdict {
    born: Instant,
    /// Deadline, in microseconds after `born`.
    until: AtomicU64,
    reason: AtomicU8,
}

impl Verdict {
    /// Creates a signal that is not set.
    pub fn new() -> Self {
        Self {
            born: Instant::now(),
            until: AtomicU64::new(u64::MAX),
            reason: AtomicU8::new(RUNNING),
        }
    }

    /// Returns true after the deadline, and records it as the reason.
    pub fn is_late(&self) -> bool {
        let late = micros(self.born.elapsed()) > self.until.load(Relaxed);
        if late {
            self.reason.store(TOO_SLOW, Relaxed);
        }
        late
    }

    /// Returns the error of a statement that was stopped.
    pub fn error(&self, bounds: &Bounds) -> Option<SqlError> {
        let what = match self.reason.load(Relaxed) {
            TOO_SLOW => format!("longer than {} ms", bounds.time.as_millis()),
            TOO_MANY_STEPS => format!("more than {} steps", bounds.steps),
            TOO_MUCH_MEMORY => format!("more than {} MB of memory", bounds.scratch / (1024 * 1024)),
            _ => return None,
        };
        Some(SqlError::TooMuch(format!(
            "the query was stopped: it took {what}; \
             filter earlier, join on equal columns, or aggregate"
        )))
    }

    fn begin(&self, time: Duration) {
        self.until.store(micros(self.born.elapsed()).saturating_add(micros(time)), Relaxed);
        self.reason.store(RUNNING, Relaxed);
    }
}

/// Progress handler of one statement.
pub(crate) struct Watch {
    bounds: Bounds,
    meter: Arc<Meter>,
    verdict: Arc<Verdict>,
    steps: u64,
    before: usize,
    clock: Pace,
}

impl Watch {
    /// Starts the deadline of a statement; the signal receives the reason if it is stopped.
    pub fn start(bounds: &Bounds, meter: &Arc<Meter>, verdict: &Arc<Verdict>) -> Self {
        verdict.begin(bounds.time);
        let (meter, verdict) = (Arc::clone(meter), Arc::clone(verdict));
        let before = scratch(&meter);
        Self { bounds: bounds.clone(), meter, verdict, steps: 0, before, clock: Pace::new() }
    }

    /// Checks the limits; returns true if the statement must stop.
    pub fn look(&mut self) -> bool {
        self.steps += u64::from(STEPS_BETWEEN_LOOKS);
        let reason = if self.steps > self.bounds.steps {
            TOO_MANY_STEPS
        } else if scratch(&self.meter).saturating_sub(self.before) > self.bounds.scratch {
            TOO_MUCH_MEMORY
        } else {
            return self.clock.is_due() && self.verdict.is_late();
        };
        self.verdict.reason.store(reason, Relaxed);
        true
    }
}

/// Adaptive sampling of the clock: rarely while steps are quick, at every check once they are slow.
struct Pace {
    last: Instant,
    wait: u32,
    waited: u32,
}

impl Pace {
    fn new() -> Self {
        Self { last: Instant::now(), wait: 0, waited: 0 }
    }

    fn is_due(&mut self) -> bool {
        if self.waited < self.wait {
            self.waited += 1;
            return false;
        }
        let now = Instant::now();
        let slow = now.duration_since(self.last) > CLOCK_IS_LATE;
        self.wait = if slow { 0 } else { (self.wait + 1).min(LOOKS_PER_CLOCK_MAX) };
        (self.last, self.waited) = (now, 0);
        true
    }
}

/// Returns the memory of SQLite in this process besides the copies: the working memory of
/// statements, and the buffers of the store, which are small and nearly constant.
fn scratch(meter: &Meter) -> usize {
    held_by_sqlite().saturating_sub(meter.total())
}

fn micros(time: Duration) -> u64 {
    u64::try_from(time.as_micros()).unwrap_or(u64::MAX)
}

/// Returns the error of a value that is too large.
pub(crate) fn value_limit() -> SqlError {
    SqlError::TooMuch(format!(
        "a value exceeded {} bytes; shorten texts with substr, or use smaller groups",
        limits::SQL_VALUE_BYTES
    ))
}
