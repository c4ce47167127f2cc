//! The receipt of a removal while rows are being deleted.

use crate::ForgetReceipt;
use model::{EntityId, MemoryId};
use std::collections::BTreeSet;

/// A receipt under construction.
#[derive(Debug, Default)]
pub struct ReceiptBuilder {
    /// The memories that were removed.
    pub memories: Vec<MemoryId>,
    /// Entities that nothing may mention any more.
    pub orphan_candidates: BTreeSet<EntityId>,
    removed: Vec<(&'static str, usize)>,
}

impl ReceiptBuilder {
    /// Adds a number of rows removed from a table.
    pub fn add(&mut self, place: &'static str, count: usize) {
        match self.removed.iter_mut().find(|(name, _)| *name == place) {
            Some((_, total)) => *total += count,
            None => self.removed.push((place, count)),
        }
    }

    /// Returns the receipt, without tables from which nothing was removed.
    #[must_use]
    pub fn build(self) -> ForgetReceipt {
        let removed = self.removed.into_iter().filter(|(_, count)| *count > 0);
        ForgetReceipt {
            memories: self.memories,
            removed: removed.map(|(name, count)| (name.to_owned(), count)).collect(),
            owed: Vec::new(),
        }
    }
}
