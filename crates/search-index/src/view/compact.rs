//! Compaction: removes vacant slots, terms, names and vectors that no memory owns any more, and
//! merges recent changes into the sorted parts.

use crate::columns::Columns;
use crate::fact_table::FactTable;
use crate::mapped_array::MappedArray;
use crate::postings::MergeTrigger;
use crate::{DocId, View};

impl View {
    /// Compacts when enough has changed to be worth the time.
    pub(crate) fn compact_if_worthwhile(&mut self, trigger: MergeTrigger) {
        let vacant = self.columns.slot_count() - self.len();
        // An eighth of vacant slots slows scans by as much; below a thousand it is not worth
        // renumbering everything.
        if self.postings.needs_merge(trigger) || vacant > 1_024.max(self.len() / 8) {
            self.compact();
        }
    }

    /// Removes all data that no memory owns any more. Runs by itself from time to time and before a
    /// snapshot. Document ids change.
    pub fn compact(&mut self) {
        if self.has_garbage {
            self.remove_garbage();
        } else {
            self.merge_pending();
        }
    }

    /// Returns true if nothing would change by compacting.
    pub(crate) fn is_compacted(&self) -> bool {
        !self.has_garbage && self.postings.is_merged() && self.links.is_sorted()
    }

    /// Merges recent changes when there is no garbage. Document ids stay the same.
    fn merge_pending(&mut self) {
        if !self.postings.is_merged() {
            self.postings = self.postings.merged(self.columns.slot_count(), None);
        }
        if !self.links.is_sorted() {
            let order: Vec<DocId> = self.columns.live().iter().collect();
            let ids = &self.columns.table.id;
            self.links = self.links.gather(&order, |doc| ids[doc.index()]);
        }
    }

    fn remove_garbage(&mut self) {
        let order: Vec<DocId> = self.columns.live().iter().collect();
        let mut new_ids = vec![None; self.columns.slot_count()];
        for (new_id, doc) in order.iter().enumerate() {
            new_ids[doc.index()] = Some(DocId(new_id as u32));
        }
        let ids = &self.columns.table.id;
        self.links = self.links.gather(&order, |doc| ids[doc.index()]);
        self.postings = self.postings.merged(order.len(), Some(&new_ids));
        self.vectors.reorder(&order);
        self.tags = self.tags.gather(&order);
        self.entities = self.entities.gather(&order);
        self.pairs = self.pairs.gather(&order);
        self.sessions.renumber(&order, &new_ids);
        let mut table = self.columns.table.gather(&order);
        self.renumber_names(&mut table);
        self.columns = Columns::from_table(table);
        // Everything below is derived from the renumbered table, so it has to come last.
        self.by_id = self
            .columns
            .table
            .id
            .iter()
            .zip(0..)
            .map(|(&id, new_id)| (id, DocId(new_id)))
            .collect();
        self.weighted_lengths.take();
        self.has_garbage = false;
    }

    /// Assigns new ids to the names that are still in use and drops the others, so that a snapshot
    /// contains no name of a forgotten memory.
    fn renumber_names(&mut self, table: &mut FactTable) {
        let old = std::mem::take(&mut self.names);
        let mut renumbered = vec![None; old.len()];
        let names = &mut self.names;
        let mut renumber = |number: &mut u32| {
            let old_id = *number as usize;
            *number =
                *renumbered[old_id].get_or_insert_with(|| names.intern(old.name(old_id as u32)));
        };
        table.names_mut().into_iter().flat_map(MappedArray::iter_mut).for_each(&mut renumber);
        self.tags.items_mut().for_each(&mut renumber);
    }
}
