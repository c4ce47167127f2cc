//! Watches a statement while it runs and stops it when it goes past its bounds. SQLite asks every
//! few steps; one step is short because no value may be long and no function may be worse than
//! linear in it.

use crate::{Bounds, Meter, SqlError, meter::held_by_sqlite};
use model::limits;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

/// After how many steps the watch looks. A step may make a value of the largest size, so this times
/// that is how far memory can go past its bound before it is seen.
pub(crate) const STEPS_BETWEEN_LOOKS: u16 = 100;

/// How many looks may pass between two at the clock, which costs more than the rest of a look.
const LOOKS_PER_CLOCK_MAX: u32 = 8;
/// When as much time passed between two looks at the clock, every look is one.
const CLOCK_IS_LATE: Duration = Duration::from_millis(2);

const RUNNING: u8 = 0;
const TOO_SLOW: u8 = 1;
const TOO_MANY_STEPS: u8 = 2;
const TOO_MUCH_MEMORY: u8 = 3;

/// Whether the statement that runs must stop, and why. The watch tells it, and functions that may
/// take long by themselves ask it before they begin.
#[derive(Debug)]
pub(crate) struct Verdict {
    born: Instant,
    /// When time is up, in microseconds after the birth.
    until: AtomicU64,
    reason: AtomicU8,
}

impl Verdict {
    /// No verdict yet.
    pub fn new() -> Self {
        Self {
            born: Instant::now(),
            until: AtomicU64::new(u64::MAX),
            reason: AtomicU8::new(RUNNING),
        }
    }

    /// Whether time is up.
    pub fn is_late(&self) -> bool {
        let late = micros(self.born.elapsed()) > self.until.load(Relaxed);
        if late {
            self.reason.store(TOO_SLOW, Relaxed);
        }
        late
    }

    /// The error of a statement that was stopped.
    pub fn error(&self, bounds: &Bounds) -> Option<SqlError> {
        let what = match self.reason.load(Relaxed) {
            TOO_SLOW => format!("longer than {} ms", bounds.time.as_millis()),
            TOO_MANY_STEPS => format!("more than {} steps", bounds.steps),
            TOO_MUCH_MEMORY => format!("more than {} MB of memory", bounds.scratch / (1024 * 1024)),
            _ => return None,
        };
        Some(SqlError::TooMuch(format!(
            "the query was stopped: it took {what}; filter earlier, join on equal columns, or sum up instead"
        )))
    }

    fn begin(&self, time: Duration) {
        self.until.store(micros(self.born.elapsed()).saturating_add(micros(time)), Relaxed);
        self.reason.store(RUNNING, Relaxed);
    }
}

/// The watch over one statement.
pub(crate) struct Watch {
    bounds: Bounds,
    meter: Arc<Meter>,
    verdict: Arc<Verdict>,
    steps: u64,
    before: usize,
    clock: Pace,
}

impl Watch {
    /// Starts watching; the verdict will tell what it came to.
    pub fn start(bounds: &Bounds, meter: &Arc<Meter>, verdict: &Arc<Verdict>) -> Self {
        verdict.begin(bounds.time);
        let (meter, verdict) = (Arc::clone(meter), Arc::clone(verdict));
        let before = scratch(&meter);
        Self { bounds: bounds.clone(), meter, verdict, steps: 0, before, clock: Pace::new() }
    }

    /// Looks; answers whether the statement must stop.
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

/// How often to look at the clock: seldom while steps are quick, every time once they are not.
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

/// What SQLite holds in this process beside the copies: the work of statements, and the store's own
/// buffers, which are small and hardly move.
fn scratch(meter: &Meter) -> usize {
    held_by_sqlite().saturating_sub(meter.total())
}

fn micros(time: Duration) -> u64 {
    u64::try_from(time.as_micros()).unwrap_or(u64::MAX)
}

/// The error of a value that is too long.
pub(crate) fn value_limit() -> SqlError {
    SqlError::TooMuch(format!(
        "a value grew past {} bytes; cut texts with substr, or group into smaller parts",
        limits::SQL_VALUE_BYTES
    ))
}
