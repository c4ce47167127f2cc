//! Files of jobs that a person starts in the dashboard: uploads that wait to be imported, and
//! exports that wait to be downloaded. They are kept in parts, and expire. A server over files
//! keeps them in its memory; servers that share a database keep them there, so that a file that was
//! sent to one can be used on any other.

mod local;

pub use local::LocalJobFiles;

use crate::StoreError;
use async_trait::async_trait;
use model::{Moment, OwnerId};

/// Maximum number of files of an owner; beyond it, those that expire first go.
pub const JOB_FILES_MAX: usize = 4;

/// Origin of the content of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum JobFileKind {
    /// Sent by a browser.
    Upload,
    /// Made from the memory. A batch that erases text removes these files of its owner from a
    /// database, because they may contain it.
    Export,
}

impl JobFileKind {
    /// Returns the name under which files of the kind are stored.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Upload => "upload",
            Self::Export => "export",
        }
    }
}

/// Place of a part of a file.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct FilePartKey {
    pub owner: OwnerId,
    /// Id of the job.
    pub job: i64,
    /// Number of the part: of an export its position from 0, of an upload one that its job lists.
    pub number: i64,
}

/// A part of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FilePart {
    pub kind: JobFileKind,
    pub bytes: Vec<u8>,
    pub expires_at: Moment,
}

/// Storage of the files of jobs.
#[async_trait]
pub trait JobFiles: Send + Sync {
    /// Stores a part, replacing the one of the same number. Files of the owner that have expired
    /// are removed, and beyond the bound those that expire first.
    async fn put_part(
        &self,
        key: &FilePartKey,
        part: FilePart,
        now: Moment,
    ) -> Result<(), StoreError>;
    /// Returns the bytes of a part that has not expired.
    async fn part(&self, key: &FilePartKey, now: Moment) -> Result<Option<Vec<u8>>, StoreError>;
    /// Removes the file of a job.
    async fn remove_file(&self, owner: &OwnerId, job: i64) -> Result<(), StoreError>;
    /// Removes the parts of an owner that have expired, and returns their number.
    async fn remove_expired_parts(&self, owner: &OwnerId, now: Moment)
    -> Result<usize, StoreError>;
}

/// Returns the files beyond the bound, given the moments at which the other files of an owner
/// expire. The file that is being written counts too, and stays.
#[must_use]
pub fn surplus_files(mut others: Vec<(Moment, i64)>) -> Vec<i64> {
    others.sort_unstable();
    let surplus = (others.len() + 1).saturating_sub(JOB_FILES_MAX);
    others.into_iter().take(surplus).map(|(_, job)| job).collect()
}
