//! How far one statement may go. What cannot be chosen per statement is in `model::limits`.

use model::limits;
use std::time::Duration;

/// The bounds of one statement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bounds {
    /// Most rows in the answer; more are cut off, and the answer says so.
    pub rows: usize,
    /// Most bytes in the answer; more are cut off, and the answer says so.
    pub bytes: usize,
    /// Most steps of SQLite's machine.
    pub steps: u64,
    /// Most memory beside the copies, in bytes.
    pub scratch: usize,
    /// How long it may run.
    pub time: Duration,
}

impl Default for Bounds {
    fn default() -> Self {
        Self {
            rows: limits::SQL_ROWS,
            bytes: limits::SQL_RESULT_BYTES,
            steps: limits::SQL_STEPS,
            scratch: limits::SQL_SCRATCH_BYTES,
            time: Duration::from_millis(limits::SQL_MILLIS),
        }
    }
}
