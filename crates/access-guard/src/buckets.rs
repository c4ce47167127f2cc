//! Rate limiting: a token bucket for each owner, agent and class of tools, refilled at a steady
//! rate. Bursts are allowed up to the size of the bucket.

use model::{AgentName, ErrorCode, Failure, Moment, OwnerId, limits};
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

/// Class of tools that share a rate limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ToolClass {
    Read,
    Write,
    /// Runs an SQL statement of the caller.
    Sql,
    /// Reserved to the owner.
    Admin,
    /// Attempts a password.
    Guess,
    /// Registers an OAuth client.
    Registration,
    /// Exchanges a code or a refresh token.
    Exchange,
}

impl ToolClass {
    fn pace(self) -> limits::Pace {
        match self {
            Self::Read => limits::READS,
            Self::Write => limits::WRITES,
            Self::Sql => limits::STATEMENTS,
            Self::Admin => limits::ADMINISTRATION,
            Self::Guess => limits::GUESSES,
            Self::Registration => limits::REGISTRATIONS,
            Self::Exchange => limits::EXCHANGES,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Read => "reads",
            Self::Write => "writes",
            Self::Sql => "SQL statements",
            Self::Admin => "administrative calls",
            Self::Guess => "password attempts",
            Self::Registration => "registrations",
            Self::Exchange => "token exchanges",
        }
    }
}

/// Refusal of a call over the rate limit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wait {
    pub agent: AgentName,
    pub class: ToolClass,
    /// Seconds until the next call is possible.
    pub seconds: u32,
}

impl From<Wait> for Failure {
    fn from(wait: Wait) -> Self {
        let Wait { agent, class, seconds } = wait;
        let message = format!(
            "{agent} exceeded the rate limit for {}; wait {seconds} seconds, then call again",
            class.name()
        );
        Self::new(ErrorCode::RateLimited, message)
    }
}

/// Rate limiter of all agents of all owners.
#[derive(Debug, Default)]
pub struct Buckets {
    kept: Mutex<HashMap<(OwnerId, AgentName, ToolClass), Bucket>>,
}

#[derive(Debug, Clone, Copy)]
struct Bucket {
    tokens: f64,
    at: Moment,
}

impl Bucket {
    fn filled(self, pace: limits::Pace, now: Moment) -> Self {
        // The clock may go back; that must neither take tokens away nor count the same time twice.
        let seconds = (now.0.saturating_sub(self.at.0)).max(0) as f64 / 1e6;
        let tokens = (self.tokens + seconds * pace.per_second).min(pace.burst);
        Self { tokens, at: now.max(self.at) }
    }
}

impl Buckets {
    /// Takes a token from the bucket.
    ///
    /// # Errors
    /// Fails when the bucket is empty, with the time until the next token.
    pub fn take(
        &self,
        owner: &OwnerId,
        agent: &AgentName,
        class: ToolClass,
        now: Moment,
    ) -> Result<(), Wait> {
        let pace = class.pace();
        // A poisoned lock is harmless: the map contains only counters.
        let mut buckets = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        make_room(&mut buckets, now);
        let bucket = buckets
            .entry((owner.clone(), agent.clone(), class))
            .or_insert(Bucket { tokens: pace.burst, at: now });
        *bucket = bucket.filled(pace, now);
        if bucket.tokens < 1.0 {
            let seconds = ((1.0 - bucket.tokens) / pace.per_second).ceil() as u32;
            return Err(Wait { agent: agent.clone(), class, seconds: seconds.max(1) });
        }
        bucket.tokens -= 1.0;
        Ok(())
    }
}

/// Bounds the number of buckets. Full ones carry no information and go first. If all are in use,
/// the emptier half stays: dropping those would give a flooding agent a new burst.
fn make_room(buckets: &mut HashMap<(OwnerId, AgentName, ToolClass), Bucket>, now: Moment) {
    if buckets.len() < limits::BUCKETS {
        return;
    }
    buckets.retain(|(_, _, class), bucket| {
        let pace = class.pace();
        bucket.filled(pace, now).tokens < pace.burst
    });
    if buckets.len() >= limits::BUCKETS {
        let mut filled: Vec<f64> = buckets.values().map(|bucket| bucket.tokens).collect();
        filled.sort_by(f64::total_cmp);
        let median = filled[filled.len() / 2];
        buckets.retain(|_, bucket| bucket.tokens < median);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn take(buckets: &Buckets, agent: &str, class: ToolClass, second: i64) -> Result<(), Wait> {
        buckets.take(&OwnerId::me(), &AgentName::new(agent), class, Moment::from_seconds(second))
    }

    fn drain(buckets: &Buckets, agent: &str, class: ToolClass, second: i64) -> usize {
        (0..).take_while(|_| take(buckets, agent, class, second).is_ok()).count()
    }

    #[test]
    fn a_burst_passes_and_a_flood_waits_for_as_long_as_it_is_told() {
        let buckets = Buckets::default();
        let burst = limits::WRITES.burst as usize;
        assert_eq!(drain(&buckets, "codex", ToolClass::Write, 0), burst);
        let wait = take(&buckets, "codex", ToolClass::Write, 0).unwrap_err();
        assert!(take(&buckets, "codex", ToolClass::Write, i64::from(wait.seconds)).is_ok());
        let failure = Failure::from(wait);
        assert_eq!(failure.code, ErrorCode::RateLimited);
        assert!(failure.message.contains("wait 1 seconds"), "{failure}");
    }

    #[test]
    fn a_bucket_fills_at_its_pace_and_no_further_than_its_burst() {
        let buckets = Buckets::default();
        drain(&buckets, "codex", ToolClass::Sql, 0);
        let filled = drain(&buckets, "codex", ToolClass::Sql, 2);
        assert_eq!(filled, (2.0 * limits::STATEMENTS.per_second) as usize);
        assert_eq!(
            drain(&buckets, "codex", ToolClass::Sql, 1_000_000),
            limits::STATEMENTS.burst as usize
        );
    }

    #[test]
    fn one_agent_never_uses_up_anothers_tokens_nor_another_class() {
        let buckets = Buckets::default();
        drain(&buckets, "codex", ToolClass::Write, 0);
        assert!(take(&buckets, "cursor", ToolClass::Write, 0).is_ok());
        assert!(take(&buckets, "codex", ToolClass::Read, 0).is_ok());
        let other = OwnerId::new("other").unwrap();
        assert!(
            buckets.take(&other, &AgentName::new("codex"), ToolClass::Write, Moment(0)).is_ok()
        );
    }

    #[test]
    fn a_clock_that_goes_back_gives_nothing_away() {
        let buckets = Buckets::default();
        drain(&buckets, "codex", ToolClass::Sql, 100);
        assert!(take(&buckets, "codex", ToolClass::Sql, 0).is_err());
    }

    #[test]
    fn there_are_never_more_buckets_than_the_limit_and_the_flood_keeps_its_own() {
        let buckets = Buckets::default();
        drain(&buckets, "flood", ToolClass::Sql, 0);
        for n in 0..=limits::BUCKETS {
            take(&buckets, &format!("agent {n}"), ToolClass::Read, 0).unwrap();
        }
        assert!(buckets.kept.lock().unwrap().len() <= limits::BUCKETS);
        assert!(take(&buckets, "flood", ToolClass::Sql, 0).is_err());
    }
}
