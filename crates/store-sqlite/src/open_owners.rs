//! The open memories of a process: an LRU cache of bounded size. Opens nothing itself.

use crate::owner::OwnerMemory;
use model::OwnerId;
use std::collections::HashMap;
use std::sync::Arc;

/// The open memories, by owner.
#[derive(Debug, Default)]
pub(crate) struct OpenOwners {
    memories: HashMap<OwnerId, OpenOwner>,
    /// A logical clock that advances with every use.
    clock: u64,
}

#[derive(Debug)]
struct OpenOwner {
    memory: Arc<OwnerMemory>,
    last_used: u64,
}

impl OpenOwners {
    /// Returns the memory of an owner if it is open and was neither erased nor replaced.
    pub(crate) fn get(&mut self, owner: &OwnerId) -> Option<Arc<OwnerMemory>> {
        self.clock += 1;
        let is_usable = |memory: &OwnerMemory| !memory.is_erased() && memory.is_current();
        let open = self.memories.get_mut(owner).filter(|open| is_usable(&open.memory))?;
        open.last_used = self.clock;
        Some(Arc::clone(&open.memory))
    }

    /// Adds an open memory. Returns those it displaces, for the caller to close.
    pub(crate) fn insert(
        &mut self,
        owner: &OwnerId,
        memory: Arc<OwnerMemory>,
        most: usize,
    ) -> Vec<Arc<OwnerMemory>> {
        self.clock += 1;
        let before =
            self.memories.insert(owner.clone(), OpenOwner { memory, last_used: self.clock });
        let mut displaced: Vec<_> = before.into_iter().map(|open| open.memory).collect();
        while self.memories.len() > most.max(1) {
            let Some(longest) = self.least_recently_used() else { break };
            displaced.extend(self.remove(&longest));
        }
        displaced
    }

    /// Removes a memory and returns it.
    pub(crate) fn remove(&mut self, owner: &OwnerId) -> Option<Arc<OwnerMemory>> {
        self.memories.remove(owner).map(|open| open.memory)
    }

    /// Returns the least recently used memory that is not in use.
    fn least_recently_used(&self) -> Option<OwnerId> {
        // One in use stays, even past the limit: the next call would open the file a second time.
        let idle = self.memories.iter().filter(|(_, open)| Arc::strong_count(&open.memory) == 1);
        idle.min_by_key(|(_, open)| open.last_used).map(|(owner, _)| owner.clone())
    }
}
