//! The progress of a job that runs on this server. It is written behind the work, a few times in a
//! second at most, and also when nothing changes, so that other servers see that this one lives.

use super::{CreatedFile, JobState, Jobs};
use model::{ErrorCode, Failure, OwnerId, Seq};
use std::time::Duration;
use tokio::sync::{OwnedSemaphorePermit, watch};
use tokio::task::JoinHandle;

/// Interval between two writes of progress.
const WRITE_INTERVAL: Duration = Duration::from_millis(250);
/// Interval between two writes while nothing changes.
const HEARTBEAT: Duration = Duration::from_secs(10);

/// Content of a file that was created from the memory.
pub struct ExportedFile {
    pub name: String,
    pub bytes: Vec<u8>,
    /// Newest erasure before it was created.
    pub erased: Seq,
}

/// Progress of a job. A job whose progress is dropped before its end has failed.
pub struct JobProgress {
    jobs: Jobs,
    owner: OwnerId,
    id: i64,
    latest: watch::Sender<JobState>,
    pub(super) writer: JoinHandle<()>,
    has_ended: bool,
    _permit: OwnedSemaphorePermit,
}

impl JobProgress {
    pub(super) fn new(jobs: Jobs, owner: &OwnerId, id: i64, permit: OwnedSemaphorePermit) -> Self {
        let (latest, receiver) = watch::channel(JobState::Running(0, 0));
        let owner = owner.clone();
        let writer = tokio::spawn(write_progress(jobs.clone(), owner.clone(), id, receiver));
        Self { jobs, owner, id, latest, writer, has_ended: false, _permit: permit }
    }

    /// Returns the id of the job.
    #[must_use]
    pub fn id(&self) -> i64 {
        self.id
    }

    /// Reports how far the job is.
    pub fn report(&self, state: JobState) {
        self.latest.send_replace(state);
    }

    /// Ends the job.
    pub async fn end(mut self, state: JobState) {
        self.has_ended = true;
        self.writer.abort();
        write(&self.jobs, &self.owner, self.id, &state).await;
    }

    /// Ends the job with a file that it created from the memory. If something was erased while
    /// it was created, the job fails: the file may contain it.
    pub async fn end_with_file(
        self,
        said: String,
        file: ExportedFile,
        newest_erasure: impl Future<Output = Result<Seq, Failure>>,
    ) {
        let state = match self.store_file(file, newest_erasure).await {
            Ok(file) => JobState::Done(said, Some(file)),
            Err(failure) => JobState::Failed(failure.message),
        };
        self.end(state).await;
    }

    async fn store_file(
        &self,
        file: ExportedFile,
        newest_erasure: impl Future<Output = Result<Seq, Failure>>,
    ) -> Result<CreatedFile, Failure> {
        let ExportedFile { name, bytes, erased } = file;
        let size = self.jobs.put_file(&self.owner, self.id, &bytes).await?;
        // Asked after the file is stored: an erasure before that has removed the exports without
        // this one, and any later one finds it.
        if newest_erasure.await? == erased {
            return Ok(CreatedFile { name, size, erased });
        }
        self.jobs.files.remove_file(&self.owner, self.id).await?;
        let message = "Something was forgotten while this file was being created; start it again";
        Err(Failure::new(ErrorCode::Conflict, message))
    }
}

impl Drop for JobProgress {
    fn drop(&mut self) {
        self.writer.abort();
        if self.has_ended {
            return;
        }
        let (jobs, owner, id) = (self.jobs.clone(), self.owner.clone(), self.id);
        // Outside of a runtime the process is about to end; the silence tells the same.
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            let state = JobState::Failed("This ended early because of an internal error".into());
            runtime.spawn(async move { write(&jobs, &owner, id, &state).await });
        }
    }
}

async fn write_progress(
    jobs: Jobs,
    owner: OwnerId,
    id: i64,
    mut latest: watch::Receiver<JobState>,
) {
    loop {
        // Without a change the heartbeat is due; both write the latest state.
        let changed = tokio::time::timeout(HEARTBEAT, latest.changed()).await;
        if matches!(changed, Ok(Err(_))) {
            return;
        }
        let state = latest.borrow_and_update().clone();
        write(&jobs, &owner, id, &state).await;
        tokio::time::sleep(WRITE_INTERVAL).await;
    }
}

/// Writes the state of a job that has not ended. A job that is gone meanwhile is ignored.
async fn write(jobs: &Jobs, owner: &OwnerId, id: i64, state: &JobState) {
    // A write of progress may arrive after the end.
    let written = jobs.replace(owner, id, |found| !found.has_ended(), state).await;
    if let Err(Failure { message, .. }) = written {
        tracing::warn!(message, "the state of a job cannot be written");
    }
}
