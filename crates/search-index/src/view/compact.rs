//! Sweeping: vacant places, terms, names and vectors that no memory owns any more leave the view.

use crate::columns::{Columns, Table};
use crate::{Doc, View};

impl View {
    /// Sweeps when enough has changed to be worth the time.
    pub(crate) fn compact_if_worthwhile(&mut self) {
        let vacant = self.columns.places() - self.len();
        if self.postings.wants_merge() || vacant > 1_024.max(self.len() / 8) {
            self.compact();
        }
    }

    /// Keeps nothing but what the memories in the view are made of.
    /// Done by itself now and then, and before a snapshot; places change by it.
    pub fn compact(&mut self) {
        if self.littered {
            self.sweep();
        } else {
            self.settle();
        }
    }

    /// Nothing is left over and no place changes: only what came in lately joins the rest.
    fn settle(&mut self) {
        if !self.postings.is_merged() {
            self.postings = self.postings.merged(self.columns.places(), None);
        }
        if !self.links.is_settled() {
            let order: Vec<Doc> = self.columns.live().iter().collect();
            let ids = &self.columns.table.id;
            self.links = self.links.gathered(&order, |doc| ids[doc.index()]);
        }
    }

    fn sweep(&mut self) {
        let order: Vec<Doc> = self.columns.live().iter().collect();
        let mut places = vec![None; self.columns.places()];
        for (place, doc) in order.iter().enumerate() {
            places[doc.index()] = Some(Doc(place as u32));
        }
        let ids = &self.columns.table.id;
        self.links = self.links.gathered(&order, |doc| ids[doc.index()]);
        self.postings = self.postings.merged(order.len(), Some(&places));
        self.vectors.gather(&order);
        self.tags = self.tags.gathered(&order);
        self.entities = self.entities.gathered(&order);
        self.pairs = self.pairs.gathered(&order);
        let mut table = self.columns.table.gathered(&order);
        self.sweep_names(&mut table);
        self.columns = Columns::from_table(table);
        self.by_id =
            self.columns.table.id.iter().zip(0..).map(|(&id, place)| (id, Doc(place))).collect();
        self.sessions.move_to(&self.by_id);
        self.weighed.take();
        self.littered = false;
    }

    /// Gives every name that is still in use a new number, and forgets the others.
    fn sweep_names(&mut self, table: &mut Table) {
        let old = std::mem::take(&mut self.names);
        let mut renumbered = vec![None; old.len()];
        let names = &mut self.names;
        let mut renumber = |number: &mut u32| {
            let place = *number as usize;
            *number =
                *renumbered[place].get_or_insert_with(|| names.intern(old.name(place as u32)));
        };
        table.names_mut().into_iter().flatten().for_each(&mut renumber);
        self.tags.items_mut().iter_mut().for_each(&mut renumber);
    }
}
