//! The activity of one connection: what it waits for and since when. From it follow the moment at
//! which the connection is closed, and the order in which connections are closed when there are too
//! many.

use super::connection_limits::{HEAD_TIMEOUT, IDLE_TIMEOUT};
use parking_lot::Mutex;
use tokio::sync::Notify;
use tokio::time::Instant;

/// Activity of one connection, shared by its stream, its service and the table of connections.
#[derive(Debug)]
pub(super) struct ConnectionActivity {
    state: Mutex<ActivityState>,
    /// Notified when the connection must make room for another.
    pub shed: Notify,
}

#[derive(Debug, Clone, Copy)]
struct ActivityState {
    phase: ConnectionPhase,
    /// A request on this connection had a valid credential.
    authenticated: bool,
}

#[derive(Debug, Clone, Copy)]
enum ConnectionPhase {
    /// Part of a request's head has arrived, or should have.
    Head(Instant),
    /// A request is being read or answered whose sender has shown no credential.
    Stranger(Instant),
    /// A request with a credential is being answered.
    Credential,
    /// Nothing is being answered; the moment is that of the last byte.
    Idle(Instant),
}

/// Rank by which connections are closed to make room, the least first: those that never showed a
/// credential and wait, then requests of strangers, then those of an owner that wait; among equals,
/// the one that waits longest.
pub(super) type ShedRank = (u8, Instant);

impl ConnectionActivity {
    /// Starts with the first request expected.
    pub fn new(now: Instant) -> Self {
        let state = ActivityState { phase: ConnectionPhase::Head(now), authenticated: false };
        Self { state: Mutex::new(state), shed: Notify::new() }
    }

    /// Notes bytes that arrived; the first ones after a pause begin the head of a request.
    pub fn note_read(&self, now: Instant) {
        let mut state = self.state.lock();
        if matches!(state.phase, ConnectionPhase::Idle(_)) {
            state.phase = ConnectionPhase::Head(now);
        }
    }

    /// Notes bytes that were sent.
    pub fn note_written(&self, now: Instant) {
        if let ConnectionPhase::Idle(since) = &mut self.state.lock().phase {
            *since = now;
        }
    }

    /// Notes that the head of a request is complete.
    pub fn note_request(&self, now: Instant) {
        self.state.lock().phase = ConnectionPhase::Stranger(now);
    }

    /// Notes that the request in progress has a valid credential.
    pub fn note_credential(&self) {
        *self.state.lock() =
            ActivityState { phase: ConnectionPhase::Credential, authenticated: true };
    }

    /// Notes that the request in progress has its response.
    pub fn note_response(&self, now: Instant) {
        self.state.lock().phase = ConnectionPhase::Idle(now);
    }

    /// Returns the moment at which the connection is closed unless something happens before.
    pub fn deadline(&self) -> Option<Instant> {
        match self.state.lock().phase {
            ConnectionPhase::Head(since) => Some(since + HEAD_TIMEOUT),
            ConnectionPhase::Idle(since) => Some(since + IDLE_TIMEOUT),
            // The time that a body may take is limited where it is read.
            ConnectionPhase::Stranger(_) | ConnectionPhase::Credential => None,
        }
    }

    /// Returns the rank by which the connection is closed; `None` while it answers a request with a
    /// credential.
    pub fn shed_rank(&self) -> Option<ShedRank> {
        let ActivityState { phase, authenticated } = *self.state.lock();
        match phase {
            ConnectionPhase::Head(since) | ConnectionPhase::Idle(since) => {
                Some((if authenticated { 2 } else { 0 }, since))
            }
            ConnectionPhase::Stranger(since) => Some((1, since)),
            ConnectionPhase::Credential => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn a_head_has_less_time_than_an_idle_connection_and_a_request_has_no_deadline() {
        let start = Instant::now();
        let later = start + Duration::from_secs(60);
        let activity = ConnectionActivity::new(start);
        activity.note_read(start + Duration::from_secs(5));
        assert_eq!(activity.deadline(), Some(start + HEAD_TIMEOUT), "a slow head gains no time");
        activity.note_request(start);
        assert_eq!(activity.deadline(), None);
        activity.note_response(start);
        assert_eq!(activity.deadline(), Some(start + IDLE_TIMEOUT));
        activity.note_written(later);
        assert_eq!(activity.deadline(), Some(later + IDLE_TIMEOUT), "a stream stays open");
        activity.note_read(later);
        assert_eq!(activity.deadline(), Some(later + HEAD_TIMEOUT));
    }

    #[test]
    fn strangers_make_room_before_owners_and_a_request_of_an_owner_never_does() {
        let now = Instant::now();
        let [fresh, sending, known, busy] = [(); 4].map(|()| ConnectionActivity::new(now));
        sending.note_request(now);
        known.note_credential();
        known.note_response(now);
        busy.note_credential();
        assert!(fresh.shed_rank() < sending.shed_rank());
        assert!(sending.shed_rank() < known.shed_rank());
        assert_eq!(busy.shed_rank(), None);
    }
}
