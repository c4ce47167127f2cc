//! Admission control, the one place that decides how much work a server takes on. A request over
//! HTTP enters by the class of its caller; a tool call, over any transport, takes a token of its
//! agent's rate and then waits for its turn in the fair queue. All dialects of a server share one
//! instance, so that nobody gets twice as much by using two.

mod agent_rates;
mod fair_queue;

pub(crate) use fair_queue::{CallPermit, call_permits};

use agent_rates::AgentRates;
use dialects::ToolSpec;
use engine::{BucketKey, Caller, RateLimitExceeded, ToolClass};
use fair_queue::FairQueue;
use model::{ErrorCode, Failure, JsonMap, Moment, limits};
use std::sync::Arc;
use store::OwnerValues;
use tokio::sync::{Semaphore, SemaphorePermit};

/// Maximum number of HTTP requests with a credential in progress; further ones get 429.
// Bounds memory: each request holds up to a mebibyte of body.
pub(crate) const REQUESTS_AT_ONCE: usize = 256;

/// Maximum number of requests without a credential in progress. Apart from the others, so that no
/// number of strangers keeps an owner out.
pub(crate) const STRANGERS_AT_ONCE: usize = 64;

/// Maximum number of SQL statements in progress. One agent has all but one of them, so at least
/// two; the engine has as many threads for them.
pub(crate) const SQL_AT_ONCE: usize = 2;

/// Maximum number of SQL statements of one agent that wait.
pub(crate) const SQL_QUEUED_PER_AGENT: usize = 8;

/// Admits requests and calls to one server.
#[derive(Debug)]
pub(crate) struct Admission {
    requests: Semaphore,
    strangers: Semaphore,
    rates: AgentRates,
    queue: Arc<FairQueue>,
    sql_queue: Arc<FairQueue>,
}

impl Default for Admission {
    fn default() -> Self {
        Self {
            requests: Semaphore::new(REQUESTS_AT_ONCE),
            strangers: Semaphore::new(STRANGERS_AT_ONCE),
            rates: AgentRates::default(),
            queue: FairQueue::new(call_permits(), limits::QUEUED_CALLS_PER_OWNER),
            sql_queue: FairQueue::new(SQL_AT_ONCE, SQL_QUEUED_PER_AGENT),
        }
    }
}

/// Refusal to admit a request or call.
#[derive(Debug)]
pub(crate) struct AdmissionError {
    pub retry_after_seconds: u32,
    message: String,
}

impl AdmissionError {
    /// Refusal for want of a permit. Permits become free in milliseconds, and a second is the
    /// shortest `Retry-After`.
    fn busy(message: String) -> Self {
        Self { retry_after_seconds: 1, message }
    }
}

impl From<RateLimitExceeded> for AdmissionError {
    fn from(wait: RateLimitExceeded) -> Self {
        let retry_after_seconds = wait.retry_after_seconds;
        Self { retry_after_seconds, message: Failure::from(wait).message }
    }
}

impl From<AdmissionError> for Failure {
    fn from(error: AdmissionError) -> Self {
        Self::new(ErrorCode::RateLimited, error.message)
    }
}

impl Admission {
    /// Creates the admission of a server that counts the calls of agents together with others.
    pub fn with_shared_rates(values: OwnerValues) -> Self {
        Self { rates: AgentRates::shared(values), ..Self::default() }
    }

    /// Admits an HTTP request with a credential, before its body is read; dropping the permit
    /// admits the next one.
    pub fn enter(&self) -> Result<SemaphorePermit<'_>, AdmissionError> {
        place_in(&self.requests, REQUESTS_AT_ONCE)
    }

    /// Admits an HTTP request without a credential, after its body was read.
    pub fn enter_stranger(&self) -> Result<SemaphorePermit<'_>, AdmissionError> {
        place_in(&self.strangers, STRANGERS_AT_ONCE)
    }

    /// Admits a tool call: takes a token from the agent's bucket, then waits for a permit to run.
    pub async fn start_call(
        &self,
        caller: &Caller,
        class: ToolClass,
        now: Moment,
    ) -> Result<CallPermit, AdmissionError> {
        // The rate limit comes first: a call above its rate must not occupy the queue.
        let (owner, agent) = (caller.owner.clone(), caller.author.agent.clone());
        let key = BucketKey { owner, agent, class };
        self.rates.take(&key, now).await?;
        // A statement may run for seconds, so that it waits and runs apart from all other calls,
        // and apart from the statements of other agents.
        let BucketKey { owner, agent, .. } = key;
        match class {
            ToolClass::Sql => self.sql_queue.acquire(&(owner, Some(agent)), now).await,
            _ => self.queue.acquire(&(owner, None), now).await,
        }
    }
}

fn place_in(places: &Semaphore, number: usize) -> Result<SemaphorePermit<'_>, AdmissionError> {
    places.try_acquire().map_err(|_| {
        tracing::debug!(number, "a request was refused: too many are in progress");
        AdmissionError::busy(format!(
            "{number} requests are already in progress; retry in a moment"
        ))
    })
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
    use model::{AgentName, Dialect, OwnerId};

    fn caller(owner: &str) -> Caller {
        Caller::agent(OwnerId::new(owner).unwrap(), AgentName::new("codex"), Dialect::Quipu)
    }

    #[test]
    fn requests_beyond_the_limit_are_refused_until_one_ends() {
        let admission = Admission::default();
        let enter = || admission.enter();
        let mut requests: Vec<_> = (0..REQUESTS_AT_ONCE).map(|_| enter().unwrap()).collect();
        assert_eq!(enter().err().map(|refused| refused.retry_after_seconds), Some(1));
        requests.pop();
        assert!(enter().is_ok());
    }

    #[test]
    fn strangers_take_no_place_of_an_owner() {
        let admission = Admission::default();
        let strangers: Vec<_> =
            (0..STRANGERS_AT_ONCE).map(|_| admission.enter_stranger().unwrap()).collect();
        assert!(admission.enter_stranger().is_err() && admission.enter().is_ok());
        drop(strangers);
        assert!(admission.enter_stranger().is_ok());
    }

    #[tokio::test]
    async fn a_full_queue_rejects_with_a_retry_time() {
        let admission = Arc::new(Admission::default());
        let admit = || {
            let admission = Arc::clone(&admission);
            async move { admission.start_call(&caller("ada"), ToolClass::Read, Moment(0)).await }
        };
        let mut calls = tokio::task::JoinSet::new();
        for _ in 0..1_000 {
            calls.spawn(admit());
        }
        let mut ended = Vec::new();
        while let Some(call) = calls.join_next().await {
            ended.push(call.unwrap());
            if let Some(Err(rejected)) = ended.last() {
                assert_eq!(rejected.retry_after_seconds, 1);
                let rejected = ended.pop().and_then(Result::err).unwrap();
                assert_eq!(Failure::from(rejected).code, ErrorCode::RateLimited);
                assert!(
                    admission.start_call(&caller("ben"), ToolClass::Read, Moment(0)).await.is_ok(),
                    "another owner is admitted"
                );
                return;
            }
        }
        panic!("a thousand concurrent calls were all admitted");
    }

    #[tokio::test]
    async fn statements_of_one_agent_keep_nobody_waiting() {
        let admission = Admission::default();
        let agent = |name| {
            Caller::agent(OwnerId::new("ada").unwrap(), AgentName::new(name), Dialect::Quipu)
        };
        let (flood, other) = (agent("flood"), agent("other"));
        let start = |caller, class| admission.start_call(caller, class, Moment(0));
        let _running = start(&flood, ToolClass::Sql).await.ok().unwrap();
        let waiting: Vec<_> = (0..SQL_QUEUED_PER_AGENT)
            .map(|_| {
                let mut call = Box::pin(start(&flood, ToolClass::Sql));
                assert!(futures_util::FutureExt::now_or_never(call.as_mut()).is_none());
                call
            })
            .collect();
        assert!(start(&flood, ToolClass::Sql).await.is_err(), "and no more of it wait");
        for class in [ToolClass::Sql, ToolClass::Read, ToolClass::Write] {
            let call = futures_util::FutureExt::now_or_never(start(&other, class));
            assert!(call.is_some_and(|call| call.is_ok()), "{class:?}");
        }
        drop(waiting);
    }

    #[tokio::test]
    async fn a_rate_limited_agent_gets_a_retry_time() {
        let (admission, ada) = (Admission::default(), caller("ada"));
        let admit =
            |second: i64| admission.start_call(&ada, ToolClass::Sql, Moment::from_seconds(second));
        for _ in 0..limits::SQL_RATE.burst as usize {
            admit(0).await.ok().unwrap();
        }
        let rejected = admit(0).await.err().unwrap();
        assert!(admit(i64::from(rejected.retry_after_seconds)).await.is_ok());
    }
}
