//! Leaving an endpoint alone after it failed, each time for longer, so that a recall does not wait
//! for one that is away, and one that is overloaded is not asked even more.

use crate::fault::Fault;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How long it is left alone after the first failure.
const FIRST: Duration = Duration::from_secs(1);
/// How long at most, unless it asks for more.
const LONGEST: Duration = Duration::from_secs(60);
/// However long it asks for, it is asked again after this.
const LONGEST_ASKED_FOR: Duration = Duration::from_secs(3_600);

/// Whether an endpoint may be asked.
#[derive(Debug, Default)]
pub(crate) struct Patience {
    state: Mutex<Option<Resting>>,
}

#[derive(Debug, Clone)]
struct Resting {
    until: Instant,
    /// How long it is left alone if it fails again.
    next: Duration,
    why: String,
}

impl Patience {
    /// Whether it may be asked now; otherwise why not.
    pub fn may_ask(&self, now: Instant) -> Result<(), String> {
        match &*self.state.lock().unwrap_or_else(PoisonError::into_inner) {
            Some(Resting { until, why, .. }) if now < *until => {
                let left = until.duration_since(now).as_secs() + 1;
                Err(format!("{why} (it is asked again in {left} s)"))
            }
            _ => Ok(()),
        }
    }

    /// It failed.
    pub fn failed(&self, now: Instant, fault: &Fault) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let usual = state.as_ref().map_or(FIRST, |resting| resting.next);
        let rest =
            fault.after().map_or(usual, |asked_for| asked_for.clamp(usual, LONGEST_ASKED_FOR));
        let next = (usual * 2).min(LONGEST);
        *state = Some(Resting { until: now + rest, next, why: fault.why().to_owned() });
    }

    /// It answered.
    pub fn answered(&self) {
        *self.state.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_left_alone_twice_as_long_after_each_failure_and_not_at_all_after_an_answer() {
        let (patience, mut now) = (Patience::default(), Instant::now());
        for seconds in [1, 2, 4, 8, 16, 32, 60, 60] {
            patience.failed(now, &Fault::passing("away"));
            assert!(
                patience
                    .may_ask(now + Duration::from_secs(seconds) - Duration::from_millis(1))
                    .is_err()
            );
            now += Duration::from_secs(seconds);
            assert_eq!(patience.may_ask(now), Ok(()));
        }
        patience.failed(now, &Fault::passing("away"));
        patience.answered();
        assert_eq!(patience.may_ask(now), Ok(()));
    }

    #[test]
    fn it_is_left_alone_as_long_as_it_asks_but_not_for_ever() {
        let (patience, now) = (Patience::default(), Instant::now());
        let asks = |seconds| Fault::Passing {
            why: "busy".into(),
            after: Some(Duration::from_secs(seconds)),
        };
        patience.failed(now, &asks(120));
        assert!(patience.may_ask(now + Duration::from_secs(119)).unwrap_err().contains("busy"));
        assert!(patience.may_ask(now + Duration::from_secs(120)).is_ok());
        patience.failed(now, &asks(1_000_000));
        assert!(patience.may_ask(now + LONGEST_ASKED_FOR).is_ok());
    }
}
