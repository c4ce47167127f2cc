//! Long-running jobs that a person starts and watches: import, export, backup. A job runs on one
//! server; its state and its file are where all servers of a memory find them, so that any of them
//! can be asked. Both expire an hour after their last change.

mod progress;
mod stored_job;

pub use progress::{ExportedFile, JobProgress};

use engine_core::Clock;
use model::{ContentHash, ErrorCode, Failure, Moment, OwnerId, Seq};
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
    Uploading(Upload),
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
    pub parts: i64,
}

/// A file that is being uploaded.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Upload {
    pub bytes: usize,
    /// Numbers of its parts, in order.
    parts: Vec<i64>,
}

/// A file that a job created.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CreatedFile {
    pub name: String,
    pub size: FileSize,
    /// Newest erasure before it was created. What was erased later may be in it.
    pub erased: Seq,
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
        self.create(owner, JobState::Uploading(Upload::default())).await
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
    /// Fails when there is no such upload, it is being imported already, or another part was
    /// added at the same time.
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
        let mut after = before.clone();
        after.bytes += bytes.len();
        if after.bytes > bytes_max {
            return Ok(None);
        }
        let (size, number) = (after.bytes, upload_part_number(before.parts.len(), &bytes));
        after.parts.push(number);
        self.put_part(owner, id, number, JobFileKind::Upload, bytes).await?;
        // Only from the state that the part follows, so that none is lost or doubled.
        let (old, new) = (JobState::Uploading(before), JobState::Uploading(after));
        if self.replace(owner, id, |state| *state == old, &new).await? {
            return Ok(Some(size));
        }
        match self.state(owner, id).await? {
            JobState::Uploading(_) => Err(another_part_was_added()),
            _ => Err(already_imported()),
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
        let before = self.state(owner, id).await?;
        let JobState::Uploading(upload) = &before else {
            return Err(already_imported());
        };
        if !self.replace(owner, id, |state| *state == before, &JobState::Running(0, 0)).await? {
            return Err(already_imported());
        }
        let progress = JobProgress::new(self.clone(), owner, id, permit);
        let mut file = Vec::with_capacity(upload.bytes);
        for number in &upload.parts {
            file.extend(self.part(owner, id, *number).await?);
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

    /// Returns the file that a job created, unless something was erased since: the file may
    /// contain it, and is removed.
    ///
    /// # Errors
    /// Fails when there is no such file of this owner.
    pub async fn created_file(
        &self,
        owner: &OwnerId,
        id: i64,
        newest_erasure: Seq,
    ) -> Result<CreatedFile, Failure> {
        let JobState::Done(_, Some(file)) = self.state(owner, id).await? else {
            return Err(Failure::not_found("exported file", id));
        };
        if file.erased != newest_erasure {
            self.files.remove_file(owner, id).await?;
            let message = "something was forgotten since this file was created; export it again";
            return Err(Failure::new(ErrorCode::NotFound, message));
        }
        Ok(file)
    }

    /// Returns a part of a job's file.
    ///
    /// # Errors
    /// Fails when there is no such part of a file of this owner.
    pub async fn part(&self, owner: &OwnerId, id: i64, number: i64) -> Result<Vec<u8>, Failure> {
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
        number: i64,
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

/// Returns the number under which a part of an upload is stored. It depends on the content, so
/// that of two different parts that follow the same one neither overwrites the other.
fn upload_part_number(index: usize, bytes: &[u8]) -> i64 {
    const HASH_BITS: u32 = 40;
    let mut head = [0; 8];
    head.copy_from_slice(&ContentHash::of_bytes(bytes).0[..8]);
    let hash = i64::from_be_bytes(head) & ((1 << HASH_BITS) - 1);
    // An upload has far fewer than 2^23 parts: a state with so many numbers would not be stored.
    (i64::try_from(index).unwrap_or(0) << HASH_BITS) | hash
}

fn another_part_was_added() -> Failure {
    let message = "another part was added at the same time; send the parts one after the other";
    Failure::new(ErrorCode::Conflict, message)
}

fn already_imported() -> Failure {
    Failure::new(ErrorCode::Conflict, "this file is already being imported")
}

#[cfg(test)]
mod tests;
