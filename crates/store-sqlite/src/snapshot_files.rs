//! Snapshots of search views as files, next to the memory or wherever a test wants them. A file is
//! written beside its place and renamed, so that a reader sees the old one or the new one, and one
//! that is mapped never changes.

use crate::error::file_error;
use crate::owner::blocking;
use crate::sqlite_store::SqliteStore;
use async_trait::async_trait;
use model::{Moment, OwnerId, Seq};
use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use store::{
    SnapshotContent, SnapshotLabel, SnapshotMedium, SnapshotWriter, StoreError, ViewSnapshots,
};

/// Name of the file next to a memory.
const FILE_NAME: &str = "view.snapshot";

/// Bytes of one write to a file. Linux caches what one write brings as a unit, and maps units as a
/// whole: after writes of any size, reading a few vectors of a million memories made 925 MiB
/// resident, and 552 after these.
const WRITE_BYTES_MAX: usize = 64 << 10;

/// Files of snapshots, one for each owner.
#[derive(Clone)]
pub struct SnapshotFiles {
    path: Arc<dyn Fn(&OwnerId) -> PathBuf + Send + Sync>,
}

impl SnapshotFiles {
    /// Creates the storage from the path of each owner's file.
    pub fn new(path: impl Fn(&OwnerId) -> PathBuf + Send + Sync + 'static) -> Self {
        Self { path: Arc::new(path) }
    }
}

impl SqliteStore {
    /// Returns the snapshots of search views, each next to the memory of its owner.
    #[must_use]
    pub fn snapshot_files(&self) -> SnapshotFiles {
        let store = self.clone();
        SnapshotFiles::new(move |owner| store.owner_dir(owner).join(FILE_NAME))
    }
}

#[async_trait]
impl ViewSnapshots for SnapshotFiles {
    fn medium(&self) -> SnapshotMedium {
        SnapshotMedium::File
    }

    async fn snapshot_seq(&self, _: &OwnerId, _: &str) -> Result<Option<Seq>, StoreError> {
        Ok(None)
    }

    async fn open_snapshot(
        &self,
        owner: &OwnerId,
        _: &str,
    ) -> Result<Option<SnapshotContent>, StoreError> {
        let path = (self.path)(owner);
        blocking(move || {
            remove_leftovers(&path);
            match File::open(&path) {
                Ok(file) => Ok(Some(SnapshotContent::File(file))),
                Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
                Err(error) => Err(file_error("opening", &path, &error)),
            }
        })
        .await
    }

    async fn save_snapshot(
        &self,
        owner: &OwnerId,
        _: &SnapshotLabel,
        _: Moment,
        write: SnapshotWriter,
    ) -> Result<bool, StoreError> {
        let path = (self.path)(owner);
        blocking(move || match save(&path, write) {
            Ok(()) => Ok(true),
            Err(error) => Err(file_error("writing", &path, &error)),
        })
        .await
    }

    async fn remove_snapshot(&self, owner: &OwnerId) -> Result<bool, StoreError> {
        let path = (self.path)(owner);
        blocking(move || Ok(std::fs::remove_file(&path).is_ok())).await
    }
}

fn save(path: &Path, write: SnapshotWriter) -> io::Result<()> {
    // The process id keeps two processes from writing to the same file.
    let beside = path.with_extension(format!("{}.new", std::process::id()));
    let written = create_private(&beside)
        .and_then(|file| {
            // Held until the file is complete, so that nobody takes it for a leftover.
            file.lock()?;
            write(&mut BoundedWrites(file))
        })
        .and_then(|()| std::fs::rename(&beside, path));
    if written.is_err() {
        // If this fails too, the next snapshot of this process overwrites the file.
        let _ = std::fs::remove_file(&beside);
    }
    written
}

/// A writer that takes a bounded number of bytes at once.
struct BoundedWrites<W>(W);

impl<W: Write> Write for BoundedWrites<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(&bytes[..bytes.len().min(WRITE_BYTES_MAX)])
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

/// Removes unfinished snapshots of processes that are gone. They contain the words of memories.
fn remove_leftovers(path: &Path) {
    let (Some(directory), Some(stem)) = (path.parent(), path.file_stem()) else { return };
    let Ok(files) = std::fs::read_dir(directory) else { return };
    let prefix = format!("{}.", stem.to_string_lossy());
    for file in files.filter_map(Result::ok) {
        let name = file.file_name().to_string_lossy().into_owned();
        if name.starts_with(&prefix) && name.ends_with(".new") && is_abandoned(&file.path()) {
            // Whoever opens the memory next tries again.
            let _ = std::fs::remove_file(file.path());
        }
    }
}

/// Returns true for a file that nobody is writing.
fn is_abandoned(path: &Path) -> bool {
    File::open(path).is_ok_and(|file| file.try_lock().is_ok())
}

// The snapshot contains the words of all memories.
fn create_private(path: &Path) -> io::Result<File> {
    let mut options = File::options();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Lengths of the writes that arrive.
    struct WriteLengths(Vec<usize>);

    impl Write for WriteLengths {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.push(bytes.len());
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn a_large_array_reaches_the_file_in_bounded_writes() {
        let mut out = BoundedWrites(WriteLengths(Vec::new()));
        out.write_all(&vec![1; 2 * WRITE_BYTES_MAX + 3]).unwrap();
        assert_eq!(out.0.0, [WRITE_BYTES_MAX, WRITE_BYTES_MAX, 3]);
    }
}
