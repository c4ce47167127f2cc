//! A small pool of connections that read one file. A read sees one snapshot, as a single statement
//! or in one transaction, and never blocks a writer.

use crate::Options;
use crate::connection::{self, ConnectionRole, Database};
use crate::error::store_error;
use crate::lifecycle::FileLease;
use crate::migrate::DatabaseFormat;
use parking_lot::{Condvar, Mutex, MutexGuard};
use rusqlite::Connection;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};
use store::StoreError;

/// The pool of read connections of one file.
#[derive(Debug)]
pub(crate) struct ReaderPool {
    path: PathBuf,
    format: &'static DatabaseFormat,
    options: Options,
    /// The lease on the file, if others may put another one in its place.
    lease: Option<Arc<FileLease>>,
    state: Mutex<PoolState>,
    returned: Condvar,
}

/// Idle connections, and the number of those in use.
#[derive(Debug, Default)]
struct PoolState {
    idle: Vec<Database>,
    in_use: usize,
    // Number of threads that wait for a connection. Without the count, every read would end with a
    // system call to wake nobody.
    waiters: usize,
}

impl ReaderPool {
    /// Creates an empty pool; connections are opened when needed.
    pub(crate) fn new(path: PathBuf, format: &'static DatabaseFormat, options: Options) -> Self {
        let (state, returned) = (Mutex::default(), Condvar::new());
        Self { path, format, options, lease: None, state, returned }
    }

    /// Opens connections only while the lease is current.
    pub(crate) fn under_lease(self, lease: Arc<FileLease>) -> Self {
        Self { lease: Some(lease), ..self }
    }

    /// Reads without waiting; `None` when no connection is idle or the file is busy. For short
    /// reads on a thread that must not block.
    pub(crate) fn try_read<T>(
        &self,
        read: impl Fn(&Connection) -> rusqlite::Result<T>,
    ) -> Option<Result<T, StoreError>> {
        let database = self.lock_state().take_idle()?;
        // A reader is rarely blocked in WAL mode, but recovery after a crash and the last close of
        // another process lock the file for a moment. The caller then retries on another thread.
        database.busy_handler.set_timeout(Duration::ZERO);
        match self.read_and_release(database, read) {
            Err(StoreError::Busy) => None,
            outcome => Some(outcome),
        }
    }

    /// Reads, waiting for a connection and for other processes if necessary.
    pub(crate) fn read<T>(
        &self,
        read: impl Fn(&Connection) -> rusqlite::Result<T>,
    ) -> Result<T, StoreError> {
        let database = self.acquire()?;
        database.busy_handler.set_timeout(self.options.busy_timeout);
        self.read_and_release(database, read)
    }

    fn read_and_release<T>(
        &self,
        database: Database,
        read: impl Fn(&Connection) -> rusqlite::Result<T>,
    ) -> Result<T, StoreError> {
        let outcome = read(&database.conn).map_err(|error| store_error(&error));
        // After anything worse than a lock the connection is closed instead of reused: it may have
        // an open transaction or a damaged page in its cache.
        let is_reusable = matches!(outcome, Ok(_) | Err(StoreError::Busy));
        self.release(is_reusable.then_some(database));
        outcome
    }

    fn acquire(&self) -> Result<Database, StoreError> {
        let until = Instant::now() + self.options.busy_timeout;
        let mut state = self.lock_state();
        loop {
            if let Some(database) = state.take_idle() {
                return Ok(database);
            }
            if state.in_use < self.options.readers_max.max(1) {
                // Counted before the lock is released, so that the pool never exceeds its maximum
                // while connections are being opened.
                state.in_use += 1;
                drop(state);
                return self.open();
            }
            state.waiters += 1;
            let waited = self.returned.wait_until(&mut state, until);
            state.waiters -= 1;
            if waited.timed_out() {
                return Err(StoreError::Busy);
            }
        }
    }

    fn open(&self) -> Result<Database, StoreError> {
        let open =
            || connection::open(&self.path, self.format, ConnectionRole::Read, &self.options);
        let opened = match &self.lease {
            Some(lease) => lease.with_shared(self.options.busy_timeout, open),
            None => open(),
        };
        opened.inspect_err(|_| self.release(None))
    }

    fn release(&self, database: Option<Database>) {
        let mut state = self.lock_state();
        state.in_use -= 1;
        state.idle.extend(database);
        let awaited = state.waiters > 0;
        // Unlocked first, so that the woken thread does not run into the lock.
        drop(state);
        if awaited {
            self.returned.notify_one();
        }
    }

    fn lock_state(&self) -> MutexGuard<'_, PoolState> {
        self.state.lock()
    }
}

impl PoolState {
    fn take_idle(&mut self) -> Option<Database> {
        let database = self.idle.pop()?;
        self.in_use += 1;
        Some(database)
    }
}

/// Runs several statements in one transaction, so that they see the same snapshot. A single
/// statement needs none, and BEGIN and COMMIT would cost as much as a short statement itself.
pub(crate) fn in_read_transaction<T>(
    conn: &Connection,
    read: impl Fn(&Connection) -> rusqlite::Result<T>,
) -> rusqlite::Result<T> {
    conn.prepare_cached("BEGIN")?.execute([])?;
    let outcome = read(conn);
    let end = if outcome.is_ok() { "COMMIT" } else { "ROLLBACK" };
    conn.prepare_cached(end)?.execute([])?;
    outcome
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::migrate;
    use std::sync::mpsc;

    #[test]
    fn a_read_that_gets_no_connection_is_refused_after_the_busy_timeout() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("memory.db");
        crate::files::create_private_file(&path).unwrap();
        let busy_timeout = Duration::from_millis(50);
        let options = Options { readers_max: 1, busy_timeout, ..Options::default() };
        connection::open(&path, &migrate::MEMORY, ConnectionRole::Write, &options).unwrap();
        let pool = ReaderPool::new(path, &migrate::MEMORY, options);
        let ((begun, begins), (end, ends)) = (mpsc::channel(), mpsc::channel());
        std::thread::scope(|scope| {
            let (pool, ends) = (&pool, Mutex::new(ends));
            scope.spawn(move || {
                pool.read(|_| {
                    begun.send(()).unwrap();
                    ends.lock().recv().unwrap();
                    Ok(())
                })
            });
            begins.recv().unwrap();
            let refused = pool.read(|_| Ok(()));
            end.send(()).unwrap();
            assert!(matches!(refused, Err(StoreError::Busy)), "{refused:?}");
        });
        pool.read(|_| Ok(())).unwrap();
    }
}
