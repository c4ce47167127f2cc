//! Facet counts: the number of memories per kind, project, collection, tag, agent and speaker.

use crate::{DocSet, View, names::NO_NAME};

/// Number of memories per name within a document set, most frequent first.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Tally<'a> {
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
    pub fn tally(&self, within: &DocSet) -> Tally<'_> {
        let table = &self.columns.table;
        let column = |column: &[u32]| self.counted(within.iter().map(|doc| column[doc.index()]));
        Tally {
            memories: within.count(),
            with_vector: within.iter().filter(|&doc| self.has_vector(doc)).count(),
            kinds: column(&table.kind),
            projects: column(&table.project),
            collections: column(&table.collection),
            tags: self.counted(within.iter().flat_map(|doc| self.tags.get(doc)).copied()),
            agents: column(&table.agent),
            speakers: column(&table.speaker),
        }
    }

    /// Returns the approximate memory use of the view in bytes.
    #[must_use]
    pub fn bytes(&self) -> usize {
        let lists =
            self.tags.bytes() + self.entities.bytes() + self.links.bytes() + self.pairs.bytes();
        // About 20 bytes per slot of the map: key, value, control byte and spare capacity.
        let ids = self.by_id.capacity() * 20 + self.sessions.bytes();
        self.columns.table.bytes() + lists + ids + self.postings.bytes() + self.vectors.bytes()
    }

    fn counted(&self, ids: impl Iterator<Item = u32>) -> Vec<(&str, usize)> {
        // Name ids are dense, so a counter array indexed by id is cheaper than a hash map.
        let mut counts = vec![0_usize; self.names.len()];
        ids.for_each(|id| counts[id as usize] += 1);
        let nonzero = (0..).zip(counts).filter(|&(id, count)| id != NO_NAME && count > 0);
        let mut named: Vec<(&str, usize)> =
            nonzero.map(|(id, count)| (self.names.name(id), count)).collect();
        named.sort_unstable_by(|one, other| other.1.cmp(&one.1).then(one.0.cmp(other.0)));
        named
    }
}
