//! The rates of agents. Over files a process counts alone. Servers that share a database report
//! their calls there from time to time, behind the calls: none waits for a report unless so many
//! are unreported that it would otherwise be refused.

use super::AdmissionError;
use engine::{BucketKey, RateLimitExceeded, RateLimiter, TokenOutcome, spend_stored_tokens};
use model::{ContentHash, Moment};
use std::fmt;
use std::sync::Arc;
use std::time::Duration;
use store::{ExpiringValue, OwnerValues, StoreError, ValueKind};
use tokio::sync::Notify;

/// Time for which a call waits for reports at most.
const REPORT_WAIT: Duration = Duration::from_secs(2);
/// Pause after a report that failed, so that waiting calls do not repeat it without end.
const FAILED_REPORT_PAUSE: Duration = Duration::from_millis(100);

/// Rates of agents, of this process alone or of all servers of a database.
#[derive(Default)]
pub(super) struct AgentRates {
    limiter: Arc<RateLimiter>,
    values: Option<OwnerValues>,
    report_ended: Arc<Notify>,
}

impl fmt::Debug for AgentRates {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let is_shared = self.values.is_some();
        f.debug_struct("AgentRates").field("is_shared", &is_shared).finish_non_exhaustive()
    }
}

impl AgentRates {
    /// Creates rates that all servers over the same values count together.
    pub fn shared(values: OwnerValues) -> Self {
        let limiter = Arc::new(RateLimiter::shared());
        Self { limiter, values: Some(values), report_ended: Arc::default() }
    }

    /// Takes a token for a call.
    pub async fn take(&self, key: &BucketKey, now: Moment) -> Result<(), AdmissionError> {
        if self.try_take(key, now)? {
            return Ok(());
        }
        tokio::time::timeout(REPORT_WAIT, self.take_after_report(key, now))
            .await
            .unwrap_or_else(|_| Err(uncounted()))
    }

    async fn take_after_report(&self, key: &BucketKey, now: Moment) -> Result<(), AdmissionError> {
        loop {
            // Before the attempt: a report that ends between the two is noticed.
            let report_ended = self.report_ended.notified();
            if self.try_take(key, now)? {
                return Ok(());
            }
            report_ended.await;
        }
    }

    /// Takes a token, and starts a report where one is due. Returns false when that has to end
    /// first.
    fn try_take(&self, key: &BucketKey, now: Moment) -> Result<bool, RateLimitExceeded> {
        let outcome = self.limiter.take(key, now)?;
        if outcome != TokenOutcome::Taken {
            self.start_report(key, now);
        }
        Ok(outcome != TokenOutcome::ReportFirst)
    }

    /// Reports the unreported calls behind the call, unless that is under way.
    fn start_report(&self, key: &BucketKey, now: Moment) {
        let Some(values) = &self.values else { return };
        let Some(count) = self.limiter.begin_report(key) else { return };
        let (values, key) = (values.of_owner(&key.owner), key.clone());
        let (limiter, report_ended) = (Arc::clone(&self.limiter), Arc::clone(&self.report_ended));
        tokio::spawn(async move {
            let reported = report(&values, &key, count, now).await;
            if let Err(error) = &reported {
                tracing::warn!(%error, "calls of an agent could not be counted for all servers");
                tokio::time::sleep(FAILED_REPORT_PAUSE).await;
            }
            limiter.end_report(&key, count, reported.ok().as_deref());
            report_ended.notify_waiters();
        });
    }
}

/// Takes the tokens of so many calls from the bucket of all servers, and returns its state.
async fn report(
    values: &OwnerValues,
    key: &BucketKey,
    count: u32,
    now: Moment,
) -> Result<String, StoreError> {
    let spend = |found: Option<&ExpiringValue>| {
        let stored = found.map(|value| value.text.as_str());
        let bucket = spend_stored_tokens(stored, key.class, count, now);
        let value = ExpiringValue { text: bucket.text.clone(), expires_at: bucket.full_at };
        (Some(value), bucket.text)
    };
    values.update(ValueKind::AgentCalls, bucket_hash(key), now, spend).await
}

/// Returns the hash under which all servers find the bucket of an agent.
fn bucket_hash(key: &BucketKey) -> ContentHash {
    ContentHash::of_bytes(format!("{:?} {}", key.class, key.agent).as_bytes())
}

fn uncounted() -> AdmissionError {
    AdmissionError::busy("calls cannot be counted at the moment; retry in a moment".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine::ToolClass;
    use model::{AgentName, OwnerId, limits};
    use store::LocalValues;

    fn key(agent: &str) -> BucketKey {
        BucketKey {
            owner: OwnerId::new("ada").unwrap(),
            agent: AgentName::new(agent),
            class: ToolClass::Sql,
        }
    }

    fn servers(number: usize) -> Vec<AgentRates> {
        let shared = Arc::new(LocalValues::default());
        let values = || OwnerValues::new(shared.clone(), OwnerId::me());
        (0..number).map(|_| AgentRates::shared(values())).collect()
    }

    /// Calls through all servers in turn until each refuses, and returns the calls admitted.
    async fn drain(servers: &[AgentRates], agent: &str, now: Moment) -> usize {
        let (mut admitted, mut refused) = (0, 0);
        while refused < servers.len() {
            refused = 0;
            for server in servers {
                match server.take(&key(agent), now).await {
                    Ok(()) => admitted += 1,
                    Err(_) => refused += 1,
                }
            }
        }
        admitted
    }

    #[tokio::test]
    async fn several_servers_admit_one_burst_and_a_named_share_of_it_each() {
        let (servers, now) = (servers(3), Moment::from_seconds(1_000));
        let burst = limits::SQL_RATE.burst as usize;
        let most = burst + servers.len() * RateLimiter::unreported_max(ToolClass::Sql) as usize;
        let admitted = drain(&servers, "codex", now).await;
        assert!((burst..=most).contains(&admitted), "{admitted} of {burst} to {most}");
        assert!(drain(&servers, "cursor", now).await >= burst, "another agent has its own");
        // What was admitted beyond the burst is paid back.
        let later = drain(&servers, "codex", now.plus_seconds(10)).await;
        let both = admitted + later;
        assert!(both <= most + (10.0 * limits::SQL_RATE.per_second) as usize, "{both}");
    }

    #[tokio::test]
    async fn a_few_calls_are_not_reported() {
        let shared = Arc::new(LocalValues::default());
        let values = OwnerValues::new(shared.clone(), OwnerId::me());
        let (rates, now) = (AgentRates::shared(values.clone()), Moment::from_seconds(1_000));
        for _ in 0..RateLimiter::unreported_max(ToolClass::Sql) / 2 - 1 {
            rates.take(&key("codex"), now).await.ok().unwrap();
        }
        tokio::task::yield_now().await;
        let (of_ada, hash) = (values.of_owner(&key("codex").owner), bucket_hash(&key("codex")));
        assert_eq!(of_ada.find(ValueKind::AgentCalls, hash, now).await.unwrap(), None);
        rates.take(&key("codex"), now).await.ok().unwrap();
        while of_ada.find(ValueKind::AgentCalls, hash, now).await.unwrap().is_none() {
            tokio::task::yield_now().await;
        }
    }
}
