//! Notes of what was read, gathered and written a few at a time: a recall must not wait for a disk.
//! What is lost when the process dies are use counts and read events, never a write.

use model::OwnerId;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use store::{Store, Use};

/// After how many notes they are written down.
const NOTES_GATHERED: usize = 64;

/// Gathers what was read.
pub(crate) struct Uses {
    store: Arc<dyn Store>,
    waiting: Mutex<HashMap<OwnerId, Vec<Use>>>,
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
            notes.push(shown);
            (notes.len() >= NOTES_GATHERED).then(|| std::mem::take(notes))
        };
        if let Some(notes) = full {
            self.write_down(owner, notes).await;
        }
    }

    /// Writes down everything that waits.
    pub async fn flush(&self) {
        let waiting = std::mem::take(&mut *self.waiting.lock().unwrap_or_else(PoisonError::into_inner));
        for (owner, notes) in waiting.into_iter().filter(|(_, notes)| !notes.is_empty()) {
            self.write_down(&owner, notes).await;
        }
    }

    async fn write_down(&self, owner: &OwnerId, notes: Vec<Use>) {
        if let Err(error) = self.store.note_use(owner, notes).await {
            tracing::warn!(%error, "notes of what was read could not be written");
        }
    }
}
