//! Notes of what was read and given, gathered and written a few at a time: a recall must not wait
//! for a disk. What is lost when the process dies are use counts and read events, never a write.

use model::{AgentName, Moment, OwnerId};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use store::{Served, Store, Use, WriteError};

/// After how many notes they are written down.
const NOTES_GATHERED: usize = 64;

/// Gathers what was read and given.
pub(crate) struct Uses {
    store: Arc<dyn Store>,
    waiting: Mutex<HashMap<OwnerId, Notes>>,
}

/// What waits to be written down for one owner.
#[derive(Default)]
struct Notes {
    uses: Vec<Use>,
    served: HashMap<AgentName, Served>,
}

impl Uses {
    pub fn new(store: Arc<dyn Store>) -> Self {
        Self { store, waiting: Mutex::default() }
    }

    /// Takes a note; writes down what waits once enough of it does.
    pub async fn note(&self, owner: &OwnerId, shown: Use) {
        let full = {
            let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
            let notes = waiting.entry(owner.clone()).or_default();
            notes.uses.push(shown);
            (notes.uses.len() >= NOTES_GATHERED).then(|| std::mem::take(notes))
        };
        if let Some(notes) = full {
            self.write_down(owner, notes).await;
        }
    }

    /// Adds to what an agent was given. Written down with the notes that come next, or by the next
    /// flush.
    pub fn served(&self, owner: &OwnerId, agent: &AgentName, at: Moment, tokens: usize) {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        let served = &mut waiting.entry(owner.clone()).or_default().served;
        let nothing = || Served { agent: agent.clone(), at, calls: 0, tokens: 0 };
        let sum = served.entry(agent.clone()).or_insert_with(nothing);
        sum.at = sum.at.max(at);
        sum.calls += 1;
        sum.tokens = sum.tokens.saturating_add(tokens);
    }

    /// Writes down everything that waits.
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
                tracing::warn!(%error, "notes of what was read could not be written");
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
