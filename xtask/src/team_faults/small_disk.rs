//! A disk that is soon full: a file system in memory of a fixed size, with a file on it whose
//! removal makes space. To mount it takes root.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Result;
use tempfile::TempDir;

use crate::postgres::run_quietly;

/// Size of the disk; a new cluster takes about a third of it.
const SIZE: &str = "size=160m,mode=755";
/// Size of the file that is removed.
const BALLAST_BYTES: usize = 48 * 1024 * 1024;

/// A mounted disk, unmounted when dropped.
pub struct SmallDisk {
    directory: TempDir,
}

impl SmallDisk {
    /// Mounts a disk and puts the file on it.
    pub fn mount() -> Result<Self> {
        let directory = tempfile::Builder::new().prefix("quipu-disk-").tempdir_in("/tmp")?;
        let mut mount = Command::new("mount");
        run_quietly(mount.args(["-t", "tmpfs", "-o", SIZE, "tmpfs"]).arg(directory.path()))?;
        let disk = Self { directory };
        std::fs::write(disk.ballast(), vec![0; BALLAST_BYTES])?;
        Ok(disk)
    }

    /// Returns the directory of the disk.
    pub fn path(&self) -> &Path {
        self.directory.path()
    }

    /// Returns the file whose removal makes space.
    pub fn ballast(&self) -> PathBuf {
        self.path().join("ballast")
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        if let Err(error) = run_quietly(Command::new("umount").arg(self.directory.path())) {
            eprintln!("the small disk cannot be unmounted: {error:#}");
        }
    }
}
