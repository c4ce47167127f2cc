//! Order of memories within their session, by start of validity and then by id. A doubly linked
//! list over document ids gives the neighbours of a memory in constant time, because the ranking
//! asks for them hundreds of times per query.

use crate::id_map::DocIdMap;
use crate::prefetch::{prefetch, with_prefetch};
use crate::{DocId, View};
use std::collections::BTreeSet;
use std::ops::Bound;

/// Session id, start of validity and memory id.
type SessionKey = (i64, i64, i64);

/// Neighbour before the first and after the last memory of a session.
const NO_NEIGHBOUR: u32 = u32::MAX;

/// All memories that belong to a session, in order.
#[derive(Debug, Clone, Default)]
pub(crate) struct SessionOrder {
    keys: BTreeSet<SessionKey>,
    /// Previous and next document in the session, by document id.
    neighbours: Vec<[u32; 2]>,
}

impl SessionOrder {
    /// Builds the order from keys in any order.
    pub(crate) fn new(keys: impl IntoIterator<Item = SessionKey>, docs_by_id: &DocIdMap) -> Self {
        let mut order = Self { keys: keys.into_iter().collect(), neighbours: Vec::new() };
        order.link_sorted(docs_by_id);
        order
    }

    /// Inserts a document between its neighbours.
    pub(crate) fn insert(&mut self, key: SessionKey, doc: DocId, docs_by_id: &DocIdMap) {
        let first = (key.0, i64::MIN, i64::MIN);
        let last = (key.0, i64::MAX, i64::MAX);
        let before = self.keys.range(first..key).next_back();
        let after = self.keys.range((Bound::Excluded(key), Bound::Included(last))).next();
        let raw_id = |key: Option<&SessionKey>| {
            key.and_then(|key| docs_by_id.get(key.2)).map_or(NO_NEIGHBOUR, |doc| doc.0)
        };
        let (before, after) = (raw_id(before), raw_id(after));
        self.keys.insert(key);
        self.link(before, doc.0);
        self.link(doc.0, after);
    }

    /// Removes a document and joins its neighbours.
    pub(crate) fn remove(&mut self, key: SessionKey, doc: DocId) {
        if self.keys.remove(&key) {
            let [before, after] =
                std::mem::replace(&mut self.neighbours[doc.index()], [NO_NEIGHBOUR; 2]);
            self.link(before, after);
        }
    }

    /// Rebuilds the neighbour links after a compaction has assigned new document ids.
    pub(crate) fn renumber(&mut self, docs_by_id: &DocIdMap) {
        self.neighbours.clear();
        self.link_sorted(docs_by_id);
    }

    pub(crate) fn size_bytes(&self) -> usize {
        // The nodes of a B-tree are about two thirds full.
        self.keys.len() * size_of::<SessionKey>() * 3 / 2 + self.neighbours.capacity() * 8
    }

    fn link_sorted(&mut self, docs_by_id: &DocIdMap) {
        // Taken out for the loop, since `link` borrows the whole order mutably.
        let keys = std::mem::take(&mut self.keys);
        let mut last: Option<(i64, u32)> = None;
        for (session, _, id) in &keys {
            let raw_id = docs_by_id.get(*id).map_or(NO_NEIGHBOUR, |doc| doc.0);
            let before = last
                .filter(|(other, _)| other == session)
                .map_or(NO_NEIGHBOUR, |(_, raw_id)| raw_id);
            self.link(before, raw_id);
            self.link(raw_id, NO_NEIGHBOUR);
            last = Some((*session, raw_id));
        }
        self.keys = keys;
    }

    /// Links two documents as neighbours; either may be `NO_NEIGHBOUR`.
    fn link(&mut self, before: u32, after: u32) {
        for (raw_id, side, other) in [(before, 1, after), (after, 0, before)] {
            if raw_id != NO_NEIGHBOUR {
                let raw_id = raw_id as usize;
                if raw_id >= self.neighbours.len() {
                    self.neighbours.resize(raw_id + 1, [NO_NEIGHBOUR; 2]);
                }
                self.neighbours[raw_id][side] = other;
            }
        }
    }

    /// Iterates over the documents on one side of a document, nearest first.
    fn neighbours_from(&self, doc: DocId, side: usize) -> impl Iterator<Item = DocId> + '_ {
        let next = move |doc: &DocId| {
            let beside = self.neighbours.get(doc.index())?[side];
            (beside != NO_NEIGHBOUR).then_some(DocId(beside))
        };
        std::iter::successors(next(&doc), next)
    }
}

/// A memory and another one near it in the same session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SessionNeighbour {
    /// Document that was asked about.
    pub doc: DocId,
    /// Document near it.
    pub neighbour: DocId,
    /// Number of documents between the two: 0 for direct neighbours.
    pub distance: usize,
    /// True if the neighbour precedes the document.
    pub is_before: bool,
}

impl View {
    /// Iterates over the neighbours within `steps` before and after each of these documents.
    pub fn session_neighbours<'v>(
        &'v self,
        docs: &'v [DocId],
        steps: usize,
    ) -> impl Iterator<Item = SessionNeighbour> + 'v {
        let prefetch_for = |doc: DocId| {
            prefetch(self.sessions.neighbours.get(doc.index()).map_or(&[], <[u32; 2]>::as_slice))
        };
        with_prefetch(docs, prefetch_for).flat_map(move |doc| {
            let near = move |is_before| {
                move |(distance, neighbour)| SessionNeighbour {
                    doc,
                    neighbour,
                    distance,
                    is_before,
                }
            };
            let before = self.session_before(doc).take(steps).enumerate().map(near(true));
            before.chain(self.session_after(doc).take(steps).enumerate().map(near(false)))
        })
    }

    /// Iterates over the memories before this one in its session, nearest first.
    pub fn session_before(&self, doc: DocId) -> impl Iterator<Item = DocId> + '_ {
        self.sessions.neighbours_from(doc, 0)
    }

    /// Iterates over the memories after this one in its session, nearest first.
    pub fn session_after(&self, doc: DocId) -> impl Iterator<Item = DocId> + '_ {
        self.sessions.neighbours_from(doc, 1)
    }

    /// Returns the sort key of a document within its session, if it has one.
    pub(crate) fn session_key(&self, doc: DocId) -> Option<SessionKey> {
        let row = self.columns.table.row(doc);
        row.session().map(|session| (session.0, row.valid_from, row.id))
    }
}
