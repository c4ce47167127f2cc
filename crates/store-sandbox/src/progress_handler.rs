//! Progress handler: checks a running statement every few steps and stops it when it exceeds its
//! limits. A single step is short, because values are limited in size and no function is worse than
//! linear in them.

use crate::memory_meter::{RunningStatement, sqlite_memory_used};
use crate::{Bounds, MemoryMeter, SqlError};
use model::limits;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

/// Number of steps between two checks. A step may create a value of the maximum size, so memory can
/// exceed its limit by that size times this number before it is noticed.
pub(crate) const STEPS_BETWEEN_CHECKS: u16 = 100;

/// Maximum number of checks without a look at the clock, which costs more than the rest of a check.
const CHECKS_PER_CLOCK_MAX: u32 = 8;
/// Interval between two looks at the clock that counts as slow; then every check looks at it.
const SLOW_CLOCK_INTERVAL: Duration = Duration::from_millis(2);

const RUNNING: u8 = 0;
const TOO_SLOW: u8 = 1;
const TOO_MANY_STEPS: u8 = 2;
const TOO_MUCH_MEMORY: u8 = 3;

/// Reason to stop the running statement, if any. Set by the progress handler, and checked by
/// functions that may themselves take long.
#[derive(Debug)]
pub(crate) struct StopSignal {
    created: Instant,
    /// Deadline, in microseconds after `created`.
    deadline_us: AtomicU64,
    reason: AtomicU8,
}

impl StopSignal {
    /// Creates a signal that is not set.
    pub fn new() -> Self {
        Self {
            created: Instant::now(),
            deadline_us: AtomicU64::new(u64::MAX),
            reason: AtomicU8::new(RUNNING),
        }
    }

    /// Returns true after the deadline, and records it as the reason.
    pub fn is_past_deadline(&self) -> bool {
        let late = micros(self.created.elapsed()) > self.deadline_us.load(Relaxed);
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
        Some(SqlError::LimitExceeded(format!(
            "the query was stopped: it took {what}; \
             filter earlier, join on equal columns, or aggregate"
        )))
    }

    fn start(&self, time: Duration) {
        self.deadline_us
            .store(micros(self.created.elapsed()).saturating_add(micros(time)), Relaxed);
        self.reason.store(RUNNING, Relaxed);
    }
}

/// Progress handler of one statement.
pub(crate) struct ProgressHandler {
    bounds: Bounds,
    meter: Arc<MemoryMeter>,
    stop_signal: Arc<StopSignal>,
    steps: u64,
    baseline: usize,
    clock: ClockSampling,
    _running: RunningStatement,
}

impl ProgressHandler {
    /// Starts the deadline of a statement; the signal receives the reason if it is stopped.
    pub fn start(bounds: &Bounds, meter: &Arc<MemoryMeter>, stop_signal: &Arc<StopSignal>) -> Self {
        stop_signal.start(bounds.time);
        let (meter, stop_signal) = (Arc::clone(meter), Arc::clone(stop_signal));
        let (baseline, running) = (scratch_bytes(&meter), meter.start_statement());
        Self {
            bounds: bounds.clone(),
            meter,
            stop_signal,
            steps: 0,
            baseline,
            clock: ClockSampling::new(),
            _running: running,
        }
    }

    /// Checks the limits; returns true if the statement must stop.
    pub fn must_stop(&mut self) -> bool {
        self.steps += u64::from(STEPS_BETWEEN_CHECKS);
        let reason = if self.steps > self.bounds.steps {
            TOO_MANY_STEPS
        } else if self.scratch_share() > self.bounds.scratch {
            TOO_MUCH_MEMORY
        } else {
            return self.clock.is_due() && self.stop_signal.is_past_deadline();
        };
        self.stop_signal.reason.store(reason, Relaxed);
        true
    }
}

impl ProgressHandler {
    /// Returns the memory that this statement accounts for: what was allocated since it began,
    /// divided by the statements that run.
    fn scratch_share(&self) -> usize {
        let grown = scratch_bytes(&self.meter).saturating_sub(self.baseline);
        grown / self.meter.statements().max(1)
    }
}

/// Adaptive sampling of the clock: rarely while steps are quick, at every check once they are slow.
struct ClockSampling {
    last: Instant,
    wait: u32,
    waited: u32,
}

impl ClockSampling {
    fn new() -> Self {
        Self { last: Instant::now(), wait: 0, waited: 0 }
    }

    fn is_due(&mut self) -> bool {
        if self.waited < self.wait {
            self.waited += 1;
            return false;
        }
        let now = Instant::now();
        let slow = now.duration_since(self.last) > SLOW_CLOCK_INTERVAL;
        self.wait = if slow { 0 } else { (self.wait + 1).min(CHECKS_PER_CLOCK_MAX) };
        (self.last, self.waited) = (now, 0);
        true
    }
}

/// Returns the memory of SQLite in this process besides the copies: the working memory of
/// statements, and the buffers of the store, which are small and nearly constant.
fn scratch_bytes(meter: &MemoryMeter) -> usize {
    sqlite_memory_used().saturating_sub(meter.total())
}

fn micros(time: Duration) -> u64 {
    u64::try_from(time.as_micros()).unwrap_or(u64::MAX)
}

/// Returns the error of a value that is too large.
pub(crate) fn value_too_large() -> SqlError {
    SqlError::LimitExceeded(format!(
        "a value exceeded {} bytes; shorten texts with substr, or use smaller groups",
        limits::SQL_VALUE_BYTES
    ))
}
