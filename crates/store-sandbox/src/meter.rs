//! How much memory copies take: each sandbox tells its own meter, and those of one process share a
//! total. What SQLite holds beyond that total while a statement runs is what statements took.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// The bytes of one sandbox's copies, counted in a total that others share.
#[derive(Debug, Default)]
pub struct Meter {
    own: AtomicUsize,
    total: Arc<AtomicUsize>,
}

impl Meter {
    /// A meter that counts into the same total as this one.
    #[must_use]
    pub fn beside(&self) -> Self {
        Self { own: AtomicUsize::new(0), total: Arc::clone(&self.total) }
    }

    /// The bytes of this sandbox's copies.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.own.load(Relaxed)
    }

    /// The bytes of all copies.
    #[must_use]
    pub fn total(&self) -> usize {
        self.total.load(Relaxed)
    }

    pub(crate) fn set(&self, bytes: usize) {
        let before = self.own.swap(bytes, Relaxed);
        self.total.fetch_add(bytes, Relaxed);
        self.total.fetch_sub(before, Relaxed);
    }
}

impl Drop for Meter {
    fn drop(&mut self) {
        self.total.fetch_sub(self.bytes(), Relaxed);
    }
}

/// What SQLite holds in this process, in bytes.
pub(crate) fn held_by_sqlite() -> usize {
    // SAFETY: takes no argument, reads a counter under SQLite's own lock, and may be called at any
    // time.
    #[expect(unsafe_code, reason = "rusqlite has no safe way to ask")]
    let bytes = unsafe { rusqlite::ffi::sqlite3_memory_used() };
    usize::try_from(bytes).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_meter_that_goes_takes_its_bytes_out_of_the_total() {
        let first = Meter::default();
        let second = first.beside();
        first.set(10);
        second.set(5);
        first.set(7);
        assert_eq!((first.bytes(), first.total()), (7, 12));
        drop(first);
        assert_eq!(second.total(), 5);
    }
}
