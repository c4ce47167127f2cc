//! What seals an owner's audit log, in two files beside the memory: the key of the chain, and the
//! checkpoints that say outside of the store how far it had come. Both are readable by their owner
//! alone.

use crate::fault::{file_error, store_error};
use crate::files::sync_directory_above;
use model::{AuditId, Moment};
use rusqlite::Connection;
use std::fs::{self, OpenOptions};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};
use store::{ChainKey, Head, Mac, Mark, MarkKind, StoreError};

/// The file of the key.
const KEY: &str = "audit.key";
/// The file of the checkpoints.
const MARKS: &str = "audit.checkpoints";
/// The most that is read of the checkpoints: about 10 million events.
const MARKS_BYTES_MAX: u64 = 8 * 1024 * 1024;

/// The key of an owner's chain, and where its checkpoints lie.
#[derive(Debug, Clone)]
pub(crate) struct Seals {
    key: ChainKey,
    marks: PathBuf,
}

impl Seals {
    /// Reads the key beside a memory, or makes one and begins the chain with it.
    pub(crate) fn open(memory: &Path, conn: &Connection) -> Result<Self, StoreError> {
        let (file, marks) = (memory.with_file_name(KEY), memory.with_file_name(MARKS));
        if let Some(key) = read_key(&file)? {
            return Ok(Self { key, marks });
        }
        // Inside a transaction, so that of several processes one makes the key.
        let sql = |error: rusqlite::Error| store_error(&error);
        let transaction =
            rusqlite::Transaction::new_unchecked(conn, rusqlite::TransactionBehavior::Immediate)
                .map_err(sql)?;
        let key = match read_key(&file)? {
            Some(key) => key,
            None => begin(conn, &file, &marks)?,
        };
        transaction.commit().map_err(sql)?;
        Ok(Self { key, marks })
    }

    /// The key of the chain.
    pub(crate) fn key(&self) -> &ChainKey {
        &self.key
    }

    /// Adds a checkpoint, on disk when it returns.
    pub(crate) fn add(&self, mark: &Mark) -> Result<(), StoreError> {
        append(&self.marks, &mark.line(&self.key))
    }

    /// The lines of the checkpoints.
    pub(crate) fn lines(&self) -> Result<String, StoreError> {
        read_lines(&self.marks)
    }

    /// The event after which the chain under this key begins.
    pub(crate) fn beginning(&self) -> Result<AuditId, StoreError> {
        let lines = self.lines()?;
        let marks = lines.lines().filter_map(|line| Mark::read(line, &self.key));
        let begins = marks.filter(|mark| mark.kind == MarkKind::Begin).map(|mark| mark.id);
        Ok(begins.min().unwrap_or(AuditId(0)))
    }
}

/// Makes a key, and says where the chain stands now. The checkpoint comes first: a key without one
/// would look like a chain whose checkpoints somebody removed.
fn begin(conn: &Connection, file: &Path, marks: &Path) -> Result<ChainKey, StoreError> {
    let mut bytes = [0; ChainKey::BYTES];
    getrandom::fill(&mut bytes)
        .map_err(|error| StoreError::Failed { cause: format!("no random numbers: {error}") })?;
    let key = ChainKey::new(bytes);
    set_aside(marks)?;
    let (id, mac) = head(conn).map_err(|error| store_error(&error))?;
    if mac != store::CHAIN_START {
        // A backup does not hold the key, so restoring one comes by here; `audit verify` tells how
        // much is not judged.
        tracing::info!(
            newest = id.0,
            "the audit log was sealed with a key that is not here; a new chain begins"
        );
    }
    append(marks, &Mark { kind: MarkKind::Begin, id, mac, at: now() }.line(&key))?;
    seal(conn, &Head::new(&key, id, mac)).map_err(|error| store_error(&error))?;
    put_key(file, &bytes)?;
    Ok(key)
}

fn head(conn: &Connection) -> rusqlite::Result<(AuditId, Mac)> {
    conn.query_one("SELECT last, mac FROM audit_chain", [], |row| {
        Ok((AuditId(row.get(0)?), row.get(1)?))
    })
}

fn seal(conn: &Connection, head: &Head) -> rusqlite::Result<()> {
    conn.execute("UPDATE audit_chain SET seal = ?1", [head.seal]).map(|_| ())
}

/// Checkpoints of a key that is gone say nothing any more, but nobody has to lose them.
fn set_aside(marks: &Path) -> Result<(), StoreError> {
    match fs::rename(marks, marks.with_extension("checkpoints.old")) {
        Err(error) if error.kind() != ErrorKind::NotFound => {
            Err(file_error("moving", marks, &error))
        }
        _ => Ok(()),
    }
}

fn read_key(file: &Path) -> Result<Option<ChainKey>, StoreError> {
    match fs::read(file) {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(file_error("reading", file, &error)),
        Ok(bytes) => {
            let whole = <[u8; ChainKey::BYTES]>::try_from(bytes.as_slice());
            let cause = || StoreError::Damaged { cause: format!("{} is no key", file.display()) };
            whole.map(|key| Some(ChainKey::new(key))).map_err(|_| cause())
        }
    }
}

/// Beside its place first: nobody ever reads half a key.
fn put_key(file: &Path, key: &[u8]) -> Result<(), StoreError> {
    let unfinished = file.with_extension(format!("key.{}", std::process::id()));
    let written = private(&unfinished, OpenOptions::new().write(true).create(true).truncate(true))
        .and_then(|mut out| out.write_all(key).and_then(|()| out.sync_all()))
        .and_then(|()| fs::rename(&unfinished, file));
    written.map_err(|error| file_error("writing", file, &error))?;
    sync_directory_above(file)
}

fn append(file: &Path, line: &str) -> Result<(), StoreError> {
    let written =
        private(file, OpenOptions::new().append(true).create(true)).and_then(|mut out| {
            out.write_all(format!("{line}\n").as_bytes()).and_then(|()| out.sync_data())
        });
    written.map_err(|error| file_error("writing", file, &error))
}

fn read_lines(file: &Path) -> Result<String, StoreError> {
    use std::io::Read;
    let opened = match fs::File::open(file) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(String::new()),
        opened => opened.map_err(|error| file_error("reading", file, &error))?,
    };
    let mut bytes = Vec::new();
    opened
        .take(MARKS_BYTES_MAX)
        .read_to_end(&mut bytes)
        .map_err(|error| file_error("reading", file, &error))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

fn private(file: &Path, options: &mut OpenOptions) -> std::io::Result<fs::File> {
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(options, 0o600);
    options.open(file)
}

/// A mark is made by a process, whatever clock its caller goes by.
fn now() -> Moment {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Moment(i64::try_from(since.as_micros()).unwrap_or(i64::MAX))
}
