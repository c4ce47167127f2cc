//! How many calls go through at once, and how often each agent may come: one turnstile for all dialects of a
//! server, so that nobody gets twice as much by speaking two.

use dialects::Tool;
use engine::{Buckets, Caller, ToolClass, Wait};
use model::{AgentName, ErrorCode, Failure, JsonMap, Moment, OwnerId, limits};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Whoever has not said who they are.
const STRANGER: &str = "a stranger";

/// Lets calls through.
#[derive(Debug, Default)]
pub(crate) struct Turnstile {
    buckets: Buckets,
    owners: Mutex<HashMap<OwnerId, Arc<Lane>>>,
}

/// The calls of one owner: some under way, a few more in the queue.
#[derive(Debug)]
struct Lane {
    running: Arc<Semaphore>,
    queue: Arc<Semaphore>,
}

impl Default for Lane {
    fn default() -> Self {
        let queue = limits::OWNER_CALLS_AT_ONCE + limits::OWNER_CALLS_WAITING;
        Self {
            running: Arc::new(Semaphore::new(limits::OWNER_CALLS_AT_ONCE)),
            queue: Arc::new(Semaphore::new(queue)),
        }
    }
}

/// A call that was let through; the next one may follow when it is dropped.
pub(crate) struct Turn {
    _queued: OwnedSemaphorePermit,
    _running: Option<OwnedSemaphorePermit>,
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
                let message = format!("{waiting} calls wait already; wait 1 second, then call again");
                Self::new(ErrorCode::RateLimited, message)
            }
        }
    }
}

impl Turnstile {
    /// Waits for a place, or says when to come again.
    pub async fn enter(&self, caller: &Caller, class: ToolClass, now: Moment) -> Result<Turn, Held> {
        self.buckets.take(&caller.owner, &caller.author.agent, class, now).map_err(Held::Often)?;
        let lane = self.lane(&caller.owner);
        let queued = Arc::clone(&lane.queue).try_acquire_owned().map_err(|_| Held::Crowded)?;
        // The semaphore is never closed; if it were, running without a place would still be right.
        let running = Arc::clone(&lane.running).acquire_owned().await.ok();
        Ok(Turn { _queued: queued, _running: running })
    }

    /// Lets whoever has no name yet do this once more, or says when to come again: they all share one bucket.
    pub fn knock(&self, class: ToolClass, now: Moment) -> Result<(), Held> {
        self.buckets.take(&OwnerId::me(), &AgentName::new(STRANGER), class, now).map_err(Held::Often)
    }

    fn lane(&self, owner: &OwnerId) -> Arc<Lane> {
        let mut owners = self.owners.lock().unwrap_or_else(PoisonError::into_inner);
        if owners.len() >= limits::BUCKETS {
            // A lane that nobody is in can be made anew.
            owners.retain(|_, lane| Arc::strong_count(lane) > 1 || lane.is_busy());
        }
        Arc::clone(owners.entry(owner.clone()).or_default())
    }
}

impl Lane {
    fn is_busy(&self) -> bool {
        self.queue.available_permits() < limits::OWNER_CALLS_AT_ONCE + limits::OWNER_CALLS_WAITING
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
    async fn one_owner_never_takes_all_the_places_and_the_queue_is_bounded() {
        let turnstile = Arc::new(Turnstile::default());
        let mut running = Vec::new();
        for _ in 0..limits::OWNER_CALLS_AT_ONCE {
            running.push(turnstile.enter(&caller("ada"), ToolClass::Read, Moment(0)).await.ok().unwrap());
        }
        let waiting: Vec<_> = (0..limits::OWNER_CALLS_WAITING)
            .map(|_| {
                let turnstile = Arc::clone(&turnstile);
                tokio::spawn(async move {
                    turnstile.enter(&caller("ada"), ToolClass::Read, Moment(0)).await.is_ok()
                })
            })
            .collect();
        let lane = turnstile.lane(&caller("ada").owner);
        while lane.queue.available_permits() > 0 {
            tokio::task::yield_now().await;
        }
        let crowded = turnstile.enter(&caller("ada"), ToolClass::Read, Moment(0)).await.err().unwrap();
        assert_eq!(crowded.seconds(), 1);
        assert_eq!(Failure::from(crowded).code, ErrorCode::RateLimited);
        assert!(
            turnstile.enter(&caller("ben"), ToolClass::Read, Moment(0)).await.is_ok(),
            "another owner passes"
        );
        drop(running);
        for one in waiting {
            assert!(one.await.unwrap(), "whoever waited got a turn");
        }
    }

    #[tokio::test]
    async fn an_agent_that_calls_too_often_is_told_when_to_come_again() {
        let (turnstile, ada) = (Turnstile::default(), caller("ada"));
        let enter = |second: i64| turnstile.enter(&ada, ToolClass::Sql, Moment::from_seconds(second));
        for _ in 0..limits::STATEMENTS.burst as usize {
            enter(0).await.ok().unwrap();
        }
        let held = enter(0).await.err().unwrap();
        assert!(enter(i64::from(held.seconds())).await.is_ok());
    }
}
