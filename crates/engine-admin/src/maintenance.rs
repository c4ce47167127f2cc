//! Maintenance: how much there is, whether it is sound, and taking much of it away at once.
//! Whatever takes away wants to be confirmed; unconfirmed, it only says what it would do.

mod erase;
mod purge;
mod retire;

pub use purge::{Prune, PruneBy, PurgeAll, PurgeSession};
pub use retire::{AgentRestored, AgentRetired, RestoreAgent, RetireAgent};

use crate::Admin;
use crate::reembed::EmbeddingProgress;
use engine_core::call::Call;
use engine_core::caller::Caller;
use engine_memory::counted::counted;
use guard::Resource;
use model::{Failure, Moment, Permission, Seq, limits};
use store::{Counts, Health, Receipt};

const SECONDS_A_DAY: i64 = 86_400;

/// How the store stands.
#[derive(Debug, Clone, PartialEq)]
pub struct StoreStatus {
    /// How much there is of everything.
    pub counts: Counts,
    /// The number of the newest change.
    pub seq: Seq,
    /// When it was asked.
    pub at: Moment,
    /// Where the data is.
    pub location: String,
    /// How far the vectors are.
    pub embedding: EmbeddingProgress,
}

/// What a thorough look at the store found.
#[derive(Debug, Clone, PartialEq)]
pub struct Checkup {
    /// What the store says of itself.
    pub health: Health,
    /// How it stands.
    pub status: StoreStatus,
}

/// What was taken away.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Removal {
    /// How many memories.
    pub memories: usize,
    /// How many things went from each place.
    pub places: Vec<(String, usize)>,
    /// In how many batches; each was whole.
    pub batches: usize,
}

impl Removal {
    fn add(&mut self, receipt: &Receipt) {
        self.memories += receipt.memories.len();
        self.batches += 1;
        receipt.places.iter().for_each(|(place, count)| self.add_place(place, *count));
    }

    fn add_place(&mut self, place: &str, count: usize) {
        match self.places.iter_mut().find(|(known, _)| known == place) {
            Some((_, sum)) => *sum += count,
            None => self.places.push((place.to_owned(), count)),
        }
    }

    /// How many things went from a place.
    #[must_use]
    pub fn removed_from(&self, place: &str) -> usize {
        self.places.iter().find(|(name, _)| name == place).map_or(0, |(_, count)| *count)
    }
}

impl Admin<'_> {
    /// How the store stands.
    ///
    /// # Errors
    /// When the store cannot answer.
    pub async fn status(self, caller: &Caller) -> Result<StoreStatus, Failure> {
        let call =
            Call::begin(self.core, caller, Resource::Memories(None), Permission::Read, &()).await?;
        let status = status_of(&call).await?;
        call.note_shown("showed how the store stands", &[]).await;
        Ok(status)
    }

    /// Looks at the store thoroughly: slow, changes nothing.
    ///
    /// # Errors
    /// When the store cannot answer at all; what it finds wrong is part of the answer.
    pub async fn checkup(self, caller: &Caller) -> Result<Checkup, Failure> {
        let call =
            Call::begin(self.core, caller, Resource::Memories(None), Permission::Read, &()).await?;
        let mut health = call.store().health().await?;
        if !call.policy.reads_everything() {
            // What is wrong is told in counts of everything there is, and where it lies is the
            // owner's to know.
            (health.problems, health.location) = (Vec::new(), String::new());
        }
        call.note_shown("looked at the store", &[]).await;
        Ok(Checkup { health, status: status_of(&call).await? })
    }

    /// Gives up idempotency keys that no retry will come with any more, and answers how many those
    /// were.
    ///
    /// # Errors
    /// When the store cannot.
    pub async fn give_up_old_keys(self, caller: &Caller) -> Result<usize, Failure> {
        let call = Call::begin(self.core, caller, Resource::Memories(None), Permission::Write, &())
            .await?;
        let before = call.at.plus_seconds(-limits::IDEMPOTENCY_DAYS * SECONDS_A_DAY);
        call.store().prune_idempotency(before).await
    }

    /// Gives unused space back to the disk, and answers with how many bytes that were.
    ///
    /// # Errors
    /// When the store cannot.
    pub async fn compact(self, caller: &Caller) -> Result<u64, Failure> {
        let call = Call::begin(self.core, caller, Resource::Memories(None), Permission::Write, &())
            .await?;
        call.admit_whole(Resource::Memories(None), Permission::Write).await?;
        let before = status_of(&call).await?.counts.bytes;
        call.store().compact().await?;
        let freed = before.saturating_sub(status_of(&call).await?.counts.bytes);
        call.note_shown(format!("compacted, {freed} bytes freed"), &[]).await;
        Ok(freed)
    }
}

async fn status_of(call: &Call<'_>) -> Result<StoreStatus, Failure> {
    let store = call.store();
    let counts = counted(call).await?;
    let location = store.location().await?;
    let (seq, at) = (store.seq().await?, call.at);
    let embedding = EmbeddingProgress::of(&call.core.embedder().model().id, &counts);
    Ok(StoreStatus { counts, seq, at, location, embedding })
}

/// The failure of a call that was not confirmed: what it would do, and how to confirm.
fn unconfirmed(would: &str) -> Failure {
    Failure::invalid(format!(
        "this would {would}; nothing was done. Call again with confirm: true to do it"
    ))
}
