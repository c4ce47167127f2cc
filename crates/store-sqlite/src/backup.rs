//! Backup: copies a snapshot of a memory to a temporary file, verifies the copy, and only then
//! renames it to its target.

use crate::error::{file_error, store_error};
use crate::files::{create_private_file, sync_directory_above, sync_file};
use rusqlite::backup::{Backup, StepResult};
use rusqlite::{Connection, OpenFlags};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use store::StoreError;

/// Copies the database that a connection reads to a file that must not exist yet.
pub(crate) fn backup(from: &Connection, to: &Path) -> Result<(), StoreError> {
    refuse_existing(to)?;
    let unfinished = temporary_path(to);
    let copied = copy(from, &unfinished).and_then(|()| rename_to_target(&unfinished, to));
    if copied.is_err() {
        // Best effort: the error of the copy is returned either way.
        let _ = std::fs::remove_file(&unfinished);
    }
    copied
}

/// Gives a copy of a memory a new random identity, before it replaces another memory: a process
/// that had the old one open can tell by the identity that the content is not what it knew.
///
/// # Errors
/// Fails when the file is not a memory, or cannot be written.
pub fn renew_identity(copy: &Path) -> Result<(), StoreError> {
    let renew = || -> rusqlite::Result<usize> {
        let conn = Connection::open_with_flags(copy, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
        let renewed = conn.execute("UPDATE meta SET identity = randomblob(16)", [])?;
        conn.close().map_err(|(_, error)| error)?;
        Ok(renewed)
    };
    renew().map_err(|error| store_error(&error))?;
    sync_file(copy)
}

fn copy(from: &Connection, to: &Path) -> Result<(), StoreError> {
    create_private_file(to)?;
    copy_pages(from, to).map_err(|error| store_error(&error))?;
    sync_file(to)
}

fn copy_pages(from: &Connection, to: &Path) -> rusqlite::Result<()> {
    let mut copy = Connection::open(to)?;
    // All pages in one step, under one read transaction: the copy is a snapshot, and writers of
    // any process continue meanwhile.
    let step = Backup::new(from, &mut copy)?.step(-1)?;
    if step != StepResult::Done {
        return Err(rusqlite::Error::SqliteFailure(
            rusqlite::ffi::Error::new(rusqlite::ffi::SQLITE_BUSY),
            Some("the copy was interrupted".to_owned()),
        ));
    }
    // Leaves a single file without a write-ahead log, which can be moved as it is.
    copy.pragma_update(None, "journal_mode", "DELETE")?;
    let verdict: String = copy.query_one("PRAGMA integrity_check(1)", [], |row| row.get(0))?;
    copy.close().map_err(|(_, error)| error)?;
    if verdict == "ok" { Ok(()) } else { Err(crate::error::conversion_error(0, verdict)) }
}

pub(crate) fn rename_to_target(unfinished: &Path, to: &Path) -> Result<(), StoreError> {
    // Checked again, because copying took a while and `rename` overwrites silently.
    refuse_existing(to)?;
    std::fs::rename(unfinished, to).map_err(|error| file_error("naming", to, &error))?;
    sync_directory_above(to)
}

pub(crate) fn refuse_existing(to: &Path) -> Result<(), StoreError> {
    // `symlink_metadata`, so that a dangling symbolic link counts as existing too.
    match to.symlink_metadata() {
        Ok(_) => Err(StoreError::FileExists),
        Err(_) => Ok(()),
    }
}

/// Returns the temporary path of a copy.
pub(crate) fn temporary_path(to: &Path) -> PathBuf {
    // In the directory of the target, so that the rename is atomic. Unique per process and copy,
    // because two backups to the same target may run at once.
    static COPIES: AtomicU64 = AtomicU64::new(0);
    let mut name = OsString::from(to.as_os_str());
    name.push(format!(
        ".unfinished-{}-{}",
        std::process::id(),
        COPIES.fetch_add(1, Ordering::Relaxed)
    ));
    PathBuf::from(name)
}
