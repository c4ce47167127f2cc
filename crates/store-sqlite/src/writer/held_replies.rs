//! Replies to those who erased something, held back until its traces are gone from the files.

use crate::group_commit::WriteRequest;
use std::time::{Duration, Instant};
use store::CommittedBatch;

/// Time after which the caller hears that traces are still owed.
const HELD_MAX: Duration = Duration::from_millis(1_500);

/// The replies that wait.
#[derive(Default)]
pub(super) struct HeldReplies(Vec<HeldReply>);

struct HeldReply {
    request: WriteRequest,
    committed: CommittedBatch,
    until: Instant,
}

impl HeldReply {
    fn send(self, owed: bool) {
        self.request.reply(Ok(Some(CommittedBatch { traces_owed: owed, ..self.committed })));
    }
}

impl HeldReplies {
    /// Holds a reply.
    pub fn hold(&mut self, request: WriteRequest, committed: CommittedBatch) {
        self.0.push(HeldReply { request, committed, until: Instant::now() + HELD_MAX });
    }

    /// Returns when the first reply has waited long enough.
    pub fn deadline(&self) -> Option<Instant> {
        self.0.iter().map(|held| held.until).min()
    }

    /// Sends all replies if nothing is owed, and otherwise those that have waited long enough.
    pub fn release(&mut self, owed: bool) {
        let now = Instant::now();
        let (ready, waiting) =
            self.0.drain(..).partition::<Vec<_>, _>(|held| !owed || held.until <= now);
        self.0 = waiting;
        ready.into_iter().for_each(|held| held.send(owed));
    }

    /// Sends all replies.
    pub fn release_all(&mut self) {
        self.0.drain(..).for_each(|held| held.send(true));
    }
}
