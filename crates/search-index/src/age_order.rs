//! Memories ordered by time, one page at a time. Only the requested page is sorted, and only the
//! zones that may hold it are read.

use crate::mapped_array::MappedArray;
use crate::smallest_keys::SmallestKeys;
use crate::zone_map::{ZONE_DOCS, ZoneBounds, ZoneMap};
use crate::{DocId, DocSet, Filter, View};
use model::{LinkKind, MemoryId, Moment, Page};
use std::ops::Range;

/// Number of words of a bitmap that cover one zone.
const ZONE_WORDS: usize = ZONE_DOCS / 64;

/// Sort order by a time; the memory id breaks ties.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AgeOrder {
    Newest,
    Oldest,
}

impl AgeOrder {
    /// Returns a number that is smaller the earlier the value comes in this order, and the value
    /// again when applied to that number.
    fn key(self, value: i64) -> i64 {
        match self {
            // The complement reverses the order and, unlike the negation, never overflows.
            Self::Newest => !value,
            Self::Oldest => value,
        }
    }

    /// Returns the smallest key that a value within these bounds can have.
    fn first_key(self, bounds: &ZoneBounds) -> i64 {
        match self {
            Self::Newest => self.key(bounds.max),
            Self::Oldest => self.key(bounds.min),
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
        self.page_by_time(self.creation_times(), age, page, |words, visit| {
            within.iter_words(words).for_each(visit);
        })
    }

    /// Returns one page of the documents in `within`, ordered by the start of validity.
    #[must_use]
    pub fn page_by_validity(&self, within: &DocSet, age: AgeOrder, page: Page) -> Vec<MemoryId> {
        let times = (&self.columns.table.valid_from, self.columns.validity_zones());
        self.page_by_time(times, age, page, |words, visit| {
            within.iter_words(words).for_each(visit);
        })
    }

    /// Returns the documents that match a filter and were created last, newest first. The filter
    /// is applied only to the zones that are read.
    #[must_use]
    pub fn newest_matching(&self, filter: &Filter, now: Moment, limit: usize) -> Vec<MemoryId> {
        let in_status = self.filter_by_status(&filter.status, now);
        let newest = AgeOrder::Newest;
        self.page_by_time(self.creation_times(), newest, Page::first(limit), |words, visit| {
            let mut matching = in_status.clone();
            matching.retain_words(words.clone());
            self.retain_matching(filter, &mut matching);
            matching.iter_words(words).for_each(visit);
        })
    }

    fn creation_times(&self) -> (&MappedArray<i64>, &ZoneMap) {
        (&self.columns.table.created_at, self.columns.creation_zones())
    }

    /// Returns one page of documents, ordered by a column of times. `visit_zone` calls the given
    /// function with each document in some words of a bitmap.
    fn page_by_time(
        &self,
        (times, zones): (&MappedArray<i64>, &ZoneMap),
        age: AgeOrder,
        page: Page,
        visit_zone: impl Fn(Range<usize>, &mut dyn FnMut(DocId)),
    ) -> Vec<MemoryId> {
        let ids = &self.columns.table.id;
        let mut first = SmallestKeys::new(page.offset.saturating_add(page.limit));
        // The zones that may hold the first come first, so that the others are not read at all.
        let mut zones: Vec<(i64, usize)> =
            zones.zones().iter().map(|bounds| age.first_key(bounds)).zip(0..).collect();
        zones.sort_unstable();
        for (zone_key, zone) in zones {
            if first.bound().is_some_and(|(time, _)| zone_key > time) {
                break;
            }
            visit_zone(zone * ZONE_WORDS..(zone + 1) * ZONE_WORDS, &mut |doc| {
                first.offer((age.key(times[doc.index()]), age.key(ids[doc.index()])));
            });
            first.tighten();
        }
        let keys = first.into_sorted();
        let page_keys = keys.get(page.offset..).unwrap_or_default();
        page_keys.iter().map(|&(_, id)| MemoryId(age.key(id))).collect()
    }

    /// Returns the documents with the smallest keys, in the order of the keys.
    pub fn first_by_key<K: Ord + Copy>(
        &self,
        within: &DocSet,
        limit: usize,
        key: impl Fn(DocId) -> K,
    ) -> Vec<DocId> {
        let mut first = SmallestKeys::new(limit);
        within.iter().for_each(|doc| first.offer((key(doc), doc)));
        first.into_sorted().into_iter().map(|(_, doc)| doc).collect()
    }
}
