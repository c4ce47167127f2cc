//! Where snapshots of views lie. A snapshot only saves time: whatever is wrong with one, the view
//! is built anew.

use crate::SnapshotPath;
use index::{SnapshotKey, View};
use model::OwnerId;
use std::fs::File;
use std::path::{Path, PathBuf};

/// The files of the snapshots.
pub(super) struct Shelf {
    path: SnapshotPath,
}

impl Shelf {
    pub fn new(path: SnapshotPath) -> Self {
        Self { path }
    }

    /// Where the owner's snapshot lies.
    pub fn place(&self, owner: &OwnerId) -> PathBuf {
        (self.path)(owner)
    }
}

/// The view in a snapshot, if there is a sound one for this store and model.
pub(super) fn load(path: &Path, key: &SnapshotKey) -> Option<View> {
    let file = File::open(path).ok()?;
    let length = file.metadata().ok()?.len();
    let loaded = View::read_snapshot(file, length, key);
    loaded.inspect_err(|error| tracing::info!(%error, "the snapshot of the view is not used")).ok()
}

/// Writes a snapshot in place of the one that is there. Answers whether it is on the shelf.
/// It is written beside the old one first: a reader sees the whole old one or the whole new one.
pub(super) fn save(path: &Path, database: u128, view: &mut View) -> bool {
    let beside = path.with_extension(format!("{}.new", std::process::id()));
    let written = create_private(&beside)
        .and_then(|file| view.write_snapshot(database, file))
        .and_then(|()| std::fs::rename(&beside, path));
    if let Err(error) = &written {
        tracing::warn!(%error, "the snapshot of the view could not be written");
        // Nothing to add when even this fails: the next snapshot of this process takes the same
        // name.
        let _ = std::fs::remove_file(&beside);
    }
    written.is_ok()
}

fn create_private(path: &Path) -> std::io::Result<File> {
    let mut options = File::options();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}
