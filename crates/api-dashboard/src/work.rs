//! Long-running jobs that a page starts and watches: import, export, backup. A job runs on its own
//! task and its progress can be read at any time. A few jobs are held in memory; a new one replaces
//! the oldest that is not running.

pub(crate) mod formats;

use axum::body::Bytes;
use model::{ErrorCode, Failure, OwnerId};
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Maximum number of jobs held. Each may hold a file, so this also bounds memory.
const KEPT: usize = 8;
/// Maximum size of an uploaded file in bytes; larger files need the command line.
pub(crate) const UPLOAD_BYTES: usize = 64 * 1024 * 1024;

/// Jobs of a dashboard. Clones share the same state.
#[derive(Clone, Default)]
pub struct Works(Arc<Mutex<Book>>);

#[derive(Default)]
struct Book {
    last: i64,
    kept: VecDeque<Work>,
}

struct Work {
    id: i64,
    owner: OwnerId,
    state: State,
}

/// State of a job.
#[derive(Clone)]
pub(crate) enum State {
    /// The file is being uploaded.
    Coming(Vec<u8>),
    /// Done and total; the total is 0 while it is not known.
    Going(usize, usize),
    /// Result in a sentence, and the name and bytes of the file it created.
    Done(String, Option<(String, Bytes)>),
    /// Reason in a sentence.
    Failed(String),
}

impl Works {
    /// Starts a job and returns its id.
    pub(crate) fn begin(&self, owner: &OwnerId, state: State) -> Result<i64, Failure> {
        let mut table = self.book();
        if table.kept.len() >= KEPT {
            let idle = table.kept.iter().position(|work| !matches!(work.state, State::Going(..)));
            let busy = || {
                Failure::new(
                    ErrorCode::RateLimited,
                    "too many jobs are running; wait for one to end",
                )
            };
            table.kept.remove(idle.ok_or_else(busy)?);
        }
        table.last += 1;
        let id = table.last;
        table.kept.push_back(Work { id, owner: owner.clone(), state });
        Ok(id)
    }

    /// Appends to an uploaded file and returns its size so far.
    pub(crate) fn add(&self, owner: &OwnerId, id: i64, part: &[u8]) -> Result<usize, Failure> {
        self.change(owner, id, |state| match state {
            State::Coming(file) if file.len() + part.len() <= UPLOAD_BYTES => {
                file.extend_from_slice(part);
                Ok(file.len())
            }
            State::Coming(_) => {
                let message =
                    format!("an upload has at most {UPLOAD_BYTES} bytes; use `quipu import`");
                Err(Failure::new(ErrorCode::LimitExceeded, message))
            }
            _ => Err(Failure::new(ErrorCode::Conflict, "this file is already being imported")),
        })
    }

    /// Takes the uploaded file out of the job, which is then running.
    pub(crate) fn take(&self, owner: &OwnerId, id: i64) -> Result<Vec<u8>, Failure> {
        // Under the lock in one step, so that a file is imported only once.
        self.change(owner, id, |state| match std::mem::replace(state, State::Going(0, 0)) {
            State::Coming(file) => Ok(file),
            other => {
                *state = other;
                Err(Failure::new(ErrorCode::Conflict, "this file is already being imported"))
            }
        })
    }

    /// Sets the state of a job. A job that was replaced meanwhile is ignored.
    pub(crate) fn tell(&self, owner: &OwnerId, id: i64, now: State) {
        _ = self.change(owner, id, |state| {
            *state = now;
            Ok(())
        });
    }

    /// Returns the state of a job, without the file during an upload.
    pub(crate) fn state(&self, owner: &OwnerId, id: i64) -> Result<State, Failure> {
        self.change(owner, id, |state| {
            Ok(match state {
                // Cloning the file would copy up to 64 MB at each poll.
                State::Coming(file) => State::Going(file.len(), 0),
                other => other.clone(),
            })
        })
    }

    fn change<T>(
        &self,
        owner: &OwnerId,
        id: i64,
        change: impl FnOnce(&mut State) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        let mut table = self.book();
        let work = table.kept.iter_mut().find(|work| work.id == id && work.owner == *owner);
        work.map_or_else(|| Err(Failure::not_found("job", id)), |work| change(&mut work.state))
    }

    fn book(&self) -> MutexGuard<'_, Book> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_comes_in_parts_and_is_taken_once() {
        let (jobs, me) = (Works::default(), OwnerId::me());
        let id = jobs.begin(&me, State::Coming(Vec::new())).unwrap();
        assert_eq!(jobs.add(&me, id, b"ab").unwrap(), 2);
        assert_eq!(jobs.add(&me, id, b"c").unwrap(), 3);
        assert_eq!(jobs.take(&me, id).unwrap(), b"abc");
        assert!(jobs.take(&me, id).is_err() && jobs.add(&me, id, b"d").is_err());
        let other = OwnerId::new("other").unwrap();
        assert!(jobs.state(&other, id).is_err(), "another owner's job is not visible");
    }

    #[test]
    fn what_is_under_way_makes_no_room() {
        let (jobs, me) = (Works::default(), OwnerId::me());
        let first = jobs.begin(&me, State::Coming(Vec::new())).unwrap();
        for _ in 1..KEPT {
            jobs.begin(&me, State::Going(0, 0)).unwrap();
        }
        jobs.begin(&me, State::Going(0, 0)).unwrap();
        assert!(jobs.state(&me, first).is_err());
        assert!(jobs.begin(&me, State::Going(0, 0)).is_err());
    }
}
