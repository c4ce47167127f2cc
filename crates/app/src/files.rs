//! Files and directories that only their owner can read, written so that a reader never sees a
//! partial file, and bounded reads.

use crate::exit::Problem;
use std::io::Write;
use std::path::Path;

/// Creates a directory and its parents, accessible by the owner only; an existing one is unchanged.
///
/// # Errors
/// Fails when it cannot be created.
pub fn create_private_dir(path: &Path) -> Result<(), Problem> {
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    let missing: Vec<&Path> = path.ancestors().take_while(|above| !above.exists()).collect();
    builder.create(path).map_err(|error| Problem::file("creating", path, &error))?;
    missing.into_iter().try_for_each(sync_parent_dir)
}

/// Syncs the directory of a file: without it, a new name is not durable.
fn sync_parent_dir(path: &Path) -> Result<(), Problem> {
    // Directories cannot be opened for syncing on other platforms.
    if cfg!(unix) {
        let parent = parent_dir(path);
        let synced = std::fs::File::open(parent).and_then(|directory| directory.sync_all());
        synced.map_err(|error| Problem::file("syncing", parent, &error))?;
    }
    Ok(())
}

/// Creates a file atomically. Returns false if the file exists by then, which leaves it unchanged.
///
/// # Errors
/// Fails when the file cannot be written.
pub fn write_new(path: &Path, content: impl AsRef<[u8]>) -> Result<bool, Problem> {
    let mut new = PendingFile::create_beside(path)?;
    let written = new.writer().write_all(content.as_ref());
    written.map_err(|error| Problem::file("writing", path, &error))?;
    Ok(new.persist()?.is_some())
}

/// A temporary file in the same directory as its destination, so that it can be renamed into place
/// once it is complete.
#[derive(Debug)]
pub struct PendingFile<'p> {
    file: tempfile::NamedTempFile,
    path: &'p Path,
}

impl<'p> PendingFile<'p> {
    /// Creates an empty temporary file next to `path`.
    ///
    /// # Errors
    /// Fails when the directory cannot be written.
    pub fn create_beside(path: &'p Path) -> Result<Self, Problem> {
        let file = tempfile::NamedTempFile::new_in(parent_dir(path));
        let file = file.map_err(|error| Problem::file("writing", path, &error))?;
        Ok(Self { file, path })
    }

    /// Returns the file to write to.
    pub fn writer(&mut self) -> &mut std::fs::File {
        self.file.as_file_mut()
    }

    /// Renames the file into place and returns its length; `None` if the destination exists by
    /// then.
    ///
    /// # Errors
    /// Fails when it cannot be synced or renamed.
    pub fn persist(self) -> Result<Option<u64>, Problem> {
        let Self { file, path } = self;
        // Synced before the rename: after a crash the name must never refer to an empty file.
        let written = file.as_file().sync_all().and_then(|()| file.as_file().metadata());
        let bytes = written.map_err(|error| Problem::file("writing", path, &error))?.len();
        match file.persist_noclobber(path) {
            Ok(_) => sync_parent_dir(path).map(|()| Some(bytes)),
            Err(refused) if refused.error.kind() == std::io::ErrorKind::AlreadyExists => Ok(None),
            Err(refused) => Err(Problem::file("writing", path, &refused.error)),
        }
    }
}

/// Replaces a file atomically, or creates it.
///
/// # Errors
/// Fails when the file cannot be written.
pub fn replace_file(path: &Path, text: &str) -> Result<(), Problem> {
    let put = write_temp_beside(path, text.as_bytes())?.persist(path);
    put.map_err(|refused| Problem::file("writing", path, &refused.error))?;
    sync_parent_dir(path)
}

/// Writes and syncs a temporary file next to its destination.
fn write_temp_beside(path: &Path, content: &[u8]) -> Result<tempfile::NamedTempFile, Problem> {
    let write = || {
        let mut file = tempfile::NamedTempFile::new_in(parent_dir(path))?;
        file.write_all(content)?;
        file.as_file().sync_all()?;
        Ok(file)
    };
    write().map_err(|error: std::io::Error| Problem::file("writing", path, &error))
}

/// Returns the directory of a file.
fn parent_dir(path: &Path) -> &Path {
    path.parent().filter(|above| !above.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Reads a small text file, at most `bytes_max` of it; `None` if it does not exist.
///
/// # Errors
/// Fails when it exists and cannot be read.
pub fn read_small(path: &Path, bytes_max: u64) -> std::io::Result<Option<String>> {
    use std::io::Read;
    let file = match std::fs::File::open(path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        opened => opened?,
    };
    let mut bytes = Vec::new();
    file.take(bytes_max).read_to_end(&mut bytes)?;
    Ok(Some(String::from_utf8_lossy(&bytes).into_owned()))
}

/// Reads a file that may be large. One of more than `bytes_max` is rejected before it is read.
///
/// # Errors
/// Fails when it does not exist, is not a regular file, cannot be read, or is too large.
pub fn read_bounded(path: &Path, bytes_max: u64) -> std::io::Result<Vec<u8>> {
    use std::io::{Error, ErrorKind, Read};
    // Checked before opening: opening a named pipe would block until its other end is opened.
    let metadata = std::fs::metadata(path)?;
    if !metadata.is_file() {
        return Err(Error::new(ErrorKind::InvalidInput, "not a file"));
    }
    if metadata.len() > bytes_max {
        let message = format!("{} bytes exceed the limit of {bytes_max}", metadata.len());
        return Err(Error::new(ErrorKind::FileTooLarge, message));
    }
    let mut bytes = Vec::new();
    std::fs::File::open(path)?.take(bytes_max).read_to_end(&mut bytes)?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_existing_file_is_not_overwritten() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("token");
        assert!(write_new(&path, "first").unwrap());
        assert!(!write_new(&path, "second").unwrap());
        assert_eq!(read_small(&path, 100).unwrap().as_deref(), Some("first"));
        assert_eq!(read_small(&path, 2).unwrap().as_deref(), Some("fi"));
        assert_eq!(read_small(&directory.path().join("nothing"), 2).unwrap(), None);
    }

    #[cfg(unix)]
    #[test]
    fn new_files_and_directories_are_private() {
        use std::os::unix::fs::PermissionsExt;
        let directory = tempfile::tempdir().unwrap();
        let mode = |path: &Path| path.metadata().unwrap().permissions().mode() & 0o777;
        let deep = directory.path().join("a/b");
        create_private_dir(&deep).unwrap();
        write_new(&deep.join("token"), "secret").unwrap();
        assert_eq!((mode(&deep), mode(&deep.join("token"))), (0o700, 0o600));
    }
}
