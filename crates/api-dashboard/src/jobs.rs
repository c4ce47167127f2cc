//! Long-running jobs that a page starts and watches: import, export, backup. A job runs on its own
//! task and its progress can be read at any time. A few jobs are held in memory; a new one replaces
//! the oldest that is not running.

pub(crate) mod formats;

use crate::pages::format_size;
use axum::body::Bytes;
use model::{ErrorCode, Failure, OwnerId};
use parking_lot::{Mutex, MutexGuard};
use std::collections::VecDeque;
use std::sync::Arc;

/// Maximum number of jobs held. Each may hold a file, so this also bounds memory.
const JOBS_MAX: usize = 8;
/// Maximum size of an uploaded file in bytes; larger files need the command line.
pub(crate) const UPLOAD_BYTES: usize = 64 * 1024 * 1024;

/// Jobs of a dashboard. Clones share the same state.
#[derive(Clone, Default)]
pub struct Jobs(Arc<Mutex<JobTable>>);

#[derive(Default)]
struct JobTable {
    last: i64,
    jobs: VecDeque<Job>,
}

struct Job {
    id: i64,
    owner: OwnerId,
    state: JobState,
}

/// State of a job.
#[derive(Clone)]
pub(crate) enum JobState {
    /// The file is being uploaded.
    Uploading(Vec<u8>),
    /// Done and total, in items; the total is 0 while it is not known.
    Running(usize, usize),
    /// Done and total, in bytes of a file.
    Reading(usize, usize),
    /// Result in a sentence, and the name and bytes of the file it created.
    Done(String, Option<(String, Bytes)>),
    /// Reason in a sentence.
    Failed(String),
}

impl JobState {
    fn is_running(&self) -> bool {
        matches!(self, Self::Running(..) | Self::Reading(..))
    }
}

impl Jobs {
    /// Starts a job and returns its id.
    pub(crate) fn start(&self, owner: &OwnerId, state: JobState) -> Result<i64, Failure> {
        let mut table = self.table();
        if table.jobs.len() >= JOBS_MAX {
            let idle = table.jobs.iter().position(|job| !job.state.is_running());
            let busy = || {
                Failure::new(
                    ErrorCode::RateLimited,
                    "too many jobs are running; wait for one to end",
                )
            };
            table.jobs.remove(idle.ok_or_else(busy)?);
        }
        table.last += 1;
        let id = table.last;
        table.jobs.push_back(Job { id, owner: owner.clone(), state });
        Ok(id)
    }

    /// Appends to an uploaded file and returns its size so far.
    pub(crate) fn add(&self, owner: &OwnerId, id: i64, part: &[u8]) -> Result<usize, Failure> {
        self.change(owner, id, |state| match state {
            JobState::Uploading(file) if file.len() + part.len() <= UPLOAD_BYTES => {
                file.extend_from_slice(part);
                Ok(file.len())
            }
            JobState::Uploading(_) => {
                let size = format_size(UPLOAD_BYTES as u64);
                let message = format!("an upload has at most {size}; use `quipu import`");
                Err(Failure::new(ErrorCode::LimitExceeded, message))
            }
            _ => Err(Failure::new(ErrorCode::Conflict, "this file is already being imported")),
        })
    }

    /// Takes the uploaded file out of the job, which is then running.
    pub(crate) fn take(&self, owner: &OwnerId, id: i64) -> Result<Vec<u8>, Failure> {
        // Under the lock in one step, so that a file is imported only once.
        self.change(owner, id, |state| match std::mem::replace(state, JobState::Running(0, 0)) {
            JobState::Uploading(file) => Ok(file),
            other => {
                *state = other;
                Err(Failure::new(ErrorCode::Conflict, "this file is already being imported"))
            }
        })
    }

    /// Sets the state of a job. A job that was replaced meanwhile is ignored.
    pub(crate) fn set_state(&self, owner: &OwnerId, id: i64, new_state: JobState) {
        _ = self.change(owner, id, |state| {
            *state = new_state;
            Ok(())
        });
    }

    /// Returns the state of a job, without the file during an upload.
    pub(crate) fn state(&self, owner: &OwnerId, id: i64) -> Result<JobState, Failure> {
        self.change(owner, id, |state| {
            Ok(match state {
                // Cloning the file would copy up to 64 MB at each poll.
                JobState::Uploading(file) => JobState::Reading(file.len(), 0),
                other => other.clone(),
            })
        })
    }

    fn change<T>(
        &self,
        owner: &OwnerId,
        id: i64,
        change: impl FnOnce(&mut JobState) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        let mut table = self.table();
        let job = table.jobs.iter_mut().find(|job| job.id == id && job.owner == *owner);
        job.map_or_else(|| Err(Failure::not_found("job", id)), |job| change(&mut job.state))
    }

    fn table(&self) -> MutexGuard<'_, JobTable> {
        self.0.lock()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_uploaded_in_parts_and_taken_once() {
        let (jobs, me) = (Jobs::default(), OwnerId::me());
        let id = jobs.start(&me, JobState::Uploading(Vec::new())).unwrap();
        assert_eq!(jobs.add(&me, id, b"ab").unwrap(), 2);
        assert_eq!(jobs.add(&me, id, b"c").unwrap(), 3);
        assert_eq!(jobs.take(&me, id).unwrap(), b"abc");
        assert!(jobs.take(&me, id).is_err() && jobs.add(&me, id, b"d").is_err());
        let other = OwnerId::new("other").unwrap();
        assert!(jobs.state(&other, id).is_err(), "another owner's job is not visible");
    }

    #[test]
    fn a_running_job_is_not_replaced() {
        let (jobs, me) = (Jobs::default(), OwnerId::me());
        let first = jobs.start(&me, JobState::Uploading(Vec::new())).unwrap();
        for _ in 1..JOBS_MAX {
            jobs.start(&me, JobState::Running(0, 0)).unwrap();
        }
        jobs.start(&me, JobState::Running(0, 0)).unwrap();
        assert!(jobs.state(&me, first).is_err());
        assert!(jobs.start(&me, JobState::Running(0, 0)).is_err());
    }
}
