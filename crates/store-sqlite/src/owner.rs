//! The memory of one owner as this process has it open: one writer, a few readers.

use crate::apply::erased;
use crate::fault::store_error;
use crate::files::make_private_file;
use crate::open::{self, Database, Role};
use crate::readers::{Readers, in_one_moment};
use crate::retention;
use crate::seals::Seals;
use crate::writer::Writer;
use crate::{Options, migrate, read, scrub};
use model::{Moment, Seq};
use rusqlite::Connection;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use store::StoreError;
use tokio::sync::oneshot;

/// The memory of one owner.
#[derive(Debug)]
pub(crate) struct OwnerMemory {
    /// The number it was given at birth.
    pub(crate) identity: [u8; 16],
    /// Its file.
    pub(crate) path: PathBuf,
    /// The way to write.
    pub(crate) writer: Writer,
    /// What seals its audit log.
    pub(crate) seals: Seals,
    readers: Readers,
    gone: Arc<AtomicBool>,
}

impl OwnerMemory {
    /// Makes the file if it is not there, and opens it.
    pub(crate) fn create(path: &Path, options: &Options) -> Result<Self, StoreError> {
        make_private_file(path)?;
        Self::open(path, options)
    }

    /// Opens a file that must be there: an owner never finds an empty memory in place of a lost
    /// one.
    pub(crate) fn open(path: &Path, options: &Options) -> Result<Self, StoreError> {
        if !path.exists() {
            return Err(StoreError::Damaged { cause: format!("{} is missing", path.display()) });
        }
        let database = open::open(path, &migrate::MEMORY, Role::Write, options)?;
        let sql = |error: rusqlite::Error| store_error(&error);
        read::seq(&database.conn).map_err(sql)?.ok_or_else(erased::error)?;
        let identity = read::identity(&database.conn).map_err(sql)?;
        let gone = Arc::new(AtomicBool::new(false));
        let seals = Seals::open(path, &database.conn)?;
        let writer = Writer::start(
            database,
            path.to_owned(),
            options.clone(),
            seals.clone(),
            Arc::clone(&gone),
        )?;
        let readers = Readers::new(path.to_owned(), &migrate::MEMORY, options.clone());
        Ok(Self { identity, path: path.to_owned(), writer, seals, readers, gone })
    }

    /// Whether another process erased the owner.
    pub(crate) fn is_gone(&self) -> bool {
        self.gone.load(Ordering::Acquire)
    }

    /// The number of the newest change.
    pub(crate) async fn seq(self: &Arc<Self>) -> Result<Seq, StoreError> {
        self.glance(read::seq).await?.ok_or_else(|| self.note_gone())
    }

    /// Looks whether the owner is still there, on a thread that may block.
    pub(crate) fn check(&self) -> Result<(), StoreError> {
        self.readers.read(read::seq)?.map(|_| ()).ok_or_else(|| self.note_gone())
    }

    fn note_gone(&self) -> StoreError {
        self.gone.store(true, Ordering::Release);
        erased::error()
    }

    /// A read of a few rows: done where the caller stands when a connection is idle,
    /// for changing threads costs more than the read.
    pub(crate) async fn point<T: Send + 'static>(
        self: &Arc<Self>,
        read: impl Fn(&Connection) -> rusqlite::Result<T> + Send + 'static,
    ) -> Result<T, StoreError> {
        self.glance(move |conn| in_one_moment(conn, &read)).await
    }

    /// The same for a single statement.
    pub(crate) async fn glance<T: Send + 'static>(
        self: &Arc<Self>,
        read: impl Fn(&Connection) -> rusqlite::Result<T> + Send + 'static,
    ) -> Result<T, StoreError> {
        match self.readers.now(&read) {
            Some(outcome) => outcome,
            None => self.aside(read).await,
        }
    }

    /// A read that may take long or wait: done on a thread that may block.
    pub(crate) async fn scan<T: Send + 'static>(
        self: &Arc<Self>,
        read: impl Fn(&Connection) -> rusqlite::Result<T> + Send + 'static,
    ) -> Result<T, StoreError> {
        self.aside(move |conn| in_one_moment(conn, &read)).await
    }

    async fn aside<T: Send + 'static>(
        self: &Arc<Self>,
        read: impl Fn(&Connection) -> rusqlite::Result<T> + Send + 'static,
    ) -> Result<T, StoreError> {
        let memory = Arc::clone(self);
        blocking(move || memory.readers.read(read)).await
    }

    /// Gives unused space back to the disk.
    pub(crate) async fn compact(&self) -> Result<(), StoreError> {
        self.writer.run(|database| scrub::rewrite(&database.conn).map(|_| ())).await
    }

    /// Removes audit events from before a moment.
    pub(crate) async fn prune_audit(&self, before: Moment) -> Result<usize, StoreError> {
        let (seals, (told, answer)) = (self.seals.clone(), oneshot::channel());
        let prune = move |database: &Database| {
            // One who gave up waiting is not missed.
            let _ = told.send(retention::remove_before(&database.conn, &seals, before)?);
            Ok(())
        };
        self.writer.run(prune).await?;
        answer.await.unwrap_or(Ok(0))
    }

    /// Bytes of the file and its write-ahead log.
    pub(crate) fn bytes(&self) -> u64 {
        let log = self.path.with_extension("db-wal");
        [&self.path, &log]
            .iter()
            .filter_map(|path| path.metadata().ok())
            .map(|file| file.len())
            .sum()
    }
}

/// Runs something that blocks on a thread that may.
pub(crate) async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, StoreError> + Send + 'static,
) -> Result<T, StoreError> {
    let done = tokio::task::spawn_blocking(work).await;
    done.unwrap_or_else(|error| {
        Err(StoreError::Failed { cause: format!("a read ended early: {error}") })
    })
}
