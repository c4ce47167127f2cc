//! Facet counts: the number of memories per kind, project, collection, tag, agent and speaker.

use crate::mapped_array::MappedArray;
use crate::{DocSet, View, interner::NO_NAME};
use model::Status;

/// Number of memories per name within a document set, most frequent first.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FacetCounts<'a> {
    pub memories: usize,
    /// Memories that have a vector of the view's model.
    pub with_vector: usize,
    pub kinds: Vec<(&'a str, usize)>,
    /// Memories without a project are not listed.
    pub projects: Vec<(&'a str, usize)>,
    pub collections: Vec<(&'a str, usize)>,
    pub tags: Vec<(&'a str, usize)>,
    pub agents: Vec<(&'a str, usize)>,
    /// Memories without a speaker are not listed.
    pub speakers: Vec<(&'a str, usize)>,
}

impl View {
    /// Counts the memories of a document set by each facet.
    #[must_use]
    pub fn facet_counts(&self, within: &DocSet) -> FacetCounts<'_> {
        let table = &self.columns.table;
        let column = |column: &MappedArray<u32>| {
            self.count_names(within.iter().map(|doc| column[doc.index()]))
        };
        FacetCounts {
            memories: within.count(),
            with_vector: within.iter().filter(|&doc| self.has_vector(doc)).count(),
            kinds: column(&table.kind),
            projects: column(&table.project),
            collections: column(&table.collection),
            tags: self.count_names(within.iter().flat_map(|doc| self.tags.get(doc)).copied()),
            agents: column(&table.agent),
            speakers: column(&table.speaker),
        }
    }

    /// Counts the memories of a document set by kind, most frequent first.
    #[must_use]
    pub fn kind_counts(&self, within: &DocSet) -> Vec<(&str, usize)> {
        let kinds = &self.columns.table.kind;
        self.count_names(within.iter().map(|doc| kinds[doc.index()]))
    }

    /// Returns the number of all active memories by kind, most frequent first. Unlike
    /// [`Self::kind_counts`] it takes the same time whatever the number of memories.
    #[must_use]
    pub fn active_kind_counts(&self) -> Vec<(&str, usize)> {
        self.sort_counts(self.columns.active_kinds())
    }

    /// Returns the number of all memories of a status.
    #[must_use]
    pub fn status_count(&self, status: Status) -> usize {
        self.columns.status_count(status)
    }

    /// Returns the approximate memory use of the view in bytes.
    #[must_use]
    pub fn size_bytes(&self) -> usize {
        let lists = self.tags.size_bytes()
            + self.entities.size_bytes()
            + self.links.size_bytes()
            + self.pairs.size_bytes();
        let ids = self.by_id.size_bytes() + self.sessions.size_bytes();
        self.columns.table.bytes()
            + lists
            + ids
            + self.postings.size_bytes()
            + self.vectors.size_bytes()
    }

    fn count_names(&self, ids: impl Iterator<Item = u32>) -> Vec<(&str, usize)> {
        // Name ids are dense, so a counter array indexed by id is cheaper than a hash map.
        let mut counts = vec![0_usize; self.names.len()];
        ids.for_each(|id| counts[id as usize] += 1);
        self.sort_counts((0..).zip(counts).filter(|&(id, count)| id != NO_NAME && count > 0))
    }

    fn sort_counts(&self, counts: impl Iterator<Item = (u32, usize)>) -> Vec<(&str, usize)> {
        let mut named: Vec<(&str, usize)> =
            counts.map(|(id, count)| (self.names.name(id), count)).collect();
        named.sort_unstable_by(|one, other| other.1.cmp(&one.1).then(one.0.cmp(other.0)));
        named
    }
}
