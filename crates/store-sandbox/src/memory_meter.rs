//! Memory of the copies: each sandbox reports to its own meter, and the meters of a process share a
//! total. Memory of SQLite beyond that total while statements run is attributed to them, in equal
//! parts: SQLite counts for the process and not for a statement.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// Size of the copies of one sandbox, counted in a shared total.
#[derive(Debug, Default)]
pub struct MemoryMeter {
    own: AtomicUsize,
    total: Arc<AtomicUsize>,
    running: Arc<AtomicUsize>,
}

/// A running statement, counted until it is dropped.
#[derive(Debug)]
pub(crate) struct RunningStatement(Arc<AtomicUsize>);

impl MemoryMeter {
    /// Creates a meter with the same total as this one.
    #[must_use]
    pub fn sibling(&self) -> Self {
        Self {
            own: AtomicUsize::new(0),
            total: Arc::clone(&self.total),
            running: Arc::clone(&self.running),
        }
    }

    /// Returns the size of the copies of this sandbox, in bytes.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.own.load(Relaxed)
    }

    /// Returns the size of all copies, in bytes.
    #[must_use]
    pub fn total(&self) -> usize {
        self.total.load(Relaxed)
    }

    /// Counts a statement that runs from now on.
    pub(crate) fn start_statement(&self) -> RunningStatement {
        self.running.fetch_add(1, Relaxed);
        RunningStatement(Arc::clone(&self.running))
    }

    /// Returns the number of running statements.
    pub(crate) fn statements(&self) -> usize {
        self.running.load(Relaxed)
    }

    pub(crate) fn set(&self, bytes: usize) {
        let before = self.own.swap(bytes, Relaxed);
        self.total.fetch_add(bytes, Relaxed);
        self.total.fetch_sub(before, Relaxed);
    }
}

impl Drop for RunningStatement {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Relaxed);
    }
}

impl Drop for MemoryMeter {
    fn drop(&mut self) {
        self.total.fetch_sub(self.bytes(), Relaxed);
    }
}

/// Returns the memory allocated by SQLite in this process, in bytes.
pub(crate) fn sqlite_memory_used() -> usize {
    // SAFETY: takes no argument, reads a counter under SQLite's own lock, and may be called at any
    // time.
    #[expect(unsafe_code, reason = "rusqlite has no safe wrapper")]
    let bytes = unsafe { rusqlite::ffi::sqlite3_memory_used() };
    usize::try_from(bytes).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dropped_meter_is_subtracted_from_the_total() {
        let first = MemoryMeter::default();
        let second = first.sibling();
        first.set(10);
        second.set(5);
        first.set(7);
        assert_eq!((first.bytes(), first.total()), (7, 12));
        drop(first);
        assert_eq!(second.total(), 5);
    }

    #[test]
    fn running_statements_are_counted_over_all_meters() {
        let first = MemoryMeter::default();
        let second = first.sibling();
        let running = first.start_statement();
        assert_eq!(second.statements(), 1);
        drop(running);
        assert_eq!(second.statements(), 0);
    }
}
