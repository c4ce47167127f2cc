//! The order of memories within their session: by when they hold, then by id. Who stands beside
//! whom is kept for every place, since a ranking asks for it hundreds of times.

use crate::ahead::{ahead, fetch};
use crate::ids::DocsById;
use crate::{Doc, View};
use std::collections::BTreeSet;
use std::ops::Bound;

/// Session, moment and memory.
type Key = (i64, i64, i64);

/// Before and after the first and the last.
const NOBODY: u32 = u32::MAX;

/// Every memory that has a session, in order.
#[derive(Debug, Clone, Default)]
pub(crate) struct SessionOrder {
    keys: BTreeSet<Key>,
    /// For each place, the one before and the one after it in its session.
    beside: Vec<[u32; 2]>,
}

impl SessionOrder {
    /// Memories in any order, at these places.
    pub(crate) fn new(keys: impl IntoIterator<Item = Key>, places: &DocsById) -> Self {
        let mut order = Self { keys: keys.into_iter().collect(), beside: Vec::new() };
        order.link_all(places);
        order
    }

    /// Takes in the memory at a place.
    pub(crate) fn insert(&mut self, key: Key, doc: Doc, places: &DocsById) {
        let first = (key.0, i64::MIN, i64::MIN);
        let last = (key.0, i64::MAX, i64::MAX);
        let before = self.keys.range(first..key).next_back();
        let after = self.keys.range((Bound::Excluded(key), Bound::Included(last))).next();
        let place =
            |key: Option<&Key>| key.and_then(|key| places.get(&key.2)).map_or(NOBODY, |doc| doc.0);
        let (before, after) = (place(before), place(after));
        self.keys.insert(key);
        self.link(before, doc.0);
        self.link(doc.0, after);
    }

    /// Lets the memory at a place go.
    pub(crate) fn remove(&mut self, key: Key, doc: Doc) {
        if self.keys.remove(&key) {
            let [before, after] = std::mem::replace(&mut self.beside[doc.index()], [NOBODY; 2]);
            self.link(before, after);
        }
    }

    /// The memories have moved to other places.
    pub(crate) fn move_to(&mut self, places: &DocsById) {
        self.beside.clear();
        self.link_all(places);
    }

    pub(crate) fn bytes(&self) -> usize {
        self.keys.len() * size_of::<Key>() * 3 / 2 + self.beside.capacity() * 8
    }

    fn link_all(&mut self, places: &DocsById) {
        let keys = std::mem::take(&mut self.keys);
        let mut last: Option<(i64, u32)> = None;
        for (session, _, id) in &keys {
            let place = places.get(id).map_or(NOBODY, |doc| doc.0);
            let before =
                last.filter(|(other, _)| other == session).map_or(NOBODY, |(_, place)| place);
            self.link(before, place);
            self.link(place, NOBODY);
            last = Some((*session, place));
        }
        self.keys = keys;
    }

    /// Puts one place before another; nobody is before or after the ends.
    fn link(&mut self, before: u32, after: u32) {
        for (place, side, other) in [(before, 1, after), (after, 0, before)] {
            if place != NOBODY {
                let place = place as usize;
                if place >= self.beside.len() {
                    self.beside.resize(place + 1, [NOBODY; 2]);
                }
                self.beside[place][side] = other;
            }
        }
    }

    /// The places on one side of a place, nearest first.
    fn walk(&self, doc: Doc, side: usize) -> impl Iterator<Item = Doc> + '_ {
        let next = move |doc: &Doc| {
            let beside = self.beside.get(doc.index())?[side];
            (beside != NOBODY).then_some(Doc(beside))
        };
        std::iter::successors(next(&doc), next)
    }
}

/// Two memories of a session that stand near each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Beside {
    /// The one that was asked for.
    pub found: Doc,
    /// The one beside it.
    pub beside: Doc,
    /// How far apart: 0 for the next line.
    pub step: usize,
    /// Whether the one beside it came first.
    pub earlier: bool,
}

impl View {
    /// What stands up to so many steps before and after each of these memories in its session.
    pub fn beside<'v>(
        &'v self,
        docs: &'v [Doc],
        steps: usize,
    ) -> impl Iterator<Item = Beside> + 'v {
        let fetch_for = |doc: Doc| {
            fetch(self.sessions.beside.get(doc.index()).map_or(&[], <[u32; 2]>::as_slice))
        };
        ahead(docs, fetch_for).flat_map(move |found| {
            let near = move |earlier| move |(step, beside)| Beside { found, beside, step, earlier };
            let before = self.session_before(found).take(steps).enumerate().map(near(true));
            before.chain(self.session_after(found).take(steps).enumerate().map(near(false)))
        })
    }

    /// The memories before this one in its session, nearest first.
    pub fn session_before(&self, doc: Doc) -> impl Iterator<Item = Doc> + '_ {
        self.sessions.walk(doc, 0)
    }

    /// The memories after this one in its session, nearest first.
    pub fn session_after(&self, doc: Doc) -> impl Iterator<Item = Doc> + '_ {
        self.sessions.walk(doc, 1)
    }

    /// Where the memory at a place stands in its session, if it has one.
    pub(crate) fn session_key(&self, doc: Doc) -> Option<Key> {
        let row = self.columns.table.row(doc);
        row.session().map(|session| (session.0, row.valid_from, row.id))
    }
}
