//! Snapshot files of views. A snapshot only saves time: if anything is wrong with it, the view is
//! built from the store.

use crate::SnapshotPath;
use index::{MappedUse, SnapshotKey, SnapshotSource, View};
use memmap2::{MmapMut, MmapOptions};
use model::OwnerId;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

/// Size in bytes from which an array is mapped. Below it a page more or less does not matter, and
/// what is read once cannot fail later.
const MAPPED_BYTES_MIN: usize = 32 << 10;

/// Paths of the snapshot files.
pub(super) struct SnapshotFiles {
    path: SnapshotPath,
}

impl SnapshotFiles {
    pub fn new(path: SnapshotPath) -> Self {
        Self { path }
    }

    /// Returns the path of the owner's snapshot.
    pub fn path_for(&self, owner: &OwnerId) -> PathBuf {
        (self.path)(owner)
    }
}

/// Loads a view, if there is a valid snapshot for this store and model.
pub(super) fn load(path: &Path, key: &SnapshotKey) -> Option<View> {
    let file = File::open(path).ok()?;
    let length = file.metadata().ok()?.len();
    let loaded = View::open_snapshot(MappedFile(file), length, key);
    loaded.inspect_err(|error| tracing::info!(%error, "the view snapshot was not used")).ok()
}

/// A snapshot file whose large arrays are mapped.
struct MappedFile(File);

impl Read for MappedFile {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.0.read(buffer)
    }
}

impl SnapshotSource for MappedFile {
    fn map(&mut self, bytes: usize, mapped_use: MappedUse) -> io::Result<Option<MmapMut>> {
        // On Windows a mapped file could not be replaced by the next snapshot.
        if bytes < MAPPED_BYTES_MIN || cfg!(not(unix)) {
            return Ok(None);
        }
        let at = self.0.stream_position()?;
        let mut options = MmapOptions::new();
        #[expect(unsafe_code, reason = "a mapping has no safe constructor")]
        // SAFETY: a snapshot is never changed in place, only replaced by a rename or removed, both
        // of which leave the mapped file as it is.
        let mapping = unsafe { options.offset(at).len(bytes).map_copy(&self.0)? };
        // Only advice: without it, or on an older system, the pages come one fault at a time.
        #[cfg(target_os = "linux")]
        if mapped_use == MappedUse::Whole {
            let _ = mapping.advise(memmap2::Advice::PopulateRead);
        }
        self.0.seek(SeekFrom::Current(bytes as i64))?;
        Ok(Some(mapping))
    }
}

/// Writes a snapshot and returns whether it was written.
pub(super) fn save(path: &Path, database: u128, view: &mut View) -> bool {
    // Written to another file and renamed: a reader sees the old one or the new one, never a part.
    // The process id keeps two processes from writing to the same file.
    let beside = path.with_extension(format!("{}.new", std::process::id()));
    let written = create_private(&beside)
        .and_then(|file| {
            // Held until the file is complete, so that nobody takes it for a leftover.
            file.lock()?;
            view.write_snapshot(database, file)
        })
        .and_then(|()| std::fs::rename(&beside, path));
    if let Err(error) = &written {
        tracing::warn!(%error, "could not write the view snapshot");
        // If this fails too, the next snapshot of this process overwrites the file.
        let _ = std::fs::remove_file(&beside);
    }
    written.is_ok()
}

/// Removes unfinished snapshots of processes that are gone. They contain the words of memories.
pub(super) fn remove_leftovers(path: &Path) {
    let (Some(directory), Some(stem)) = (path.parent(), path.file_stem()) else { return };
    let Ok(files) = std::fs::read_dir(directory) else { return };
    let prefix = format!("{}.", stem.to_string_lossy());
    for file in files.filter_map(Result::ok) {
        let name = file.file_name().to_string_lossy().into_owned();
        if name.starts_with(&prefix) && name.ends_with(".new") && is_abandoned(&file.path()) {
            remove(&file.path());
        }
    }
}

/// Returns true for a file that nobody is writing.
fn is_abandoned(path: &Path) -> bool {
    File::open(path).is_ok_and(|file| file.try_lock().is_ok())
}

/// Removes a snapshot and returns whether there was one.
pub(super) fn remove(path: &Path) -> bool {
    std::fs::remove_file(path).is_ok()
}

// The snapshot contains the words of all memories.
fn create_private(path: &Path) -> std::io::Result<File> {
    let mut options = File::options();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}
