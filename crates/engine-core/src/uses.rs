//! The usage log: reads and served answers, collected in memory and written in batches, so that a
//! recall does not wait for the disk. A crash loses use counts and read events, never a write.

use model::{AgentName, Moment, OwnerId};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use store::{Served, Store, Use, WriteError};

// Each write costs a sync to disk, which this many reads share.
const NOTES_GATHERED: usize = 64;

/// Collects reads and served answers.
pub(crate) struct Uses {
    store: Arc<dyn Store>,
    waiting: Mutex<HashMap<OwnerId, Notes>>,
}

/// Entries of one owner that are not written yet.
#[derive(Default)]
struct Notes {
    uses: Vec<Use>,
    served: HashMap<AgentName, Served>,
}

impl Uses {
    pub fn new(store: Arc<dyn Store>) -> Self {
        Self { store, waiting: Mutex::default() }
    }

    /// Adds an entry, and writes all of them once there are enough.
    pub async fn note(&self, owner: &OwnerId, shown: Use) {
        let full = {
            let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
            let notes = waiting.entry(owner.clone()).or_default();
            notes.uses.push(shown);
            // Taken inside of the lock and written outside of it: a lock must not be held across an
            // await.
            (notes.uses.len() >= NOTES_GATHERED).then(|| std::mem::take(notes))
        };
        if let Some(notes) = full {
            self.write_down(owner, notes).await;
        }
    }

    /// Adds to the tokens that an agent received. Written with the next entries, or by the next
    /// flush.
    pub fn served(&self, owner: &OwnerId, agent: &AgentName, at: Moment, tokens: usize) {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        let served = &mut waiting.entry(owner.clone()).or_default().served;
        let nothing = || Served { agent: agent.clone(), at, calls: 0, tokens: 0 };
        let sum = served.entry(agent.clone()).or_insert_with(nothing);
        // Calls of several threads may arrive out of order.
        sum.at = sum.at.max(at);
        sum.calls += 1;
        sum.tokens = sum.tokens.saturating_add(tokens);
    }

    /// Writes all entries.
    pub async fn flush(&self) {
        let waiting =
            std::mem::take(&mut *self.waiting.lock().unwrap_or_else(PoisonError::into_inner));
        for (owner, notes) in waiting {
            self.write_down(&owner, notes).await;
        }
    }

    async fn write_down(&self, owner: &OwnerId, notes: Notes) {
        let Notes { uses, served } = notes;
        let told = |written: Result<(), WriteError>| {
            if let Err(error) = written {
                tracing::warn!(%error, "could not write the usage log");
            }
        };
        if !uses.is_empty() {
            told(self.store.note_use(owner, uses).await);
        }
        if !served.is_empty() {
            told(self.store.note_served(owner, served.into_values().collect()).await);
        }
    }
}
