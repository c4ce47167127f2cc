//! Memories ordered by creation time, one page at a time. Only the requested page is sorted; the
//! rest is merely partitioned around it.

use crate::{DocId, DocSet, View};
use model::{LinkKind, MemoryId, Moment, Page};
use std::cmp::Ordering;

/// Sort order by creation time; the memory id breaks ties.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AgeOrder {
    Newest,
    Oldest,
}

impl AgeOrder {
    fn compare(self, one: &(i64, i64), other: &(i64, i64)) -> Ordering {
        match self {
            Self::Newest => other.cmp(one),
            Self::Oldest => one.cmp(other),
        }
    }
}

impl View {
    /// Returns the moment at which the memory was written.
    #[must_use]
    pub fn written_at(&self, doc: DocId) -> Moment {
        Moment(self.columns.table.created_at[doc.index()])
    }

    /// Returns the start of validity of a memory.
    #[must_use]
    pub fn valid_from(&self, doc: DocId) -> Moment {
        Moment(self.columns.table.valid_from[doc.index()])
    }

    /// Returns the kind of a memory.
    #[must_use]
    pub fn kind(&self, doc: DocId) -> &str {
        self.names.name(self.columns.table.kind[doc.index()])
    }

    /// Returns the confidence that the writer of a memory stated, 0 to 1.
    #[must_use]
    pub fn confidence(&self, doc: DocId) -> f32 {
        self.columns.table.confidence[doc.index()]
    }

    /// Returns the priority of a memory, 1 (most important) to 5.
    #[must_use]
    pub fn priority(&self, doc: DocId) -> u8 {
        self.columns.table.priority[doc.index()]
    }

    /// Iterates over what a memory replaced directly.
    pub fn replaced_by(&self, doc: DocId) -> impl Iterator<Item = DocId> + '_ {
        let links = self.links.out(doc).filter(|link| link.kind == LinkKind::Supersedes);
        links.filter_map(|link| self.doc(link.target))
    }

    /// Returns one page of the documents in `within`, ordered by creation time.
    #[must_use]
    pub fn page_by_age(&self, within: &DocSet, age: AgeOrder, page: Page) -> Vec<MemoryId> {
        let table = &self.columns.table;
        let key = |doc: DocId| (table.created_at[doc.index()], table.id[doc.index()]);
        let mut all: Vec<(i64, i64)> = within.iter().map(key).collect();
        let end = page.offset.saturating_add(page.limit).min(all.len());
        if page.offset >= end {
            return Vec::new();
        }
        // Two selections in linear time instead of a sort of everything: a listing of 100,000
        // memories shows twenty of them.
        if end < all.len() {
            all.select_nth_unstable_by(end, |one, other| age.compare(one, other));
            all.truncate(end);
        }
        if page.offset > 0 {
            all.select_nth_unstable_by(page.offset, |one, other| age.compare(one, other));
        }
        let page_keys = &mut all[page.offset..];
        page_keys.sort_unstable_by(|one, other| age.compare(one, other));
        page_keys.iter().map(|(_, id)| MemoryId(*id)).collect()
    }
}
