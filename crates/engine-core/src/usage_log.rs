//! The usage log: reads and served answers, collected in memory and written in batches, so that a
//! recall does not wait for the disk. A crash loses use counts and read events, never a write.

use crate::questions;
use model::{AccessStats, AgentName, MemoryId, Moment, OwnerId};
use parking_lot::Mutex;
use std::collections::HashMap;
use std::sync::Arc;
use store::{ReadEvent, Store, UsageDelta, WriteError};

// Each write costs a sync to disk, which this many reads share.
const ENTRIES_PER_WRITE: usize = 64;

/// Collects reads and served answers.
pub(crate) struct UsageLog {
    store: Arc<dyn Store>,
    pending: Mutex<HashMap<OwnerId, PendingUsage>>,
}

/// Entries of one owner that are not written yet.
#[derive(Default)]
struct PendingUsage {
    uses: Vec<ReadEvent>,
    served: HashMap<AgentName, UsageDelta>,
}

impl UsageLog {
    pub fn new(store: Arc<dyn Store>) -> Self {
        Self { store, pending: Mutex::default() }
    }

    /// Adds an entry, and writes all of them once there are enough.
    pub async fn add(&self, owner: &OwnerId, shown: ReadEvent) {
        let full = {
            let mut waiting = self.pending.lock();
            let notes = waiting.entry(owner.clone()).or_default();
            notes.uses.push(shown);
            // Taken inside of the lock and written outside of it: a lock must not be held across an
            // await.
            (notes.uses.len() >= ENTRIES_PER_WRITE).then(|| std::mem::take(notes))
        };
        if let Some(notes) = full {
            self.write(owner, notes).await;
        }
    }

    /// Adds to the tokens that an agent received. Written with the next entries, or by the next
    /// flush.
    pub fn add_served(&self, owner: &OwnerId, agent: &AgentName, at: Moment, tokens: usize) {
        let mut waiting = self.pending.lock();
        let served = &mut waiting.entry(owner.clone()).or_default().served;
        let nothing = || UsageDelta { agent: agent.clone(), at, calls: 0, tokens: 0 };
        let sum = served.entry(agent.clone()).or_insert_with(nothing);
        // Calls of several threads may arrive out of order.
        sum.at = sum.at.max(at);
        sum.calls += 1;
        sum.tokens = sum.tokens.saturating_add(tokens);
    }

    /// Returns the uses of an owner's memories that are not written yet.
    pub fn pending_uses(&self, owner: &OwnerId) -> HashMap<MemoryId, AccessStats> {
        let waiting = self.pending.lock();
        let mut uses: HashMap<MemoryId, AccessStats> = HashMap::new();
        for read in waiting.get(owner).into_iter().flat_map(|notes| &notes.uses) {
            for memory in &read.memories {
                let access = uses.entry(*memory).or_default();
                access.count = access.count.saturating_add(1);
                access.last = access.last.max(Some(read.event.at));
            }
        }
        uses
    }

    /// Writes all entries.
    pub async fn flush(&self) {
        let waiting = std::mem::take(&mut *self.pending.lock());
        for (owner, notes) in waiting {
            self.write(&owner, notes).await;
        }
    }

    async fn write(&self, owner: &OwnerId, notes: PendingUsage) {
        let PendingUsage { mut uses, served } = notes;
        questions::apply_retention(&*self.store, owner, &mut uses).await;
        let log_failure = |written: Result<(), WriteError>| {
            if let Err(error) = written {
                tracing::warn!(%error, "could not write the usage log");
            }
        };
        if !uses.is_empty() {
            log_failure(self.store.log_reads(owner, uses).await);
        }
        if !served.is_empty() {
            log_failure(self.store.add_usage(owner, served.into_values().collect()).await);
        }
    }
}
