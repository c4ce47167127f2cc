//! How many calls go through at once, and how often each agent may come: one turnstile for all
//! dialects of a server, so that nobody gets twice as much by speaking two.

use crate::lanes::{Crowded, Lanes, Place};
use dialects::Tool;
use engine::{Buckets, Caller, ToolClass, Wait};
use model::{AgentName, ErrorCode, Failure, JsonMap, Moment, OwnerId, limits};
use std::sync::Arc;

/// Whoever has not said who they are.
const STRANGER: &str = "a stranger";

/// Lets calls through.
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

/// Why a call was not let through.
#[derive(Debug)]
pub(crate) enum Held {
    /// The agent calls too often.
    Often(Wait),
    /// Too many calls of the owner wait already.
    Crowded,
}

impl Held {
    /// After how many seconds to come again.
    pub fn seconds(&self) -> u32 {
        match self {
            Self::Often(wait) => wait.seconds,
            Self::Crowded => 1,
        }
    }
}

impl From<Held> for Failure {
    fn from(held: Held) -> Self {
        match held {
            Held::Often(wait) => wait.into(),
            Held::Crowded => {
                let waiting = limits::OWNER_CALLS_WAITING;
                let message =
                    format!("{waiting} calls wait already; wait 1 second, then call again");
                Self::new(ErrorCode::RateLimited, message)
            }
        }
    }
}

impl Turnstile {
    /// Waits for a place, or says when to come again.
    pub async fn enter(
        &self,
        caller: &Caller,
        class: ToolClass,
        now: Moment,
    ) -> Result<Place, Held> {
        self.buckets.take(&caller.owner, &caller.author.agent, class, now).map_err(Held::Often)?;
        self.lanes.enter(&caller.owner, now).await.map_err(|Crowded| Held::Crowded)
    }

    /// Lets whoever has no name yet do this once more, or says when to come again: they all share
    /// one bucket.
    pub fn knock(&self, class: ToolClass, now: Moment) -> Result<(), Held> {
        self.buckets
            .take(&OwnerId::me(), &AgentName::new(STRANGER), class, now)
            .map_err(Held::Often)
    }
}

/// What a call costs, by what its tool says of itself and whether it brings a statement.
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
        let turnstile = Arc::new(Turnstile::default());
        let enter = || {
            let turnstile = Arc::clone(&turnstile);
            async move { turnstile.enter(&caller("ada"), ToolClass::Read, Moment(0)).await }
        };
        let mut calls = tokio::task::JoinSet::new();
        for _ in 0..1_000 {
            calls.spawn(enter());
        }
        let mut ended = Vec::new();
        while let Some(call) = calls.join_next().await {
            ended.push(call.unwrap());
            if let Some(Err(crowded)) = ended.last() {
                assert_eq!(crowded.seconds(), 1);
                let held = ended.pop().and_then(Result::err).unwrap();
                assert_eq!(Failure::from(held).code, ErrorCode::RateLimited);
                assert!(
                    turnstile.enter(&caller("ben"), ToolClass::Read, Moment(0)).await.is_ok(),
                    "another owner passes"
                );
                return;
            }
        }
        panic!("a thousand calls at once all found a place");
    }

    #[tokio::test]
    async fn an_agent_that_calls_too_often_is_told_when_to_come_again() {
        let (turnstile, ada) = (Turnstile::default(), caller("ada"));
        let enter =
            |second: i64| turnstile.enter(&ada, ToolClass::Sql, Moment::from_seconds(second));
        for _ in 0..limits::STATEMENTS.burst as usize {
            enter(0).await.ok().unwrap();
        }
        let held = enter(0).await.err().unwrap();
        assert!(enter(i64::from(held.seconds())).await.is_ok());
    }
}
