//! Where the files lie, and that only their owner can read them.

use crate::fault::file_error;
use model::OwnerId;
use std::fs::{self, OpenOptions};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use store::StoreError;

/// The places below a home directory.
#[derive(Debug, Clone)]
pub(crate) struct Home(PathBuf);

impl Home {
    /// Takes a directory as home, making it if need be.
    pub(crate) fn at(path: &Path) -> Result<Self, StoreError> {
        make_private_directory(path)?;
        Ok(Self(path.to_owned()))
    }

    /// The file of owners and keys.
    pub(crate) fn control(&self) -> PathBuf {
        self.0.join("control.db")
    }

    /// The directory of one owner.
    pub(crate) fn owner(&self, owner: &OwnerId) -> PathBuf {
        self.0.join("owners").join(owner.as_str())
    }

    /// The memory of one owner.
    pub(crate) fn memory(&self, owner: &OwnerId) -> PathBuf {
        self.owner(owner).join("memory.db")
    }
}

/// Makes a directory, and those above it, that only its owner can enter.
pub(crate) fn make_private_directory(path: &Path) -> Result<(), StoreError> {
    if path.is_dir() {
        return Ok(());
    }
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path).map_err(|error| file_error("making", path, &error))?;
    sync_directory_above(path)
}

/// Makes a file that only its owner can read, or leaves the one that is there.
/// SQLite gives its `-wal` and `-shm` files the same permissions.
pub(crate) fn make_private_file(path: &Path) -> Result<(), StoreError> {
    /// A process that closes any handle of a file loses all its locks on it (POSIX says so). So
    /// nobody in this process may have SQLite open a new file before the handle that made it is
    /// closed.
    static MAKING: Mutex<()> = Mutex::new(());
    let _making = MAKING.lock().unwrap_or_else(PoisonError::into_inner);
    let mut options = OpenOptions::new();
    options.create_new(true).write(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    match options.open(path).map(drop) {
        Ok(()) => sync_directory_above(path),
        Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(()),
        Err(error) => Err(file_error("making", path, &error)),
    }
}

/// Puts the directory entry of a path on disk: a file whose name is lost is lost.
#[cfg(unix)]
pub(crate) fn sync_directory_above(path: &Path) -> Result<(), StoreError> {
    let Some(above) = path.parent().filter(|above| !above.as_os_str().is_empty()) else {
        return Ok(());
    };
    let synced = fs::File::open(above).and_then(|directory| directory.sync_all());
    synced.map_err(|error| file_error("syncing", above, &error))
}

/// Directories cannot be synced here; the file system sees to it.
#[cfg(not(unix))]
pub(crate) fn sync_directory_above(_path: &Path) -> Result<(), StoreError> {
    Ok(())
}

/// Puts a file's bytes on disk.
pub(crate) fn sync_file(path: &Path) -> Result<(), StoreError> {
    let synced = OpenOptions::new().write(true).open(path).and_then(|file| file.sync_all());
    synced.map_err(|error| file_error("syncing", path, &error))
}
