//! Who runs and who waits: a lane for each owner, and a few places for all of them together, one
//! more than the machine has cores. An owner alone gets all places but one, so that whoever comes
//! next finds one free; owners together share them evenly. So a flood of one owner costs the others
//! little, whatever its size.

use model::{Moment, OwnerId, limits};
use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::oneshot;

/// For how long an owner counts among those who share, after a call.
const PRESENT_SECONDS: i64 = 1;

/// How many calls run at once on this machine. A server wants a thread for each of them, and one
/// more that takes in and answers the others meanwhile.
pub(crate) fn places() -> usize {
    std::thread::available_parallelism().map_or(1, std::num::NonZero::get) + 1
}

/// The lanes of one server.
#[derive(Debug)]
pub(crate) struct Lanes {
    places: usize,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    owners: HashMap<OwnerId, Lane>,
    running: usize,
    turns: u64,
}

/// The calls of one owner.
#[derive(Debug, Default)]
struct Lane {
    running: usize,
    waiting: VecDeque<oneshot::Sender<Place>>,
    seen: Option<Moment>,
    /// When it last got a place, counted in places given.
    served: u64,
}

/// The owner's queue is full.
#[derive(Debug)]
pub(crate) struct Crowded;

/// A place; the next call gets it when this is dropped.
#[derive(Debug)]
pub(crate) struct Place {
    lanes: Arc<Lanes>,
    owner: OwnerId,
}

impl Lanes {
    /// Lanes for the machine at hand.
    pub fn of_this_machine() -> Arc<Self> {
        Self::with(places())
    }

    fn with(places: usize) -> Arc<Self> {
        Arc::new(Self { places, state: Mutex::default() })
    }

    /// Waits for a place.
    pub async fn enter(self: &Arc<Self>, owner: &OwnerId, now: Moment) -> Result<Place, Crowded> {
        let turn = self.line_up(owner, now)?;
        // Whoever is in the queue is given a place sooner or later: each one that is left is passed
        // on.
        turn.await.map_err(|_| Crowded)
    }

    /// Joins the owner's queue, at whose end a place is handed over.
    fn line_up(
        self: &Arc<Self>,
        owner: &OwnerId,
        now: Moment,
    ) -> Result<oneshot::Receiver<Place>, Crowded> {
        let mut state = self.state();
        state.make_room(now);
        let lane = state.owners.entry(owner.clone()).or_default();
        if lane.waiting.len() >= limits::OWNER_CALLS_WAITING {
            return Err(Crowded);
        }
        let (hand, turn) = oneshot::channel();
        lane.waiting.push_back(hand);
        lane.seen = Some(now);
        let unwanted = self.pass_on(&mut state);
        drop(state);
        drop(unwanted);
        Ok(turn)
    }

    /// Gives every place that is free to whoever should have it. Places whose caller has gone come
    /// back, to be dropped when nobody holds the state.
    fn pass_on(self: &Arc<Self>, state: &mut State) -> Vec<Place> {
        let mut unwanted = Vec::new();
        while let Some((owner, hand)) = state.next(self.places) {
            let place = Place { lanes: Arc::clone(self), owner };
            unwanted.extend(hand.send(place).err());
        }
        unwanted
    }

    fn leave(self: &Arc<Self>, owner: &OwnerId) {
        let mut state = self.state();
        state.running -= 1;
        if let Some(lane) = state.owners.get_mut(owner) {
            lane.running -= 1;
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
    /// Takes whoever is next out of its queue and counts it as running: of the owners below their
    /// share the one with the fewest calls under way, then the one that was served longest ago.
    fn next(&mut self, places: usize) -> Option<(OwnerId, oneshot::Sender<Place>)> {
        if self.running >= places {
            return None;
        }
        let share = self.share(places);
        let waits = |lane: &&mut Lane| lane.running < share && !lane.waiting.is_empty();
        let (owner, lane) = self
            .owners
            .iter_mut()
            .filter(|(_, lane)| waits(lane))
            .min_by_key(|(_, lane)| (lane.running, lane.served))?;
        let hand = lane.waiting.pop_front()?;
        self.running += 1;
        self.turns += 1;
        (lane.running, lane.served) = (lane.running + 1, self.turns);
        Some((owner.clone(), hand))
    }

    /// How many places one owner may have.
    fn share(&self, places: usize) -> usize {
        let newest = self.owners.values().filter_map(|lane| lane.seen).max();
        let is_present = |lane: &&Lane| newest.is_none_or(|newest| lane.is_present(newest));
        let present = self.owners.values().filter(is_present).count();
        if present <= 1 { places - 1 } else { (places / present).max(1) }
    }

    /// Lanes of owners who have left are made anew when they come back.
    fn make_room(&mut self, now: Moment) {
        if self.owners.len() >= limits::BUCKETS {
            self.owners.retain(|_, lane| lane.is_present(now));
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

    /// Calls of an owner that line up; those with a place are the ones that may run.
    fn line_up(lanes: &Arc<Lanes>, name: &str, calls: usize) -> Vec<oneshot::Receiver<Place>> {
        (0..calls).map(|_| lanes.line_up(&owner(name), Moment(0)).unwrap()).collect()
    }

    fn placed(calls: &mut [oneshot::Receiver<Place>]) -> Vec<Place> {
        calls.iter_mut().filter_map(|call| call.try_recv().ok()).collect()
    }

    #[test]
    fn an_owner_alone_leaves_one_place_free() {
        let lanes = Lanes::with(4);
        let mut flood = line_up(&lanes, "ada", 20);
        let running = placed(&mut flood);
        assert_eq!(running.len(), 3);
        let mut other = line_up(&lanes, "ben", 1);
        assert_eq!(placed(&mut other).len(), 1, "another owner runs at once");
    }

    #[test]
    fn owners_together_share_the_places_evenly() {
        let lanes = Lanes::with(4);
        let (mut flood, mut other) = (line_up(&lanes, "ada", 20), line_up(&lanes, "ben", 20));
        let (ada, mut ben) = (placed(&mut flood), placed(&mut other));
        assert_eq!((ada.len(), ben.len()), (3, 1));
        drop(ada);
        let ada = placed(&mut flood);
        ben.extend(placed(&mut other));
        assert_eq!((ada.len(), ben.len()), (2, 2), "what the first owner leaves, the second gets");
    }

    #[test]
    fn an_owner_who_called_a_moment_ago_keeps_its_share() {
        let lanes = Lanes::with(4);
        let mut other = line_up(&lanes, "ben", 1);
        drop(placed(&mut other));
        let mut flood = line_up(&lanes, "ada", 20);
        let running = placed(&mut flood);
        assert_eq!(running.len(), 2);
        lanes.line_up(&owner("ada"), Moment::from_seconds(5)).unwrap();
        let more = placed(&mut flood);
        assert_eq!(more.len(), 1, "and loses it when it stays away");
        let mut later = line_up(&lanes, "cleo", 1);
        assert_eq!(placed(&mut later).len(), 1);
    }

    #[test]
    fn everybody_who_waits_gets_a_turn_and_whoever_left_takes_none() {
        let lanes = Lanes::with(2);
        let mut calls = line_up(&lanes, "ada", 10);
        let gone = calls.split_off(5);
        drop(gone);
        let mut turns = 0;
        while let running @ [_, ..] = &mut placed(&mut calls)[..] {
            turns += running.len();
        }
        assert_eq!(turns, 5);
        assert_eq!(lanes.state().running, 0);
    }

    #[test]
    fn a_queue_is_bounded_and_no_other_owner_feels_it() {
        let lanes = Lanes::with(2);
        let _calls = line_up(&lanes, "ada", limits::OWNER_CALLS_WAITING + 1);
        assert!(lanes.line_up(&owner("ada"), Moment(0)).is_err());
        assert!(lanes.line_up(&owner("ben"), Moment(0)).is_ok());
    }
}
