//! The copy that is about to become the memory: written beside it, checked, migrated, and given a
//! new identity. Nothing of the memory itself is touched.

use super::switch::{MEMORY, RestorePlace};
use super::{RestoreError, RestoreRequest};
use crate::audit_key::{AdoptedChain, CHECKPOINT_FILE, HEAD_FILE, KEY_FILE};
use crate::connection::{self, ConnectionRole, Database};
use crate::error::{file_error, store_error};
use crate::files::{create_private_directory, sync_directory_above, sync_file};
use crate::{Options, audit_key, health, migrate, read};
use rusqlite::{Connection, OpenFlags};
use std::fs::OpenOptions;
use std::path::{Path, PathBuf};
use store::StoreError;

/// A copy that is ready to take the place of the memory.
pub(super) struct PreparedCopy {
    /// Number of active memories in it.
    pub memories: usize,
    /// Its audit log gets a new key.
    pub new_key: bool,
}

/// Copies a backup beside the memory, verifies the copy, and prepares it.
pub(super) fn prepare(
    place: &RestorePlace,
    request: &RestoreRequest<'_>,
    options: &Options,
) -> Result<PreparedCopy, RestoreError> {
    create_private_directory(&place.scratch)?;
    let copy = place.scratch.join(MEMORY);
    copy_database(request.backup, &copy)?;
    refuse_foreign_objects(&copy)?;
    let database = connection::open(&copy, &migrate::MEMORY, ConnectionRole::Write, options)
        .map_err(unreadable)?;
    let memories = check(&database, &copy)?;
    let adopted =
        audit_key::adopt_chain(&place.owner_dir, &database.conn, request.reset_credentials)?;
    finish(database).map_err(|error| store_error(&error))?;
    sync_file(&copy)?;
    write_chain_files(&adopted, &place.scratch)?;
    sync_directory_above(&copy)?;
    Ok(PreparedCopy { memories, new_key: adopted.new_key.is_some() })
}

/// Writes the files that protect the audit log of the copy.
fn write_chain_files(adopted: &AdoptedChain, directory: &Path) -> Result<(), StoreError> {
    let AdoptedChain { new_key, checkpoints, head } = adopted;
    let write = |name: &str, content: &[u8]| write_synced(&directory.join(name), content);
    write(CHECKPOINT_FILE, checkpoints.as_bytes())?;
    write(HEAD_FILE, head.as_bytes())?;
    new_key.as_ref().map_or(Ok(()), |key| write(KEY_FILE, key))
}

/// Copies a database with its write-ahead log, if it has one.
fn copy_database(backup: &Path, to: &Path) -> Result<(), StoreError> {
    let from = if backup.is_dir() { backup.join(MEMORY) } else { backup.to_owned() };
    copy_file(&from, to)?;
    let log = |path: &Path| {
        let mut name = path.as_os_str().to_owned();
        name.push("-wal");
        PathBuf::from(name)
    };
    // SQLite takes a log of this name for a part of the database, and so does a restore.
    if log(&from).metadata().is_ok_and(|file| file.len() > 0) {
        copy_file(&log(&from), &log(to))?;
    }
    Ok(())
}

fn copy_file(from: &Path, to: &Path) -> Result<(), StoreError> {
    let mut source =
        std::fs::File::open(from).map_err(|error| file_error("reading", from, &error))?;
    let copied = create_private(to).and_then(|mut file| {
        std::io::copy(&mut source, &mut file)?;
        file.sync_all()
    });
    copied.map_err(|error| file_error("writing", to, &error))
}

fn write_synced(to: &Path, content: &[u8]) -> Result<(), StoreError> {
    use std::io::Write;
    let written = create_private(to).and_then(|mut file| {
        file.write_all(content)?;
        file.sync_all()
    });
    written.map_err(|error| file_error("writing", to, &error))
}

fn create_private(to: &Path) -> std::io::Result<std::fs::File> {
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(to)
}

/// Refuses a file with triggers, views or tables that Quipu did not make.
// Before anything is written to it: a trigger would run with the first change.
fn refuse_foreign_objects(copy: &Path) -> Result<(), RestoreError> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let conn = Connection::open_with_flags(copy, flags).map_err(|error| store_error(&error))?;
    let foreign = migrate::foreign_objects(&conn, &migrate::MEMORY).map_err(unreadable)?;
    if foreign.is_empty() {
        return Ok(());
    }
    Err(RestoreError::NotABackup { cause: format!("it contains {}", foreign.join(", ")) })
}

/// Checks the copy and returns the number of active memories.
fn check(database: &Database, copy: &Path) -> Result<usize, RestoreError> {
    let sql = |error: rusqlite::Error| unreadable(store_error(&error));
    let health = health::inspect(&database.conn, copy).map_err(sql)?;
    if !health.sound {
        return Err(RestoreError::Damaged { problems: health.problems });
    }
    if read::seq(&database.conn).map_err(sql)?.is_none() {
        return Err(RestoreError::Damaged { problems: vec!["its owner was erased".to_owned()] });
    }
    let counts = read::count::counts(&database.conn).map_err(sql)?;
    Ok(counts.in_status(model::Status::Active))
}

/// Gives the copy a new identity, and leaves it as one file.
// The identity tells running processes that their views are of another memory.
fn finish(database: Database) -> rusqlite::Result<()> {
    database.conn.execute("UPDATE meta SET identity = randomblob(16)", [])?;
    database.conn.pragma_update(None, "journal_mode", "DELETE")?;
    database.close()
}

/// Converts an error of reading the copy: a damaged one was never a backup of Quipu.
fn unreadable(error: StoreError) -> RestoreError {
    match error {
        StoreError::Damaged { cause } => RestoreError::NotABackup { cause },
        error @ StoreError::TooNew { .. } => RestoreError::NotABackup { cause: error.to_string() },
        error => error.into(),
    }
}
