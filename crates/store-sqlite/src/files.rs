//! Paths of the files, and their creation with private permissions. Knows nothing of their content.

use crate::error::file_error;
use model::OwnerId;
use parking_lot::Mutex;
use std::fs::{self, OpenOptions};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use store::StoreError;

/// Maximum length of the path of the home directory.
// SQLite opens no path of more than 512 bytes, and says only that it cannot open it. The rest is
// for the names below, the longest owner included.
const HOME_BYTES_MAX: usize = 320;
const HOME_TOO_LONG: &str =
    "the path of the home directory is longer than 320 bytes; choose a shorter one with --home";

/// The paths below the store's home directory.
#[derive(Debug, Clone)]
pub(crate) struct StorePaths(PathBuf);

impl StorePaths {
    /// Uses a directory as home, creating it if it does not exist.
    pub(crate) fn at(path: &Path) -> Result<Self, StoreError> {
        if path.as_os_str().len() > HOME_BYTES_MAX {
            return Err(StoreError::Unusable { why: HOME_TOO_LONG });
        }
        create_private_directory(path)?;
        Ok(Self(path.to_owned()))
    }

    /// Returns the home directory itself.
    pub(crate) fn root(&self) -> &Path {
        &self.0
    }

    /// Returns the path of the file of owners and keys.
    pub(crate) fn control(&self) -> PathBuf {
        self.0.join("control.db")
    }

    /// Returns the directory that has a directory for each owner.
    pub(crate) fn owners(&self) -> PathBuf {
        self.0.join("owners")
    }

    /// Returns the directory of one owner.
    pub(crate) fn owner(&self, owner: &OwnerId) -> PathBuf {
        self.owners().join(owner.as_str())
    }

    /// Returns the directory of the lock files of one owner. Not in the owner's directory, which an
    /// erasure removes: a lock file must never be replaced by another one of its name.
    pub(crate) fn locks(&self, owner: &OwnerId) -> PathBuf {
        self.0.join("locks").join(owner.as_str())
    }

    /// Returns the path of the memory of one owner.
    pub(crate) fn memory(&self, owner: &OwnerId) -> PathBuf {
        self.owner(owner).join("memory.db")
    }
}

/// Creates a directory and its parents, accessible only to their owner.
pub(crate) fn create_private_directory(path: &Path) -> Result<(), StoreError> {
    let missing: Vec<&Path> = path.ancestors().take_while(|above| !above.exists()).collect();
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path).map_err(|error| file_error("creating", path, &error))?;
    missing.into_iter().try_for_each(sync_directory_above)
}

/// Creates a file that only its owner can read, or leaves an existing one as it is.
// SQLite gives its `-wal` and `-shm` files the permissions of the database file.
pub(crate) fn create_private_file(path: &Path) -> Result<(), StoreError> {
    // POSIX: a process that closes any handle of a file loses all its locks on that file. So no
    // other thread may open the new file with SQLite before the handle that created it is closed.
    static MAKING: Mutex<()> = Mutex::new(());
    let _making = MAKING.lock();
    let mut options = OpenOptions::new();
    options.create_new(true).write(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    match options.open(path).map(drop) {
        Ok(()) => sync_directory_above(path),
        Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(()),
        Err(error) => Err(file_error("creating", path, &error)),
    }
}

/// Syncs the directory of a path.
pub(crate) fn sync_directory_above(path: &Path) -> Result<(), StoreError> {
    let above = path.parent().filter(|above| !above.as_os_str().is_empty());
    above.map_or(Ok(()), sync_directory)
}

/// Syncs a directory.
// The entry of a new or renamed file is not durable before its directory is synced.
#[cfg(unix)]
pub(crate) fn sync_directory(directory: &Path) -> Result<(), StoreError> {
    let synced = fs::File::open(directory).and_then(|opened| opened.sync_all());
    synced.map_err(|error| file_error("syncing", directory, &error))
}

/// Does nothing: directories cannot be synced on this platform.
#[cfg(not(unix))]
pub(crate) fn sync_directory(_directory: &Path) -> Result<(), StoreError> {
    Ok(())
}

/// Syncs the content of a file.
pub(crate) fn sync_file(path: &Path) -> Result<(), StoreError> {
    let synced = OpenOptions::new().write(true).open(path).and_then(|file| file.sync_all());
    synced.map_err(|error| file_error("syncing", path, &error))
}
