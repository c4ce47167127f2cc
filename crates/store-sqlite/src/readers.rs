//! The connections that read one file: a few, lent out and returned. A read sees one moment, as one
//! statement or in one transaction, and never keeps a writer waiting.

use crate::Options;
use crate::fault::store_error;
use crate::migrate::Format;
use crate::open::{self, Database, Role};
use rusqlite::Connection;
use std::path::PathBuf;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use store::StoreError;

/// The connections that read one file.
#[derive(Debug)]
pub(crate) struct Readers {
    path: PathBuf,
    format: &'static Format,
    options: Options,
    rack: Mutex<Rack>,
    returned: Condvar,
}

/// Connections that wait to be lent, and how many are out.
#[derive(Debug, Default)]
struct Rack {
    idle: Vec<Database>,
    lent: usize,
    /// How many wait for one. Waking nobody would still be a call to the system, after every read.
    awaited: usize,
}

impl Readers {
    /// No connection is opened before it is needed.
    pub(crate) fn new(path: PathBuf, format: &'static Format, options: Options) -> Self {
        Self { path, format, options, rack: Mutex::default(), returned: Condvar::new() }
    }

    /// Reads at once, if a connection is idle and nobody is in the way; `None` otherwise.
    /// For short reads on a thread that must not wait.
    pub(crate) fn now<T>(
        &self,
        read: impl Fn(&Connection) -> rusqlite::Result<T>,
    ) -> Option<Result<T, StoreError>> {
        let database = self.rack().lend_idle()?;
        database.patience.set(Duration::ZERO);
        match self.use_and_return(database, read) {
            Err(StoreError::Busy) => None,
            outcome => Some(outcome),
        }
    }

    /// Reads, waiting for a connection and for other processes as need be.
    pub(crate) fn read<T>(
        &self,
        read: impl Fn(&Connection) -> rusqlite::Result<T>,
    ) -> Result<T, StoreError> {
        let database = self.lend()?;
        database.patience.set(self.options.busy_timeout);
        self.use_and_return(database, read)
    }

    fn use_and_return<T>(
        &self,
        database: Database,
        read: impl Fn(&Connection) -> rusqlite::Result<T>,
    ) -> Result<T, StoreError> {
        let outcome = read(&database.conn).map_err(|error| store_error(&error));
        // A connection that met anything worse than a lock may not be trusted again.
        let sound = matches!(outcome, Ok(_) | Err(StoreError::Busy));
        self.take_back(sound.then_some(database));
        outcome
    }

    fn lend(&self) -> Result<Database, StoreError> {
        let mut rack = self.rack();
        loop {
            if let Some(database) = rack.lend_idle() {
                return Ok(database);
            }
            if rack.lent < self.options.readers_max.max(1) {
                rack.lent += 1;
                drop(rack);
                return self.open();
            }
            rack.awaited += 1;
            rack = self.returned.wait(rack).unwrap_or_else(PoisonError::into_inner);
            rack.awaited -= 1;
        }
    }

    fn open(&self) -> Result<Database, StoreError> {
        open::open(&self.path, self.format, Role::Read, &self.options)
            .inspect_err(|_| self.take_back(None))
    }

    fn take_back(&self, database: Option<Database>) {
        let mut rack = self.rack();
        rack.lent -= 1;
        rack.idle.extend(database);
        let awaited = rack.awaited > 0;
        drop(rack);
        if awaited {
            self.returned.notify_one();
        }
    }

    /// A reader that panicked left the rack as it was, so the lock's poison tells nothing.
    fn rack(&self) -> MutexGuard<'_, Rack> {
        self.rack.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Rack {
    fn lend_idle(&mut self) -> Option<Database> {
        let database = self.idle.pop()?;
        self.lent += 1;
        Some(database)
    }
}

/// Reads in one transaction, so that several statements see the same moment. One alone needs none,
/// and beginning and ending it would cost as much as a short statement itself.
pub(crate) fn in_one_moment<T>(
    conn: &Connection,
    read: impl Fn(&Connection) -> rusqlite::Result<T>,
) -> rusqlite::Result<T> {
    conn.prepare_cached("BEGIN")?.execute([])?;
    let outcome = read(conn);
    let end = if outcome.is_ok() { "COMMIT" } else { "ROLLBACK" };
    conn.prepare_cached(end)?.execute([])?;
    outcome
}
