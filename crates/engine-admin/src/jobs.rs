//! Long-running jobs that a person starts and watches: import, export, backup. A job runs on one
//! server; its state and its file are where all servers of a memory find them, so that any of them
//! can be asked. Both expire an hour after their last change.

mod progress;
mod stored_job;

pub use progress::JobProgress;

use engine_core::Clock;
use model::{ContentHash, ErrorCode, Failure, Moment, OwnerId};
use std::sync::Arc;
use store::{
    ExpiringValue, FilePart, FilePartKey, JobFileKind, JobFiles, LocalJobFiles, OwnerValues,
    ValueKind,
};
use stored_job::StoredJob;
use tokio::sync::Semaphore;

/// Maximum number of jobs that run on one server. Each may hold a file in memory.
const RUNNING_MAX: usize = 8;
/// Time for which a job and its file are kept after the last change.
const KEPT_SECONDS: i64 = 3600;
/// Size of the parts in which a file is stored.
const PART_BYTES: usize = 1 << 20;

/// State of a job.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum JobState {
    /// The file is being uploaded.
    Uploading(FileSize),
    /// Done and total, in items; the total is 0 while it is not known.
    Running(usize, usize),
    /// Done and total, in bytes of a file.
    Reading(usize, usize),
    /// Result in a sentence, and the file that was created.
    Done(String, Option<CreatedFile>),
    /// Reason in a sentence.
    Failed(String),
}

/// Size of a file that is kept in parts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct FileSize {
    pub bytes: usize,
    pub parts: u32,
}

/// A file that a job created.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CreatedFile {
    pub name: String,
    pub size: FileSize,
}

impl JobState {
    fn has_ended(&self) -> bool {
        matches!(self, Self::Done(..) | Self::Failed(_))
    }

    fn is_running(&self) -> bool {
        matches!(self, Self::Running(..) | Self::Reading(..))
    }
}

/// Jobs of all owners. Clones share the same state.
#[derive(Clone)]
pub struct Jobs {
    values: OwnerValues,
    files: Arc<dyn JobFiles>,
    clock: Arc<dyn Clock>,
    running: Arc<Semaphore>,
}

impl Jobs {
    /// Creates jobs whose states and files are kept there.
    #[must_use]
    pub fn new(values: OwnerValues, files: Arc<dyn JobFiles>, clock: Arc<dyn Clock>) -> Self {
        Self { values, files, clock, running: Arc::new(Semaphore::new(RUNNING_MAX)) }
    }

    /// Creates jobs in the memory of this process.
    #[must_use]
    pub fn local(clock: Arc<dyn Clock>) -> Self {
        Self::new(OwnerValues::local(OwnerId::me()), Arc::new(LocalJobFiles::default()), clock)
    }

    /// Starts a job with an upload, and returns its id.
    ///
    /// # Errors
    /// Fails when the storage cannot be written.
    pub async fn start_upload(&self, owner: &OwnerId) -> Result<i64, Failure> {
        self.create(owner, JobState::Uploading(FileSize::default())).await
    }

    /// Starts a job that runs on this server.
    ///
    /// # Errors
    /// Fails when too many jobs are running, or the storage cannot be written.
    pub async fn start(&self, owner: &OwnerId) -> Result<JobProgress, Failure> {
        let permit = self.permit()?;
        let id = self.create(owner, JobState::Running(0, 0)).await?;
        Ok(JobProgress::new(self.clone(), owner, id, permit))
    }

    /// Appends a part to an upload of at most so many bytes, and returns its size so far. Returns
    /// `None` when it would be larger.
    ///
    /// # Errors
    /// Fails when there is no such upload, or it is being imported already.
    pub async fn add_part(
        &self,
        owner: &OwnerId,
        id: i64,
        bytes: Vec<u8>,
        bytes_max: usize,
    ) -> Result<Option<usize>, Failure> {
        let JobState::Uploading(before) = self.state(owner, id).await? else {
            return Err(already_imported());
        };
        let size = FileSize { bytes: before.bytes + bytes.len(), parts: before.parts + 1 };
        if size.bytes > bytes_max {
            return Ok(None);
        }
        self.put_part(owner, id, before.parts, JobFileKind::Upload, bytes).await?;
        // Only from the state that the part follows, so that none is lost or doubled.
        let (old, new) = (JobState::Uploading(before), JobState::Uploading(size));
        match self.replace(owner, id, |state| *state == old, &new).await? {
            true => Ok(Some(size.bytes)),
            false => Err(already_imported()),
        }
    }

    /// Takes an upload out of its job, which then runs on this server. Of many that take the same
    /// one, one gets it.
    ///
    /// # Errors
    /// Fails when there is no such upload, it is being imported already, or too many jobs are
    /// running.
    pub async fn take_upload(
        &self,
        owner: &OwnerId,
        id: i64,
    ) -> Result<(Vec<u8>, JobProgress), Failure> {
        let permit = self.permit()?;
        let JobState::Uploading(size) = self.state(owner, id).await? else {
            return Err(already_imported());
        };
        let is_same = |state: &JobState| *state == JobState::Uploading(size);
        if !self.replace(owner, id, is_same, &JobState::Running(0, 0)).await? {
            return Err(already_imported());
        }
        let progress = JobProgress::new(self.clone(), owner, id, permit);
        let mut file = Vec::with_capacity(size.bytes);
        for number in 0..size.parts {
            file.extend(self.part(owner, id, number).await?);
        }
        self.files.remove_file(owner, id).await?;
        Ok((file, progress))
    }

    /// Returns the state of a job.
    ///
    /// # Errors
    /// Fails when there is no such job of this owner.
    pub async fn state(&self, owner: &OwnerId, id: i64) -> Result<JobState, Failure> {
        let (now, values) = (self.clock.now(), self.values.of_owner(owner));
        let found = values.find(ValueKind::Job, job_hash(id), now).await?;
        let job = found.and_then(|value| StoredJob::decode(&value.text));
        job.map(|job| job.state_at(now)).ok_or_else(|| Failure::not_found("job", id))
    }

    /// Returns a part of a job's file.
    ///
    /// # Errors
    /// Fails when there is no such part of a file of this owner.
    pub async fn part(&self, owner: &OwnerId, id: i64, number: u32) -> Result<Vec<u8>, Failure> {
        let key = FilePartKey { owner: owner.clone(), job: id, number };
        let part = self.files.part(&key, self.clock.now()).await?;
        part.ok_or_else(|| Failure::not_found("file of job", id))
    }

    /// Stores the file that a job created.
    async fn put_file(&self, owner: &OwnerId, id: i64, file: &[u8]) -> Result<FileSize, Failure> {
        let mut parts = 0;
        for part in file.chunks(PART_BYTES) {
            self.put_part(owner, id, parts, JobFileKind::Export, part.to_vec()).await?;
            parts += 1;
        }
        Ok(FileSize { bytes: file.len(), parts })
    }

    async fn put_part(
        &self,
        owner: &OwnerId,
        id: i64,
        number: u32,
        kind: JobFileKind,
        bytes: Vec<u8>,
    ) -> Result<(), Failure> {
        let key = FilePartKey { owner: owner.clone(), job: id, number };
        let now = self.clock.now();
        let part = FilePart { kind, bytes, expires_at: now.plus_seconds(KEPT_SECONDS) };
        Ok(self.files.put_part(&key, part, now).await?)
    }

    async fn create(&self, owner: &OwnerId, state: JobState) -> Result<i64, Failure> {
        let (now, values) = (self.clock.now(), self.values.of_owner(owner));
        let value = stored_value(&state, now);
        let add = |found: Option<&ExpiringValue>| match found {
            Some(other) => (Some(other.clone()), false),
            None => (Some(value.clone()), true),
        };
        // The time is an id that no other job of the owner has, unless it began in the same
        // microsecond; a page can hold it as a number.
        let mut id = now.0;
        while !values.update(ValueKind::Job, job_hash(id), now, add).await? {
            id += 1;
        }
        Ok(id)
    }

    /// Replaces the state of a job if the present one permits it. Returns false if it does not.
    async fn replace(
        &self,
        owner: &OwnerId,
        id: i64,
        permits: impl Fn(&JobState) -> bool + Send + Sync,
        new: &JobState,
    ) -> Result<bool, Failure> {
        let (now, values) = (self.clock.now(), self.values.of_owner(owner));
        let new = stored_value(new, now);
        let change = |found: Option<&ExpiringValue>| {
            let job = found.and_then(|value| StoredJob::decode(&value.text));
            let permitted = job.is_some_and(|job| permits(&job.state));
            (if permitted { Some(new.clone()) } else { found.cloned() }, permitted)
        };
        Ok(values.update(ValueKind::Job, job_hash(id), now, change).await?)
    }

    fn permit(&self) -> Result<tokio::sync::OwnedSemaphorePermit, Failure> {
        Arc::clone(&self.running).try_acquire_owned().map_err(|_| {
            let message = "too many jobs are running; wait for one to end";
            Failure::new(ErrorCode::RateLimited, message)
        })
    }
}

fn stored_value(state: &JobState, now: Moment) -> ExpiringValue {
    let text = StoredJob { state: state.clone(), at: now }.encode();
    ExpiringValue { text, expires_at: now.plus_seconds(KEPT_SECONDS) }
}

fn job_hash(id: i64) -> ContentHash {
    ContentHash::of_bytes(&id.to_be_bytes())
}

fn already_imported() -> Failure {
    Failure::new(ErrorCode::Conflict, "this file is already being imported")
}

#[cfg(test)]
mod tests;
