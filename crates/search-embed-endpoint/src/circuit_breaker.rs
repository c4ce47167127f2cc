//! Circuit breaker with exponential cooldown: after a failure no requests are sent for a while, so
//! that a recall does not wait for an endpoint that is down, and an overloaded one gets no further
//! load.

use crate::fault::RequestFault;
use parking_lot::Mutex;
use std::time::{Duration, Instant};

/// Cooldown after the first failure; doubles with each further one.
const FIRST_COOLDOWN: Duration = Duration::from_secs(1);
/// Longest cooldown, unless the endpoint requests more.
const COOLDOWN_MAX: Duration = Duration::from_secs(60);
/// Longest delay that an endpoint can request.
const RETRY_AFTER_MAX: Duration = Duration::from_secs(3_600);

/// State of the breaker: open while `state` is set and not yet over.
#[derive(Debug, Default)]
pub(crate) struct CircuitBreaker {
    state: Mutex<Option<OpenCircuit>>,
}

#[derive(Debug, Clone)]
struct OpenCircuit {
    until: Instant,
    /// Cooldown after the next failure.
    next_cooldown: Duration,
    reason: String,
}

impl CircuitBreaker {
    /// Returns the reason as an error while no request may be sent.
    pub fn check(&self, now: Instant) -> Result<(), String> {
        match &*self.state.lock() {
            Some(OpenCircuit { until, reason, .. }) if now < *until => {
                let seconds = until.duration_since(now).as_secs() + 1;
                Err(format!("{reason} (next attempt in {seconds} s)"))
            }
            _ => Ok(()),
        }
    }

    /// Opens the breaker after a failure.
    pub fn record_failure(&self, now: Instant, fault: &RequestFault) {
        let mut state = self.state.lock();
        let usual = state.as_ref().map_or(FIRST_COOLDOWN, |open| open.next_cooldown);
        let cooldown =
            fault.retry_after().map_or(usual, |requested| requested.clamp(usual, RETRY_AFTER_MAX));
        let next = (usual * 2).min(COOLDOWN_MAX);
        *state = Some(OpenCircuit {
            until: now + cooldown,
            next_cooldown: next,
            reason: fault.reason().to_owned(),
        });
    }

    /// Closes the breaker after a success.
    pub fn record_success(&self) {
        *self.state.lock() = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cooldown_doubles_with_each_failure_and_ends_with_a_success() {
        let (breaker, mut now) = (CircuitBreaker::default(), Instant::now());
        for seconds in [1, 2, 4, 8, 16, 32, 60, 60] {
            breaker.record_failure(now, &RequestFault::transient("away"));
            assert!(
                breaker
                    .check(now + Duration::from_secs(seconds) - Duration::from_millis(1))
                    .is_err()
            );
            now += Duration::from_secs(seconds);
            assert_eq!(breaker.check(now), Ok(()));
        }
        breaker.record_failure(now, &RequestFault::transient("away"));
        breaker.record_success();
        assert_eq!(breaker.check(now), Ok(()));
    }

    #[test]
    fn a_requested_delay_is_respected_up_to_a_limit() {
        let (breaker, now) = (CircuitBreaker::default(), Instant::now());
        let fault = |seconds| RequestFault::Transient {
            reason: "busy".into(),
            retry_after: Some(Duration::from_secs(seconds)),
        };
        breaker.record_failure(now, &fault(120));
        assert!(breaker.check(now + Duration::from_secs(119)).unwrap_err().contains("busy"));
        assert!(breaker.check(now + Duration::from_secs(120)).is_ok());
        breaker.record_failure(now, &fault(1_000_000));
        assert!(breaker.check(now + RETRY_AFTER_MAX).is_ok());
    }
}
