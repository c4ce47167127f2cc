//! The open memory of one owner: one writer, a few readers, the audit key. Decides on which thread
//! a read runs.

use crate::apply::erased;
use crate::audit_key::{AuditKey, KeyExpectation};
use crate::connection::{self, ConnectionRole, Database};
use crate::error::store_error;
use crate::files::create_private_file;
use crate::lifecycle::FileLease;
use crate::readers::{ReaderPool, in_read_transaction};
use crate::retention;
use crate::writer::{Writer, WriterFiles};
use crate::{Options, foreign_log, migrate, read, scrub};
use model::{Moment, Seq};
use rusqlite::Connection;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use store::{ChainReport, StoreError};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

/// First version of the format with an audit chain.
const FIRST_CHAIN: u32 = 3;

/// The open memory of one owner.
#[derive(Debug)]
pub(crate) struct OwnerMemory {
    pub(crate) identity: [u8; 16],
    pub(crate) path: PathBuf,
    pub(crate) audit_key: AuditKey,
    lease: Arc<FileLease>,
    // Closed before the writer, which empties the write-ahead log if it is the last one.
    readers: ReaderPool,
    pub(crate) writer: Writer,
    // Shared with the writer thread, which sets it when it finds the mark of another process.
    erased: Arc<AtomicBool>,
}

impl OwnerMemory {
    /// Creates the file of an owner who may be listed, if it does not exist, and opens it.
    pub(crate) fn create(
        path: &Path,
        options: &Options,
        lease: Arc<FileLease>,
        listed: bool,
    ) -> Result<Self, StoreError> {
        create_private_file(path)?;
        Self::open(path, options, lease, listed)
    }

    /// Opens a file that must exist. The caller holds the lifecycle lock.
    pub(crate) fn open(
        path: &Path,
        options: &Options,
        lease: Arc<FileLease>,
        listed: bool,
    ) -> Result<Self, StoreError> {
        foreign_log::refuse(path, options)?;
        let database = connection::open(path, &migrate::MEMORY, ConnectionRole::Write, options)?;
        let sql = |error: rusqlite::Error| store_error(&error);
        read::seq(&database.conn).map_err(sql)?.ok_or_else(erased::error)?;
        let identity = read::identity(&database.conn).map_err(sql)?;
        let erased = Arc::new(AtomicBool::new(false));
        // May write a new key, so it needs the write connection before the writer thread owns it.
        let before_chain =
            database.former_version.is_some_and(|version| (1..FIRST_CHAIN).contains(&version));
        let expected = KeyExpectation { listed, before_chain };
        let audit_key = AuditKey::open(path, &database.conn, expected)?;
        let files = WriterFiles {
            path: path.to_owned(),
            options: options.clone(),
            audit_key: audit_key.clone(),
            lease: Arc::clone(&lease),
        };
        let writer = Writer::start(database, files, Arc::clone(&erased))?;
        let readers = ReaderPool::new(path.to_owned(), &migrate::MEMORY, options.clone())
            .under_lease(Arc::clone(&lease));
        Ok(Self { identity, path: path.to_owned(), audit_key, lease, readers, writer, erased })
    }

    /// Returns true when the owner is known to have been erased.
    pub(crate) fn is_erased(&self) -> bool {
        self.erased.load(Ordering::Acquire)
    }

    /// Returns true while the open files are those of the owner: no restore has replaced them.
    pub(crate) fn is_current(&self) -> bool {
        self.lease.is_current()
    }

    /// Returns the sequence number of the newest change.
    pub(crate) async fn seq(self: &Arc<Self>) -> Result<Seq, StoreError> {
        self.read_statement(read::seq).await?.ok_or_else(|| self.mark_erased())
    }

    /// Checks in the file whether the owner was erased. Blocks.
    pub(crate) fn check_not_erased(&self) -> Result<(), StoreError> {
        self.readers.read(read::seq)?.map(|_| ()).ok_or_else(|| self.mark_erased())
    }

    fn mark_erased(&self) -> StoreError {
        self.erased.store(true, Ordering::Release);
        erased::error()
    }

    /// Reads a few rows in one transaction, on the caller's thread if a connection is idle.
    // Handing a short read over to a blocking thread and back costs more than the read itself.
    pub(crate) async fn read_few<T: Send + 'static>(
        self: &Arc<Self>,
        read: impl Fn(&Connection) -> rusqlite::Result<T> + Send + 'static,
    ) -> Result<T, StoreError> {
        self.read_statement(move |conn| in_read_transaction(conn, &read)).await
    }

    /// Like `read_few`, for a single statement, which needs no transaction.
    pub(crate) async fn read_statement<T: Send + 'static>(
        self: &Arc<Self>,
        read: impl Fn(&Connection) -> rusqlite::Result<T> + Send + 'static,
    ) -> Result<T, StoreError> {
        match self.readers.try_read(&read) {
            Some(outcome) => outcome,
            None => self.read_on_blocking_thread(read).await,
        }
    }

    /// Runs a read that may take long, in one transaction on a blocking thread.
    pub(crate) async fn read_many<T: Send + 'static>(
        self: &Arc<Self>,
        read: impl Fn(&Connection) -> rusqlite::Result<T> + Send + 'static,
    ) -> Result<T, StoreError> {
        self.read_on_blocking_thread(move |conn| in_read_transaction(conn, &read)).await
    }

    async fn read_on_blocking_thread<T: Send + 'static>(
        self: &Arc<Self>,
        read: impl Fn(&Connection) -> rusqlite::Result<T> + Send + 'static,
    ) -> Result<T, StoreError> {
        let memory = Arc::clone(self);
        blocking(move || memory.readers.read(read)).await
    }

    /// Returns unused space to the disk.
    pub(crate) async fn compact(&self) -> Result<(), StoreError> {
        self.writer.run(|database| scrub::vacuum(&database.conn).map(|_| ())).await
    }

    /// Begins the audit chain anew after its newest event.
    pub(crate) async fn restart_audit(&self) -> Result<(), StoreError> {
        let (audit_key, (sender, receiver)) = (self.audit_key.clone(), oneshot::channel());
        let restart = move |database: &Database| {
            // The receiver is gone when the caller gave up waiting.
            let _ = sender.send(audit_key.restart(&database.conn));
            Ok(())
        };
        self.writer.run(restart).await?;
        receiver.await.unwrap_or(Ok(()))
    }

    /// Verifies the audit chain.
    pub(crate) async fn verify_audit(self: &Arc<Self>) -> Result<ChainReport, StoreError> {
        let audit_key = self.audit_key.clone();
        // The error of the files is inside of that of SQLite, which a reader returns.
        self.read_on_blocking_thread(move |conn| Ok(audit_key.verify(conn))).await?
    }

    /// Removes audit events older than a moment.
    pub(crate) async fn prune_audit(&self, before: Moment) -> Result<usize, StoreError> {
        let (audit_key, (sender, receiver)) = (self.audit_key.clone(), oneshot::channel());
        // On the writer thread, which owns the only connection that writes.
        let prune = move |database: &Database| {
            // The receiver is gone when the caller gave up waiting.
            let _ = sender.send(retention::remove_before(&database.conn, &audit_key, before)?);
            Ok(())
        };
        self.writer.run(prune).await?;
        receiver.await.unwrap_or(Ok(0))
    }

    /// Returns the size of the file and its write-ahead log.
    pub(crate) fn bytes(&self) -> u64 {
        let log = self.path.with_extension("db-wal");
        [&self.path, &log]
            .iter()
            .filter_map(|path| path.metadata().ok())
            .map(|file| file.len())
            .sum()
    }
}

/// Runs a blocking function on a thread that is allowed to block.
pub(crate) async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, StoreError> + Send + 'static,
) -> Result<T, StoreError> {
    let (sender, receiver) = oneshot::channel();
    // Boxed, so that the task of the runtime is compiled once and not again for each read. The
    // receiver is gone when the caller gave up waiting.
    let work: Box<dyn FnOnce() + Send> = Box::new(move || drop(sender.send(work())));
    let task = tokio::task::spawn_blocking(work);
    match receiver.await {
        Ok(done) => done,
        Err(_) => Err(ended_early(task).await),
    }
}

/// Returns the error of work that has panicked or was not started.
async fn ended_early(task: JoinHandle<()>) -> StoreError {
    let reason = task.await.err().map_or_else(String::new, |error| format!(": {error}"));
    StoreError::Failed { cause: format!("a read ended early{reason}") }
}
