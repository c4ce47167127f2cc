//! Recognises a write-ahead log that belongs to another database, such as one that stayed behind
//! when the database beside it was replaced by hand. SQLite takes any log of the right name for its
//! own and would write the other database's pages into this one.

use crate::connection::{self, ConnectionRole};
use crate::error::{file_error, store_error};
use crate::files::{StorePaths, sync_directory};
use crate::lifecycle::LockFiles;
use crate::{Options, migrate, read};
use model::OwnerId;
use rusqlite::{Connection, OpenFlags};
use std::fs;
use std::path::{Path, PathBuf};
use store::StoreError;

const REFUSAL: &str = "memory.db-wal belongs to another memory; `quipu doctor --fix` moves it away \
    and keeps it";

/// Fails when the log beside a memory belongs to another one.
pub(crate) fn refuse(memory: &Path, options: &Options) -> Result<(), StoreError> {
    if is_foreign(memory, options)? { Err(StoreError::Unusable { why: REFUSAL }) } else { Ok(()) }
}

/// Moves a log that belongs to another memory away, and returns its new path; `None` when the log
/// is right.
pub(crate) fn set_aside(
    home: &StorePaths,
    owner: &OwnerId,
    options: &Options,
) -> Result<Option<PathBuf>, StoreError> {
    let memory = home.memory(owner);
    let mut files = LockFiles::open(home, owner)?;
    let exclusive = files.lock_exclusive(options.busy_timeout)?;
    if !is_foreign(&memory, options)? {
        return Ok(None);
    }
    let aside = (1_u32..)
        .map(|number| memory.with_extension(format!("db-wal.foreign{number}")))
        .find(|path| !path.exists());
    let Some(aside) = aside else { return Ok(None) };
    // Whoever has the memory open opens it again without the log.
    exclusive.raise_generation()?;
    let log = log_of(&memory);
    fs::rename(&log, &aside).map_err(|error| file_error("moving", &log, &error))?;
    // An index of the log, made anew from it.
    let _ = fs::remove_file(memory.with_extension("db-shm"));
    sync_directory(&home.owner(owner))?;
    Ok(Some(aside))
}

/// Compares the memory without its log to the memory with it. The identity of a memory never
/// changes while its files stay where they are.
fn is_foreign(memory: &Path, options: &Options) -> Result<bool, StoreError> {
    let has_content = |path: &Path| path.metadata().is_ok_and(|file| file.len() > 0);
    if !has_content(&log_of(memory)) || !has_content(memory) {
        return Ok(false);
    }
    // A memory that is in its log only has no identity without it.
    let Some(own) = identity_without_log(memory) else { return Ok(false) };
    let with_log = connection::open(memory, &migrate::MEMORY, ConnectionRole::Read, options)
        .and_then(|database| read::identity(&database.conn).map_err(|error| store_error(&error)));
    match with_log {
        Ok(identity) => Ok(identity != own),
        Err(StoreError::Damaged { .. } | StoreError::Failed { .. }) => Ok(true),
        Err(error) => Err(error),
    }
}

fn identity_without_log(memory: &Path) -> Option<[u8; 16]> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY
        | OpenFlags::SQLITE_OPEN_NO_MUTEX
        | OpenFlags::SQLITE_OPEN_URI;
    // `immutable` makes SQLite read the database alone.
    let conn = Connection::open_with_flags(immutable_uri(memory)?, flags).ok()?;
    read::identity(&conn).ok()
}

fn immutable_uri(path: &Path) -> Option<String> {
    use std::fmt::Write;
    let mut uri = String::from("file:");
    for byte in path.to_str()?.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'.' | b'-' | b'_' => {
                uri.push(char::from(byte));
            }
            byte => write!(uri, "%{byte:02X}").ok()?,
        }
    }
    uri.push_str("?immutable=1");
    Some(uri)
}

fn log_of(memory: &Path) -> PathBuf {
    memory.with_extension("db-wal")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_path_becomes_an_address_that_sqlite_opens() {
        let home = tempfile::tempdir().unwrap();
        let directory = home.path().join("a b?c#d%20é");
        fs::create_dir(&directory).unwrap();
        let memory = directory.join("memory.db");
        crate::files::create_private_file(&memory).unwrap();
        let options = Options::default();
        let database =
            connection::open(&memory, &migrate::MEMORY, ConnectionRole::Write, &options).unwrap();
        let identity = read::identity(&database.conn).unwrap();
        database.close().unwrap();
        assert_eq!(identity_without_log(&memory), Some(identity));
    }
}
