//! The two files that protect an owner's audit log, next to the memory: the key of the chain, and
//! signed checkpoints that state how far the chain had come. Only their owner can read them. The
//! MACs themselves are computed by the `store` crate.

use crate::error::{file_error, store_error};
use crate::files::sync_directory_above;
use model::{AuditId, Moment};
use rusqlite::{Connection, OptionalExtension};
use std::fs::{self, OpenOptions};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};
use store::{ChainHead, ChainKey, Checkpoint, CheckpointKind, Mac, StoreError};

/// File name of the key.
const KEY_FILE: &str = "audit.key";
/// File name of the checkpoints.
const CHECKPOINT_FILE: &str = "audit.checkpoints";
/// Maximum number of bytes that are read of the checkpoints.
// Enough for about 10 million events at one checkpoint of some 160 bytes per 256 events.
const CHECKPOINT_BYTES_MAX: u64 = 8 * 1024 * 1024;

/// The key of an owner's chain and the path of its checkpoints.
#[derive(Debug, Clone)]
pub(crate) struct AuditKey {
    key: ChainKey,
    checkpoints: PathBuf,
}

impl AuditKey {
    /// Reads the key next to a memory, or creates one and begins a chain with it.
    pub(crate) fn open(memory: &Path, conn: &Connection) -> Result<Self, StoreError> {
        let (file, checkpoints) =
            (memory.with_file_name(KEY_FILE), memory.with_file_name(CHECKPOINT_FILE));
        if let Some(key) = read_key(&file)? {
            return Ok(Self { key, checkpoints });
        }
        // The write lock of the database also serializes the creation of the key: of several
        // processes that open a new memory at once, one creates the key and the others read it.
        let sql = |error: rusqlite::Error| store_error(&error);
        let transaction =
            rusqlite::Transaction::new_unchecked(conn, rusqlite::TransactionBehavior::Immediate)
                .map_err(sql)?;
        let key = match read_key(&file)? {
            Some(key) => key,
            None => start_chain(conn, &file, &checkpoints)?,
        };
        transaction.commit().map_err(sql)?;
        Ok(Self { key, checkpoints })
    }

    /// Returns the key of the chain.
    pub(crate) fn chain_key(&self) -> &ChainKey {
        &self.key
    }

    /// Appends a checkpoint and syncs it to disk.
    pub(crate) fn add_checkpoint(&self, mark: &Checkpoint) -> Result<(), StoreError> {
        append(&self.checkpoints, &mark.to_line(&self.key))
    }

    /// Reads the lines of the checkpoint file.
    pub(crate) fn checkpoint_lines(&self) -> Result<String, StoreError> {
        read_lines(&self.checkpoints)
    }

    /// Returns the event after which the chain under this key begins.
    pub(crate) fn chain_start(&self) -> Result<AuditId, StoreError> {
        let lines = self.checkpoint_lines()?;
        let checkpoints = lines.lines().filter_map(|line| Checkpoint::parse(line, &self.key));
        let begins =
            checkpoints.filter(|mark| mark.kind == CheckpointKind::Start).map(|mark| mark.id);
        Ok(begins.min().unwrap_or(AuditId(0)))
    }
}

/// Fits the audit log of a restored memory to the key and the checkpoints that its owner has.
/// Returns the checkpoints for it; `None` without a valid key, with which a new one begins.
pub(crate) fn adopt_chain(
    directory: &Path,
    conn: &Connection,
) -> Result<Option<String>, StoreError> {
    let checkpoints = directory.join(CHECKPOINT_FILE);
    // A key that cannot be read protects nothing any more.
    let Ok(Some(key)) = read_key(&directory.join(KEY_FILE)) else { return Ok(None) };
    let sql = |error: rusqlite::Error| store_error(&error);
    let lines = read_lines(&checkpoints)?;
    let audit_key = AuditKey { key, checkpoints };
    let fitting = fitting_lines(conn, &audit_key.key, &lines).map_err(sql)?;
    // Under the same key and without any contradiction, the whole log stays verifiable.
    if crate::read::chain::verify(conn, &audit_key, &fitting).map_err(sql)?.is_intact() {
        return Ok(Some(fitting));
    }
    let (id, mac) = read_head(conn).map_err(sql)?;
    write_head_seal(conn, &ChainHead::new(&audit_key.key, id, mac)).map_err(sql)?;
    let start = Checkpoint { kind: CheckpointKind::Start, id, mac, at: now() };
    Ok(Some(format!("{}\n", start.to_line(&audit_key.key))))
}

/// Returns the checkpoints that speak of events in this memory, and of what it had before them.
fn fitting_lines(conn: &Connection, key: &ChainKey, lines: &str) -> rusqlite::Result<String> {
    let mut event = conn.prepare("SELECT mac FROM audit WHERE id = ?1")?;
    let oldest: Option<i64> = conn.query_one("SELECT min(id) FROM audit", [], |row| row.get(0))?;
    let newest: i64 = conn.query_one("SELECT last FROM audit_chain", [], |row| row.get(0))?;
    let mut fitting = String::new();
    for line in lines.lines() {
        let Some(mark) = Checkpoint::parse(line, key) else { continue };
        let found: Option<Option<Mac>> =
            event.query_row([mark.id.0], |row| row.get(0)).optional()?;
        let before = mark.id.0 < oldest.unwrap_or(newest + 1);
        let starts = mark.kind == CheckpointKind::Start && before;
        if starts || found == Some(Some(mark.mac)) {
            fitting.push_str(line);
            fitting.push('\n');
        }
    }
    Ok(fitting)
}

/// Creates a key and begins a chain after the newest event.
fn start_chain(conn: &Connection, file: &Path, checkpoints: &Path) -> Result<ChainKey, StoreError> {
    let mut bytes = [0; ChainKey::BYTES];
    getrandom::fill(&mut bytes)
        .map_err(|error| StoreError::Failed { cause: format!("no random numbers: {error}") })?;
    let key = ChainKey::new(bytes);
    rename_old_checkpoints(checkpoints)?;
    let (id, mac) = read_head(conn).map_err(|error| store_error(&error))?;
    if mac != store::CHAIN_START {
        // Normal after restoring a backup, which does not contain the key. `audit verify` reports
        // the number of events that can no longer be verified.
        tracing::info!(
            newest = id.0,
            "the key of the audit log is missing; starting a new chain after the newest event"
        );
    }
    // The checkpoint comes before the key: after a crash in between, no key exists and this runs
    // again. A key without a checkpoint would look like a chain whose checkpoints were removed.
    append(
        checkpoints,
        &Checkpoint { kind: CheckpointKind::Start, id, mac, at: now() }.to_line(&key),
    )?;
    write_head_seal(conn, &ChainHead::new(&key, id, mac)).map_err(|error| store_error(&error))?;
    write_key(file, &bytes)?;
    Ok(key)
}

fn read_head(conn: &Connection) -> rusqlite::Result<(AuditId, Mac)> {
    conn.query_one("SELECT last, mac FROM audit_chain", [], |row| {
        Ok((AuditId(row.get(0)?), row.get(1)?))
    })
}

fn write_head_seal(conn: &Connection, head: &ChainHead) -> rusqlite::Result<()> {
    conn.execute("UPDATE audit_chain SET seal = ?1", [head.seal]).map(|_| ())
}

/// Renames the checkpoints of a lost key.
fn rename_old_checkpoints(checkpoints: &Path) -> Result<(), StoreError> {
    // Nothing here can verify them any more, but the owner may still have a copy of the key.
    match fs::rename(checkpoints, checkpoints.with_extension("checkpoints.old")) {
        Err(error) if error.kind() != ErrorKind::NotFound => {
            Err(file_error("moving", checkpoints, &error))
        }
        _ => Ok(()),
    }
}

fn read_key(file: &Path) -> Result<Option<ChainKey>, StoreError> {
    match fs::read(file) {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(file_error("reading", file, &error)),
        Ok(bytes) => {
            let key = <[u8; ChainKey::BYTES]>::try_from(bytes.as_slice());
            let cause =
                || StoreError::Damaged { cause: format!("{} is not a valid key", file.display()) };
            key.map(|key| Some(ChainKey::new(key))).map_err(|_| cause())
        }
    }
}

/// Writes the key file.
fn write_key(file: &Path, key: &[u8]) -> Result<(), StoreError> {
    // Written under another name, synced and then renamed, so that no process and no crash ever
    // leaves half a key to be read.
    let unfinished = file.with_extension(format!("key.{}", std::process::id()));
    let written =
        open_private(&unfinished, OpenOptions::new().write(true).create(true).truncate(true))
            .and_then(|mut out| out.write_all(key).and_then(|()| out.sync_all()))
            .and_then(|()| fs::rename(&unfinished, file));
    written.map_err(|error| file_error("writing", file, &error))?;
    sync_directory_above(file)
}

fn append(file: &Path, line: &str) -> Result<(), StoreError> {
    let is_new = !file.exists();
    let written =
        open_private(file, OpenOptions::new().append(true).create(true)).and_then(|mut out| {
            out.write_all(format!("{line}\n").as_bytes()).and_then(|()| out.sync_data())
        });
    written.map_err(|error| file_error("writing", file, &error))?;
    if is_new { sync_directory_above(file) } else { Ok(()) }
}

fn read_lines(file: &Path) -> Result<String, StoreError> {
    use std::io::Read;
    let opened = match fs::File::open(file) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(String::new()),
        opened => opened.map_err(|error| file_error("reading", file, &error))?,
    };
    let mut bytes = Vec::new();
    opened
        .take(CHECKPOINT_BYTES_MAX)
        .read_to_end(&mut bytes)
        .map_err(|error| file_error("reading", file, &error))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

fn open_private(file: &Path, options: &mut OpenOptions) -> std::io::Result<fs::File> {
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(options, 0o600);
    options.open(file)
}

/// Returns the current time.
fn now() -> Moment {
    // The chain begins when the file is opened, which no caller passes a time to.
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Moment(i64::try_from(since.as_micros()).unwrap_or(i64::MAX))
}
