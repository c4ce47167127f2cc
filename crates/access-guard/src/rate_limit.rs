//! Rate limiting: a token bucket for each owner, agent and class of tools, refilled at a steady
//! rate. Bursts are allowed up to the size of the bucket. Where several servers count together,
//! each has a copy of the bucket, and reports the calls that it admitted to the one of all servers.

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

/// Fraction of a burst that one server may have admitted without reporting it to the others, as
/// its divisor.
// Each report is a read and a write in the database: at the highest rate of reads, three a second.
// All servers together exceed a limit by at most this fraction of its burst for each server.
const UNREPORTED_DIVISOR: f64 = 32.0;

/// Rate limiter of all agents of all owners.
#[derive(Debug, Default)]
pub struct RateLimiter {
    is_shared: bool,
    buckets: Mutex<HashMap<BucketKey, AgentBucket>>,
}

/// The bucket of an agent for a class of tools.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct BucketKey {
    pub owner: OwnerId,
    pub agent: AgentName,
    pub class: ToolClass,
}

/// Outcome for a call that is within the limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TokenOutcome {
    /// The call is admitted.
    Taken,
    /// The call is admitted, and a report of the calls so far is due.
    TakenReportDue,
    /// The call is not admitted before the calls so far are reported.
    ReportFirst,
}

/// A bucket as this server knows it.
#[derive(Debug)]
struct AgentBucket {
    tokens: TokenBucket,
    /// Calls that the bucket of all servers does not know of.
    unreported: u32,
    is_reporting: bool,
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

    fn spend(self, count: u32) -> Self {
        Self { tokens: self.tokens - f64::from(count), ..self }
    }

    /// Returns the seconds until the next token.
    fn wait_seconds(self, pace: limits::RateLimit) -> u32 {
        (((1.0 - self.tokens) / pace.per_second).ceil() as u32).max(1)
    }

    fn full(pace: limits::RateLimit, now: Moment) -> Self {
        Self { tokens: pace.burst, refilled_at: now }
    }

    /// Reads a stored bucket; `None` is a full one, and text that is no bucket an empty one. Tokens
    /// are negative where servers admitted more calls together than there were tokens.
    fn load(stored: Option<&str>, pace: limits::RateLimit, now: Moment) -> Self {
        match stored {
            None => Self::full(pace, now),
            Some(text) => Self::parse(text, pace).unwrap_or(Self { tokens: 0.0, refilled_at: now }),
        }
    }

    fn parse(text: &str, pace: limits::RateLimit) -> Option<Self> {
        let (tokens, refilled_at) = text.split_once(' ')?;
        let tokens: f64 = tokens.parse().ok().filter(|tokens: &f64| tokens.is_finite())?;
        // Bounded, so that a damaged value does not lock an agent out for long.
        let tokens = tokens.clamp(-pace.burst, pace.burst);
        Some(Self { tokens, refilled_at: Moment(refilled_at.parse().ok()?) })
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
    /// Creates the limiter of a server that counts together with others.
    #[must_use]
    pub fn shared() -> Self {
        Self { is_shared: true, ..Self::default() }
    }

    /// Returns the maximum number of calls of an agent that one server admits without reporting
    /// them to the others.
    #[must_use]
    pub fn unreported_max(class: ToolClass) -> u32 {
        (class.pace().burst / UNREPORTED_DIVISOR) as u32
    }

    /// Takes a token from the bucket.
    ///
    /// # Errors
    /// Fails when the bucket is empty, with the time until the next token.
    pub fn take(&self, key: &BucketKey, now: Moment) -> Result<TokenOutcome, RateLimitExceeded> {
        let (pace, class) = (key.class.pace(), key.class);
        let mut buckets = self.buckets.lock();
        evict_buckets(&mut buckets, now);
        let bucket = buckets.entry(key.clone()).or_insert_with(|| AgentBucket::full(pace, now));
        bucket.tokens = bucket.tokens.refilled(pace, now);
        if bucket.tokens.tokens < 1.0 {
            let (agent, retry_after_seconds) =
                (key.agent.clone(), bucket.tokens.wait_seconds(pace));
            return Err(RateLimitExceeded { agent, class, retry_after_seconds });
        }
        let unreported_max = if self.is_shared { Self::unreported_max(class) } else { u32::MAX };
        Ok(bucket.take(unreported_max))
    }

    /// Begins a report to the bucket of all servers, and returns the number of calls in it.
    /// Returns `None` when there is nothing to report, or a report is under way.
    #[must_use]
    pub fn begin_report(&self, key: &BucketKey) -> Option<u32> {
        let mut buckets = self.buckets.lock();
        let bucket = buckets.get_mut(key).filter(|bucket| !bucket.is_reporting)?;
        bucket.is_reporting = bucket.unreported > 0;
        bucket.is_reporting.then_some(bucket.unreported)
    }

    /// Ends a report of so many calls. `stored` is the bucket of all servers after it; without one
    /// the report failed, and the calls are still to be reported.
    pub fn end_report(&self, key: &BucketKey, count: u32, stored: Option<&str>) {
        let mut buckets = self.buckets.lock();
        let Some(bucket) = buckets.get_mut(key) else { return };
        bucket.is_reporting = false;
        if let Some(tokens) = stored.and_then(|text| TokenBucket::parse(text, key.class.pace())) {
            bucket.unreported = bucket.unreported.saturating_sub(count);
            bucket.tokens = tokens.spend(bucket.unreported);
        }
    }
}

impl AgentBucket {
    fn full(pace: limits::RateLimit, now: Moment) -> Self {
        Self { tokens: TokenBucket::full(pace, now), unreported: 0, is_reporting: false }
    }

    fn take(&mut self, unreported_max: u32) -> TokenOutcome {
        if self.unreported >= unreported_max {
            return TokenOutcome::ReportFirst;
        }
        self.tokens = self.tokens.spend(1);
        self.unreported = self.unreported.saturating_add(1);
        // At half, so that the report ends before the other half is used up.
        let is_due = !self.is_reporting && self.unreported >= unreported_max / 2;
        if is_due { TokenOutcome::TakenReportDue } else { TokenOutcome::Taken }
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
/// the seconds until the next token where it is empty. Text that is no bucket is an empty one.
pub fn take_stored_token(
    stored: Option<&str>,
    class: ToolClass,
    now: Moment,
) -> (StoredBucket, Result<(), u32>) {
    let pace = class.pace();
    let bucket = TokenBucket::load(stored, pace, now).refilled(pace, now);
    if bucket.tokens < 1.0 {
        return (bucket.stored(pace), Err(bucket.wait_seconds(pace)));
    }
    (bucket.spend(1).stored(pace), Ok(()))
}

/// Takes the tokens of calls that were admitted from a stored bucket, also where it has too few:
/// what is missing is refilled before the next call. Returns the bucket to store.
#[must_use]
pub fn spend_stored_tokens(
    stored: Option<&str>,
    class: ToolClass,
    count: u32,
    now: Moment,
) -> StoredBucket {
    let pace = class.pace();
    TokenBucket::load(stored, pace, now).refilled(pace, now).spend(count).stored(pace)
}

/// Bounds the number of buckets. Full ones carry no information and go first. If all are in use,
/// the emptier half stays: dropping those would give a flooding agent a new burst.
// Calls that were not reported yet are forgotten with their bucket: fewer than the named share, of
// an agent that paused until its bucket was full, or called least.
fn evict_buckets(buckets: &mut HashMap<BucketKey, AgentBucket>, now: Moment) {
    if buckets.len() < limits::RATE_BUCKETS {
        return;
    }
    buckets.retain(|key, bucket| {
        let pace = key.class.pace();
        bucket.tokens.refilled(pace, now).tokens < pace.burst
    });
    if buckets.len() >= limits::RATE_BUCKETS {
        let mut filled: Vec<f64> = buckets.values().map(|bucket| bucket.tokens.tokens).collect();
        filled.sort_by(f64::total_cmp);
        let median = filled[filled.len() / 2];
        buckets.retain(|_, bucket| bucket.tokens.tokens < median);
    }
}

#[cfg(test)]
mod tests;
