//! Rate limiting: a token bucket for each owner, agent and class of tools, refilled at a steady
//! rate. Bursts are allowed up to the size of the bucket.

use model::{AgentName, ErrorCode, Failure, Moment, OwnerId, limits};
use parking_lot::Mutex;
use std::collections::HashMap;

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
    /// Attempts a password from an address that never logged in, counted for all of them together.
    SharedGuess,
    /// Registers an OAuth client.
    Registration,
    /// Presents a code or a refresh token that is not valid.
    Exchange,
}

impl ToolClass {
    fn pace(self) -> limits::RateLimit {
        match self {
            Self::Read => limits::READ_RATE,
            Self::Write => limits::WRITE_RATE,
            Self::Sql => limits::SQL_RATE,
            Self::Admin => limits::ADMIN_RATE,
            Self::Guess => limits::PASSWORD_RATE,
            Self::SharedGuess => limits::SHARED_PASSWORD_RATE,
            Self::Registration => limits::REGISTRATION_RATE,
            Self::Exchange => limits::TOKEN_RATE,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Read => "reads",
            Self::Write => "writes",
            Self::Sql => "SQL statements",
            Self::Admin => "administrative calls",
            Self::Guess | Self::SharedGuess => "password attempts",
            Self::Registration => "registrations",
            Self::Exchange => "failed token exchanges",
        }
    }
}

/// Refusal of a call over the rate limit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RateLimitExceeded {
    pub agent: AgentName,
    pub class: ToolClass,
    /// Seconds until the next call is possible.
    pub retry_after_seconds: u32,
}

impl From<RateLimitExceeded> for Failure {
    fn from(wait: RateLimitExceeded) -> Self {
        let RateLimitExceeded { agent, class, retry_after_seconds: seconds } = wait;
        let message = format!(
            "{agent} exceeded the rate limit for {}; wait {seconds} seconds, then call again",
            class.name()
        );
        Self::new(ErrorCode::RateLimited, message)
    }
}

/// Rate limiter of all agents of all owners.
#[derive(Debug, Default)]
pub struct RateLimiter {
    buckets: Mutex<HashMap<(OwnerId, AgentName, ToolClass), TokenBucket>>,
}

#[derive(Debug, Clone, Copy)]
struct TokenBucket {
    tokens: f64,
    refilled_at: Moment,
}

impl TokenBucket {
    fn refilled(self, pace: limits::RateLimit, now: Moment) -> Self {
        // The clock may go back; that must neither take tokens away nor count the same time twice.
        let seconds = (now.0.saturating_sub(self.refilled_at.0)).max(0) as f64 / 1e6;
        let tokens = (self.tokens + seconds * pace.per_second).min(pace.burst);
        Self { tokens, refilled_at: now.max(self.refilled_at) }
    }

    /// Returns the seconds until the next token.
    fn wait_seconds(self, pace: limits::RateLimit) -> u32 {
        (((1.0 - self.tokens) / pace.per_second).ceil() as u32).max(1)
    }

    fn parse(text: &str) -> Option<Self> {
        let (tokens, refilled_at) = text.split_once(' ')?;
        let tokens: f64 = tokens.parse().ok()?;
        let is_amount = tokens.is_finite() && tokens >= 0.0;
        is_amount.then_some(Self { tokens, refilled_at: Moment(refilled_at.parse().ok()?) })
    }

    fn stored(self, pace: limits::RateLimit) -> StoredBucket {
        let seconds = ((pace.burst - self.tokens) / pace.per_second).ceil().max(1.0);
        StoredBucket {
            text: format!("{} {}", self.tokens, self.refilled_at.0),
            full_at: self.refilled_at.plus_seconds(seconds as i64),
        }
    }
}

impl RateLimiter {
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
    ) -> Result<(), RateLimitExceeded> {
        let pace = class.pace();
        let mut buckets = self.buckets.lock();
        evict_buckets(&mut buckets, now);
        let bucket = buckets
            .entry((owner.clone(), agent.clone(), class))
            .or_insert(TokenBucket { tokens: pace.burst, refilled_at: now });
        *bucket = bucket.refilled(pace, now);
        if bucket.tokens < 1.0 {
            let (agent, retry_after_seconds) = (agent.clone(), bucket.wait_seconds(pace));
            return Err(RateLimitExceeded { agent, class, retry_after_seconds });
        }
        bucket.tokens -= 1.0;
        Ok(())
    }
}

/// State of a bucket that is stored elsewhere, as text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredBucket {
    pub text: String,
    /// Moment when the bucket is full again, after which it carries no information.
    pub full_at: Moment,
}

/// Takes a token from a stored bucket; `None` is a full one. Returns the bucket to store, and
/// otherwise the seconds until the next token. Text that is no bucket counts as an empty one.
pub fn take_stored_token(
    stored: Option<&str>,
    class: ToolClass,
    now: Moment,
) -> (StoredBucket, Result<(), u32>) {
    let pace = class.pace();
    let empty = TokenBucket { tokens: 0.0, refilled_at: now };
    let bucket = match stored {
        None => TokenBucket { tokens: pace.burst, refilled_at: now },
        Some(text) => TokenBucket::parse(text).unwrap_or(empty).refilled(pace, now),
    };
    if bucket.tokens < 1.0 {
        return (bucket.stored(pace), Err(bucket.wait_seconds(pace)));
    }
    (TokenBucket { tokens: bucket.tokens - 1.0, ..bucket }.stored(pace), Ok(()))
}

/// Bounds the number of buckets. Full ones carry no information and go first. If all are in use,
/// the emptier half stays: dropping those would give a flooding agent a new burst.
fn evict_buckets(buckets: &mut HashMap<(OwnerId, AgentName, ToolClass), TokenBucket>, now: Moment) {
    if buckets.len() < limits::RATE_BUCKETS {
        return;
    }
    buckets.retain(|(_, _, class), bucket| {
        let pace = class.pace();
        bucket.refilled(pace, now).tokens < pace.burst
    });
    if buckets.len() >= limits::RATE_BUCKETS {
        let mut filled: Vec<f64> = buckets.values().map(|bucket| bucket.tokens).collect();
        filled.sort_by(f64::total_cmp);
        let median = filled[filled.len() / 2];
        buckets.retain(|_, bucket| bucket.tokens < median);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn take(
        buckets: &RateLimiter,
        agent: &str,
        class: ToolClass,
        second: i64,
    ) -> Result<(), RateLimitExceeded> {
        buckets.take(&OwnerId::me(), &AgentName::new(agent), class, Moment::from_seconds(second))
    }

    fn drain(buckets: &RateLimiter, agent: &str, class: ToolClass, second: i64) -> usize {
        (0..).take_while(|_| take(buckets, agent, class, second).is_ok()).count()
    }

    #[test]
    fn a_burst_passes_and_a_flood_waits_for_the_reported_time() {
        let buckets = RateLimiter::default();
        let burst = limits::WRITE_RATE.burst as usize;
        assert_eq!(drain(&buckets, "codex", ToolClass::Write, 0), burst);
        let wait = take(&buckets, "codex", ToolClass::Write, 0).unwrap_err();
        assert!(
            take(&buckets, "codex", ToolClass::Write, i64::from(wait.retry_after_seconds)).is_ok()
        );
        let failure = Failure::from(wait);
        assert_eq!(failure.code, ErrorCode::RateLimited);
        assert!(failure.message.contains("wait 1 seconds"), "{failure}");
    }

    #[test]
    fn a_bucket_refills_at_its_rate_up_to_its_burst() {
        let buckets = RateLimiter::default();
        drain(&buckets, "codex", ToolClass::Sql, 0);
        let filled = drain(&buckets, "codex", ToolClass::Sql, 2);
        assert_eq!(filled, (2.0 * limits::SQL_RATE.per_second) as usize);
        assert_eq!(
            drain(&buckets, "codex", ToolClass::Sql, 1_000_000),
            limits::SQL_RATE.burst as usize
        );
    }

    #[test]
    fn one_agent_never_uses_up_anothers_tokens_nor_another_class() {
        let buckets = RateLimiter::default();
        drain(&buckets, "codex", ToolClass::Write, 0);
        assert!(take(&buckets, "cursor", ToolClass::Write, 0).is_ok());
        assert!(take(&buckets, "codex", ToolClass::Read, 0).is_ok());
        let other = OwnerId::new("other").unwrap();
        assert!(
            buckets.take(&other, &AgentName::new("codex"), ToolClass::Write, Moment(0)).is_ok()
        );
    }

    #[test]
    fn a_clock_that_goes_back_adds_no_tokens() {
        let buckets = RateLimiter::default();
        drain(&buckets, "codex", ToolClass::Sql, 100);
        assert!(take(&buckets, "codex", ToolClass::Sql, 0).is_err());
    }

    #[test]
    fn a_stored_bucket_has_the_same_burst_and_waits_as_long() {
        let (class, now) = (ToolClass::Guess, Moment::from_seconds(1_000));
        let mut stored: Option<StoredBucket> = None;
        let mut take = |at: Moment| {
            let (bucket, taken) =
                take_stored_token(stored.as_ref().map(|bucket| bucket.text.as_str()), class, at);
            stored = Some(bucket);
            taken
        };
        let burst = (0..).take_while(|_| take(now).is_ok()).count();
        assert_eq!(burst, limits::PASSWORD_RATE.burst as usize);
        let wait = take(now).unwrap_err();
        assert!(take(now.plus_seconds(i64::from(wait))).is_ok());
        assert!(take(now.plus_seconds(i64::from(wait))).is_err());
        assert!(take_stored_token(Some("nonsense"), class, now).1.is_err());
    }

    #[test]
    fn the_number_of_buckets_is_limited_and_a_flood_stays_limited() {
        let buckets = RateLimiter::default();
        drain(&buckets, "flood", ToolClass::Sql, 0);
        for n in 0..=limits::RATE_BUCKETS {
            take(&buckets, &format!("agent {n}"), ToolClass::Read, 0).unwrap();
        }
        assert!(buckets.buckets.lock().len() <= limits::RATE_BUCKETS);
        assert!(take(&buckets, "flood", ToolClass::Sql, 0).is_err());
    }
}
