//! Order of memories within their session, by start of validity and then by id. A doubly linked
//! list over document ids gives the neighbours of a memory in constant time, because the ranking
//! asks for them hundreds of times per query. The list is part of a snapshot; the sorted keys,
//! which only changes need, are collected when there are several.

use crate::columns::Columns;
use crate::id_map::DocIdMap;
use crate::mapped_array::MappedArray;
use crate::prefetch::{prefetch, with_prefetch};
use crate::{DocId, View};
use std::collections::BTreeSet;
use std::ops::Bound;

/// Session id, start of validity and memory id.
pub(crate) type SessionKey = (i64, i64, i64);

/// Neighbour before the first and after the last memory of a session.
const NO_NEIGHBOUR: u32 = u32::MAX;

/// Insertions after an opening for which the columns are searched. A process that opens a memory
/// for one question has a few to catch up with, and collecting all keys would take longer.
const SEARCHES_MAX: u32 = 8;

/// All memories that belong to a session, in order.
#[derive(Debug, Clone, Default)]
pub(crate) struct SessionOrder {
    /// Keys of all memories in a session, once they were worth collecting.
    keys: Option<BTreeSet<SessionKey>>,
    /// Number of searches in the columns so far.
    searches: u32,
    /// Previous and next document in the session, by document id.
    neighbours: MappedArray<[u32; 2]>,
}

impl SessionOrder {
    /// Takes neighbours from a snapshot, if each is the neighbour of its own neighbours, in the
    /// order of their keys. A list that is in order cannot be walked in a circle.
    pub(crate) fn from_neighbours(
        neighbours: MappedArray<[u32; 2]>,
        columns: &Columns,
    ) -> Option<Self> {
        let key = |raw_id: u32| columns.session_key(DocId(raw_id));
        let slots = columns.slot_count();
        let is_linked = |(raw_id, &[before, after]): (u32, &[u32; 2])| {
            let is_first = before == NO_NEIGHBOUR
                || neighbours.get(before as usize).is_some_and(|other| other[1] == raw_id);
            let is_last = after == NO_NEIGHBOUR
                || neighbours.get(after as usize).is_some_and(|other| other[0] == raw_id)
                    && matches!((key(raw_id), key(after)), (Some(one), Some(next))
                        if one.0 == next.0 && one < next);
            is_first && is_last
        };
        let in_order = neighbours.len() <= slots
            && (0..).zip(neighbours.iter()).all(is_linked)
            && columns.have_no_session(neighbours.len());
        in_order.then_some(Self { neighbours, ..Self::default() })
    }

    /// Returns the previous and next document of each document, for a snapshot.
    pub(crate) fn neighbours(&self) -> &MappedArray<[u32; 2]> {
        &self.neighbours
    }

    /// Inserts a document between its neighbours.
    pub(crate) fn insert(
        &mut self,
        key: SessionKey,
        doc: DocId,
        (docs_by_id, columns): (&DocIdMap, &Columns),
    ) {
        let beside = if self.keys.is_none() && self.searches < SEARCHES_MAX {
            self.searches += 1;
            columns.beside_in_session(key)
        } else {
            beside(key, self.keys_with(key, columns))
        };
        let raw_id = |key: Option<SessionKey>| {
            key.and_then(|key| docs_by_id.get(key.2)).map_or(NO_NEIGHBOUR, |doc| doc.0)
        };
        let [before, after] = beside.map(raw_id);
        self.link(before, doc.0);
        self.link(doc.0, after);
    }

    /// Removes a document and joins its neighbours.
    pub(crate) fn remove(&mut self, key: SessionKey, doc: DocId) {
        if let Some(keys) = &mut self.keys {
            keys.remove(&key);
        }
        if doc.index() < self.neighbours.len() {
            let [before, after] =
                std::mem::replace(&mut self.neighbours[doc.index()], [NO_NEIGHBOUR; 2]);
            self.link(before, after);
        }
    }

    /// Moves all documents to the ids that a compaction has assigned.
    pub(crate) fn renumber(&mut self, order: &[DocId], new_ids: &[Option<DocId>]) {
        let new_id = |raw_id: u32| {
            new_ids.get(raw_id as usize).copied().flatten().map_or(NO_NEIGHBOUR, |doc| doc.0)
        };
        let of = |doc: &DocId| self.neighbours.get(doc.index()).copied();
        let renumbered = order.iter().map(|doc| of(doc).unwrap_or([NO_NEIGHBOUR; 2]).map(new_id));
        self.neighbours = renumbered.collect::<Vec<_>>().into();
    }

    pub(crate) fn size_bytes(&self) -> usize {
        let keys = self.keys.as_ref().map_or(0, BTreeSet::len);
        // The nodes of a B-tree are about two thirds full.
        keys * size_of::<SessionKey>() * 3 / 2 + self.neighbours.size_bytes()
    }

    /// Adds a key and returns the keys of all memories in a session, at first those of the columns.
    fn keys_with(&mut self, key: SessionKey, columns: &Columns) -> &BTreeSet<SessionKey> {
        let keys = self.keys.get_or_insert_with(|| columns.session_keys().collect());
        keys.insert(key);
        keys
    }

    /// Links two documents as neighbours; either may be `NO_NEIGHBOUR`.
    fn link(&mut self, before: u32, after: u32) {
        for (raw_id, side, other) in [(before, 1, after), (after, 0, before)] {
            if raw_id != NO_NEIGHBOUR {
                let raw_id = raw_id as usize;
                self.neighbours.extend_to(raw_id + 1, [NO_NEIGHBOUR; 2]);
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

/// Returns the keys directly before and after a key in its session.
fn beside(key: SessionKey, keys: &BTreeSet<SessionKey>) -> [Option<SessionKey>; 2] {
    let first = (key.0, i64::MIN, i64::MIN);
    let last = (key.0, i64::MAX, i64::MAX);
    let before = keys.range(first..key).next_back();
    let after = keys.range((Bound::Excluded(key), Bound::Included(last))).next();
    [before.copied(), after.copied()]
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
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{DocFacts, IndexEntry};
    use model::{MemoryId, Moment, Seq, SessionId};
    use proptest::prelude::*;

    fn entry(id: i64, session: Option<i64>, moment: i64) -> IndexEntry<'static> {
        let session = session.map(SessionId);
        let facts = DocFacts { session, ..DocFacts::note(MemoryId(id), Moment(moment)) };
        IndexEntry::new(facts)
    }

    fn ids(view: &View, docs: impl Iterator<Item = DocId>) -> Vec<i64> {
        docs.map(|doc| view.id(doc).0).collect()
    }

    /// Returns a view whose order was taken from its neighbours, as from a snapshot.
    fn reopened(mut view: View) -> View {
        view.compact();
        let neighbours = view.sessions.neighbours().clone();
        view.sessions = SessionOrder::from_neighbours(neighbours, &view.columns).unwrap();
        view
    }

    #[test]
    fn neighbours_out_of_order_or_out_of_range_or_one_sided_are_refused() {
        let mut view = View::new(None);
        let entries = [entry(1, Some(4), 1), entry(2, Some(4), 2), entry(3, Some(5), 3)];
        view.apply(entries, [], Seq(1));
        let none = NO_NEIGHBOUR;
        let accepts = |neighbours: &[[u32; 2]]| {
            SessionOrder::from_neighbours(neighbours.to_vec().into(), &view.columns).is_some()
        };
        assert!(accepts(&[[none, 1], [0, none], [none; 2]]));
        assert!(!accepts(&[[1, none], [none, 0], [none; 2]]), "the later one first");
        assert!(!accepts(&[[none, 1], [none, none], [none; 2]]), "one side only");
        assert!(!accepts(&[[none, 7], [none; 2], [none; 2]]), "out of range");
        assert!(!accepts(&[[none; 2], [none, 2], [1, none]]), "another session");
        assert!(!accepts(&[[1, 1], [0, 0], [none; 2]]), "a circle");
        assert!(!accepts(&[[none, 1], [0, none]]), "too short");
        assert!(!accepts(&[[none; 2]; 4]), "too long");
    }

    proptest! {
        #[test]
        fn memories_of_a_session_are_in_order_after_any_changes_and_openings(
            steps in prop::collection::vec((0..12_i64, 0..3_i64, 0..6_i64, 0..40_u8), 0..160),
        ) {
            let mut view = View::new(None);
            let mut model = std::collections::BTreeMap::new();
            for (id, session, moment, action) in steps {
                match action {
                    0 => view = reopened(view),
                    // Rare openings, so that the keys are collected too.
                    1..8 => {
                        view.apply([], [MemoryId(id)], Seq(1));
                        model.remove(&id);
                    }
                    _ => {
                        let session = (session > 0).then_some(session);
                        view.apply([entry(id, session, moment)], [], Seq(1));
                        model.insert(id, (session, moment));
                    }
                }
            }
            for (&id, &(session, moment)) in &model {
                let doc = view.doc(MemoryId(id)).unwrap();
                let of_session = model.iter().filter(|(_, other)| other.0 == session);
                let of_session = of_session.filter(|_| session.is_some());
                let mut keys: Vec<_> = of_session.map(|(&id, other)| (other.1, id)).collect();
                keys.sort_unstable();
                let after = keys.iter().filter(|key| **key > (moment, id)).map(|key| key.1);
                let before = keys.iter().rev().filter(|key| **key < (moment, id)).map(|key| key.1);
                prop_assert_eq!(ids(&view, view.session_after(doc)), after.collect::<Vec<_>>());
                prop_assert_eq!(ids(&view, view.session_before(doc)), before.collect::<Vec<_>>());
            }
        }
    }
}
