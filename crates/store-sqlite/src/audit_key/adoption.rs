//! The audit log of a restored memory: it goes on under the key that its owner has if it belongs to
//! it, and otherwise a chain begins after its newest event, under that key or a new one. Either is
//! a lawful beginning, which the files beside the restored memory state.

use super::head_file::file_content;
use super::signed_files::{read_key, read_lines};
use super::write_head_seal;
use super::{CHECKPOINT_FILE, HEAD_FILE, HeadFile, KEY_FILE, now, random_key, read_head};
use crate::error::store_error;
use crate::read;
use model::AuditId;
use rusqlite::{Connection, OptionalExtension};
use std::path::Path;
use store::{
    ChainHead, ChainKey, ChainOrigin, ChainVerifier, Checkpoint, CheckpointKind, KeptHead, Mac,
    StoreError,
};

/// The files of a restored memory that protect its audit log.
#[derive(Debug)]
pub(crate) struct AdoptedChain {
    /// The bytes of a new key; `None` when the owner's key stays.
    pub(crate) new_key: Option<[u8; ChainKey::BYTES]>,
    /// Content of the file of checkpoints.
    pub(crate) checkpoints: String,
    /// Content of the file of the head.
    pub(crate) head: String,
}

/// Fits the audit log of a restored memory to the key and the checkpoints in the owner's directory.
/// With `renew`, or without a usable key, it gets a new one.
pub(crate) fn adopt_chain(
    directory: &Path,
    conn: &Connection,
    renew: bool,
) -> Result<AdoptedChain, StoreError> {
    // A key that cannot be read protects nothing any more.
    let known = if renew { None } else { read_key(&directory.join(KEY_FILE)).ok().flatten() };
    let Some(key) = known else {
        let bytes = random_key()?;
        return begin(conn, &ChainKey::new(bytes), Some(bytes));
    };
    let lines = read_lines(&directory.join(CHECKPOINT_FILE))?;
    let sql = |error: rusqlite::Error| store_error(&error);
    let fitting = fitting_lines(conn, &key, &lines).map_err(sql)?;
    // Under the same key and without any contradiction, the whole log stays verifiable.
    let verifier = ChainVerifier::new(&key, fitting.lines());
    if !read::chain::verify(conn, verifier).map_err(sql)?.is_intact() {
        return begin(conn, &key, None);
    }
    let replaced = HeadFile::new(directory.join(HEAD_FILE)).line()?;
    let replaced = replaced.and_then(|line| KeptHead::parse(&line, &key));
    let origin = replaced.map_or(ChainOrigin::Lawful, |head| head.origin);
    let (id, mac) = read_head(conn).map_err(sql)?;
    let reached = checkpoint(CheckpointKind::Reached, id, mac).to_line(&key);
    let head = file_content(&KeptHead { id, mac, at: now(), origin }, &key);
    Ok(AdoptedChain { new_key: None, checkpoints: format!("{fitting}{reached}\n"), head })
}

/// Begins a chain after the newest event.
fn begin(
    conn: &Connection,
    key: &ChainKey,
    new_key: Option<[u8; ChainKey::BYTES]>,
) -> Result<AdoptedChain, StoreError> {
    let sql = |error: rusqlite::Error| store_error(&error);
    let (id, mac) = read_head(conn).map_err(sql)?;
    write_head_seal(conn, &ChainHead::new(key, id, mac)).map_err(sql)?;
    let start = checkpoint(CheckpointKind::Start, id, mac).to_line(key);
    let head = KeptHead { id, mac, at: now(), origin: ChainOrigin::Lawful };
    let (checkpoints, head) = (format!("{start}\n"), file_content(&head, key));
    Ok(AdoptedChain { new_key, checkpoints, head })
}

fn checkpoint(kind: CheckpointKind, id: AuditId, mac: Mac) -> Checkpoint {
    Checkpoint { kind, id, mac, at: now() }
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
