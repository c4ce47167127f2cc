//! The memories that a process keeps open: a bounded number, the one unused for longest making
//! room.

use crate::owner::OwnerMemory;
use model::OwnerId;
use std::collections::HashMap;
use std::sync::Arc;

/// The memories that are open.
#[derive(Debug, Default)]
pub(crate) struct Shelf {
    memories: HashMap<OwnerId, Kept>,
    /// Counts every use, to tell which was longest ago.
    uses: u64,
}

#[derive(Debug)]
struct Kept {
    memory: Arc<OwnerMemory>,
    used: u64,
}

impl Shelf {
    /// The memory of an owner, if it is open and was not erased.
    pub(crate) fn take(&mut self, owner: &OwnerId) -> Option<Arc<OwnerMemory>> {
        self.uses += 1;
        let kept = self.memories.get_mut(owner).filter(|kept| !kept.memory.is_gone())?;
        kept.used = self.uses;
        Some(Arc::clone(&kept.memory))
    }

    /// Keeps a memory open. Gives back those it displaces, to be closed.
    pub(crate) fn put(
        &mut self,
        owner: &OwnerId,
        memory: Arc<OwnerMemory>,
        most: usize,
    ) -> Vec<Arc<OwnerMemory>> {
        self.uses += 1;
        let before = self.memories.insert(owner.clone(), Kept { memory, used: self.uses });
        let mut displaced: Vec<_> = before.into_iter().map(|kept| kept.memory).collect();
        while self.memories.len() > most.max(1) {
            let Some(longest) = self.unused_for_longest() else { break };
            displaced.extend(self.remove(&longest));
        }
        displaced
    }

    /// Takes a memory off the shelf.
    pub(crate) fn remove(&mut self, owner: &OwnerId) -> Option<Arc<OwnerMemory>> {
        self.memories.remove(owner).map(|kept| kept.memory)
    }

    /// One that somebody works with at this moment stays: a second handle on its file would be
    /// opened.
    fn unused_for_longest(&self) -> Option<OwnerId> {
        let idle = self.memories.iter().filter(|(_, kept)| Arc::strong_count(&kept.memory) == 1);
        idle.min_by_key(|(_, kept)| kept.used).map(|(owner, _)| owner.clone())
    }
}
