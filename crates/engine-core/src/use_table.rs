//! Number and times of the uses of each memory, as the store has them together with what this
//! process has not written yet. The table is read again whenever an event was logged since, by any
//! process.

use crate::Core;
use model::{AccessStats, AuditId, Failure, Memory, MemoryId, OwnerId};
use parking_lot::Mutex;
use std::collections::HashMap;
use std::sync::Arc;

/// Use counts of an owner's memories.
#[derive(Debug, Clone, Default)]
pub struct UseTable {
    stored: Arc<StoredUses>,
    pending: HashMap<MemoryId, AccessStats>,
}

/// Use counts that the store has.
#[derive(Debug)]
struct StoredUses {
    store: [u8; 16],
    as_of: AuditId,
    uses: HashMap<MemoryId, AccessStats>,
}

impl Default for StoredUses {
    fn default() -> Self {
        Self { store: [0; 16], as_of: AuditId(0), uses: HashMap::new() }
    }
}

/// The tables of all owners.
#[derive(Debug, Default)]
pub(crate) struct UseTables(Mutex<HashMap<OwnerId, Arc<StoredUses>>>);

impl UseTable {
    /// Returns the uses of a memory.
    #[must_use]
    pub fn access(&self, memory: MemoryId) -> AccessStats {
        let stored = self.stored.uses.get(&memory).copied().unwrap_or_default();
        self.pending.get(&memory).map_or(stored, |pending| add(stored, *pending))
    }

    /// Iterates over the memories that were used, with their uses.
    pub fn iter(&self) -> impl Iterator<Item = (MemoryId, AccessStats)> + '_ {
        let stored = &self.stored.uses;
        let only_pending = self.pending.keys().filter(|memory| !stored.contains_key(memory));
        stored.keys().chain(only_pending).map(|&memory| (memory, self.access(memory)))
    }
}

impl Core {
    /// Returns the uses of an owner's memories.
    ///
    /// # Errors
    /// Fails when the store cannot answer.
    pub async fn use_table(&self, owner: &OwnerId) -> Result<UseTable, Failure> {
        // Before the store: a use that is written in between counts twice for one call rather than
        // not at all.
        let pending = self.uses.pending_uses(owner);
        let store = self.store_of(owner).identity().await?;
        let known = self.use_tables.0.lock().get(owner).cloned();
        let known = known.filter(|known| known.store == store);
        let as_of = known.as_ref().map(|known| known.as_of);
        let newer = self.store_of(owner).uses(as_of).await?;
        let stored = match newer {
            None => known.unwrap_or_default(),
            Some(newer) => {
                let uses = newer.uses.into_iter().collect();
                let stored = Arc::new(StoredUses { store, as_of: newer.as_of, uses });
                self.use_tables.0.lock().insert(owner.clone(), Arc::clone(&stored));
                stored
            }
        };
        Ok(UseTable { stored, pending })
    }

    /// Adds the uses that are not written yet, so that a memory that was just shown has them.
    pub fn add_pending_uses(&self, owner: &OwnerId, memories: &mut [Memory]) {
        let pending = self.uses.pending_uses(owner);
        for memory in memories {
            if let Some(uses) = pending.get(&memory.id) {
                memory.access = add(memory.access, *uses);
            }
        }
    }
}

fn add(one: AccessStats, other: AccessStats) -> AccessStats {
    AccessStats { count: one.count.saturating_add(other.count), last: one.last.max(other.last) }
}
