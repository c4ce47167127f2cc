//! Leases of jobs that one server shall run and not several: scheduled backups, embedding, upkeep.
//! Whoever runs a job renews its lease; when that ends, another server takes it over. The clocks of
//! the servers must agree to a few seconds. Over files every process has its leases alone.

use model::{ContentHash, Moment, OwnerId};
use store::{ExpiringValue, OwnerValues, StoreError, ValueKind};

/// Leases of one process.
#[derive(Clone)]
pub struct JobLeases {
    values: OwnerValues,
    /// Random name of the process.
    holder: String,
}

impl JobLeases {
    /// Creates the leases of this process.
    ///
    /// # Errors
    /// Fails when the system provides no random numbers.
    pub fn new(values: OwnerValues) -> Result<Self, getrandom::Error> {
        let mut random = [0_u8; 16];
        getrandom::fill(&mut random)?;
        let holder = random.iter().map(|byte| format!("{byte:02x}")).collect();
        Ok(Self { values, holder })
    }

    /// Takes or renews the lease of a job on an owner's memory, for so many seconds. Returns false
    /// while another process has it, and when nobody can tell.
    pub async fn hold(&self, owner: &OwnerId, job: &str, seconds: i64, now: Moment) -> bool {
        match self.try_hold(owner, job, seconds, now).await {
            Ok(held) => held,
            Err(error) => {
                tracing::warn!(%error, job, "a lease cannot be taken");
                false
            }
        }
    }

    async fn try_hold(
        &self,
        owner: &OwnerId,
        job: &str,
        seconds: i64,
        now: Moment,
    ) -> Result<bool, StoreError> {
        let (values, hash) = (self.values.of_owner(owner), ContentHash::of_bytes(job.as_bytes()));
        let mine =
            ExpiringValue { text: self.holder.clone(), expires_at: now.plus_seconds(seconds) };
        let take = |found: Option<&ExpiringValue>| match found {
            Some(other) if other.text != self.holder => (Some(other.clone()), false),
            // Not renewed while most of it is left: that would be a write per look.
            Some(held) if held.expires_at > now.plus_seconds(seconds / 2) => {
                (Some(held.clone()), true)
            }
            _ => (Some(mine.clone()), true),
        };
        values.update(ValueKind::JobLease, hash, now, take).await
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use store::LocalValues;

    #[tokio::test]
    async fn one_process_has_a_job_until_it_stops_renewing() {
        let shared = Arc::new(LocalValues::default());
        let process = || JobLeases::new(OwnerValues::new(shared.clone(), OwnerId::me())).unwrap();
        let (one, two, me) = (process(), process(), OwnerId::me());
        let at = Moment::from_seconds;
        assert!(one.hold(&me, "backup", 100, at(0)).await);
        assert!(!two.hold(&me, "backup", 100, at(1)).await);
        assert!(two.hold(&me, "embedding", 100, at(1)).await, "another job");
        assert!(two.hold(&OwnerId::new("ada").unwrap(), "backup", 100, at(1)).await);
        assert!(one.hold(&me, "backup", 100, at(90)).await, "renewed");
        assert!(!two.hold(&me, "backup", 100, at(189)).await);
        assert!(two.hold(&me, "backup", 100, at(190)).await, "taken over");
        assert!(!one.hold(&me, "backup", 100, at(191)).await);
    }
}
