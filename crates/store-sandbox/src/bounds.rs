//! Limits of one statement. Limits that are the same for every statement are in `model::limits`.

use model::limits;
use std::time::Duration;

/// Limits of one statement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bounds {
    /// Maximum number of rows; further rows are cut off, and the result is marked as truncated.
    pub rows: usize,
    /// Maximum size of the result; further rows are cut off, and the result is marked as truncated.
    pub bytes: usize,
    /// Maximum number of steps of the SQLite virtual machine.
    pub steps: u64,
    /// Maximum memory besides the copies, in bytes.
    pub scratch: usize,
    /// Maximum running time.
    pub time: Duration,
}

impl Default for Bounds {
    fn default() -> Self {
        Self {
            rows: limits::SQL_ROWS,
            bytes: limits::SQL_RESULT_BYTES,
            steps: limits::SQL_STEPS,
            scratch: limits::SQL_SCRATCH_BYTES,
            time: Duration::from_millis(limits::SQL_TIMEOUT_MS),
        }
    }
}
