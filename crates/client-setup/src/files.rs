//! Reading and replacing the files of clients. A file is replaced whole, through a temporary file
//! beside it, and only if nobody changed it in between; a symbolic link stays one.

use crate::edit::EditError;
use sha2::{Digest, Sha256};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

/// Largest file that is edited. Claude Code's own grows to some megabytes.
const FILE_BYTES_MAX: u64 = 64 * 1024 * 1024;
/// Longest chain of symbolic links that is followed.
const LINKS_MAX: usize = 40;

/// Reason why a file was not changed.
#[derive(Debug, thiserror::Error)]
pub enum SetupError {
    #[error("{} cannot be read: {error}", path.display())]
    Read { path: PathBuf, error: std::io::Error },
    #[error("{} cannot be written: {error}", path.display())]
    Write { path: PathBuf, error: std::io::Error },
    #[error("{} is read-only", path.display())]
    ReadOnly { path: PathBuf },
    #[error("{} was left as it is: {error}", path.display())]
    Edit { path: PathBuf, error: EditError },
    #[error("{} is not UTF-8 text", path.display())]
    NotText { path: PathBuf },
    #[error("{} keeps changing", path.display())]
    Busy { path: PathBuf },
}

impl SetupError {
    /// Returns the advice for the user.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::Read { .. } | Self::Write { .. } => "Check the path and its permissions.",
            Self::ReadOnly { .. } => "Make it writable, or edit it where it is made from.",
            Self::Edit { .. } | Self::NotText { .. } => {
                "Correct the file, then run the command again."
            }
            Self::Busy { .. } => "Close the program that writes it, then run the command again.",
        }
    }
}

/// Content of a file at one moment.
#[derive(Debug)]
pub(crate) struct FileState {
    /// The file itself, behind all symbolic links.
    pub target: PathBuf,
    /// Its bytes; `None` if it does not exist.
    pub bytes: Option<Vec<u8>>,
}

impl FileState {
    /// Reads a file.
    ///
    /// # Errors
    /// Fails when it exists and cannot be read, or is too large.
    pub fn read(path: &Path) -> Result<Self, SetupError> {
        let failed = |error| SetupError::Read { path: path.to_owned(), error };
        let target = follow_links(path).map_err(failed)?;
        let bytes = read_optional(&target).map_err(failed)?;
        Ok(Self { target, bytes })
    }

    /// Returns the content as text; `None` if the file does not exist.
    ///
    /// # Errors
    /// Fails when it is not UTF-8.
    pub fn text(&self) -> Result<Option<&str>, SetupError> {
        let text = self.bytes.as_deref().map(std::str::from_utf8).transpose();
        text.map_err(|_| SetupError::NotText { path: self.target.clone() })
    }

    /// Replaces the file, or removes it for `None`. Returns false if it changed since it was read,
    /// which leaves it as it is.
    ///
    /// # Errors
    /// Fails when the file is read-only or cannot be written.
    pub fn switch(
        &self,
        new: Option<&[u8]>,
        before_switch: &mut dyn FnMut(),
    ) -> Result<bool, SetupError> {
        let path = &self.target;
        let failed = |error| SetupError::Write { path: path.clone(), error };
        self.check_writable()?;
        let pending = new.map(|new| self.write_beside(new)).transpose().map_err(failed)?;
        before_switch();
        if read_optional(path).map_err(failed)? != self.bytes {
            return Ok(false);
        }
        let switched = match pending {
            None => std::fs::remove_file(path),
            Some(file) if self.bytes.is_none() => {
                match file.persist_noclobber(path).map_err(|refused| refused.error) {
                    Err(error) if error.kind() == ErrorKind::AlreadyExists => return Ok(false),
                    other => other.map(drop),
                }
            }
            Some(file) => file.persist(path).map(drop).map_err(|refused| refused.error),
        };
        switched.and_then(|()| sync_directory(path)).map_err(failed)?;
        Ok(true)
    }

    fn check_writable(&self) -> Result<(), SetupError> {
        match std::fs::metadata(&self.target) {
            // Renaming over it would succeed, against the wish of whoever protected it.
            Ok(metadata) if metadata.permissions().readonly() => {
                Err(SetupError::ReadOnly { path: self.target.clone() })
            }
            _ => Ok(()),
        }
    }

    fn write_beside(&self, bytes: &[u8]) -> std::io::Result<tempfile::NamedTempFile> {
        let directory = self.target.parent().unwrap_or(Path::new("."));
        let mut file = tempfile::NamedTempFile::new_in(directory)?;
        file.write_all(bytes)?;
        if let Ok(metadata) = std::fs::metadata(&self.target) {
            file.as_file().set_permissions(metadata.permissions())?;
        }
        file.as_file().sync_all()?;
        Ok(file)
    }
}

/// Returns the file behind symbolic links, which need not exist.
fn follow_links(path: &Path) -> std::io::Result<PathBuf> {
    let mut path = path.to_owned();
    for _ in 0..LINKS_MAX {
        match std::fs::read_link(&path) {
            Ok(link) => path = path.parent().unwrap_or(Path::new(".")).join(link),
            // Not a link, or not there.
            Err(_) => return Ok(path),
        }
    }
    Err(std::io::Error::other("too many symbolic links"))
}

fn read_optional(path: &Path) -> std::io::Result<Option<Vec<u8>>> {
    match std::fs::metadata(path) {
        Ok(metadata) if !metadata.is_file() => Err(std::io::Error::other("it is not a file")),
        Ok(metadata) if metadata.len() > FILE_BYTES_MAX => {
            Err(std::io::Error::other("it is too large"))
        }
        Ok(_) => std::fs::read(path).map(Some),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

fn sync_directory(path: &Path) -> std::io::Result<()> {
    match path.parent() {
        // Directories cannot be opened for syncing on other platforms.
        Some(parent) if cfg!(unix) => std::fs::File::open(parent)?.sync_all(),
        _ => Ok(()),
    }
}

/// Creates the directory of a file. Returns the directories that were missing, the innermost
/// first.
///
/// # Errors
/// Fails when one cannot be created.
pub(crate) fn create_parents(path: &Path) -> Result<Vec<PathBuf>, SetupError> {
    let Some(parent) = path.parent() else { return Ok(Vec::new()) };
    let missing: Vec<PathBuf> =
        parent.ancestors().take_while(|above| !above.exists()).map(Path::to_owned).collect();
    let created = std::fs::create_dir_all(parent);
    created.map_err(|error| SetupError::Write { path: parent.to_owned(), error })?;
    Ok(missing)
}

/// Returns the name of the backup beside a file.
pub(crate) fn backup_path(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".quipu-backup");
    PathBuf::from(name)
}

/// Writes the backup of a file, with the permissions of the file.
///
/// # Errors
/// Fails when it cannot be written.
pub(crate) fn write_backup(path: &Path, bytes: &[u8]) -> Result<(), SetupError> {
    let backup = backup_path(path);
    let write = || {
        let directory = backup.parent().unwrap_or(Path::new("."));
        let mut file = tempfile::NamedTempFile::new_in(directory)?;
        file.write_all(bytes)?;
        if let Ok(metadata) = std::fs::metadata(path) {
            file.as_file().set_permissions(metadata.permissions())?;
        }
        file.as_file().sync_all()?;
        file.persist(&backup).map_err(|refused| refused.error)?;
        Ok(())
    };
    write().map_err(|error| SetupError::Write { path: backup.clone(), error })
}

/// Returns a hash of the content of a file, as hexadecimal digits.
pub(crate) fn content_hash(bytes: Option<&[u8]>) -> Option<String> {
    let digest = Sha256::digest(bytes?);
    Some(digest.iter().map(|byte| format!("{byte:02x}")).collect())
}
