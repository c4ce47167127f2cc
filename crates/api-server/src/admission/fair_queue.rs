//! Fair queue for calls: one FIFO queue for each party, and a few permits for all together. A party
//! is an owner, or for SQL statements an agent of one. A single active party gets all permits but
//! one, so that another's first call finds one free; several active ones share them evenly. A flood
//! of one party's calls therefore costs the others little, whatever its size.

use super::AdmissionError;
use model::{AgentName, Moment, OwnerId, limits};
use parking_lot::{Mutex, MutexGuard};
use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use tokio::sync::oneshot;

/// Seconds after its last call for which a party still counts as active.
// An agent that calls in a loop has short gaps between its calls; without this grace its share
// would go to another owner in each of them.
const ACTIVE_SECONDS: i64 = 1;

/// Returns the number of calls that run at once on this machine.
pub(crate) fn call_permits() -> usize {
    std::thread::available_parallelism().map_or(1, std::num::NonZero::get) + 1
}

/// Party that waits for permits: an owner, or one agent of an owner.
pub(super) type QueueParty = (OwnerId, Option<AgentName>);

/// Fair queue of one server.
#[derive(Debug)]
pub(crate) struct FairQueue {
    permits: usize,
    /// Maximum number of calls of one party that wait.
    waiting_max: usize,
    // Never held across an await.
    state: Mutex<QueueState>,
}

#[derive(Debug, Default)]
struct QueueState {
    parties: HashMap<QueueParty, PartyQueue>,
    running: usize,
    issued: u64,
}

/// Calls of one party.
#[derive(Debug, Default)]
struct PartyQueue {
    running: usize,
    waiting: VecDeque<oneshot::Sender<CallPermit>>,
    last_call: Option<Moment>,
    /// Value of `issued` when this party last got a permit.
    last_issued: u64,
}

/// Permission to run; dropping it passes it on to the next call.
#[derive(Debug)]
pub(crate) struct CallPermit {
    queue: Arc<FairQueue>,
    party: QueueParty,
}

impl FairQueue {
    /// Creates a queue that lets this many calls run at once, at least two, and this many of one
    /// party wait.
    pub fn new(permits: usize, waiting_max: usize) -> Arc<Self> {
        Arc::new(Self { permits, waiting_max, state: Mutex::default() })
    }

    /// Waits for a permit.
    pub async fn acquire(
        self: &Arc<Self>,
        party: &QueueParty,
        now: Moment,
    ) -> Result<CallPermit, AdmissionError> {
        let receiver = self.enqueue(party, now)?;
        // The sender is never dropped unused: every released permit is passed on, so every call
        // in the queue gets one sooner or later.
        receiver.await.map_err(|_| queue_full(self.waiting_max))
    }

    /// Appends a call to the party's queue and returns the receiver of its permit.
    fn enqueue(
        self: &Arc<Self>,
        party: &QueueParty,
        now: Moment,
    ) -> Result<oneshot::Receiver<CallPermit>, AdmissionError> {
        let mut state = self.state();
        state.evict_inactive(now);
        let queue = state.parties.entry(party.clone()).or_default();
        if queue.waiting.len() >= self.waiting_max {
            return Err(queue_full(self.waiting_max));
        }
        let (sender, receiver) = oneshot::channel();
        queue.waiting.push_back(sender);
        queue.last_call = Some(now);
        let unwanted = self.dispatch(&mut state);
        // The lock must be released first: dropping a permit takes it again.
        drop(state);
        drop(unwanted);
        Ok(receiver)
    }

    /// Hands every free permit to the next call. Permits whose caller has gone are returned, for
    /// the caller to drop after releasing the lock.
    fn dispatch(self: &Arc<Self>, state: &mut QueueState) -> Vec<CallPermit> {
        let mut unwanted = Vec::new();
        while let Some((party, sender)) = state.next(self.permits) {
            let permit = CallPermit { queue: Arc::clone(self), party };
            unwanted.extend(sender.send(permit).err());
        }
        unwanted
    }

    fn release(self: &Arc<Self>, party: &QueueParty) {
        let mut state = self.state();
        state.running -= 1;
        if let Some(queue) = state.parties.get_mut(party) {
            queue.running -= 1;
        }
        let unwanted = self.dispatch(&mut state);
        drop(state);
        drop(unwanted);
    }

    fn state(&self) -> MutexGuard<'_, QueueState> {
        self.state.lock()
    }
}

impl QueueState {
    /// Removes the next call from its queue and counts it as running: of the parties below their
    /// share the one with the fewest running calls, then the one served longest ago.
    fn next(&mut self, permits: usize) -> Option<(QueueParty, oneshot::Sender<CallPermit>)> {
        if self.running >= permits {
            return None;
        }
        let share = self.share(permits);
        let waits = |queue: &&mut PartyQueue| queue.running < share && !queue.waiting.is_empty();
        let (party, queue) = self
            .parties
            .iter_mut()
            .filter(|(_, queue)| waits(queue))
            .min_by_key(|(_, queue)| (queue.running, queue.last_issued))?;
        let sender = queue.waiting.pop_front()?;
        self.running += 1;
        self.issued += 1;
        (queue.running, queue.last_issued) = (queue.running + 1, self.issued);
        Some((party.clone(), sender))
    }

    /// Returns the number of permits that one party may hold.
    fn share(&self, permits: usize) -> usize {
        let newest = self.parties.values().filter_map(|queue| queue.last_call).max();
        let is_present = |queue: &&PartyQueue| newest.is_none_or(|newest| queue.is_active(newest));
        let present = self.parties.values().filter(is_present).count();
        // There are at least two permits, so a single party always gets one.
        if present <= 1 { permits - 1 } else { (permits / present).max(1) }
    }

    /// Removes the queues of inactive parties once there are many; they are recreated on demand.
    fn evict_inactive(&mut self, now: Moment) {
        if self.parties.len() >= limits::RATE_BUCKETS {
            self.parties.retain(|_, queue| queue.is_active(now));
        }
    }
}

impl PartyQueue {
    fn is_active(&self, now: Moment) -> bool {
        let seen = self.last_call.is_some_and(|seen| seen.plus_seconds(ACTIVE_SECONDS) > now);
        self.running > 0 || !self.waiting.is_empty() || seen
    }
}

fn queue_full(waiting: usize) -> AdmissionError {
    AdmissionError::busy(format!(
        "{waiting} calls are already waiting; wait 1 second, then call again"
    ))
}

impl Drop for CallPermit {
    fn drop(&mut self) {
        self.queue.release(&self.party);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn owner(name: &str) -> QueueParty {
        (OwnerId::new(name).unwrap(), None)
    }

    fn queue_with(permits: usize) -> Arc<FairQueue> {
        FairQueue::new(permits, limits::QUEUED_CALLS_PER_OWNER)
    }

    /// Enqueues calls of an owner and returns their permit receivers.
    fn enqueue_calls(
        queue: &Arc<FairQueue>,
        name: &str,
        calls: usize,
    ) -> Vec<oneshot::Receiver<CallPermit>> {
        (0..calls).map(|_| queue.enqueue(&owner(name), Moment(0)).unwrap()).collect()
    }

    fn running_permits(calls: &mut [oneshot::Receiver<CallPermit>]) -> Vec<CallPermit> {
        calls.iter_mut().filter_map(|call| call.try_recv().ok()).collect()
    }

    #[test]
    fn a_single_owner_leaves_one_permit_free() {
        let queue = queue_with(4);
        let mut flood = enqueue_calls(&queue, "ada", 20);
        let running = running_permits(&mut flood);
        assert_eq!(running.len(), 3);
        let mut other = enqueue_calls(&queue, "ben", 1);
        assert_eq!(running_permits(&mut other).len(), 1, "another owner runs at once");
    }

    #[test]
    fn several_owners_share_the_permits_evenly() {
        let queue = queue_with(4);
        let (mut flood, mut other) =
            (enqueue_calls(&queue, "ada", 20), enqueue_calls(&queue, "ben", 20));
        let (ada, mut ben) = (running_permits(&mut flood), running_permits(&mut other));
        assert_eq!((ada.len(), ben.len()), (3, 1));
        drop(ada);
        let ada = running_permits(&mut flood);
        ben.extend(running_permits(&mut other));
        assert_eq!((ada.len(), ben.len()), (2, 2), "what the first owner leaves, the second gets");
    }

    #[test]
    fn an_owner_who_called_a_moment_ago_keeps_its_share() {
        let queue = queue_with(4);
        let mut other = enqueue_calls(&queue, "ben", 1);
        drop(running_permits(&mut other));
        let mut flood = enqueue_calls(&queue, "ada", 20);
        let running = running_permits(&mut flood);
        assert_eq!(running.len(), 2);
        queue.enqueue(&owner("ada"), Moment::from_seconds(5)).unwrap();
        let more = running_permits(&mut flood);
        assert_eq!(more.len(), 1, "and loses it when it stays away");
        let mut later = enqueue_calls(&queue, "cleo", 1);
        assert_eq!(running_permits(&mut later).len(), 1);
    }

    #[test]
    fn every_waiting_call_gets_a_permit_and_dropped_calls_take_none() {
        let queue = queue_with(2);
        let mut calls = enqueue_calls(&queue, "ada", 10);
        let gone = calls.split_off(5);
        drop(gone);
        let mut turns = 0;
        while let running @ [_, ..] = &mut running_permits(&mut calls)[..] {
            turns += running.len();
        }
        assert_eq!(turns, 5);
        assert_eq!(queue.state().running, 0);
    }

    #[test]
    fn a_queue_is_bounded_and_does_not_affect_other_owners() {
        let queue = queue_with(2);
        let _calls = enqueue_calls(&queue, "ada", limits::QUEUED_CALLS_PER_OWNER + 1);
        assert!(queue.enqueue(&owner("ada"), Moment(0)).is_err());
        assert!(queue.enqueue(&owner("ben"), Moment(0)).is_ok());
    }
}
