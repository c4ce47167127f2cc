//! The files next to the memory that protect an owner's audit log: the key of the chain, signed
//! checkpoints that state how far the chain had come, and its head. The MACs themselves are
//! computed by the `store` crate.

mod adoption;
mod head_file;
mod signed_files;

pub(crate) use adoption::{AdoptedChain, adopt_chain};
pub(crate) use head_file::ChainStep;

use crate::error::store_error;
use crate::read;
use head_file::HeadFile;
use model::{AuditId, Moment};
use rusqlite::{Connection, Transaction, TransactionBehavior};
use signed_files::{append_line, read_key, read_lines, replace_file, set_aside};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};
use store::{
    ChainHead, ChainKey, ChainOrigin, ChainReport, ChainVerifier, Checkpoint, CheckpointKind,
    KeptHead, Mac, StoreError,
};

/// File name of the key.
pub(crate) const KEY_FILE: &str = "audit.key";
/// File name of the checkpoints.
pub(crate) const CHECKPOINT_FILE: &str = "audit.checkpoints";
/// File name of the head.
pub(crate) const HEAD_FILE: &str = "audit.head";
/// Time that the process that migrates an old memory gets to write its key.
const KEY_WAIT_MAX: Duration = Duration::from_secs(1);
/// Maximum number of verifications while retention removes events.
const VERIFICATIONS_MAX: usize = 3;

/// The circumstances under which a memory is opened, which say whether it must have a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct KeyExpectation {
    /// The owner is listed, which happens after the memory and its key were created.
    pub(crate) listed: bool,
    /// The file was of a format from before there was a chain.
    pub(crate) before_chain: bool,
}

/// The key of an owner's chain and the paths of its checkpoints and its head.
#[derive(Debug, Clone)]
pub(crate) struct AuditKey {
    key: ChainKey,
    checkpoints: PathBuf,
    head: HeadFile,
}

impl AuditKey {
    /// Reads the key next to a memory, or creates one and begins a chain with it.
    pub(crate) fn open(
        memory: &Path,
        conn: &Connection,
        expected: KeyExpectation,
    ) -> Result<Self, StoreError> {
        let file = memory.with_file_name(KEY_FILE);
        if let Some(key) = read_key(&file)? {
            let known = Self::with_key(memory, key);
            known.add_first_head(conn)?;
            return Ok(known);
        }
        wait_for_migration(conn, &file)?;
        // The write lock of the database also serializes the creation of the key: of several
        // processes that open a new memory at once, one creates the key and the others read it.
        let transaction = begin_immediate(conn)?;
        let known = match read_key(&file)? {
            Some(key) => Self::with_key(memory, key),
            None => Self::create(memory, &file, conn, expected)?,
        };
        transaction.commit().map_err(|error| store_error(&error))?;
        Ok(known)
    }

    fn with_key(memory: &Path, key: ChainKey) -> Self {
        let head = HeadFile::new(memory.with_file_name(HEAD_FILE));
        Self { key, checkpoints: memory.with_file_name(CHECKPOINT_FILE), head }
    }

    /// Creates a key and begins a chain after the newest event.
    fn create(
        memory: &Path,
        file: &Path,
        conn: &Connection,
        expected: KeyExpectation,
    ) -> Result<Self, StoreError> {
        let bytes = random_key()?;
        let created = Self::with_key(memory, ChainKey::new(bytes));
        let origin = origin_of_new_key(conn, expected)?;
        if origin == ChainOrigin::KeyLost {
            tracing::error!(
                "the key of the audit log is missing; `quipu audit verify` fails until \
                 `quipu audit restart` begins the log anew"
            );
        }
        set_aside(file)?;
        // The key comes last: after a crash before it, no key exists and this runs again. A key
        // without a checkpoint would look like a chain whose checkpoints were removed.
        created.begin_chain(conn, origin)?;
        replace_file(file, &bytes)?;
        Ok(created)
    }

    /// Begins a chain after the newest event, in a transaction that holds the write lock.
    fn begin_chain(&self, conn: &Connection, origin: ChainOrigin) -> Result<(), StoreError> {
        let sql = |error: rusqlite::Error| store_error(&error);
        let (id, mac) = read_head(conn).map_err(sql)?;
        let at = now();
        let start = Checkpoint { kind: CheckpointKind::Start, id, mac, at };
        set_aside(&self.checkpoints)?;
        set_aside(self.head.path())?;
        replace_file(&self.checkpoints, format!("{}\n", start.to_line(&self.key)).as_bytes())?;
        self.head.begin(&KeptHead { id, mac, at, origin }, &self.key)?;
        write_head_seal(conn, &ChainHead::new(&self.key, id, mac)).map_err(sql)
    }

    /// Begins the chain anew after the newest event, because the owner says so.
    pub(crate) fn restart(&self, conn: &Connection) -> Result<(), StoreError> {
        let transaction = begin_immediate(conn)?;
        self.begin_chain(conn, ChainOrigin::Lawful)?;
        transaction.commit().map_err(|error| store_error(&error))
    }

    /// Gives a head to a memory of a version that kept none.
    fn add_first_head(&self, conn: &Connection) -> Result<(), StoreError> {
        if self.head.path().exists() {
            return Ok(());
        }
        // Under the write lock, so that of several processes one writes it.
        let transaction = begin_immediate(conn)?;
        let lines = self.checkpoint_lines()?;
        let beside_head = |line| Checkpoint::parse_with_origin(line, &self.key).map(|(_, it)| it);
        let parsed: Option<Vec<bool>> = lines.lines().map(beside_head).collect();
        // Where there was a head, or the checkpoints are not those of this key, a new head would
        // hide what happened.
        let first = parsed.is_some_and(|beside| !beside.is_empty() && !beside.contains(&true));
        if first && !self.head.path().exists() {
            let (id, mac) = read_head(conn).map_err(|error| store_error(&error))?;
            let at = now();
            self.head.begin(&KeptHead { id, mac, at, origin: ChainOrigin::Lawful }, &self.key)?;
            self.add_checkpoint(&Checkpoint { kind: CheckpointKind::Reached, id, mac, at })?;
        }
        transaction.commit().map_err(|error| store_error(&error))
    }

    /// Returns the key of the chain.
    pub(crate) fn chain_key(&self) -> &ChainKey {
        &self.key
    }

    /// Appends a checkpoint and syncs it to disk.
    pub(crate) fn add_checkpoint(&self, mark: &Checkpoint) -> Result<(), StoreError> {
        append_line(&self.checkpoints, &mark.to_line(&self.key))
    }

    /// Writes the head after a transaction.
    pub(crate) fn advance_head(
        &self,
        conn: &Connection,
        step: &ChainStep,
    ) -> Result<(), StoreError> {
        self.head.advance(conn, &self.key, step, false)
    }

    /// Makes sure that the head on disk is the newest event, in a transaction that holds the write
    /// lock. Before events are removed: an older head could no longer be compared.
    pub(crate) fn sync_head(&self, conn: &Connection) -> Result<(), StoreError> {
        let newest = read_head(conn).map_err(|error| store_error(&error))?;
        let step = ChainStep { from: newest, to: newest, at: now() };
        self.head.advance(conn, &self.key, &step, true)
    }

    /// Reads the lines of the checkpoint file.
    fn checkpoint_lines(&self) -> Result<String, StoreError> {
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

    /// Verifies every event against the chain, and the chain against its checkpoints and its head.
    /// Runs outside of a transaction.
    pub(crate) fn verify(&self, conn: &Connection) -> Result<ChainReport, StoreError> {
        let mut report = ChainReport::default();
        for _ in 0..VERIFICATIONS_MAX {
            // Before the events: what is written meanwhile is newer than both.
            let (lines, head) = (self.checkpoint_lines()?, self.head.line()?);
            let verifier =
                ChainVerifier::new(&self.key, lines.lines()).with_kept_head(head.as_deref());
            report = crate::readers::in_read_transaction(conn, |conn| {
                read::chain::verify(conn, verifier.clone())
            })
            .map_err(|error| store_error(&error))?;
            // Retention removes events and says so in the checkpoints.
            if report.is_intact() || self.checkpoint_lines()? == lines {
                break;
            }
        }
        Ok(report)
    }
}

/// Returns the origin of a key that is created for a memory.
fn origin_of_new_key(
    conn: &Connection,
    expected: KeyExpectation,
) -> Result<ChainOrigin, StoreError> {
    let sql = |error: rusqlite::Error| store_error(&error);
    let is_new = read_head(conn).map_err(sql)?.0.0 == 0
        && read::seq(conn).map_err(sql)?.is_some_and(|seq| seq.0 == 0);
    let lawful = expected.before_chain || (is_new && !expected.listed);
    Ok(if lawful { ChainOrigin::Lawful } else { ChainOrigin::KeyLost })
}

/// Waits for the key of a memory that another process has just migrated to the first format with a
/// chain; that process knows that there was no key.
fn wait_for_migration(conn: &Connection, key: &Path) -> Result<(), StoreError> {
    const SQL: &str = "SELECT last > 0 AND seal = zeroblob(32) FROM audit_chain";
    let unsealed: bool =
        conn.query_one(SQL, [], |row| row.get(0)).map_err(|error| store_error(&error))?;
    let since = Instant::now();
    while unsealed && !key.exists() && since.elapsed() < KEY_WAIT_MAX {
        std::thread::sleep(Duration::from_millis(10));
    }
    Ok(())
}

fn begin_immediate(conn: &Connection) -> Result<Transaction<'_>, StoreError> {
    Transaction::new_unchecked(conn, TransactionBehavior::Immediate)
        .map_err(|error| store_error(&error))
}

fn random_key() -> Result<[u8; ChainKey::BYTES], StoreError> {
    let mut bytes = [0; ChainKey::BYTES];
    getrandom::fill(&mut bytes)
        .map_err(|error| StoreError::Failed { cause: format!("no random numbers: {error}") })?;
    Ok(bytes)
}

fn read_head(conn: &Connection) -> rusqlite::Result<(AuditId, Mac)> {
    conn.query_one("SELECT last, mac FROM audit_chain", [], |row| {
        Ok((AuditId(row.get(0)?), row.get(1)?))
    })
}

fn write_head_seal(conn: &Connection, head: &ChainHead) -> rusqlite::Result<()> {
    conn.execute("UPDATE audit_chain SET seal = ?1", [head.seal]).map(|_| ())
}

/// Returns the current time.
fn now() -> Moment {
    // The chain begins when the file is opened, which no caller passes a time to.
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Moment(i64::try_from(since.as_micros()).unwrap_or(i64::MAX))
}
