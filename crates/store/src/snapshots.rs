//! Storage of snapshots of search views: one of each owner, beside their memories. A snapshot is
//! derived from the memories and saves the time of building a view; whoever reads one checks it,
//! and builds the view from the memories if anything is wrong. Its bytes mean nothing here.

use crate::StoreError;
use async_trait::async_trait;
use model::{Moment, OwnerId, Seq};
use std::fs::File;
use std::io::{self, Write};

/// Kind of storage.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SnapshotMedium {
    /// A file of this machine, which can be mapped. Writing it is cheap.
    File,
    /// Rows of a database that servers share. Each byte is sent, logged and replicated.
    Database,
}

/// Attributes of a snapshot that are known without reading it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SnapshotLabel {
    /// Identity of the owner's store that the view was built from.
    pub store: [u8; 16],
    /// Last change that the view contains.
    pub seq: Seq,
    /// Format of the bytes, with everything that makes them useless to another program.
    pub format: String,
}

/// Bytes of a snapshot.
#[derive(Debug)]
pub enum SnapshotContent {
    /// A file that is never changed in place.
    File(File),
    /// Consecutive parts.
    Segments(Vec<Vec<u8>>),
}

impl SnapshotContent {
    /// Returns the length in bytes.
    ///
    /// # Errors
    /// Returns the error of the system.
    pub fn len(&self) -> io::Result<u64> {
        match self {
            Self::File(file) => Ok(file.metadata()?.len()),
            Self::Segments(all) => Ok(all.iter().map(|segment| segment.len() as u64).sum()),
        }
    }

    /// Returns true if there is not one byte.
    ///
    /// # Errors
    /// Returns the error of the system.
    pub fn is_empty(&self) -> io::Result<bool> {
        Ok(self.len()? == 0)
    }
}

/// A function that writes the bytes of a snapshot. It may block, and is called at most once.
pub type SnapshotWriter = Box<dyn FnOnce(&mut dyn Write) -> io::Result<()> + Send>;

/// Storage of the snapshots of all owners.
#[async_trait]
pub trait ViewSnapshots: Send + Sync {
    /// Returns the kind of storage.
    fn medium(&self) -> SnapshotMedium;

    /// Returns the last change in the snapshot of this format; `None` if there is none. A file
    /// tells nothing without being read, so the answer is always `None` there.
    async fn snapshot_seq(&self, owner: &OwnerId, format: &str) -> Result<Option<Seq>, StoreError>;

    /// Opens the snapshot of this format. A file may have another one.
    async fn open_snapshot(
        &self,
        owner: &OwnerId,
        format: &str,
    ) -> Result<Option<SnapshotContent>, StoreError>;

    /// Stores a snapshot in the place of the one before, which stays if this fails. Returns false
    /// if nothing was stored. In a database that is the case when there is a newer one of the same
    /// format, when another server is writing one, and when text was erased since or the memory
    /// replaced.
    async fn save_snapshot(
        &self,
        owner: &OwnerId,
        label: &SnapshotLabel,
        at: Moment,
        write: SnapshotWriter,
    ) -> Result<bool, StoreError>;

    /// Removes the snapshot, and returns whether there was one.
    async fn remove_snapshot(&self, owner: &OwnerId) -> Result<bool, StoreError>;
}
