//! Memories by when they were written, a page at a time: only the page itself is put in order.

use crate::{Doc, DocSet, View};
use model::{MemoryId, Moment, Page};
use std::cmp::Ordering;

/// Which end of time comes first; the id decides between equals.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Age {
    /// The newest first.
    Newest,
    /// The oldest first.
    Oldest,
}

impl Age {
    fn order(self, one: &(i64, i64), other: &(i64, i64)) -> Ordering {
        match self {
            Self::Newest => other.cmp(one),
            Self::Oldest => one.cmp(other),
        }
    }
}

impl View {
    /// When the memory at a place was written.
    #[must_use]
    pub fn written_at(&self, doc: Doc) -> Moment {
        Moment(self.columns.table.created_at[doc.index()])
    }

    /// The page of a set that is listed by age.
    #[must_use]
    pub fn by_age(&self, within: &DocSet, age: Age, page: Page) -> Vec<MemoryId> {
        let table = &self.columns.table;
        let place = |doc: Doc| (table.created_at[doc.index()], table.id[doc.index()]);
        let mut all: Vec<(i64, i64)> = within.iter().map(place).collect();
        let end = page.offset.saturating_add(page.limit).min(all.len());
        if page.offset >= end {
            return Vec::new();
        }
        if end < all.len() {
            all.select_nth_unstable_by(end, |one, other| age.order(one, other));
            all.truncate(end);
        }
        if page.offset > 0 {
            all.select_nth_unstable_by(page.offset, |one, other| age.order(one, other));
        }
        let shown = &mut all[page.offset..];
        shown.sort_unstable_by(|one, other| age.order(one, other));
        shown.iter().map(|(_, id)| MemoryId(*id)).collect()
    }
}
