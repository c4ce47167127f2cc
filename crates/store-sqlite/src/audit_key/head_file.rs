//! The file with the head of an audit chain, next to the memory. It is written over in place after
//! every transaction and not synced, so after a power cut it may be older than the memory, and is
//! never newer. It only ever advances along the chain: a head that the memory does not contain
//! stays as it is, because it shows that an older memory was put back.

use super::signed_files::replace_file;
use crate::error::{file_error, store_error};
use crate::lifecycle::{read_start, write_start};
use crate::read;
use model::{AuditId, Moment};
use rusqlite::Connection;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use store::{ChainKey, KeptHead, Mac, StoreError};

/// Maximum time that a writer waits for another one.
// Each holds the lock for some microseconds. A head that is not written is only older.
const LOCK_WAIT_MAX: Duration = Duration::from_millis(100);
/// Maximum number of bytes of a line.
const LINE_BYTES_MAX: usize = 512;

/// The file with the head of a chain.
#[derive(Debug, Clone)]
pub(super) struct HeadFile(PathBuf);

/// A step of a chain: the events that a transaction added, or several.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ChainStep {
    /// The newest event before, and the MAC that it carries.
    pub(crate) from: (AuditId, Mac),
    /// The newest event after, and the MAC that it carries.
    pub(crate) to: (AuditId, Mac),
    /// Time of the newest event.
    pub(crate) at: Moment,
}

impl HeadFile {
    pub(super) fn new(path: PathBuf) -> Self {
        Self(path)
    }

    pub(super) fn path(&self) -> &Path {
        &self.0
    }

    /// Writes a head that begins a chain, whatever was there before.
    pub(super) fn begin(&self, head: &KeptHead, key: &ChainKey) -> Result<(), StoreError> {
        replace_file(&self.0, file_content(head, key).as_bytes())
    }

    /// Reads the line; `None` when there is no file.
    pub(super) fn line(&self) -> Result<Option<String>, StoreError> {
        let Some(file) = self.open(OpenOptions::new().read(true))? else { return Ok(None) };
        lock(|| file.try_lock_shared()).map_err(|error| self.error(&error))?;
        read_line(&file).map(Some).map_err(|error| self.error(&error))
    }

    /// Writes the head after a step of the chain, unless it is not a step from the head that is in
    /// the file. `sync` makes it durable.
    pub(super) fn advance(
        &self,
        conn: &Connection,
        key: &ChainKey,
        step: &ChainStep,
        sync: bool,
    ) -> Result<(), StoreError> {
        let missing = || StoreError::Failed { cause: format!("{} is missing", self.0.display()) };
        let file = self.open(OpenOptions::new().read(true).write(true))?.ok_or_else(missing)?;
        // Exclusive, so that the slower of two processes never writes an older head.
        lock(|| file.try_lock()).map_err(|error| self.error(&error))?;
        let line = read_line(&file).map_err(|error| self.error(&error))?;
        let Some(kept) = KeptHead::parse(&line, key) else { return Ok(()) };
        if kept.id < step.to.0 && continues(conn, &kept, step)? {
            let (id, mac) = step.to;
            let next = KeptHead { id, mac, at: step.at, origin: kept.origin };
            let written = write_start(&file, file_content(&next, key).as_bytes());
            written.map_err(|error| self.error(&error))?;
        }
        if sync { file.sync_data().map_err(|error| self.error(&error)) } else { Ok(()) }
    }

    fn open(&self, options: &OpenOptions) -> Result<Option<File>, StoreError> {
        match options.open(&self.0) {
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            opened => opened.map(Some).map_err(|error| self.error(&error)),
        }
    }

    fn error(&self, error: &std::io::Error) -> StoreError {
        file_error("using", &self.0, error)
    }
}

/// Returns the content of the file with a head in it.
pub(super) fn file_content(head: &KeptHead, key: &ChainKey) -> String {
    format!("{}\n", head.to_line(key))
}

/// Returns true when the chain before a step contains the head.
fn continues(conn: &Connection, kept: &KeptHead, step: &ChainStep) -> Result<bool, StoreError> {
    if step.from == (kept.id, kept.mac) {
        return Ok(true);
    }
    // Another process committed before this one and has not written its head yet.
    let carried = read::chain::mac(conn, kept.id).map_err(|error| store_error(&error))?;
    Ok(carried == Some(kept.mac))
}

fn read_line(file: &File) -> std::io::Result<String> {
    let mut bytes = [0; LINE_BYTES_MAX];
    let read = read_start(file, &mut bytes)?;
    let text = String::from_utf8_lossy(bytes.get(..read).unwrap_or_default());
    Ok(text.lines().next().unwrap_or_default().to_owned())
}

/// Takes a lock, trying until it is too late.
fn lock(mut attempt: impl FnMut() -> Result<(), TryLockError>) -> std::io::Result<()> {
    let since = Instant::now();
    loop {
        match attempt() {
            Err(TryLockError::WouldBlock) if since.elapsed() < LOCK_WAIT_MAX => {
                std::thread::sleep(Duration::from_micros(200));
            }
            taken => return taken.map_err(std::io::Error::from),
        }
    }
}
