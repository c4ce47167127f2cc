//! Fair queue for calls: one FIFO queue per owner, and a few permits for all owners together, one
//! more than the machine has cores. A single active owner gets all permits but one, so that another
//! owner's first call finds one free; several active owners share them evenly. A flood of one
//! owner's calls therefore costs the others little, whatever its size.

use model::{Moment, OwnerId, limits};
use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::oneshot;

/// Seconds after its last call for which an owner still counts as active.
// An agent that calls in a loop has short gaps between its calls; without this grace its share
// would go to another owner in each of them.
const PRESENT_SECONDS: i64 = 1;

/// Returns the number of calls that run at once on this machine.
pub(crate) fn places() -> usize {
    std::thread::available_parallelism().map_or(1, std::num::NonZero::get) + 1
}

/// Fair queue of one server.
#[derive(Debug)]
pub(crate) struct Lanes {
    places: usize,
    // Never held across an await.
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    owners: HashMap<OwnerId, Lane>,
    running: usize,
    turns: u64,
}

/// Calls of one owner.
#[derive(Debug, Default)]
struct Lane {
    running: usize,
    waiting: VecDeque<oneshot::Sender<Place>>,
    seen: Option<Moment>,
    /// Value of `issued` when this owner last got a permit.
    served: u64,
}

/// Error for an owner whose queue is full.
#[derive(Debug)]
pub(crate) struct Crowded;

/// Permission to run; dropping it passes it on to the next call.
#[derive(Debug)]
pub(crate) struct Place {
    lanes: Arc<Lanes>,
    owner: OwnerId,
}

impl Lanes {
    /// Creates the queue with the permits of this machine.
    pub fn of_this_machine() -> Arc<Self> {
        Self::with(places())
    }

    fn with(permits: usize) -> Arc<Self> {
        Arc::new(Self { places: permits, state: Mutex::default() })
    }

    /// Waits for a permit.
    pub async fn enter(self: &Arc<Self>, owner: &OwnerId, now: Moment) -> Result<Place, Crowded> {
        let receiver = self.line_up(owner, now)?;
        // The sender is never dropped unused: every released permit is passed on, so every call
        // in the queue gets one sooner or later.
        receiver.await.map_err(|_| Crowded)
    }

    /// Appends a call to the owner's queue and returns the receiver of its permit.
    fn line_up(
        self: &Arc<Self>,
        owner: &OwnerId,
        now: Moment,
    ) -> Result<oneshot::Receiver<Place>, Crowded> {
        let mut state = self.state();
        state.make_room(now);
        let queue = state.owners.entry(owner.clone()).or_default();
        if queue.waiting.len() >= limits::OWNER_CALLS_WAITING {
            return Err(Crowded);
        }
        let (sender, receiver) = oneshot::channel();
        queue.waiting.push_back(sender);
        queue.seen = Some(now);
        let unwanted = self.pass_on(&mut state);
        // The lock must be released first: dropping a permit takes it again.
        drop(state);
        drop(unwanted);
        Ok(receiver)
    }

    /// Hands every free permit to the next call. Permits whose caller has gone are returned, for
    /// the caller to drop after releasing the lock.
    fn pass_on(self: &Arc<Self>, state: &mut State) -> Vec<Place> {
        let mut unwanted = Vec::new();
        while let Some((owner, sender)) = state.next(self.places) {
            let permit = Place { lanes: Arc::clone(self), owner };
            unwanted.extend(sender.send(permit).err());
        }
        unwanted
    }

    fn leave(self: &Arc<Self>, owner: &OwnerId) {
        let mut state = self.state();
        state.running -= 1;
        if let Some(queue) = state.owners.get_mut(owner) {
            queue.running -= 1;
        }
        let unwanted = self.pass_on(&mut state);
        drop(state);
        drop(unwanted);
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// Removes the next call from its queue and counts it as running: of the owners below their
    /// share the one with the fewest running calls, then the one served longest ago.
    fn next(&mut self, permits: usize) -> Option<(OwnerId, oneshot::Sender<Place>)> {
        if self.running >= permits {
            return None;
        }
        let share = self.share(permits);
        let waits = |queue: &&mut Lane| queue.running < share && !queue.waiting.is_empty();
        let (owner, queue) = self
            .owners
            .iter_mut()
            .filter(|(_, queue)| waits(queue))
            .min_by_key(|(_, queue)| (queue.running, queue.served))?;
        let sender = queue.waiting.pop_front()?;
        self.running += 1;
        self.turns += 1;
        (queue.running, queue.served) = (queue.running + 1, self.turns);
        Some((owner.clone(), sender))
    }

    /// Returns the number of permits that one owner may hold.
    fn share(&self, permits: usize) -> usize {
        let newest = self.owners.values().filter_map(|queue| queue.seen).max();
        let is_present = |queue: &&Lane| newest.is_none_or(|newest| queue.is_present(newest));
        let present = self.owners.values().filter(is_present).count();
        // There are at least two permits (cores + 1), so a single owner always gets one.
        if present <= 1 { permits - 1 } else { (permits / present).max(1) }
    }

    /// Removes the queues of inactive owners once there are many; they are recreated on demand.
    fn make_room(&mut self, now: Moment) {
        if self.owners.len() >= limits::BUCKETS {
            self.owners.retain(|_, queue| queue.is_present(now));
        }
    }
}

impl Lane {
    fn is_present(&self, now: Moment) -> bool {
        let seen = self.seen.is_some_and(|seen| seen.plus_seconds(PRESENT_SECONDS) > now);
        self.running > 0 || !self.waiting.is_empty() || seen
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.lanes.leave(&self.owner);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn owner(name: &str) -> OwnerId {
        OwnerId::new(name).unwrap()
    }

    /// Enqueues calls of an owner and returns their permit receivers.
    fn line_up(queue: &Arc<Lanes>, name: &str, calls: usize) -> Vec<oneshot::Receiver<Place>> {
        (0..calls).map(|_| queue.line_up(&owner(name), Moment(0)).unwrap()).collect()
    }

    fn placed(calls: &mut [oneshot::Receiver<Place>]) -> Vec<Place> {
        calls.iter_mut().filter_map(|call| call.try_recv().ok()).collect()
    }

    #[test]
    fn an_owner_alone_leaves_one_place_free() {
        let queue = Lanes::with(4);
        let mut flood = line_up(&queue, "ada", 20);
        let running = placed(&mut flood);
        assert_eq!(running.len(), 3);
        let mut other = line_up(&queue, "ben", 1);
        assert_eq!(placed(&mut other).len(), 1, "another owner runs at once");
    }

    #[test]
    fn owners_together_share_the_places_evenly() {
        let queue = Lanes::with(4);
        let (mut flood, mut other) = (line_up(&queue, "ada", 20), line_up(&queue, "ben", 20));
        let (ada, mut ben) = (placed(&mut flood), placed(&mut other));
        assert_eq!((ada.len(), ben.len()), (3, 1));
        drop(ada);
        let ada = placed(&mut flood);
        ben.extend(placed(&mut other));
        assert_eq!((ada.len(), ben.len()), (2, 2), "what the first owner leaves, the second gets");
    }

    #[test]
    fn an_owner_who_called_a_moment_ago_keeps_its_share() {
        let queue = Lanes::with(4);
        let mut other = line_up(&queue, "ben", 1);
        drop(placed(&mut other));
        let mut flood = line_up(&queue, "ada", 20);
        let running = placed(&mut flood);
        assert_eq!(running.len(), 2);
        queue.line_up(&owner("ada"), Moment::from_seconds(5)).unwrap();
        let more = placed(&mut flood);
        assert_eq!(more.len(), 1, "and loses it when it stays away");
        let mut later = line_up(&queue, "cleo", 1);
        assert_eq!(placed(&mut later).len(), 1);
    }

    #[test]
    fn everybody_who_waits_gets_a_turn_and_whoever_left_takes_none() {
        let queue = Lanes::with(2);
        let mut calls = line_up(&queue, "ada", 10);
        let gone = calls.split_off(5);
        drop(gone);
        let mut turns = 0;
        while let running @ [_, ..] = &mut placed(&mut calls)[..] {
            turns += running.len();
        }
        assert_eq!(turns, 5);
        assert_eq!(queue.state().running, 0);
    }

    #[test]
    fn a_queue_is_bounded_and_no_other_owner_feels_it() {
        let queue = Lanes::with(2);
        let _calls = line_up(&queue, "ada", limits::OWNER_CALLS_WAITING + 1);
        assert!(queue.line_up(&owner("ada"), Moment(0)).is_err());
        assert!(queue.line_up(&owner("ben"), Moment(0)).is_ok());
    }
}
