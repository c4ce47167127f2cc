//! Circuit breaker with exponential cooldown: after a failure no requests are sent for a while, so
//! that a recall does not wait for an endpoint that is down, and an overloaded one gets no further
//! load.

use crate::fault::Fault;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Cooldown after the first failure; doubles with each further one.
const FIRST: Duration = Duration::from_secs(1);
/// Longest cooldown, unless the endpoint requests more.
const LONGEST: Duration = Duration::from_secs(60);
/// Longest delay that an endpoint can request.
const LONGEST_ASKED_FOR: Duration = Duration::from_secs(3_600);

/// State of the breaker: open while `state` is set and not yet over.
#[derive(Debug, Default)]
pub(crate) struct Patience {
    state: Mutex<Option<Resting>>,
}

#[derive(Debug, Clone)]
struct Resting {
    until: Instant,
    /// Cooldown after the next failure.
    next: Duration,
    why: String,
}

impl Patience {
    /// Returns the reason as an error while no request may be sent.
    pub fn may_ask(&self, now: Instant) -> Result<(), String> {
        match &*self.state.lock().unwrap_or_else(PoisonError::into_inner) {
            Some(Resting { until, why, .. }) if now < *until => {
                let seconds = until.duration_since(now).as_secs() + 1;
                Err(format!("{why} (next attempt in {seconds} s)"))
            }
            _ => Ok(()),
        }
    }

    /// Opens the breaker after a failure.
    pub fn failed(&self, now: Instant, fault: &Fault) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let usual = state.as_ref().map_or(FIRST, |resting| resting.next);
        let cooldown =
            fault.after().map_or(usual, |requested| requested.clamp(usual, LONGEST_ASKED_FOR));
        let next = (usual * 2).min(LONGEST);
        *state = Some(Resting { until: now + cooldown, next, why: fault.why().to_owned() });
    }

    /// Closes the breaker after a success.
    pub fn answered(&self) {
        *self.state.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_left_alone_twice_as_long_after_each_failure_and_not_at_all_after_an_answer() {
        let (breaker, mut now) = (Patience::default(), Instant::now());
        for seconds in [1, 2, 4, 8, 16, 32, 60, 60] {
            breaker.failed(now, &Fault::passing("away"));
            assert!(
                breaker
                    .may_ask(now + Duration::from_secs(seconds) - Duration::from_millis(1))
                    .is_err()
            );
            now += Duration::from_secs(seconds);
            assert_eq!(breaker.may_ask(now), Ok(()));
        }
        breaker.failed(now, &Fault::passing("away"));
        breaker.answered();
        assert_eq!(breaker.may_ask(now), Ok(()));
    }

    #[test]
    fn it_is_left_alone_as_long_as_it_asks_but_not_for_ever() {
        let (breaker, now) = (Patience::default(), Instant::now());
        let fault = |seconds| Fault::Passing {
            why: "busy".into(),
            after: Some(Duration::from_secs(seconds)),
        };
        breaker.failed(now, &fault(120));
        assert!(breaker.may_ask(now + Duration::from_secs(119)).unwrap_err().contains("busy"));
        assert!(breaker.may_ask(now + Duration::from_secs(120)).is_ok());
        breaker.failed(now, &fault(1_000_000));
        assert!(breaker.may_ask(now + LONGEST_ASKED_FOR).is_ok());
    }
}
