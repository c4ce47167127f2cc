//! Maintenance: status, health check, compaction, and removal in bulk. Whatever removes something
//! needs a confirmation; without one it only states what it would do.

mod erase;
mod extracts;
mod purge;
mod removal;
mod retire;

pub use purge::{PruneRequest, PurgeAllRequest, PurgeSessionRequest};
pub use retire::{
    RestoreAgentOutcome, RestoreAgentRequest, RetireAgentOutcome, RetireAgentRequest,
};

use crate::Admin;
use crate::clock_check::is_clock_plausible;
use crate::reembed::EmbeddingProgress;
use engine_core::UseCaseFuture;
use engine_core::call::Call;
use engine_core::caller::Caller;
use engine_memory::counts::visible_counts;
use engine_memory::erasure::ErasureProposal;
use guard::Resource;
use model::{Failure, Moment, Permission, Seq, limits};
use store::{Counts, ForgetReceipt, Health};

/// Status of the store.
#[derive(Debug, Clone, PartialEq)]
pub struct StoreStatus {
    pub counts: Counts,
    /// Sequence number of the newest change.
    pub seq: Seq,
    pub at: Moment,
    pub location: String,
    pub embedding: EmbeddingProgress,
}

/// Result of a health check.
#[derive(Debug, Clone, PartialEq)]
pub struct CheckupReport {
    pub health: Health,
    pub status: StoreStatus,
}

/// Result of a removal in bulk.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RemovalOutcome {
    pub memories: usize,
    /// Number of items removed by place.
    pub places: Vec<(String, usize)>,
    /// Number of batches; each was applied completely.
    pub batches: usize,
    /// Items that wait for the owner's consent; they are still there.
    pub proposal: Option<ErasureProposal>,
}

impl RemovalOutcome {
    fn add(&mut self, receipt: &ForgetReceipt) {
        self.memories += receipt.memories.len();
        self.batches += 1;
        receipt.removed.iter().for_each(|(place, count)| self.add_place(place, *count));
    }

    fn add_place(&mut self, place: &str, count: usize) {
        match self.places.iter_mut().find(|(known, _)| known == place) {
            Some((_, sum)) => *sum += count,
            None => self.places.push((place.to_owned(), count)),
        }
    }

    /// Returns the number of items removed from a place.
    #[must_use]
    pub fn removed_from(&self, place: &str) -> usize {
        self.places.iter().find(|(name, _)| name == place).map_or(0, |(_, count)| *count)
    }
}

impl<'e> Admin<'e> {
    /// Returns the status of the store.
    ///
    /// # Errors
    /// Fails when the store cannot be read.
    pub fn status(self, caller: &'e Caller) -> UseCaseFuture<'e, StoreStatus> {
        Box::pin(async move {
            let call =
                Call::begin(self.core, caller, Resource::Memories(None), Permission::Read, &())
                    .await?;
            let status = status_of(&call).await?;
            call.note_shown("showed the status", &[]).await;
            Ok(status)
        })
    }

    /// Returns the sequence number of the newest change that erased text. What was made from the
    /// memory before it may still contain the text.
    ///
    /// # Errors
    /// `consent_required` for anybody but the owner in person.
    pub fn newest_erasure(self, caller: &'e Caller) -> UseCaseFuture<'e, Seq> {
        Box::pin(async move {
            let call =
                Call::begin(self.core, caller, Resource::Administration, Permission::Read, &())
                    .await?;
            Ok(call.store().erasure(&[]).await?.newest)
        })
    }

    /// Checks the store thoroughly: slow, changes nothing.
    ///
    /// # Errors
    /// Fails when the store cannot be read at all; problems found are part of the result.
    pub fn checkup(self, caller: &'e Caller) -> UseCaseFuture<'e, CheckupReport> {
        Box::pin(async move {
            let call =
                Call::begin(self.core, caller, Resource::Memories(None), Permission::Read, &())
                    .await?;
            let mut health = call.store().health().await?;
            if !call.policy.reads_everything() {
                // Problems name counts of the whole store, and the location is for the owner only.
                (health.problems, health.location) = (Vec::new(), String::new());
            }
            call.note_shown("checked the store", &[]).await;
            Ok(CheckupReport { health, status: status_of(&call).await? })
        })
    }

    /// Removes idempotency keys too old for a retry, and returns their number.
    ///
    /// # Errors
    /// Fails when the store cannot write.
    pub fn prune_idempotency_keys(self, caller: &'e Caller) -> UseCaseFuture<'e, usize> {
        Box::pin(async move {
            let call =
                Call::begin(self.core, caller, Resource::Memories(None), Permission::Write, &())
                    .await?;
            if !is_clock_plausible(&call).await? {
                return Ok(0);
            }
            // A retry after this many days is taken for a new request.
            let before = call.at.plus_days(-limits::IDEMPOTENCY_DAYS);
            call.store().prune_idempotency(before).await
        })
    }

    /// Returns unused space to the file system, and returns the number of bytes freed.
    ///
    /// # Errors
    /// Fails when the store cannot write.
    pub fn compact(self, caller: &'e Caller) -> UseCaseFuture<'e, u64> {
        Box::pin(async move {
            let call =
                Call::begin(self.core, caller, Resource::Memories(None), Permission::Write, &())
                    .await?;
            call.admit_whole(Resource::Memories(None), Permission::Write).await?;
            let before = status_of(&call).await?.counts.bytes;
            call.store().compact().await?;
            let freed = before.saturating_sub(status_of(&call).await?.counts.bytes);
            call.note_shown(format!("compacted, {freed} bytes freed"), &[]).await;
            Ok(freed)
        })
    }
}

async fn status_of(call: &Call<'_>) -> Result<StoreStatus, Failure> {
    let store = call.store();
    let counts = visible_counts(call).await?;
    let location = store.location().await?;
    let (seq, at) = (store.seq().await?, call.at);
    let embedding = EmbeddingProgress::from_counts(&call.core.embedder().model().id, &counts);
    Ok(StoreStatus { counts, seq, at, location, embedding })
}

/// Builds the failure of an unconfirmed call: what it would do, and how to confirm.
fn confirmation_required(would: &str) -> Failure {
    Failure::invalid(format!(
        "this would {would}; nothing was done. Call again with confirm: true to do it"
    ))
}
