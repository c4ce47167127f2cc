//! Admission control: rate limits per agent and a bound on concurrent calls. All dialects of a
//! server share one instance, so that nobody gets twice as much by using two.

use crate::fair_queue::{FairQueue, Permit, QueueFull};
use dialects::ToolSpec;
use engine::{Caller, RateLimitExceeded, RateLimiter, ToolClass};
use model::{AgentName, ErrorCode, Failure, JsonMap, Moment, OwnerId, limits};
use std::sync::Arc;

/// Agent name under which unauthenticated callers are counted.
const ANONYMOUS: &str = "a stranger";

/// Admits calls by rate limit and fair queue.
#[derive(Debug)]
pub(crate) struct Admission {
    buckets: RateLimiter,
    queue: Arc<FairQueue>,
}

impl Default for Admission {
    fn default() -> Self {
        Self { buckets: RateLimiter::default(), queue: FairQueue::for_this_machine() }
    }
}

/// Reason a call was not admitted.
#[derive(Debug)]
pub(crate) enum AdmissionError {
    /// The agent exceeded its rate.
    RateLimited(RateLimitExceeded),
    /// The owner's queue is full.
    QueueFull,
}

impl AdmissionError {
    /// Returns the number of seconds to wait before the next attempt.
    pub fn retry_after_seconds(&self) -> u32 {
        match self {
            Self::RateLimited(wait) => wait.retry_after_seconds,
            // The queue drains in milliseconds; a second is the shortest `Retry-After`.
            Self::QueueFull => 1,
        }
    }
}

impl From<AdmissionError> for Failure {
    fn from(error: AdmissionError) -> Self {
        match error {
            AdmissionError::RateLimited(wait) => wait.into(),
            AdmissionError::QueueFull => {
                let waiting = limits::QUEUED_CALLS_PER_OWNER;
                let message =
                    format!("{waiting} calls are already waiting; wait 1 second, then call again");
                Self::new(ErrorCode::RateLimited, message)
            }
        }
    }
}

impl Admission {
    /// Takes a token from the agent's bucket, then waits for a permit to run.
    pub async fn admit(
        &self,
        caller: &Caller,
        class: ToolClass,
        now: Moment,
    ) -> Result<Permit, AdmissionError> {
        // The rate limit comes first: a call above its rate must not occupy the queue.
        self.buckets
            .take(&caller.owner, &caller.author.agent, class, now)
            .map_err(AdmissionError::RateLimited)?;
        self.queue.acquire(&caller.owner, now).await.map_err(|QueueFull| AdmissionError::QueueFull)
    }

    /// Takes a token from the bucket that all unauthenticated callers share.
    ///
    /// Behind a proxy they all have the same address, so they cannot be distinguished.
    pub fn admit_anonymous(&self, class: ToolClass, now: Moment) -> Result<(), AdmissionError> {
        self.buckets
            .take(&OwnerId::me(), &AgentName::new(ANONYMOUS), class, now)
            .map_err(AdmissionError::RateLimited)
    }
}

/// Returns the rate-limit class of a call: SQL costs most, then writing, then reading.
pub(crate) fn tool_class(tool: &ToolSpec, arguments: &JsonMap) -> ToolClass {
    match (arguments.get("sql").is_some_and(|sql| !sql.is_null()), tool.annotations.read_only) {
        (true, _) => ToolClass::Sql,
        (false, true) => ToolClass::Read,
        (false, false) => ToolClass::Write,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::Dialect;

    fn caller(owner: &str) -> Caller {
        Caller::agent(OwnerId::new(owner).unwrap(), AgentName::new("codex"), Dialect::Quipu)
    }

    #[tokio::test]
    async fn a_full_queue_rejects_with_a_retry_time() {
        let admission = Arc::new(Admission::default());
        let admit = || {
            let admission = Arc::clone(&admission);
            async move { admission.admit(&caller("ada"), ToolClass::Read, Moment(0)).await }
        };
        let mut calls = tokio::task::JoinSet::new();
        for _ in 0..1_000 {
            calls.spawn(admit());
        }
        let mut ended = Vec::new();
        while let Some(call) = calls.join_next().await {
            ended.push(call.unwrap());
            if let Some(Err(rejected)) = ended.last() {
                assert_eq!(rejected.retry_after_seconds(), 1);
                let rejected = ended.pop().and_then(Result::err).unwrap();
                assert_eq!(Failure::from(rejected).code, ErrorCode::RateLimited);
                assert!(
                    admission.admit(&caller("ben"), ToolClass::Read, Moment(0)).await.is_ok(),
                    "another owner is admitted"
                );
                return;
            }
        }
        panic!("a thousand concurrent calls were all admitted");
    }

    #[tokio::test]
    async fn a_rate_limited_agent_gets_a_retry_time() {
        let (admission, ada) = (Admission::default(), caller("ada"));
        let admit =
            |second: i64| admission.admit(&ada, ToolClass::Sql, Moment::from_seconds(second));
        for _ in 0..limits::SQL_RATE.burst as usize {
            admit(0).await.ok().unwrap();
        }
        let rejected = admit(0).await.err().unwrap();
        assert!(admit(i64::from(rejected.retry_after_seconds())).await.is_ok());
    }
}
