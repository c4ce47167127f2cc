//! Long work that a page starts and watches: what goes in from a file and what goes out into one.
//! It runs beside the request that began it; how far it is can be asked at any time. A few pieces
//! are kept, in memory, and the oldest that is not under way makes room for the next.

pub(crate) mod formats;

use axum::body::Bytes;
use model::{ErrorCode, Failure, OwnerId};
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// How many pieces of work are kept.
const KEPT: usize = 8;
/// The largest file that is taken in by a browser, in bytes; a larger one is for the command line.
pub(crate) const UPLOAD_BYTES: usize = 64 * 1024 * 1024;

/// The long work of this window. Every clone is the same.
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

/// How a piece of work stands.
#[derive(Clone)]
pub(crate) enum State {
    /// The file is still coming.
    Coming(Vec<u8>),
    /// So many of so many are done; of nothing while that is not known.
    Going(usize, usize),
    /// It is done: what came of it, and the file it made.
    Done(String, Option<(String, Bytes)>),
    /// It did not work.
    Failed(String),
}

impl Works {
    /// Begins a piece of work, and answers with its number.
    pub(crate) fn begin(&self, owner: &OwnerId, state: State) -> Result<i64, Failure> {
        let mut book = self.book();
        if book.kept.len() >= KEPT {
            let idle = book.kept.iter().position(|work| !matches!(work.state, State::Going(..)));
            let busy = || {
                Failure::new(
                    ErrorCode::RateLimited,
                    "too much is under way; wait for some of it to end",
                )
            };
            book.kept.remove(idle.ok_or_else(busy)?);
        }
        book.last += 1;
        let id = book.last;
        book.kept.push_back(Work { id, owner: owner.clone(), state });
        Ok(id)
    }

    /// Adds to the file that is coming, and answers how much of it is there.
    pub(crate) fn add(&self, owner: &OwnerId, id: i64, part: &[u8]) -> Result<usize, Failure> {
        self.change(owner, id, |state| match state {
            State::Coming(file) if file.len() + part.len() <= UPLOAD_BYTES => {
                file.extend_from_slice(part);
                Ok(file.len())
            }
            State::Coming(_) => {
                let message =
                    format!("a browser sends at most {UPLOAD_BYTES} bytes; use `quipu import`");
                Err(Failure::new(ErrorCode::LimitExceeded, message))
            }
            _ => Err(Failure::new(ErrorCode::Conflict, "this file is being read in already")),
        })
    }

    /// Takes the file that came, and lets the work go on without it.
    pub(crate) fn take(&self, owner: &OwnerId, id: i64) -> Result<Vec<u8>, Failure> {
        self.change(owner, id, |state| match std::mem::replace(state, State::Going(0, 0)) {
            State::Coming(file) => Ok(file),
            other => {
                *state = other;
                Err(Failure::new(ErrorCode::Conflict, "this file is being read in already"))
            }
        })
    }

    /// Says how a piece of work stands now. One that made room meanwhile is not missed.
    pub(crate) fn tell(&self, owner: &OwnerId, id: i64, now: State) {
        _ = self.change(owner, id, |state| {
            *state = now;
            Ok(())
        });
    }

    /// How a piece of work stands; without its file while it comes.
    pub(crate) fn state(&self, owner: &OwnerId, id: i64) -> Result<State, Failure> {
        self.change(owner, id, |state| {
            Ok(match state {
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
        let mut book = self.book();
        let work = book.kept.iter_mut().find(|work| work.id == id && work.owner == *owner);
        work.map_or_else(
            || Err(Failure::not_found("piece of work", id)),
            |work| change(&mut work.state),
        )
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
        let (works, me) = (Works::default(), OwnerId::me());
        let id = works.begin(&me, State::Coming(Vec::new())).unwrap();
        assert_eq!(works.add(&me, id, b"ab").unwrap(), 2);
        assert_eq!(works.add(&me, id, b"c").unwrap(), 3);
        assert_eq!(works.take(&me, id).unwrap(), b"abc");
        assert!(works.take(&me, id).is_err() && works.add(&me, id, b"d").is_err());
        let other = OwnerId::new("other").unwrap();
        assert!(works.state(&other, id).is_err(), "nobody sees what is another owner's");
    }

    #[test]
    fn what_is_under_way_makes_no_room() {
        let (works, me) = (Works::default(), OwnerId::me());
        let first = works.begin(&me, State::Coming(Vec::new())).unwrap();
        for _ in 1..KEPT {
            works.begin(&me, State::Going(0, 0)).unwrap();
        }
        works.begin(&me, State::Going(0, 0)).unwrap();
        assert!(works.state(&me, first).is_err());
        assert!(works.begin(&me, State::Going(0, 0)).is_err());
    }
}
