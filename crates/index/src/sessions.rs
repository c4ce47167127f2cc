//! The order of memories within their session: by when they hold, then by id.

use crate::{Doc, View};
use model::MemoryId;
use std::collections::BTreeSet;
use std::ops::Bound;

/// Session, moment and memory.
type Key = (i64, i64, i64);

/// Every memory that has a session, in order.
#[derive(Debug, Clone, Default)]
pub(crate) struct SessionOrder(BTreeSet<Key>);

impl SessionOrder {
    pub(crate) fn insert(&mut self, key: Key) {
        self.0.insert(key);
    }

    pub(crate) fn remove(&mut self, key: Key) {
        self.0.remove(&key);
    }

    pub(crate) fn bytes(&self) -> usize {
        self.0.len() * size_of::<Key>() * 3 / 2
    }
}

impl FromIterator<Key> for SessionOrder {
    fn from_iter<I: IntoIterator<Item = Key>>(keys: I) -> Self {
        Self(keys.into_iter().collect())
    }
}

impl View {
    /// The memories before this one in its session, nearest first.
    pub fn session_before(&self, doc: Doc) -> impl Iterator<Item = Doc> + '_ {
        let range =
            self.session_key(doc).map(|key| self.sessions.0.range((key.0, i64::MIN, i64::MIN)..key).rev());
        range.into_iter().flatten().filter_map(|key| self.doc(MemoryId(key.2)))
    }

    /// The memories after this one in its session, nearest first.
    pub fn session_after(&self, doc: Doc) -> impl Iterator<Item = Doc> + '_ {
        let range = self.session_key(doc).map(|key| {
            let last = (key.0, i64::MAX, i64::MAX);
            self.sessions.0.range((Bound::Excluded(key), Bound::Included(last)))
        });
        range.into_iter().flatten().filter_map(|key| self.doc(MemoryId(key.2)))
    }

    /// Where the memory at a place stands in its session, if it has one.
    pub(crate) fn session_key(&self, doc: Doc) -> Option<Key> {
        let row = self.columns.table.row(doc);
        row.session().map(|session| (session.0, row.valid_from, row.id))
    }
}
