//! Planned writes that wait for a transaction. One that comes alone has its own at once; those that
//! come while it is carried out share the next one, which costs the database about half of what
//! they would cost apart. A transaction that only waits for the disk holds up no other.

use crate::error::{SqlResult, StatementError};
use crate::group_commit::CommitAttempt;
use crate::planned_commit::PlannedWrite;
use crate::planned_transaction;
use crate::postgres_store::PostgresStore;
use futures_util::FutureExt;
use metrics::TRACE_TARGET;
use metrics::catalogue::PLANNED_GROUP_SIZE;
use model::OwnerId;
use parking_lot::Mutex;
use std::collections::VecDeque;
use std::panic::AssertUnwindSafe;
use std::time::Duration;
use store::StoreError;
use tokio::sync::oneshot;
use tokio::time::timeout;
use tracing::{Instrument, Span};

/// Time after which a write that waits has a transaction begun for it: those under way may wait for
/// a lock or for a connection that is lost.
const PATIENCE: Duration = Duration::from_millis(50);
/// Approximate maximum of bytes in a shared transaction: all of it waits for its last byte.
const BYTES_MAX: usize = 1024 * 1024;
/// Round trips of a transaction.
const ROUND_TRIPS: u64 = 2;

/// Limits of the transactions that planned writes share.
#[derive(Debug, Clone, Copy)]
struct SharingLimits {
    /// Maximum number of owners whose writes share a transaction.
    owners_max: usize,
    /// Number of writes that have to wait before a transaction is begun beside another one.
    waiting_min: usize,
    /// Maximum number of transactions that are carried out at the same time.
    executing_max: usize,
}

// Groups of four save the database nine tenths of what groups of sixteen do; without a minimum, one
// transaction takes all that wait, and those that come meanwhile have one each.
const SHARED: SharingLimits = SharingLimits { owners_max: 32, waiting_min: 4, executing_max: 4 };
const ONE_EACH: SharingLimits =
    SharingLimits { owners_max: 1, waiting_min: 1, executing_max: usize::MAX };

/// The end of a planned write; `None` if nothing was changed and it has to be made without a plan.
pub(crate) type PlannedOutcome = SqlResult<Option<CommitAttempt>>;

struct WaitingWrite {
    write: PlannedWrite,
    span: Span,
    reply: oneshot::Sender<PlannedOutcome>,
}

/// Planned writes of all owners.
pub(crate) struct PlannedQueue {
    state: Mutex<PlannedWrites>,
    limits: SharingLimits,
    /// Time that a write waits for a transaction before it is refused as busy.
    busy_timeout: Duration,
}

/// Writes that wait, and the number of transactions that are carried out.
#[derive(Default)]
struct PlannedWrites {
    waiting: VecDeque<WaitingWrite>,
    // Without those that only wait for the disk.
    executing: usize,
}

impl PlannedQueue {
    /// Creates a queue. Without sharing, each write has a transaction of its own.
    pub(crate) fn new(is_shared: bool, busy_timeout: Duration) -> Self {
        let limits = if is_shared { SHARED } else { ONE_EACH };
        Self { state: Mutex::default(), limits, busy_timeout }
    }

    fn add(&self, write: WaitingWrite) {
        self.state.lock().waiting.push_back(write);
    }

    /// Takes the writes of a transaction to begin. Without urgency, none is begun beside others for
    /// a few writes, which the next one can take along.
    fn begin(&self, is_urgent: bool) -> Option<Vec<WaitingWrite>> {
        let mut state = self.state.lock();
        let SharingLimits { owners_max, waiting_min, executing_max } = self.limits;
        let enough = state.executing == 0 || state.waiting.len() >= waiting_min || is_urgent;
        if !enough || state.executing >= executing_max {
            return None;
        }
        let (mut group, mut bytes) = (Vec::new(), 0);
        while let Some(next) = state.waiting.front() {
            bytes += next.write.bytes;
            if !group.is_empty() && (group.len() >= owners_max || bytes > BYTES_MAX) {
                break;
            }
            group.extend(state.waiting.pop_front());
        }
        state.executing += usize::from(!group.is_empty());
        (!group.is_empty()).then_some(group)
    }

    /// Takes back the write of an owner, of whom there is one at a time. Returns false if its
    /// transaction has begun.
    fn withdraw(&self, owner: &OwnerId) -> bool {
        let mut state = self.state.lock();
        let waiting = state.waiting.len();
        state.waiting.retain(|one| one.write.owner != *owner);
        state.waiting.len() < waiting
    }
}

/// The place of a transaction among those that are carried out. When it is given back, the next
/// transaction begins.
pub(crate) struct ExecutionSlot(PostgresStore);

impl Drop for ExecutionSlot {
    fn drop(&mut self) {
        self.0.inner.planned.state.lock().executing -= 1;
        begin(&self.0, false);
    }
}

/// Commits a write, with others if they wait too.
pub(crate) async fn commit(store: &PostgresStore, write: PlannedWrite) -> PlannedOutcome {
    let (queue, owner) = (&store.inner.planned, write.owner.clone());
    let (reply, mut answer) = oneshot::channel();
    queue.add(WaitingWrite { write, span: Span::current(), reply });
    begin(store, false);
    let patience = timeout(PATIENCE, &mut answer).await;
    if patience.is_err() {
        begin(store, true);
    }
    let answered = match patience {
        Err(_) => timeout(queue.busy_timeout, &mut answer).await,
        answered => answered,
    };
    let answer = match answered {
        Ok(answer) => answer,
        // All transactions are stuck, and none of them has it.
        Err(_) if queue.withdraw(&owner) => return Err(StatementError::Refused(StoreError::Busy)),
        Err(_) => answer.await,
    };
    let stopped = || StoreError::Failed { cause: "a shared transaction stopped".to_owned() };
    answer.unwrap_or_else(|_| Err(StatementError::Refused(stopped())))
}

/// Begins a transaction of what waits, if it is time for one.
fn begin(store: &PostgresStore, is_urgent: bool) {
    if let Some(group) = store.inner.planned.begin(is_urgent) {
        let slot = ExecutionSlot(store.clone());
        store.inner.runtime.handle().spawn(commit_group(store.clone(), slot, group));
    }
}

async fn commit_group(store: PostgresStore, slot: ExecutionSlot, mut group: Vec<WaitingWrite>) {
    PLANNED_GROUP_SIZE.observe(&[], group.len() as f64);
    // A span has one parent, so the transaction is shown under the write that came first.
    let span = tracing::info_span!(
        target: TRACE_TARGET, parent: &group[0].span, "store.transaction",
        round_trips = ROUND_TRIPS,
    );
    // Servers lock the same clocks in the same order, so that none waits in a circle.
    group.sort_unstable_by(|one, other| one.write.owner.cmp(&other.write.owner));
    let (writes, replies): (Vec<_>, Vec<_>) =
        group.into_iter().map(|waiting| (waiting.write, waiting.reply)).unzip();
    let commit = AssertUnwindSafe(planned_transaction::commit(&store, slot, writes)).catch_unwind();
    // A panic is an error of these writes: their replies are dropped.
    let outcomes = commit.instrument(span).await.unwrap_or_default();
    for (reply, outcome) in replies.into_iter().zip(outcomes) {
        // Sending fails when the caller gave up waiting, which concerns nobody else.
        let _ = reply.send(outcome);
    }
}
