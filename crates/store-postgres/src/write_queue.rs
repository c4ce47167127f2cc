//! Group commit: requests of one owner that wait at the same time share one transaction and one
//! sync to disk. One task per busy owner writes them in the order in which they came.

use crate::group_commit;
use crate::postgres_store::PostgresStore;
use model::OwnerId;
use parking_lot::Mutex;
use std::collections::{HashMap, VecDeque};
use store::rules::{SMALL_CHANGE_BYTES, change_bytes};
use store::{Batch, CommittedBatch, ReadEvent, StoreError, UsageDelta, WriteError};
use tokio::sync::oneshot;
use tracing::{Instrument, Span};

/// Maximum number of requests in one transaction.
// A group shares one sync, the largest cost of a commit. The limit bounds the time that other
// servers wait for the owner's clock.
const REQUESTS_MAX: usize = 256;
/// Approximate maximum of bytes in one transaction, so that other servers get their turn.
const BYTES_MAX: usize = 4 * 1024 * 1024;
/// Maximum number of requests of one owner that wait; more are refused as busy.
const WAITING_MAX: usize = 4_096;

/// Something to write.
#[derive(Debug)]
pub(crate) enum WriteJob {
    Batch(Box<Batch>),
    Reads(Vec<ReadEvent>),
    Usage(Vec<UsageDelta>),
}

/// The outcome of one job; only a batch has results.
pub(crate) type JobOutcome = Result<Option<CommittedBatch>, WriteError>;

struct WaitingJob {
    job: WriteJob,
    /// Span of the caller, which learns how many requests share its transaction.
    span: Span,
    reply: oneshot::Sender<JobOutcome>,
}

/// The waiting jobs of every owner that is being written to.
#[derive(Default)]
pub(crate) struct WriteQueues {
    // An owner is in the map exactly while a task writes its jobs.
    by_owner: Mutex<HashMap<OwnerId, VecDeque<WaitingJob>>>,
}

impl WriteJob {
    /// Returns the approximate size of a job.
    pub(crate) fn bytes(&self) -> usize {
        match self {
            Self::Batch(batch) => batch.changes.iter().map(change_bytes).sum(),
            Self::Usage(served) => served.len() * SMALL_CHANGE_BYTES,
            Self::Reads(uses) => {
                uses.iter().map(|one| (one.memories.len() + 1) * SMALL_CHANGE_BYTES).sum()
            }
        }
    }
}

impl PostgresStore {
    /// Writes a job and returns once it is on disk.
    pub(crate) async fn enqueue(&self, owner: &OwnerId, job: WriteJob) -> JobOutcome {
        let (reply, answer) = oneshot::channel();
        if self.inner.queues.add(owner, WaitingJob { job, span: Span::current(), reply })? {
            // A task of its own: a caller that gives up must not take the writes of others along.
            let runtime = self.inner.runtime.handle();
            runtime.spawn(write_all(self.clone(), owner.clone()));
        }
        let stopped = || StoreError::Failed { cause: "the writer stopped".to_owned() };
        answer.await.map_err(|_| stopped())?
    }
}

impl WriteQueues {
    /// Adds a job. Returns true when nobody writes for this owner yet.
    fn add(&self, owner: &OwnerId, job: WaitingJob) -> Result<bool, StoreError> {
        let mut queues = self.by_owner.lock();
        match queues.get_mut(owner) {
            Some(waiting) if waiting.len() >= WAITING_MAX => Err(StoreError::Busy),
            Some(waiting) => {
                waiting.push_back(job);
                Ok(false)
            }
            None => {
                queues.insert(owner.clone(), VecDeque::from([job]));
                Ok(true)
            }
        }
    }

    /// Takes the next group; empty when nothing waits, and the owner is then done.
    fn next_group(&self, owner: &OwnerId) -> Vec<WaitingJob> {
        let mut queues = self.by_owner.lock();
        let Some(waiting) = queues.get_mut(owner) else { return Vec::new() };
        let (mut group, mut bytes) = (Vec::new(), 0);
        while let Some(next) = waiting.front() {
            bytes += next.job.bytes();
            if !group.is_empty() && (group.len() >= REQUESTS_MAX || bytes > BYTES_MAX) {
                break;
            }
            group.extend(waiting.pop_front());
        }
        if group.is_empty() {
            queues.remove(owner);
        }
        group
    }
}

/// Writes the jobs of an owner until none waits.
async fn write_all(store: PostgresStore, owner: OwnerId) {
    loop {
        let group = store.inner.queues.next_group(&owner);
        if group.is_empty() {
            return;
        }
        for waiting in &group {
            waiting.span.record("group_size", group.len());
        }
        // A span has one parent, so the transaction is shown under the request that came first.
        let span = group[0].span.clone();
        let (jobs, replies): (Vec<_>, Vec<_>) =
            group.into_iter().map(|waiting| (waiting.job, waiting.reply)).unzip();
        let outcomes = group_commit::commit(&store, &owner, jobs).instrument(span).await;
        for (reply, outcome) in replies.into_iter().zip(outcomes) {
            // Sending fails when the caller gave up waiting, which concerns nobody else.
            let _ = reply.send(outcome);
        }
    }
}
