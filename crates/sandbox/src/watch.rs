//! Watches a statement while it runs and stops it when it goes past its bounds. SQLite asks every few steps;
//! one step is short because no value may be long and no function may be worse than linear in it.

use crate::{Bounds, Meter, SqlError, meter::held_by_sqlite};
use model::limits;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering::Relaxed};
use std::time::Instant;

/// After how many steps the watch looks. A step may make a value of the largest size, so this times that is how
/// far memory can go past its bound before it is seen.
pub(crate) const STEPS_BETWEEN_LOOKS: u16 = 100;

const RUNNING: u8 = 0;
const TOO_SLOW: u8 = 1;
const TOO_MANY_STEPS: u8 = 2;
const TOO_MUCH_MEMORY: u8 = 3;

/// Why a statement was stopped, if it was.
#[derive(Debug, Clone, Default)]
pub(crate) struct Verdict(Arc<AtomicU8>);

impl Verdict {
    /// The error of a statement that was stopped.
    pub fn error(&self, bounds: &Bounds) -> Option<SqlError> {
        let what = match self.0.load(Relaxed) {
            TOO_SLOW => format!("longer than {} ms", bounds.time.as_millis()),
            TOO_MANY_STEPS => format!("more than {} steps", bounds.steps),
            TOO_MUCH_MEMORY => format!("more than {} MB of memory", bounds.scratch / (1024 * 1024)),
            _ => return None,
        };
        Some(SqlError::TooMuch(format!(
            "the query was stopped: it took {what}; filter earlier, join on equal columns, or sum up instead"
        )))
    }
}

/// The watch over one statement.
pub(crate) struct Watch {
    bounds: Bounds,
    meter: Arc<Meter>,
    started: Instant,
    steps: u64,
    before: usize,
    verdict: Verdict,
}

impl Watch {
    /// Starts watching.
    pub fn start(bounds: &Bounds, meter: &Arc<Meter>) -> Self {
        let (meter, started) = (Arc::clone(meter), Instant::now());
        let before = scratch(&meter);
        Self { bounds: bounds.clone(), meter, started, steps: 0, before, verdict: Verdict::default() }
    }

    /// Where the verdict will be found.
    pub fn verdict(&self) -> Verdict {
        self.verdict.clone()
    }

    /// Looks; answers whether the statement must stop.
    pub fn look(&mut self) -> bool {
        self.steps += u64::from(STEPS_BETWEEN_LOOKS);
        let verdict = if self.steps > self.bounds.steps {
            TOO_MANY_STEPS
        } else if scratch(&self.meter).saturating_sub(self.before) > self.bounds.scratch {
            TOO_MUCH_MEMORY
        } else if self.started.elapsed() > self.bounds.time {
            TOO_SLOW
        } else {
            RUNNING
        };
        self.verdict.0.store(verdict, Relaxed);
        verdict != RUNNING
    }
}

/// What SQLite holds in this process beside the copies: the work of statements, and the store's own buffers,
/// which are small and hardly move.
fn scratch(meter: &Meter) -> usize {
    held_by_sqlite().saturating_sub(meter.total())
}

/// How long SQL may be, in words.
pub(crate) fn value_limit() -> SqlError {
    SqlError::TooMuch(format!(
        "a value grew past {} bytes; cut texts with substr, or group into smaller parts",
        limits::SQL_VALUE_BYTES
    ))
}
