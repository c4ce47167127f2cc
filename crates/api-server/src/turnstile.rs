//! Admission control: rate limits per agent and a bound on concurrent calls. All dialects of a
//! server share one instance, so that nobody gets twice as much by using two.

use crate::lanes::{Crowded, Lanes, Place};
use dialects::Tool;
use engine::{Buckets, Caller, ToolClass, Wait};
use model::{AgentName, ErrorCode, Failure, JsonMap, Moment, OwnerId, limits};
use std::sync::Arc;

/// Agent name under which unauthenticated callers are counted.
const STRANGER: &str = "a stranger";

/// Admits calls by rate limit and fair queue.
#[derive(Debug)]
pub(crate) struct Turnstile {
    buckets: Buckets,
    lanes: Arc<Lanes>,
}

impl Default for Turnstile {
    fn default() -> Self {
        Self { buckets: Buckets::default(), lanes: Lanes::of_this_machine() }
    }
}

/// Reason a call was not admitted.
#[derive(Debug)]
pub(crate) enum Held {
    /// The agent exceeded its rate.
    Often(Wait),
    /// The owner's queue is full.
    Crowded,
}

impl Held {
    /// Returns the number of seconds to wait before the next attempt.
    pub fn seconds(&self) -> u32 {
        match self {
            Self::Often(wait) => wait.seconds,
            // The queue drains in milliseconds; a second is the shortest `Retry-After`.
            Self::Crowded => 1,
        }
    }
}

impl From<Held> for Failure {
    fn from(error: Held) -> Self {
        match error {
            Held::Often(wait) => wait.into(),
            Held::Crowded => {
                let waiting = limits::OWNER_CALLS_WAITING;
                let message =
                    format!("{waiting} calls are already waiting; wait 1 second, then call again");
                Self::new(ErrorCode::RateLimited, message)
            }
        }
    }
}

impl Turnstile {
    /// Takes a token from the agent's bucket, then waits for a permit to run.
    pub async fn enter(
        &self,
        caller: &Caller,
        class: ToolClass,
        now: Moment,
    ) -> Result<Place, Held> {
        // The rate limit comes first: a call above its rate must not occupy the queue.
        self.buckets.take(&caller.owner, &caller.author.agent, class, now).map_err(Held::Often)?;
        self.lanes.enter(&caller.owner, now).await.map_err(|Crowded| Held::Crowded)
    }

    /// Takes a token from the bucket that all unauthenticated callers share.
    ///
    /// Behind a proxy they all have the same address, so they cannot be distinguished.
    pub fn knock(&self, class: ToolClass, now: Moment) -> Result<(), Held> {
        self.buckets
            .take(&OwnerId::me(), &AgentName::new(STRANGER), class, now)
            .map_err(Held::Often)
    }
}

/// Returns the rate-limit class of a call: SQL costs most, then writing, then reading.
pub(crate) fn class_of(tool: &Tool, arguments: &JsonMap) -> ToolClass {
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
    async fn whoever_finds_the_queue_full_is_told_when_to_come_again() {
        let admission = Arc::new(Turnstile::default());
        let admit = || {
            let admission = Arc::clone(&admission);
            async move { admission.enter(&caller("ada"), ToolClass::Read, Moment(0)).await }
        };
        let mut calls = tokio::task::JoinSet::new();
        for _ in 0..1_000 {
            calls.spawn(admit());
        }
        let mut ended = Vec::new();
        while let Some(call) = calls.join_next().await {
            ended.push(call.unwrap());
            if let Some(Err(rejected)) = ended.last() {
                assert_eq!(rejected.seconds(), 1);
                let rejected = ended.pop().and_then(Result::err).unwrap();
                assert_eq!(Failure::from(rejected).code, ErrorCode::RateLimited);
                assert!(
                    admission.enter(&caller("ben"), ToolClass::Read, Moment(0)).await.is_ok(),
                    "another owner is admitted"
                );
                return;
            }
        }
        panic!("a thousand concurrent calls were all admitted");
    }

    #[tokio::test]
    async fn an_agent_that_calls_too_often_is_told_when_to_come_again() {
        let (admission, ada) = (Turnstile::default(), caller("ada"));
        let admit =
            |second: i64| admission.enter(&ada, ToolClass::Sql, Moment::from_seconds(second));
        for _ in 0..limits::STATEMENTS.burst as usize {
            admit(0).await.ok().unwrap();
        }
        let rejected = admit(0).await.err().unwrap();
        assert!(admit(i64::from(rejected.seconds())).await.is_ok());
    }
}
