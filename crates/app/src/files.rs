//! Files and directories that only their owner can read.

use crate::exit::Problem;
use std::io::Write;
use std::path::Path;

/// Makes a directory, and those above it, that only its owner can enter; leaves one that is there.
///
/// # Errors
/// When it cannot be made.
pub fn make_private_directory(path: &Path) -> Result<(), Problem> {
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path).map_err(|error| Problem::file("making", path, &error))
}

/// Puts a whole new file in place, unless there is one by then; a reader never sees half of it.
/// Answers whether it was put there.
///
/// # Errors
/// When the directory cannot be written.
pub fn put_new(path: &Path, content: impl AsRef<[u8]>) -> Result<bool, Problem> {
    let mut new = NewFile::beside(path)?;
    let written = new.writer().write_all(content.as_ref());
    written.map_err(|error| Problem::file("writing", path, &error))?;
    Ok(new.put_in_place()?.is_some())
}

/// A file in the making, beside the place where it will be once it is whole.
#[derive(Debug)]
pub struct NewFile<'p> {
    file: tempfile::NamedTempFile,
    place: &'p Path,
}

impl<'p> NewFile<'p> {
    /// An empty one.
    ///
    /// # Errors
    /// When the directory cannot be written.
    pub fn beside(place: &'p Path) -> Result<Self, Problem> {
        let file = tempfile::NamedTempFile::new_in(above(place));
        let file = file.map_err(|error| Problem::file("writing", place, &error))?;
        Ok(Self { file, place })
    }

    /// What it is written through.
    pub fn writer(&mut self) -> &mut std::fs::File {
        self.file.as_file_mut()
    }

    /// Puts it in its place and answers with how long it is; `None` when there is a file by then.
    ///
    /// # Errors
    /// When it cannot be brought to the disk.
    pub fn put_in_place(self) -> Result<Option<u64>, Problem> {
        let Self { file, place } = self;
        let written = file.as_file().sync_all().and_then(|()| file.as_file().metadata());
        let bytes = written.map_err(|error| Problem::file("writing", place, &error))?.len();
        match file.persist_noclobber(place) {
            Ok(_) => Ok(Some(bytes)),
            Err(refused) if refused.error.kind() == std::io::ErrorKind::AlreadyExists => Ok(None),
            Err(refused) => Err(Problem::file("writing", place, &refused.error)),
        }
    }
}

/// Puts a whole file in place of whatever is there; a reader never sees half of it.
///
/// # Errors
/// When the directory cannot be written.
pub fn put(path: &Path, text: &str) -> Result<(), Problem> {
    let put = beside(path, text.as_bytes())?.persist(path);
    put.map(|_| ()).map_err(|refused| Problem::file("writing", path, &refused.error))
}

/// A whole file that waits beside its place.
fn beside(path: &Path, content: &[u8]) -> Result<tempfile::NamedTempFile, Problem> {
    let write = || {
        let mut file = tempfile::NamedTempFile::new_in(above(path))?;
        file.write_all(content)?;
        file.as_file().sync_all()?;
        Ok(file)
    };
    write().map_err(|error: std::io::Error| Problem::file("writing", path, &error))
}

/// The directory that a file is in.
fn above(path: &Path) -> &Path {
    path.parent().filter(|above| !above.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// A small text file; `None` when it is not there. More than `bytes_max` is not read.
///
/// # Errors
/// When it is there and cannot be read.
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

/// A file that may be large. More than `bytes_max` is refused before anything of it is read.
///
/// # Errors
/// When it is not there, is no file, cannot be read, or is too large.
pub fn read_bounded(path: &Path, bytes_max: u64) -> std::io::Result<Vec<u8>> {
    use std::io::{Error, ErrorKind, Read};
    // Asked before it is opened: opening a pipe would wait for its other end.
    let about = std::fs::metadata(path)?;
    if !about.is_file() {
        return Err(Error::new(ErrorKind::InvalidInput, "it is not a file"));
    }
    if about.len() > bytes_max {
        let message = format!("it has {} bytes; the limit is {bytes_max}", about.len());
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
    fn a_file_that_is_there_is_left_as_it_is() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("token");
        assert!(put_new(&path, "first").unwrap());
        assert!(!put_new(&path, "second").unwrap());
        assert_eq!(read_small(&path, 100).unwrap().as_deref(), Some("first"));
        assert_eq!(read_small(&path, 2).unwrap().as_deref(), Some("fi"));
        assert_eq!(read_small(&directory.path().join("nothing"), 2).unwrap(), None);
    }

    #[cfg(unix)]
    #[test]
    fn nobody_else_can_read_what_is_made() {
        use std::os::unix::fs::PermissionsExt;
        let directory = tempfile::tempdir().unwrap();
        let mode = |path: &Path| path.metadata().unwrap().permissions().mode() & 0o777;
        let deep = directory.path().join("a/b");
        make_private_directory(&deep).unwrap();
        put_new(&deep.join("token"), "secret").unwrap();
        assert_eq!((mode(&deep), mode(&deep.join("token"))), (0o700, 0o600));
    }
}
